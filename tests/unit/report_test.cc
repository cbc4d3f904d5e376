#include "report/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/probe_json.h"

namespace mxc::report_test {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string Printed(const Error& error) { return RenderText(error) + Envelope(error) + "\n"; }

TEST(Report, ParseErrorsOpenAsTheReferenceAndEndWithTheEnvelope) {
  const Error error{.code = ErrorCode::kSchema,
                    .message = "first",
                    .pointer = "/process/foo",
                    .position = {.line = 3, .column = 7},
                    .hint = "did you mean `cwd`?",
                    .others = {{.code = ErrorCode::kSchema, .message = "second", .pointer = "/ui"}}};
  EXPECT_EQ(
      Lines(Printed(error)),
      (std::vector<std::string>{
          "Request error", "Configuration parse error: first", "  hint: did you mean `cwd`?",
          "Configuration parse error: second",
          R"({"error":{"code":"malformed_request","message":"first","kind":"schema","pointer":"/process/foo",)"
          R"("line":3,"column":7,"hint":"did you mean `cwd`?","others":[{"message":"second","kind":"schema",)"
          R"("pointer":"/ui"}]}})"}));
}

TEST(Report, ATimeoutIsOnlyTheEnvelope) {
  const Error error{.code = ErrorCode::kTimeout, .message = "script timed out after 700ms"};
  EXPECT_EQ(Printed(error),
            "{\"error\":{\"code\":\"backend_error\",\"message\":\"script timed out after "
            "700ms\",\"kind\":\"timeout\"}}\n");
}

TEST(Report, SelectionErrorsSayError) {
  const Error error{.code = ErrorCode::kUnsupported, .message = "the 'vm' backend is not available on Linux"};
  EXPECT_EQ(Lines(Printed(error)).front(), "error: the 'vm' backend is not available on Linux");
  EXPECT_EQ(ExitStatus(error.code), 1);
}

TEST(Report, BytesThatAreNotTextDoNotBreakTheEnvelope) {
  const Error error{.code = ErrorCode::kConflict, .message = "path '/a\xff\n\"b' is bad"};
  const nlohmann::json envelope = nlohmann::json::parse(Lines(Printed(error)).back());
  EXPECT_EQ(envelope["error"]["message"], "path '/a\xEF\xBF\xBD\n\"b' is bad");
}

class StatusPipeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    read_.Reset(ends[0]);
    write_.Reset(ends[1]);
  }

  nlohmann::json NextLine() {
    std::string line;
    for (char c = 0; ::read(read_.Get(), &c, 1) == 1 && c != '\n';) line += c;
    return nlohmann::json::parse(line);
  }

  UniqueFd read_;
  UniqueFd write_;
};

TEST_F(StatusPipeTest, WritesOneObjectALine) {
  Result<StatusReport> report = StatusReport::Open(write_.Get(), "");
  ASSERT_TRUE(report.ok());
  Plan plan{.containment = Containment::kBubblewrap, .tier = Tier::kContainer};
  plan.warnings = {{.category = "path-missing", .message = "gone", .pointer = "/filesystem/readonlyPaths/0"}};
  plan.ledger = {{.pointer = "/network", .strength = Strength::kKernel, .mechanism = "no route"}};
  report->ReportBackend(plan, "default of this system");
  report->ReportStart(42);
  report->ReportEnd(plan, {.exit_code = 3, .duration_ms = 9}, 3);

  EXPECT_EQ(NextLine()["backend"], "bubblewrap");
  EXPECT_EQ(NextLine()["category"], "path-missing");
  EXPECT_EQ(NextLine()["pid"], 42);
  const nlohmann::json outcome = NextLine();
  EXPECT_EQ(outcome["event"], "outcome");
  EXPECT_EQ(outcome["exitCode"], 3);
  EXPECT_TRUE(outcome["signal"].is_null());
  EXPECT_EQ(outcome["timedOut"], false);
  EXPECT_EQ(outcome["ledger"][0]["strength"], "kernel");
}

