// The questions of tests/conformance/access.jsonl, put to the kernel by a guest inside each Linux engine.
#include "tests/containment/containment.h"
#include "tests/support/access_corpus.h"
#include "tests/support/listener.h"

namespace mxc::test::access_test {
namespace {

using testing::HasSubstr;

class AccessCorpusRun : public ContainmentTest {
 protected:
  const AccessCorpus corpus = ReadAccessCorpus();
  const Listener listener = Listener::Tcp("127.0.0.1");

  // A tree that nobody has touched yet.
  std::string PlantTree(const std::string& name) const {
    const auto fill = [&](const std::string& directory) {
      for (const std::string& file : kAccessFiles) workspace.File(directory + "/" + file, "text");
      workspace.File(directory + "/tool", "#!/bin/sh\nexit 7\n", 0755);
    };
    for (const std::string& directory : corpus.directories) fill(name + "/" + directory);
    for (const std::string& repository : corpus.repositories) {
      const std::string top = name + "/" + repository;
      fill(top);
      for (const std::string& folder : kAccessGitFolders) workspace.Directory(top + "/.git/" + folder);
      for (const std::string& file : kAccessGitFiles) workspace.File(top + "/.git/" + file, "");
    }
    for (const auto& [link, target] : corpus.links) workspace.Link(name + "/" + link, target);
    return workspace.Path(name);
  }

  Words OperationFor(const AccessQuestion& question, const std::string& root) const {
    const std::string at = AccessPath(root, question.at);
    const std::string to = AccessPath(root, question.to);
    if (question.ask == "write") return {"open", at, "w"};
    if (question.ask == "create") return {"write", at, "x"};
    if (question.ask == "remove") return {"unlink", at};
    if (question.ask == "execute") return {"start", at};
    if (question.ask == "rename" || question.ask == "link") return {question.ask, at, to};
    if (question.ask != "connect") return {question.ask, at};
    if (question.at == "host-loopback") return {"connect", "tcp", "127.0.0.1", listener.Port(), "x"};
    return {"connect", "tcp", question.at.substr(0, question.at.find(':')),
            question.at.substr(question.at.find(':') + 1), "x"};
  }

  // What the guest printed, as yes or no.
  static bool MeansYes(const AccessQuestion& question, const std::string& printed) {
    if (question.ask == "read") return printed == "text" || printed.empty();
    if (question.ask == "list") return printed.find("file") != std::string::npos;
    if (question.ask == "execute") return printed == "7";
    return printed == "ok";
  }

  Parts PartsOf(const AccessPolicy& policy, const std::string& containment, const std::string& root) const {
    const auto paths = [&root](const std::vector<std::string>& list) {
      std::vector<std::string> result;
      for (const std::string& path : list) result.push_back(AccessPath(root, path));
      return result;
    };
    return {.version = "0.8.0-alpha",
            .containment = containment,
            .read_only = paths(policy.read_only),
            .read_write = paths(policy.read_write),
            .denied = paths(policy.denied),
            .filesystem = policy.unprotected ? R"("protect":[])" : "",
            .network = policy.network};
  }

  void Judge(const AccessPolicy& policy, const std::string& containment, const std::string& root) {
    std::vector<Words> operations;
    for (const AccessQuestion& question : policy.questions)
      operations.push_back(OperationFor(question, root));
    const Parts parts = PartsOf(policy, containment, root);
    const std::vector<std::string> answers = Try(parts, operations);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const AccessQuestion& question = policy.questions[i];
      const auto differs = question.differs.find(containment);
      const bool expected = differs == question.differs.end() ? question.answer : differs->second.answer;
      EXPECT_EQ(MeansYes(question, answers[i]), expected) << question.Text() << ": " << answers[i];
      if (differs == question.differs.end()) continue;
      EXPECT_NE(differs->second.answer, question.answer) << question.Text();
      const Ended explained = Execute(PrepareConfig(parts, {"--explain"}));
      EXPECT_THAT(explained.out, HasSubstr(differs->second.because)) << question.Text();
    }
  }

  void JudgeAll(const std::string& containment) {
    for (const AccessPolicy& policy : corpus.policies) {
      SCOPED_TRACE(policy.name);
      const std::string root = PlantTree(policy.name);
      const auto refused = policy.refused.find(containment);
      if (refused == policy.refused.end()) {
        Judge(policy, containment, root);
        continue;
      }
      const Ended ended = RunConfig(PartsOf(policy, containment, root));
      EXPECT_EQ(ended.status, 255) << ended.err;
      EXPECT_THAT(At(LastLine(ended.err), "/error/kind"), testing::AnyOf("unenforceable", "policy_conflict"))
          << ended.err;
      EXPECT_EQ(At(LastLine(ended.err), "/error/pointer"), refused->second) << ended.err;
    }
  }
};

TEST_P(AccessCorpusRun, Namespaces) { JudgeAll("namespaces"); }
TEST_P(AccessCorpusRun, Bubblewrap) { JudgeAll("bubblewrap"); }
TEST_P(AccessCorpusRun, Lxc) {
  if (!HasLxc()) GTEST_SKIP() << kNoLxc;
  JudgeAll("lxc");
}
TEST_P(AccessCorpusRun, Landlock) { JudgeAll("landlock"); }

MXC_FOR_EACH_CALLER(AccessCorpusRun);

}  // namespace
}  // namespace mxc::test::access_test
