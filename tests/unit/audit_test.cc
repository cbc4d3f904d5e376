#include "report/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_in_child.h"

namespace mxc::test::audit_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Plan AuditedPlan(const std::string& path, const std::string& script) {
  Plan plan = ShellPlan(script);
  plan.audit.path = path;
  plan.containment = Containment::kBubblewrap;
  plan.tier = Tier::kProcess;
  plan.command = "/bin/say \"hi\"\n";
  plan.shape = {.word = "say", .arguments = 2, .bytes = 17};
  plan.cwd = "/srv";
  plan.ledger = {
      {.pointer = "/filesystem/deniedPaths/0", .strength = Strength::kKernel, .mechanism = "mask"}};
  plan.relaxations = {"shared-host-network"};
  plan.isolation_level = IsolationLevel::kLandlock;
  plan.not_covered = {"signals to others"};
  ExecOf(plan).environment.push_back({.name = "TOKEN", .value = Secret("canary-value")});
  return plan;
}

std::vector<nlohmann::json> Lines(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(ReadText(path));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// File names are bytes, and so are the words behind `--`.
TEST(Audit, BytesThatAreNoTextLeaveItValidJson) {
  ScratchDirectory scratch;
  const std::string path = scratch.Path("log");
  Plan plan = AuditedPlan(path, "true");
  plan.command = "/srv/\xff\xc3";
  plan.cwd = "/\xed\xa0\x80";
  ASSERT_TRUE(RunInChild(plan).ok);
  const auto lines = Lines(path);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0]["command"].get<std::string>(), ::testing::StartsWith("/srv/\xef\xbf\xbd"));
}

TEST(Audit, RecordsBeginAndEnd) {
  ScratchDirectory scratch;
  const std::string path = scratch.Path("log");
  const RunReport report = RunInChild(AuditedPlan(path, "wc -l < " + path + "; exit 4"));
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "1\n");  // the first line stood before the command started
  const auto lines = Lines(path);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["event"], "begin");
  EXPECT_THAT(lines[0]["time"].get<std::string>(), ::testing::MatchesRegex("....-..-..T..:..:......Z"));
  EXPECT_EQ(lines[0]["version"], MXC_VERSION);
  EXPECT_EQ(lines[0]["containment"], "bubblewrap");
  EXPECT_EQ(lines[0]["tier"], "process");
  EXPECT_EQ(lines[0]["rung"], "landlock");
  EXPECT_EQ(lines[0]["notCovered"], nlohmann::json::array({"signals to others"}));
  EXPECT_EQ(lines[0]["command"], "/bin/say \"hi\"\n");
  EXPECT_EQ(lines[0]["word"], "say");
  EXPECT_EQ(lines[0]["arguments"], 2);
  EXPECT_EQ(lines[0]["bytes"], 17);
  EXPECT_EQ(lines[0]["cwd"], "/srv");
  EXPECT_EQ(lines[0]["uid"], ::getuid());
  EXPECT_EQ(lines[0]["relaxations"], nlohmann::json::array({"shared-host-network"}));
  EXPECT_EQ(lines[0]["ledger"],
            nlohmann::json::parse(
                R"([{"clause":"/filesystem/deniedPaths/0","strength":"kernel","mechanism":"mask"}])"));
  EXPECT_EQ(lines[1]["event"], "end");
  EXPECT_EQ(lines[1]["run"], lines[0]["run"]);
  EXPECT_EQ(lines[1]["exitCode"], 4);
  EXPECT_EQ(lines[1]["timedOut"], false);
  EXPECT_THAT(ReadText(path), Not(HasSubstr("canary")));
}

TEST(Audit, NamesTheRunAndThePolicyOfThePlan) {
  ScratchDirectory scratch;
  const std::string path = scratch.Path("log");
  Plan plan = AuditedPlan(path, ":");
  plan.run = "5f";
  plan.policy_hash = "sha256:0a";
  ASSERT_TRUE(RunInChild(plan).ok);
  const auto lines = Lines(path);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["run"], "5f");
  EXPECT_EQ(lines[1]["run"], "5f");
  EXPECT_EQ(lines[0]["policyHash"], "sha256:0a");
}

TEST(Audit, AppendsAndIsPrivate) {
  ScratchDirectory scratch;
  const std::string path = scratch.Path("log");
  EXPECT_TRUE(RunInChild(AuditedPlan(path, ":")).ok);
  EXPECT_TRUE(RunInChild(AuditedPlan(path, ":")).ok);
  EXPECT_EQ(Lines(path).size(), 4U);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Audit, FailedSetupIsRecorded) {
  ScratchDirectory scratch;
  Plan plan = AuditedPlan(scratch.Path("log"), ":");
  ExecOf(plan).program = "/nonexistent";
  EXPECT_FALSE(RunInChild(plan).ok);
  const auto lines = Lines(scratch.Path("log"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["error"], "setup_failed");
}

TEST(Audit, FailureRefusesTheRun) {
  const RunReport report = RunInChild(AuditedPlan("/nonexistent/log", "echo ran"));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(report.message, "open the audit log '/nonexistent/log': No such file or directory");
  EXPECT_EQ(report.out, "");
}

TEST(Audit, FullDiskRefusesTheRun) {
  const RunReport report = RunInChild(AuditedPlan("/dev/full", "echo ran"));
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.out, "");
}

TEST(Audit, FailureWarnsWhenThePolicySaysSo) {
  Plan plan = AuditedPlan("/nonexistent/log", "echo ran");
  plan.audit.on_failure = Audit::OnFailure::kWarn;
  const RunReport report = RunInChild(plan);
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.out, "ran\n");
  EXPECT_EQ(report.warning, "open the audit log '/nonexistent/log': No such file or directory");
}

void ExpectRefused(const std::string& path) {
  const RunReport report = RunInChild(AuditedPlan(path, "echo ran"));
  EXPECT_FALSE(report.ok) << path;
  EXPECT_EQ(report.out, "") << path;
}

TEST(Audit, LinksAreRefused) {
  ScratchDirectory scratch;
  WriteText(scratch.Path("victim"), "");
  ASSERT_EQ(::symlink(scratch.Path("victim").c_str(), scratch.Path("link").c_str()), 0);
  ExpectRefused(scratch.Path("link"));
  EXPECT_EQ(ReadText(scratch.Path("victim")), "");
}

TEST(Audit, SpecialFilesAreRefused) {
  ScratchDirectory scratch;
  ASSERT_EQ(::mkfifo(scratch.Path("fifo").c_str(), 0600), 0);
  ExpectRefused(scratch.Path("fifo"));
  ExpectRefused(scratch.Path());
  ExpectRefused("/dev/null");
}

}  // namespace
}  // namespace mxc::test::audit_test