TEST_F(StatusPipeTest, ATimeoutHasNoExitCode) {
  Result<StatusReport> report = StatusReport::Open(write_.Get(), "");
  ASSERT_TRUE(report.ok());
  report->ReportEnd(Plan{}, {.exit_code = 137, .timed_out = true}, 255);
  const nlohmann::json outcome = NextLine();
  EXPECT_TRUE(outcome["exitCode"].is_null());
  EXPECT_EQ(outcome["timedOut"], true);
  EXPECT_EQ(outcome["exitStatus"], 255);
}

// Where another mxc-exec holds the command, nothing is known without its word.
TEST_F(StatusPipeTest, ClaimsNoMoreThanTheSystemInside) {
  Result<StatusReport> report = StatusReport::Open(write_.Get(), "");
  ASSERT_TRUE(report.ok());
  const auto claimed = [&](Containment containment, const Outcome& outcome) {
    report->ReportEnd({.containment = containment, .tier = Tier::kContainer}, outcome, 0);
    return NextLine()["realIsolation"].get<bool>();
  };
  EXPECT_TRUE(claimed(Containment::kBubblewrap, {}));
  EXPECT_FALSE(claimed(Containment::kKubernetes, {.timed_out = true}));
  EXPECT_FALSE(claimed(Containment::kWslc, {}));
  EXPECT_TRUE(claimed(Containment::kKubernetes, {.inside = InnerEngine{.tier = "container"}}));
  EXPECT_FALSE(claimed(Containment::kKubernetes, {.inside = InnerEngine{.tier = "process"}}));
}

TEST_F(StatusPipeTest, TellsWhatTheSystemInsideLeavesOpen) {
  Result<StatusReport> report = StatusReport::Open(write_.Get(), "");
  ASSERT_TRUE(report.ok());
  report->ReportEnd({.containment = Containment::kKubernetes},
                    {.inside = InnerEngine{.isolation_level = "landlock", .not_covered = {"signals"}}}, 0);
  EXPECT_EQ(NextLine()["inside"]["notCovered"], nlohmann::json::array({"signals"}));
}

TEST_F(StatusPipeTest, TellsWhereTheSystemInsideRan) {
  Result<StatusReport> report = StatusReport::Open(write_.Get(), "");
  ASSERT_TRUE(report.ok());
  report->ReportEnd({.containment = Containment::kKubernetes},
                    {.inside = InnerEngine{.where = {{"machine", "m1"}, {"zone", ""}}}}, 0);
  const auto inside = NextLine()["inside"];
  EXPECT_EQ(inside["machine"], "m1");
  EXPECT_FALSE(inside.contains("zone"));
}

TEST(StatusReportTest, RefusesADescriptorThatIsNotOpen) {
  const Result<StatusReport> report = StatusReport::Open(987, "");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kUsage);
}

TEST(StatusReportTest, DoesNotFollowAPlantedLink) {
  const std::string link = testing::TempDir() + "mxc-result-link";
  ::unlink(link.c_str());
  ASSERT_EQ(::symlink("/tmp/mxc-elsewhere", link.c_str()), 0);
  const Result<StatusReport> report = StatusReport::Open(std::nullopt, link);
  ::unlink(link.c_str());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kSetupFailed);
}

TEST(Report, ListsOnlyUsableBackends) {
  const std::vector<ProbedBackend> probed{
      {Containment::kBubblewrap,
       {.usable = true, .tier = Tier::kContainer, .features = {"bind-fd", "network-gateway"}}},
      {Containment::kNamespaces, {.usable = true}},
      {Containment::kSeatbelt, {.usable = false, .reason = "not macOS", .remedy = "use process"}}};
  EXPECT_EQ(nlohmann::json::parse(AvailableBackendsJson(probed)),
            nlohmann::json::parse(R"([{"backend":"bubblewrap","capabilities":["proxyEnforcement"]},
                                      {"backend":"namespaces"}])"));
  const nlohmann::json all = nlohmann::json::parse(ProbeJson({.caller = {.uid = 7}, .backends = probed}));
  EXPECT_EQ(all["backends"][0]["tier"], "container");
  EXPECT_EQ(all["backends"][2]["reason"], "not macOS");
  EXPECT_EQ(all["uid"], 7);
}

