// Policies as they are written, and the machine of Windows Sandbox that they become.
#include "backends/windows_sandbox/windows_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/windows_sandbox/folders.h"
#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "mxc/windows/sandbox_run.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc::windows_sandbox_test {
namespace {

using testing::HasSubstr;

Result<Policy> PolicyOf(const std::string& members) {
  const std::string text =
      R"({"version": "1.1.0-alpha", "containment": "windows_sandbox", )" +
      (members.find("\"process\"") == std::string::npos ? std::string(R"("process": {"commandLine": "dir"})")
                                                        : std::string("\"_comment\": 0")) +
      (members.empty() ? "" : ", " + members) + "}";
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text});
  if (!document) return document.error();
  const Result<Config> config = Decode(*document, {.system = OperatingSystem::kWindows});
  if (!config) return config.error();
  const FakeHost host;
  return Resolve(*config, host, {.experimental = true, .shown_only = true});
}

Result<Plan> PlanOf(const std::string& members) {
  const Result<Policy> policy = PolicyOf(members);
  if (!policy) return policy.error();
  const FakeHost host;
  const Backend& backend = windows_sandbox::WindowsSandboxBackend();
  return MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kAssumed));
}

std::string RefusalOf(const std::string& members) {
  const Result<Plan> plan = PlanOf(members);
  if (plan) return "planned";
  return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
}

WindowsSandboxRun RunOf(const std::string& members) {
  const Result<Plan> plan = PlanOf(members);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? std::get<WindowsSandboxLaunch>(plan->launch).run : WindowsSandboxRun{};
}

TEST(WindowsSandboxPlan, IsAMachineWithoutANetwork) {
  const std::string text = WsbText(RunOf(""), "C:\\run & <x>");
  for (const char* line :
       {"<Networking>Disable</Networking>", "<VGpu>Disable</VGpu>", "<ProtectedClient>Enable",
        "<ClipboardRedirection>Disable", "<PrinterRedirection>Disable", "<AudioInput>Disable",
        "<VideoInput>Disable", "<HostFolder>C:\\run &amp; &lt;x&gt;</HostFolder>",
        "\"C:\\mxc-run\\run.cmd &amp; C:\\Windows\\System32\\shutdown.exe /s /f /t 0\""}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, testing::Not(HasSubstr("MemoryInMB")));
  EXPECT_EQ(PlanOf("")->tier, Tier::kVirtualMachine);
}

TEST(WindowsSandboxPlan, SharesTheFoldersOfThePolicy) {
  const WindowsSandboxRun run = RunOf(R"("filesystem": {"readwritePaths": ["C:\\out"],
      "readonlyPaths": ["C:\\in"], "deniedPaths": ["C:\\else"]}, "resources": {"memoryMb": 2048})");
  ASSERT_EQ(run.folders.size(), 2U);
  EXPECT_EQ(run.cwd, "C:\\in");
  const std::string text = WsbText(run, "C:\\r");
  EXPECT_THAT(text, HasSubstr("<SandboxFolder>C:\\in</SandboxFolder>\n      <ReadOnly>true"));
  EXPECT_THAT(text, HasSubstr("<SandboxFolder>C:\\out</SandboxFolder>\n      <ReadOnly>false"));
  EXPECT_THAT(text, HasSubstr("<MemoryInMB>2048</MemoryInMB>"));
  EXPECT_EQ(RunOf("").cwd, "C:\\");
}

TEST(WindowsSandboxPlan, AFolderIsSharedAsAWhole) {
  const std::string above = R"("filesystem": {"readwritePaths": ["C:\\w"], )";
  EXPECT_THAT(RefusalOf(above + R"("deniedPaths": ["c:\\W\\x"]})"),
              HasSubstr("unenforceable /filesystem/deniedPaths/0"));
  EXPECT_THAT(RefusalOf(above + R"("deniedPaths": ["C:\\"]})"), HasSubstr("deniedPaths/0"));
  EXPECT_THAT(RefusalOf(above + R"("readonlyPaths": ["C:\\w\\x"]})"),
              HasSubstr("unenforceable /filesystem/readonlyPaths/0"));
  EXPECT_THAT(RefusalOf(above + R"("protect": ["git"]})"), HasSubstr("/filesystem/protect/0"));
}

