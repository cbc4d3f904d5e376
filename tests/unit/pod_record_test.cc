// A sandbox in a cluster that stays, as it is written down, and the command that a call puts into its
// configuration.
#include "kubernetes/remote/pod_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "kubernetes/pod_document.h"

namespace mxc::kubernetes::pod_record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDocument =
    R"({"version": "1.1.0-alpha", "filesystem": {"readonlyPaths": ["/a"]},
        "process": {"commandLine": ":", "cwd": "/work", "timeout": 9, "inheritDefaultEnv": true,
                    "env": ["A=1", "B=2"]}})";

PodRecord Sample() {
  Plan plan{.policy_hash = "hash",
            .containment = Containment::kKubernetes,
            .tier = Tier::kContainer,
            .not_covered = {"nodes"},
            .audit = {.path = "/log", .on_failure = Audit::OnFailure::kWarn, .syslog = true},
            .ledger = {{.pointer = "/x", .strength = Strength::kTrustedProcess, .mechanism = "m"}},
            .relaxations = {"pod-root"}};
  plan.launch =
      KubernetesLaunch{.run = {.kubectl = "/usr/bin/kubectl",
                               .options = {"--namespace=agents"},
                               .name_space = "agents",
                               .warm_pool = "small",
                               .container = "agent",
                               .workspace = "/work",
                               .program = "/bin/mxc-exec",
                               .labels = {{"app", "a"}},
                               .ttl_s = 60,
                               .virtual_machine = true,
                               .accepted = {PodCheck::kRoot, PodCheck::kHostPid},
                               .config = {std::string("{\"a\": \""), Secret{"s"}, std::string("\"}")}},
                       .kept = KeptPod{.claim = "mxc-1",
                                       .pod = "pod-1",
                                       .owner = "o",
                                       .claim_uid = "c",
                                       .pod_uid = "p",
                                       .program = "/tmp/x/mxc-exec",
                                       .clock_ahead_s = -7,
                                       .ends_s = 99}};
  return {.plan = std::move(plan), .provisioned_ms = 5, .state = PodSandboxState::kStopped};
}

TEST(PodRecord, IsReadAsItWasWritten) {
  const std::string text = PodRecordText(Sample());
  const std::optional<PodRecord> read = ReadPodRecord(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(PodRecordText(*read), text);
  const auto& launch = std::get<KubernetesLaunch>(read->plan.launch);
  EXPECT_EQ(RevealedText(launch.run.config), R"({"a": "s"})");
  EXPECT_THAT(launch.run.accepted, ElementsAre(PodCheck::kRoot, PodCheck::kHostPid));
  EXPECT_TRUE(launch.run.virtual_machine);
  EXPECT_EQ(launch.kept->pod_uid, "p");
  EXPECT_EQ(launch.kept->clock_ahead_s, -7);
  EXPECT_EQ(read->plan.audit.path, "/log");
  EXPECT_EQ(read->plan.audit.on_failure, Audit::OnFailure::kWarn);
  EXPECT_EQ(read->plan.containment, Containment::kKubernetes);
  EXPECT_EQ(read->state, PodSandboxState::kStopped);
}

TEST(PodRecord, AnythingElseIsNone) {
  const std::string text = PodRecordText(Sample());
  EXPECT_FALSE(ReadPodRecord(""));
  EXPECT_FALSE(ReadPodRecord("[]"));
  EXPECT_FALSE(ReadPodRecord(text.substr(0, text.size() / 2)));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    EXPECT_THAT(text, HasSubstr(from));
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_FALSE(ReadPodRecord(with("\"version\":\"" MXC_VERSION "\"", "\"version\":\"0.0.1\"")));
  EXPECT_FALSE(ReadPodRecord(with("\"podUid\":\"p\",", "")));
  EXPECT_FALSE(ReadPodRecord(with("\"state\":\"stopped\"", "\"state\":\"other\"")));
  EXPECT_FALSE(ReadPodRecord(with("\"ttl\":60", "\"ttl\":\"60\"")));
}

TEST(PodDocument, TakesTheCommandOfACall) {
  const Result<std::string> text = WithCommand(
      kDocument,
      {.argv = {"cc", "a \"b\""}, .environment = {{"B", Secret{"3"}}, {"C", Secret{"4"}}}, .timeout_ms = 70});
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr(R"("readonlyPaths":["/a"])"));
  EXPECT_THAT(*text, HasSubstr(R"("argv":["cc","a \"b\""])"));
  EXPECT_THAT(*text, Not(HasSubstr("commandLine")));
  EXPECT_THAT(*text, HasSubstr(R"("cwd":"/work")"));
  EXPECT_THAT(*text, HasSubstr(R"("timeout":70)"));
  EXPECT_THAT(*text, HasSubstr(R"("env":["A=1","B=3","C=4"])"));
  EXPECT_THAT(*text, HasSubstr(R"("inheritDefaultEnv":true)"));
}

TEST(PodDocument, AnExactEnvironmentHasNothingElse) {
  const Result<std::string> text = WithCommand(kDocument, {.command_line = "make",
                                                           .cwd = "/src",
                                                           .environment = {{"C", Secret{"4"}}},
                                                           .exact = true,
                                                           .timeout_ms = 70});
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr(R"("commandLine":"make")"));
  EXPECT_THAT(*text, HasSubstr(R"("cwd":"/src")"));
  EXPECT_THAT(*text, HasSubstr(R"("env":["C=4"])"));
  EXPECT_THAT(*text, HasSubstr(R"("inheritDefaultEnv":false)"));
}

TEST(PodDocument, OfAnotherFormIsRefused) {
  for (const std::string text : {"", "[]", "{}", R"({"process": 1})"})
    EXPECT_FALSE(WithCommand(text, {.command_line = "x"})) << text;
}

}  // namespace
}  // namespace mxc::kubernetes::pod_record_test