// The keys of contract 1.8.
TEST(Report, SaysOfWindowsWhatTheSdksRead) {
  const auto probe = [](Support support) {
    return nlohmann::json::parse(
        ProbeJson({.system = OperatingSystem::kWindows,
                   .backends = {{Containment::kProcessContainer, std::move(support)}}}));
  };
  const auto tier = [](Support support, const Result<Plan>& asked) {
    const nlohmann::json said =
        nlohmann::json::parse(ProbeJson({.system = OperatingSystem::kWindows,
                                         .backends = {{Containment::kProcessContainer, std::move(support)}},
                                         .asked = &asked}));
    return said.value("tier", said.value("error", ""));
  };
  Support support{.usable = true, .tier = Tier::kProcess, .warnings = {"unprepared"}};
  support.windows = {.build = 22621, .app_container = true, .create_in_sandbox = true};
  nlohmann::json said = probe(support);
  EXPECT_EQ(said["tier"], "appcontainer-dacl");
  EXPECT_EQ(said["needsDaclAugmentation"], true);
  EXPECT_EQ(said["warnings"], nlohmann::json::array({"unprepared"}));
  EXPECT_FALSE(said.contains("error"));
  EXPECT_EQ(said["probes"]["baseContainerApiPresent"], true);
  EXPECT_EQ(said["probes"]["baseContainerSupportsDenyPaths"], false);
  EXPECT_EQ(said["probes"]["bfsCompiledIn"], true);
  EXPECT_EQ(said["probes"]["uiCapabilities"].size(), 10U);
  EXPECT_EQ(said["probes"]["uiCapabilities"]["canBlockInputMethodChanges"], true);
  EXPECT_EQ(said["probes"]["uiCapabilities"]["canBlockInputInjection"], false);
  for (const char* key :
       {"bfscfgPresent", "isolationSessionAvailable", "nativeCaptureAvailable", "guardedCaptureAvailable",
        "baseContainerSupportsEnumeratePaths", "baseContainerSupportsIngressHostLoopbackAllow",
        "baseContainerSupportsIdentitylessLoopbackProxy", "hyperlightAvailable"}) {
    EXPECT_EQ(said["probes"][key], false) << key;
  }

  support.windows.bfscfg = "C:\\Windows\\System32\\bfscfg.exe";
  said = probe(support);
  EXPECT_EQ(said["probes"]["bfscfgPresent"], true);
  EXPECT_EQ(said["tier"], "appcontainer-dacl");  // of a configuration that does not ask for it
  support.windows.security_environment = true;
  support.windows.security_environment_denies = true;
  said = probe(support);
  EXPECT_EQ(said["probes"]["baseContainerSupportsIngressHostLoopbackAllow"], true);
  EXPECT_EQ(said["tier"], "base-container");
  EXPECT_EQ(said["needsDaclAugmentation"], false);
  EXPECT_EQ(said["probes"]["baseContainerSupportsDenyPaths"], true);

  Plan plan{.launch = AppContainerLaunch{}};
  EXPECT_EQ(tier(support, plan), "appcontainer-dacl");
  std::get<AppContainerLaunch>(plan.launch).sandbox.base.emplace();
  EXPECT_EQ(tier({.usable = true}, plan), "base-container");
  Plan bfs{.launch = AppContainerLaunch{.sandbox = {.bfs = {BfsGrant{.path = "C:\\w"}}}}};
  EXPECT_EQ(tier(support, bfs), "appcontainer-bfs");
  EXPECT_EQ(tier(support, Error{.message = "no paths"}), "no paths");

  said = probe({.reason = "Wine has no AppContainer"});
  EXPECT_EQ(said["error"], "Wine has no AppContainer");
  EXPECT_FALSE(said.contains("tier"));
  EXPECT_FALSE(said.contains("needsDaclAugmentation"));
}

TEST(RenderLine, IsOneWhateverIsInIt) {
  EXPECT_EQ(RenderLine("mxc-sh", {.message = "there is no\npolicy", .hint = "write one"}),
            "mxc-sh: there is no\\x0apolicy: write one\n");
  EXPECT_EQ(RenderLine("mxc-sh", {.message = "wrong"}), "mxc-sh: wrong\n");
  EXPECT_EQ(
      RenderLine("mxc-sh", {.code = ErrorCode::kGated, .message = "no isolation", .hint = "pass --this"}),
      "mxc-sh: no isolation: choose another containment, or give mxc-exec the flag for it\n");
}

}  // namespace
}  // namespace mxc::report_test