TEST(WindowsSandboxPlan, RefusesFoldersThatTheMachineHasItself) {
  const auto folder = [](const std::string& path) {
    return RefusalOf(R"("filesystem": {"readonlyPaths": [")" + path + "\"]}");
  };
  EXPECT_THAT(folder("C:\\\\"), HasSubstr("policy_conflict /filesystem/readonlyPaths/0"));
  EXPECT_THAT(folder("C:\\\\Windows\\\\System32"), HasSubstr("of its own"));
  EXPECT_THAT(folder("D:\\\\w"), HasSubstr("only one of the machine"));
  EXPECT_THAT(folder("\\\\\\\\server\\\\share"), HasSubstr("only one of the machine"));
  EXPECT_EQ(folder("C:\\\\Windows2"), "planned");
  const std::vector<PathRule> file = {
      {.path = "C:\\f", .object = FileObject{.type = FileType::kRegular}, .pointer = "/p"}};
  EXPECT_THAT(windows_sandbox::FoldersFor(file).error().message, HasSubstr("is a file"));
}

TEST(WindowsSandboxPlan, RefusesEveryNetwork) {
  const auto network = [](const std::string& text) { return RefusalOf("\"network\": {" + text + "}"); };
  EXPECT_THAT(network(R"("egress": {"default": "allow"})"),
              HasSubstr("unenforceable /network/egress/default"));
  EXPECT_THAT(network(R"("egress": {"allow": [{"to": [{"cidr": "192.0.2.1/32"}]}]})"),
              HasSubstr("/network/egress/allow/0"));
  EXPECT_THAT(network(R"("ingress": {"default": "allow"})"), HasSubstr("/network/ingress/default"));
  EXPECT_THAT(network(R"("ingress": {"hostLoopback": "allow"})"), HasSubstr("/network/ingress/hostLoopback"));
  EXPECT_THAT(network(R"("ingress": {"publish": [{"host": 80}]})"), HasSubstr("/network/ingress/publish/0"));
  EXPECT_EQ(network(R"("egress": {"deny": [{"to": [{"cidr": "192.0.2.1/32"}]}]})"), "planned");
}

TEST(WindowsSandboxPlan, TheCommandIsOneLineForCmd) {
  EXPECT_EQ(RunOf(R"("process": {"argv": ["a b", "c&d"]})").command_line, "\"a b\" \"c&d\"");
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": "a\nb"})"), HasSubstr("/process/commandLine"));
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": ")" + std::string(8001, 'x') + "\"}"),
              HasSubstr("longer"));
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": "x", "env": ["A=1\n2"]})"), HasSubstr("/process/env"));
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": "x", "env": ["A=)" + std::string(8001, 'x') + "\"]}"),
              HasSubstr("more characters"));
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": "x", "cwd": "C:\\else"})"),
              HasSubstr("policy_conflict /process/cwd"));
  EXPECT_EQ(RunOf(R"("process": {"commandLine": "x", "cwd": "C:\\w\\d"},
                     "filesystem": {"readonlyPaths": ["C:\\w"]})")
                .cwd,
            "C:\\w\\d");
}

TEST(WindowsSandboxPlan, SaysWhatHasNoEffect) {
  const auto warned = [](const std::string& members, const char* category) {
    const Result<Plan> plan = PlanOf(members);
    if (!plan) return false;
    for (const Warning& warning : plan->warnings) {
      if (warning.category == category) return true;
    }
    return false;
  };
  EXPECT_TRUE(warned(R"("windowsSandbox": {"idleTimeoutMs": 5})", "without-effect"));
  EXPECT_FALSE(warned("", "without-effect"));
  EXPECT_TRUE(warned(R"("ui": {"clipboard": "read"})", "ui-not-given"));
  EXPECT_FALSE(warned(R"("ui": {"disable": true})", "ui-not-given"));
  EXPECT_THAT(RefusalOf(R"("output": {"maxBytes": 5})"), HasSubstr("/output"));
  EXPECT_THAT(RefusalOf(R"("resources": {"processes": 5})"), HasSubstr("/resources/processes"));
}

