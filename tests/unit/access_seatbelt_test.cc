// The questions of tests/conformance/access.jsonl, asked of the profile that each policy becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/seatbelt/seatbelt.h"
#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/access_corpus.h"
#include "tests/support/fake_host.h"
#include "tests/support/sbpl.h"

namespace mxc::access_seatbelt_test {
namespace {

using test::AccessCorpus;
using test::AccessPolicy;
using test::AccessQuestion;
using testing::HasSubstr;

const std::string kRoot = "/Users/me/ws";
constexpr const char* kBackend = "seatbelt";

void Furnish(FakeHost& host, const AccessCorpus& corpus) {
  const FakeAttributes own{.uid = 501, .gid = 20};
  host.SetSystem(OperatingSystem::kMacos).SetCaller(501, 20).AddDirectory("/private/tmp", {.mode = 01777});
  for (const char* name : {"etc", "tmp", "var"})
    host.AddSymlink(std::string("/") + name, std::string("private/") + name);
  const auto fill = [&](const std::string& directory) {
    host.AddDirectory(directory, own);
    for (const std::string& file : test::kAccessFiles) host.AddFile(directory + "/" + file, "text", own);
    host.AddFile(directory + "/tool", "#!/bin/sh\nexit 7\n", own);
  };
  for (const std::string& directory : corpus.directories) fill(kRoot + "/" + directory);
  for (const std::string& repository : corpus.repositories) {
    fill(kRoot + "/" + repository);
    const std::string git = kRoot + "/" + repository + "/.git/";
    for (const std::string& folder : test::kAccessGitFolders) host.AddDirectory(git + folder, own);
    for (const std::string& file : test::kAccessGitFiles) host.AddFile(git + file, "", own);
  }
  for (const auto& [link, target] : corpus.links) host.AddSymlink(kRoot + "/" + link, target, own);
}

struct Planned {
  Policy policy = {};
  Plan plan = {};
};

Result<Planned> PlanOf(const AccessPolicy& written, const FakeHost& host) {
  const Result<Json> json =
      ParseDocument({.name = "corpus", .bytes = test::AccessConfig(written, kBackend, kRoot)});
  if (!json) return json.error();
  const Result<Config> config = Decode(*json, {.system = OperatingSystem::kMacos});
  if (!config) return config.error();
  Result<Policy> policy = Resolve(*config, host, {});
  if (!policy) return policy.error();
  const Backend& backend = seatbelt::SeatbeltBackend();
  Result<Plan> plan = MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kAssumed));
  if (!plan) return plan.error();
  return Planned{std::move(*policy), std::move(*plan)};
}

// Asks as the kernel would: about the file itself, whatever name leads to it.
class Asked {
 public:
  Asked(const SbplProfile& profile, const FakeHost& host) : profile_(profile), host_(host) {}

  bool Answer(const AccessQuestion& question) const {
    if (question.ask == "connect") return Connects(question.at);
    const std::string at = test::AccessPath(kRoot, question.at);
    if (question.ask == "create" || question.ask == "mkdir") return Creates(at);
    const std::optional<std::string> path = host_.CanonicalPath(at);
    if (!path) return false;
    if (question.ask == "read" || question.ask == "list") return May("file-read-data", *path);
    if (question.ask == "write") return May("file-write-data", *path);
    if (question.ask == "touch") return May("file-write-times", *path);
    if (question.ask == "execute") return May("process-exec", *path) && May("file-read-data", *path);
    if (question.ask == "remove") return May("file-write-unlink", *path);
    const std::string to = test::AccessPath(kRoot, question.to);
    if (question.ask == "rename") return May("file-write-unlink", *path) && Creates(to);
    if (question.ask == "link") return May("file-link", *path) && Creates(to);
    ADD_FAILURE() << "nobody knows how to ask: " << question.Text();
    return false;
  }

 private:
  bool May(const std::string& operation, const std::string& path) const {
    return profile_.Allows({.operation = operation, .subject = path});
  }
  bool Creates(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    // The directory may be one that an earlier question would have made.
    const std::string directory = path.substr(0, slash);
    return May("file-write-create", host_.CanonicalPath(directory).value_or(directory) + path.substr(slash));
  }
  bool Connects(const std::string& at) const {
    const std::string address = at == "host-loopback" ? "localhost:8080" : at;
    return profile_.Allows({.operation = "network-outbound", .subject = address});
  }

  const SbplProfile& profile_;
  const FakeHost& host_;
};

TEST(AccessSeatbelt, AnswersAsTheCorpusSays) {
  const AccessCorpus corpus = test::ReadAccessCorpus();
  FakeHost host;
  Furnish(host, corpus);
  for (const AccessPolicy& written : corpus.policies) {
    SCOPED_TRACE(written.name);
    const Result<Planned> planned = PlanOf(written, host);
    if (const auto refused = written.refused.find("seatbelt"); refused != written.refused.end()) {
      ASSERT_FALSE(planned);
      EXPECT_EQ(planned.error().pointer, refused->second);
      continue;
    }
    ASSERT_TRUE(planned) << planned.error().message;
    const Result<SbplProfile> profile =
        SbplProfile::Parse(std::get<SeatbeltLaunch>(planned->plan.launch).sandbox,
                           {{"TEMP", "/private/var/folders/x/mxc"}, {"MARK", "mark"}, {"NO_MARK", "none"}});
    ASSERT_TRUE(profile) << profile.error().message << "\n"
                         << std::get<SeatbeltLaunch>(planned->plan.launch).sandbox.profile;
    const std::string explained =
        DescribeText(Dispatch(planned->plan.containment), planned->policy, planned->plan);
    const Asked asked(*profile, host);
    for (const AccessQuestion& question : written.questions) {
      const auto differs = question.differs.find(kBackend);
      const bool expected = differs == question.differs.end() ? question.answer : differs->second.answer;
      EXPECT_EQ(asked.Answer(question), expected)
          << question.Text() << "\n"
          << std::get<SeatbeltLaunch>(planned->plan.launch).sandbox.profile;
      if (differs == question.differs.end()) continue;
      EXPECT_NE(differs->second.answer, question.answer) << question.Text();
      EXPECT_THAT(explained, HasSubstr(differs->second.because)) << question.Text();
    }
  }
}

TEST(AccessCorpus, IsAsLargeAsItSays) {
  const AccessCorpus corpus = test::ReadAccessCorpus();
  std::size_t questions = 0;
  for (const AccessPolicy& policy : corpus.policies) questions += policy.questions.size();
  EXPECT_GE(corpus.policies.size(), 20U);
  EXPECT_GE(questions, 200U);
}

}  // namespace
}  // namespace mxc::access_seatbelt_test
