// Policies as they are written, and the isolation session of Windows that they become.
#include "backends/isolation_session/isolation_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/decode.h"
#include "document/parse.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc::isolation_session_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kOpen = R"("network": {"defaultPolicy": "allow", "allowLocalNetwork": true})";

class WindowsMachine final : public FakeHost {
 public:
  WindowsMachine() { SetSystem(OperatingSystem::kWindows); }
  [[nodiscard]] WindowsFacts Windows() const override { return facts; }
  WindowsFacts facts = {};
};

Result<Config> ConfigOf(const std::string& members) {
  const std::string command = R"("process": {"commandLine": "echo %USERNAME%", "timeout": 1000})";
  const bool phase = members.find("\"phase\"") != std::string::npos;
  const std::string text = R"({"version": "0.8.0-alpha", "containment": "isolation_session", )" +
                           (phase ? std::string("\"_comment\": 0") : command) + ", " + members + "}";
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text});
  if (!document) return document.error();
  return Decode(*document, {.system = OperatingSystem::kWindows});
}

// As `--explain` plans it, on a system that has none.
Result<Plan> PlanOf(const std::string& members) {
  Result<Config> config = ConfigOf(members);
  if (!config) return config.error();
  if (config->phase) config->process = {.command_line = ":"};
  const FakeHost host;
  const Result<Policy> policy = Resolve(*config, host, {.experimental = true, .shown_only = true});
  if (!policy) return policy.error();
  const Backend& backend = isolation_session::IsolationSessionBackend();
  return MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kAssumed));
}

// What its backend adds to --explain, both ways.
std::string Explained(const Plan& plan) {
  const Backend& backend = isolation_session::IsolationSessionBackend();
  ExplainPage page;
  backend.explain.text(plan, page);
  return page.Take() + backend.explain.json(plan);
}

std::string RefusalOf(const std::string& members) {
  const Result<Plan> plan = PlanOf(members);
  if (plan) return "planned";
  return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
}

std::string Provision(const std::string& members) {
  return R"("phase": "provision", )" + kOpen + R"(, "experimental": {"isolation_session": {"provision": )" +
         members + "}}";
}

TEST(IsolationSession, StartsTheCommandByCmd) {
  const Result<Plan> plan = PlanOf(kOpen);
  ASSERT_TRUE(plan) << plan.error().message;
  const IsolationSession& session = std::get<IsolationSessionLaunch>(plan->launch).sandbox;
  EXPECT_EQ(session.command_line, "echo %USERNAME%");
  EXPECT_EQ(session.service_timeout_ms, 6000U);
  EXPECT_EQ(session.account, "");
  EXPECT_EQ(plan->tier, Tier::kProcess);
  EXPECT_THAT(Explained(*plan), HasSubstr("cmd.exe /c 'echo %USERNAME%'"));
}

TEST(IsolationSession, HoldsNothingOfThese) {
  EXPECT_THAT(RefusalOf(R"("network": {"defaultPolicy": "allow"})"), HasSubstr("policy_conflict /network"));
  EXPECT_THAT(RefusalOf(R"("network": {"defaultPolicy": "block"})"), HasSubstr("policy_conflict /network"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "filesystem": {"readonlyPaths": ["C:\\w"]})"),
              HasSubstr("policy_conflict /filesystem/readonlyPaths/0"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "ui": {"disable": true})"), HasSubstr("policy_conflict /ui/disable"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "ui": {"injection": true})"),
              HasSubstr("policy_conflict /ui/injection"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "ui": {"clipboard": "read"})"),
              HasSubstr("policy_conflict /ui/clipboard"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "lifecycle": {"destroyOnExit": false})"),
              HasSubstr("policy_conflict /lifecycle/destroyOnExit"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "output": {"maxBytes": 1})"), HasSubstr("unenforceable /output"));
  EXPECT_THAT(RefusalOf(kOpen + R"(, "resources": {"memoryMb": 1})"), HasSubstr("/resources/memoryMb"));
  EXPECT_EQ(RefusalOf(kOpen + R"(, "experimental": {"isolation_session": {"later": {"x": 1}}})"), "planned");
}

TEST(IsolationSession, IsForAnApplicationAndAnAccount) {
  const Result<Plan> plan =
      PlanOf(Provision(R"({"appId": "PFN:A.B_c", "user": {"upn": "me@a.example", "wamToken": "5ecret"}})"));
  ASSERT_TRUE(plan) << plan.error().message;
  const IsolationSession& session = std::get<IsolationSessionLaunch>(plan->launch).sandbox;
  EXPECT_EQ(session.application, "PFN:A.B_c");
  EXPECT_EQ(session.account, "me@a.example");
  EXPECT_THAT(Explained(*plan), HasSubstr("'me@a.example', of Entra"));
  EXPECT_THAT(Explained(*plan), Not(HasSubstr("5ecret")));

  EXPECT_EQ(RefusalOf(Provision("{\"appId\": \"" + std::string(256, 'a') + "\"}")), "planned");
  for (const std::string& id : {std::string(257, 'a'), std::string("a\\u0007")}) {
    EXPECT_THAT(RefusalOf(Provision("{\"appId\": \"" + id + "\"}")),
                HasSubstr("policy_conflict /isolationSession/provision/appId"));
  }
  EXPECT_THAT(RefusalOf(Provision(R"({"user": {"upn": "me@a.example"}})")),
              HasSubstr("policy_conflict /isolationSession/provision/user: an account of Entra"));
  EXPECT_THAT(RefusalOf(Provision(R"({"user": {"upn": "me", "wamToken": "x"}})")),
              HasSubstr("policy_conflict /isolationSession/provision/user/upn"));
  EXPECT_THAT(RefusalOf(Provision(R"({"user": {"name": "x"}})")),
              HasSubstr("policy_conflict /isolationSession/provision/user: an account of Entra"));
  EXPECT_THAT(RefusalOf(Provision(R"({"user": "x"})")), HasSubstr("invalid type"));
}

TEST(IsolationSession, RunsNowhereWithTheReason) {
  const Backend& backend = isolation_session::IsolationSessionBackend();
  WindowsMachine windows;
  EXPECT_THAT(backend.probe(windows, ProbeDepth::kQuick).reason, HasSubstr("nor has this Windows any"));
  windows.facts.isolation_session = true;
  const Support support = backend.probe(windows, ProbeDepth::kQuick);
  EXPECT_EQ(support.code, ErrorCode::kNotBuilt);
  EXPECT_EQ(support.reason, "this build starts no isolation session");

  // What no session could hold is said first.
  Policy policy{.containment = Containment::kIsolationSession};
  EXPECT_EQ(MakePlan(backend, policy, support).error().pointer, "/network");
  policy.network.share_host = true;
  EXPECT_EQ(MakePlan(backend, policy, support).error().code, ErrorCode::kNotBuilt);

  const FakeHost linux_host;
  EXPECT_EQ(backend.probe(linux_host, ProbeDepth::kLive).code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace mxc::isolation_session_test
