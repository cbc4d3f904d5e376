// What is printed instead of running: --dry-run, --explain, --probe, --version, --print-schema, --discover.
#include <gmock/gmock.h>

#include <regex>

#include "tests/support/launcher_test.h"

namespace mxc::test::dry_run_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class DryRun : public LauncherTest {};
MXC_FOR_EACH_CALLER(DryRun);

// Without what differs from run to run, and without the notice that root gets.
std::string WithoutVariation(const std::string& text) {
  const std::string quiet = std::regex_replace(text, std::regex("Warning: the caller is root[^\n]*\n"), "");
  return std::regex_replace(quiet, std::regex("completed in [0-9]+ms"), "completed in Nms");
}

TEST_P(DryRun, PrintsTheLinesOfTheContract) {
  const Ended ended =
      Execute(Prepare({"--dry-run", workspace.File("c.json", R"({"process":{"commandLine":"echo hi"}})")}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(WithoutVariation(ended.out),
            "Script code length: 7\n"
            "Working directory: \n"
            "Script timeout: 0\n"
            "Container name: \n"
            "Runner completed in Nms\n"
            "Dry run completed. Result: validation passed\n");
}

TEST_P(DryRun, PrintsWhatTheDocumentSays) {
  const Ended ended = Execute(Prepare(
      {"--dry-run",
       workspace.File(
           "c.json",
           R"({"containerId":"box","process":{"commandLine":"h\u00e9","cwd":"/tmp","timeout":5}})")}));
  EXPECT_EQ(WithoutVariation(ended.out),
            "Script code length: 3\n"
            "Working directory: /tmp\n"
            "Script timeout: 5\n"
            "Container name: box\n"
            "Runner completed in Nms\n"
            "Dry run completed. Result: validation passed\n");
}

TEST_P(DryRun, RunsNothing) {
  const std::string granted = workspace.Directory("rw");
  EXPECT_EQ(
      Execute(PrepareConfig({.command = "touch " + granted + "/x", .read_write = {granted}}, {"--dry-run"}))
          .status,
      0);
  EXPECT_FALSE(Exists(granted + "/x"));
}

TEST_P(DryRun, AFailureHasItsReasonOnTheLine) {
  const Ended ended =
      Execute(PrepareConfig({.network = R"({"ingress":{"default":"allow"}})"}, {"--dry-run"}));
  EXPECT_EQ(ended.status, 255) << ended.out;
  EXPECT_THAT(LastLine(ended.out), MatchesRegex("Dry run completed. Result: validation failed: .+"));
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation") << ended.err;
}

TEST_P(DryRun, ExplainNamesAMechanismForEveryClause) {
  const std::string granted = workspace.Directory("rw");
  const Ended text = Execute(PrepareConfig({.read_write = {granted}}, {"--explain"}));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr(granted));
  EXPECT_THAT(text.out, HasSubstr("/filesystem/readwritePaths/0"));
  const Ended json = Execute(PrepareConfig({.read_write = {granted}}, {"--explain=json"}));
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(At(json.out, "/ledger"), HasSubstr("/filesystem/readwritePaths/0"));
}

TEST_P(DryRun, Version) {
  const Ended ended = Execute(Prepare({"--version"}));
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, MatchesRegex("mxc-exec [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_P(DryRun, Help) {
  const Ended ended = Execute(Prepare({"--help=all"}));
  EXPECT_EQ(ended.status, 0);
  for (const char* flag :
       {"--config", "--config-base64", "--dry-run", "--explain", "--status-fd", "--probe"}) {
    EXPECT_THAT(ended.out, HasSubstr(flag));
  }
}

TEST_P(DryRun, ProbeFindsTheBackendByTrying) {
  const Ended ended = Execute(Prepare({"--probe"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(At(ended.out, "/backends/0/backend"), "bubblewrap");
  EXPECT_EQ(At(ended.out, "/backends/0/usable"), "true") << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("network-gateway")) << ended.out;
}

TEST_P(DryRun, AvailableBackendsIsAnArrayWithBubblewrap) {
  const Ended ended = Execute(Prepare({"--available-backends"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(At(ended.out, "/0/backend"), "bubblewrap");
}

TEST_P(DryRun, PrintSchemaIsJson) {
  const Ended ended = Execute(Prepare({"--print-schema"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(At(ended.out, "/type"), "object");
  EXPECT_EQ(Execute(Prepare({"--print-schema", "9.9.9"})).status, 2);
}

TEST_P(DryRun, DiscoverPrintsAFragment) {
  const Ended ended = Execute(Prepare({"--discover", "temp"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(At(ended.out, "/filesystem/readwritePaths"), R"(["/tmp"])");
  EXPECT_EQ(Execute(Prepare({"--discover", "nonsense"})).status, 2);
}

}  // namespace
}  // namespace mxc::test::dry_run_test