TEST(WindowsSandboxPlan, IsShownWithoutSecrets) {
  const std::string members = R"("process": {"commandLine": "x", "env": ["T=hunter2"]})";
  const Result<Policy> policy = PolicyOf(members);
  const Result<Plan> plan = PlanOf(members);
  ASSERT_TRUE(policy && plan);
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), *policy, *plan), HasSubstr("<Networking>Disable"));
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), *policy, *plan) +
                  DescribeJson(Dispatch(plan->containment), *policy, *plan),
              testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(plan->not_covered, testing::Contains(HasSubstr("variables of the machine's own")));
}

TEST(WindowsSandboxPlan, OfAMachineThatStaysNothingIsOnlyAWarning) {
  const std::string stays = R"("phase": "provision", )";
  EXPECT_THAT(RefusalOf(stays + R"("ui": {"clipboard": "read"})"), HasSubstr("unenforceable /ui"));
  EXPECT_EQ(RefusalOf(stays + R"("ui": {"disable": true})"), "planned");
  const Result<Plan> plan =
      PlanOf(stays + R"("windowsSandbox": {"idleTimeoutMs": 5, "daemonPipeName": "p"})");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::vector<std::string> without_effect;
  for (const Warning& warning : plan->warnings) {
    if (warning.category == "without-effect") without_effect.push_back(warning.pointer);
  }
  EXPECT_THAT(without_effect, testing::ElementsAre("/windowsSandbox/daemonPipeName"));
}

TEST(WindowsSandboxPlan, IsNotToBeHadEverywhere) {
  class Machine final : public FakeHost {
   public:
    Machine() { SetSystem(OperatingSystem::kWindows); }
    [[nodiscard]] WindowsFacts Windows() const override { return facts; }
    WindowsFacts facts = {};
  };
  const Backend& backend = windows_sandbox::WindowsSandboxBackend();
  EXPECT_EQ(backend.probe(FakeHost(), ProbeDepth::kQuick).code, ErrorCode::kUnsupported);
  Machine host;
  EXPECT_EQ(backend.probe(host, ProbeDepth::kQuick).code, ErrorCode::kUnavailable);
  EXPECT_THAT(backend.probe(host, ProbeDepth::kQuick).remedy, HasSubstr("Containers-DisposableClientVM"));
  host.facts.windows_sandbox = true;
  EXPECT_TRUE(backend.probe(host, ProbeDepth::kQuick).usable);
}

TEST(GuestScript, OnlyItsOwnLineCounts) {
  std::uint32_t status = 0;
  EXPECT_FALSE(ReadGuestStatus("", "tok", status));
  EXPECT_FALSE(ReadGuestStatus("tok started\r\n", "tok", status));
  EXPECT_FALSE(ReadGuestStatus("tok started\r\ntok ended 5", "tok", status));
  EXPECT_TRUE(ReadGuestStatus("tok started\r\ntok ended 5\r\n", "tok", status));
  EXPECT_EQ(status, 5U);
  EXPECT_TRUE(ReadGuestStatus("tok ended -1073741510\r\n", "tok", status));
  EXPECT_EQ(status, 0xC000013AU);
  EXPECT_FALSE(ReadGuestStatus("other ended 5\r\n", "tok", status));
  EXPECT_FALSE(ReadGuestStatus("xtok ended 5\r\n", "tok", status));
  EXPECT_FALSE(ReadGuestStatus("tok ended x\r\n", "tok", status));
  EXPECT_FALSE(ReadGuestStatus("tok ended \r\n", "tok", status));
}

}  // namespace
}  // namespace mxc::windows_sandbox_test
