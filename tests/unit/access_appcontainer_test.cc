// The questions of tests/conformance/access.jsonl, asked of the access control entries that each policy
// becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/appcontainer/appcontainer.h"
#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "mxc/windows/path.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/access_corpus.h"
#include "tests/support/fake_host.h"
#include "tests/support/grant_model.h"

namespace mxc::access_appcontainer_test {
namespace {

using test::AccessCorpus;
using test::AccessPolicy;
using test::AccessQuestion;
using testing::HasSubstr;

constexpr const char* kBackend = "processcontainer";
constexpr const char* kDrive = "C:";
const std::string kRoot = "/ws";

// The tree, to know what is there and where links lead.
void Furnish(FakeHost& host, const AccessCorpus& corpus) {
  const auto fill = [&](const std::string& directory) {
    host.AddDirectory(directory);
    for (const std::string& file : test::kAccessFiles) host.AddFile(directory + "/" + file);
    host.AddFile(directory + "/tool");
  };
  for (const std::string& directory : corpus.directories) fill(kRoot + "/" + directory);
  for (const std::string& repository : corpus.repositories) {
    fill(kRoot + "/" + repository);
    const std::string git = kRoot + "/" + repository + "/.git/";
    for (const std::string& folder : test::kAccessGitFolders) host.AddDirectory(git + folder);
    for (const std::string& file : test::kAccessGitFiles) host.AddFile(git + file);
  }
  for (const auto& [link, target] : corpus.links) host.AddSymlink(kRoot + "/" + link, target);
}

std::string OnDrive(std::string path) {
  std::replace(path.begin(), path.end(), '/', '\\');
  return kDrive + path;
}

struct Planned {
  Policy policy = {};
  Plan plan = {};
};

// What a look at a Windows host adds: what is there, and that a path through a link is refused.
Status LookAt(const FakeHost& host, Policy& policy) {
  policy.as_written = false;
  for (PathRule& rule : policy.paths) {
    std::string path = rule.path.substr(2);
    std::replace(path.begin(), path.end(), '\\', '/');
    const std::optional<std::string> found = host.CanonicalPath(path);
    if (found && *found != path) return Error{.message = "leads through a link", .pointer = rule.pointer};
    if (found) rule.object = host.LookAt(path).status->object;
  }
  return Done{};
}

Result<Planned> PlanOf(const AccessPolicy& written, const FakeHost& host) {
  const std::string text = test::AccessConfig(written, kBackend, kDrive + kRoot);
  const Result<Json> json = ParseDocument({.name = "corpus", .bytes = text});
  if (!json) return json.error();
  const Result<Config> config = Decode(*json, {.system = OperatingSystem::kWindows});
  if (!config) return config.error();
  Result<Policy> policy = Resolve(*config, host, {.shown_only = true});
  if (!policy) return policy.error();
  if (const Status looked = LookAt(host, *policy); !looked) return looked.error();
  const Backend& backend = appcontainer::AppContainerBackend();
  Result<Plan> plan = MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kAssumed));
  if (!plan) return plan.error();
  return Planned{std::move(*policy), std::move(*plan)};
}

class Asked {
 public:
  Asked(const AppContainerSandbox& sandbox, const FakeHost& host)
      : sandbox_(sandbox), model_(sandbox), host_(host) {}

  bool Answer(const AccessQuestion& question) const {
    if (question.ask == "connect") return Connects(question.at);
    const std::string at = test::AccessPath(kRoot, question.at);
    if (question.ask == "create") return May(Above(at), kAddFile);
    if (question.ask == "mkdir") return May(Above(at), kAddDirectory);
    const std::optional<std::string> path = host_.CanonicalPath(at);
    if (!path) return false;
    if (question.ask == "read" || question.ask == "list") return May(*path, kReadData);
    if (question.ask == "write") return May(*path, kWriteData);
    if (question.ask == "touch") return May(*path, kWriteAttributes);
    if (question.ask == "execute") return May(*path, kReadData) && May(*path, kExecute);
    if (question.ask == "remove") return Removes(*path);
    const std::string to = Above(test::AccessPath(kRoot, question.to));
    if (question.ask == "rename") return Removes(*path) && May(to, kAddFile);
    if (question.ask == "link") return May(*path, kWriteAttributes) && May(to, kAddFile);
    ADD_FAILURE() << "nobody knows how to ask: " << question.Text();
    return false;
  }

 private:
  static constexpr std::uint32_t kReadData = 0x1;
  static constexpr std::uint32_t kWriteData = 0x2;
  static constexpr std::uint32_t kAddFile = 0x2;
  static constexpr std::uint32_t kAddDirectory = 0x4;
  static constexpr std::uint32_t kExecute = 0x20;
  static constexpr std::uint32_t kDeleteChild = 0x40;
  static constexpr std::uint32_t kWriteAttributes = 0x100;
  static constexpr std::uint32_t kDelete = 0x10000;

  bool May(const std::string& path, std::uint32_t right) const { return model_.May(OnDrive(path), right); }
  std::string Above(const std::string& path) const {
    const std::string directory = path.substr(0, path.rfind('/'));
    return host_.CanonicalPath(directory).value_or(directory);
  }
  bool Removes(const std::string& path) const {
    return May(path, kDelete) || May(path.substr(0, path.rfind('/')), kDeleteChild);
  }
  // What the filtering platform of Windows lets through for the capabilities.
  bool Connects(const std::string& at) const {
    const auto has = [this](const char* name) {
      const auto& names = sandbox_.capabilities;
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (at == "host-loopback" || at.starts_with("127.")) return false;
    const bool is_private = at.starts_with("10.") || at.starts_with("192.168.") || at.starts_with("172.16.");
    return is_private ? has("privateNetworkClientServer") : has("internetClient");
  }

  const AppContainerSandbox& sandbox_;
  GrantModel model_;
  const FakeHost& host_;
};

void Check(const AccessPolicy& written, const Planned& planned, const FakeHost& host) {
  const std::string explained =
      DescribeText(Dispatch(planned.plan.containment), planned.policy, planned.plan);
  const Asked asked(std::get<AppContainerLaunch>(planned.plan.launch).sandbox, host);
  for (const AccessQuestion& question : written.questions) {
    const auto differs = question.differs.find(kBackend);
    const bool expected = differs == question.differs.end() ? question.answer : differs->second.answer;
    EXPECT_EQ(asked.Answer(question), expected) << question.Text() << "\n" << explained;
    if (differs == question.differs.end()) continue;
    EXPECT_NE(differs->second.answer, question.answer) << question.Text();
    EXPECT_THAT(explained, HasSubstr(differs->second.because)) << question.Text();
  }
}

TEST(AccessAppContainer, AnswersAsTheCorpusSays) {
  const AccessCorpus corpus = test::ReadAccessCorpus();
  FakeHost host;
  Furnish(host, corpus);
  for (const AccessPolicy& written : corpus.policies) {
    SCOPED_TRACE(written.name);
    const Result<Planned> planned = PlanOf(written, host);
    const auto refused = written.refused.find(kBackend);
    if (refused == written.refused.end()) {
      EXPECT_TRUE(planned) << planned.error().pointer << ": " << planned.error().message;
      if (planned) Check(written, *planned, host);
    } else {
      EXPECT_FALSE(planned);
      if (planned) continue;
      EXPECT_EQ(planned.error().pointer, refused->second);
    }
  }
}

}  // namespace
}  // namespace mxc::access_appcontainer_test
