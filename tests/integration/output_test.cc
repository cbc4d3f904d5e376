// output.maxBytes, output.redact and audit.
#include <gmock/gmock.h>
#include <termios.h>
#include <unistd.h>

#include <string>

#include "tests/support/launcher_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::output_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A well-formed token of a well-known kind, made here so that no scanner of this repository trips over it.
const std::string api_token = std::string("ghp_") + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";

class OutputPolicy : public LauncherTest {};
MXC_FOR_EACH_CALLER(OutputPolicy);

TEST_P(OutputPolicy, MaxBytesCutsEachStreamAndLetsTheCommandEnd) {
  const Ended ended = RunConfig({.command = "head -c 5000000 /dev/zero | tr '\\0' x; echo ERROR >&2; exit 5",
                                 .more = R"("output":{"maxBytes":1000})"});
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.out, std::string(1000, 'x'));
  EXPECT_THAT(ended.err, HasSubstr("ERROR"));
  EXPECT_FALSE(ended.overdue);
}

TEST_P(OutputPolicy, BelowTheCapNothingChanges) {
  const Ended ended = RunConfig({.command = "echo small", .more = R"("output":{"maxBytes":1000})"});
  EXPECT_EQ(ended.out, "small\n");
}

TEST_P(OutputPolicy, RedactHidesATokenAlsoWhenItComesInPieces) {
  const std::string half = api_token.substr(0, 20);
  const std::string rest = api_token.substr(20);
  const Ended ended =
      RunConfig({.command = "echo before; printf " + half + "; sleep 0.3; echo " + rest + "; echo after",
                 .more = R"("output":{"redact":["secrets"]})"});
  EXPECT_THAT(ended.out, Not(HasSubstr(half)));
  EXPECT_THAT(ended.out, Not(HasSubstr(rest)));
  EXPECT_EQ(ended.out.substr(0, 7), "before\n");
  EXPECT_EQ(LastLine(ended.out), "after");
}

// Standard output and error of the caller are one: so they are for the command, filtered or not.
TEST_P(OutputPolicy, TheOrderOfBothStreamsIsKept) {
  const std::string command = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done";
  std::string expected;
  for (const char* number : {"1", "2", "3", "4", "5", "6", "7", "8", "9"})
    expected += std::string("o") + number + "\ne" + number + "\n";
  for (const std::string policy :
       {R"({"redact":["secrets"]})", R"({"maxBytes":1000})", R"({"maxBytes":20})"}) {
    Launch launch = PrepareConfig({.command = command, .more = "\"output\":" + policy});
    launch.before_exec = [] { ::dup2(STDOUT_FILENO, STDERR_FILENO); };
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.out.substr(0, expected.size()),
              policy.find("20") == std::string::npos ? expected : expected.substr(0, 20))
        << policy;
  }
}

TEST_P(OutputPolicy, RedactHidesAConfiguredValueWhole) {
  const Parts parts = {
      .command = "env | grep -E '_TOKEN|_PASSWORD|line'; echo \"is $B_TOKEN\"",
      .environment = {{"DB_PASSWORD=correct horse, \"battery\"; staple",
                       "LINES_TOKEN=first-line\nsecond-line", "A_TOKEN=abcdefgh", "B_TOKEN=abcdefgh-REST"}},
      .more = R"("output":{"redact":["secrets"]})"};
  const std::string out = RunConfig(parts).out;
  for (const char* name : {"DB_PASSWORD", "LINES_TOKEN", "A_TOKEN", "B_TOKEN"})
    EXPECT_THAT(out, HasSubstr(name + std::string("=[REDACTED]\n")));
  EXPECT_EQ(LastLine(out), "is [REDACTED]");
  const Terminal terminal(uid);
  termios modes{};
  ASSERT_EQ(::tcgetattr(terminal.Fd(), &modes), 0);
  modes.c_oflag |= OPOST | ONLCR;
  ASSERT_EQ(::tcsetattr(terminal.Fd(), TCSANOW, &modes), 0);
  Launch launch = PrepareConfig(parts);
  launch.terminal = terminal.Fd();
  Running running(launch);
  const std::string shown = terminal.OutputUpTo("is [REDACTED]");
  EXPECT_THAT(shown, HasSubstr("LINES_TOKEN=[REDACTED]\r\n"));
  EXPECT_THAT(shown, Not(HasSubstr("second-line")));
}

TEST_P(OutputPolicy, WithoutRedactTheTokenIsShown) {
  EXPECT_EQ(RunConfig({.command = "echo " + api_token}).out, api_token + "\n");
}

class Audit : public LauncherTest {
 protected:
  static std::string Section(const std::string& path, const std::string& more = "") {
    return R"("audit":{"path":)" + Quote(path) + more + "}";
  }
};
MXC_FOR_EACH_CALLER(Audit);

TEST_P(Audit, TheRecordIsThereBeforeTheCommandRuns) {
  // Without isolation the command can read it.
  const std::string log = workspace.Directory("audit") + "/log.jsonl";
  const Parts parts = {.containment = "none", .command = "cat " + log, .network = "", .more = Section(log)};
  const Ended ended = Execute(PrepareConfig(parts, {"--allow-unsandboxed"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(At(LastLine(ended.out), "/event"), "begin") << ended.out;
}

TEST_P(Audit, AFailureToWriteRefusesTheRun) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended = RunConfig({.command = "touch " + granted + "/ran",
                                 .read_write = {granted},
                                 .more = Section("/nonexistent/log.jsonl")});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "backend_error") << ended.err;
  EXPECT_FALSE(Exists(granted + "/ran"));
}

TEST_P(Audit, AFailureToWriteMayBeAWarningOnly) {
  const Ended ended =
      RunConfig({.command = "echo ran", .more = Section("/nonexistent/log.jsonl", R"(,"onFailure":"warn")")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "ran\n");
}

TEST_P(Audit, ARecordTheCommandCouldWriteIsRefused) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended = RunConfig({.command = "touch " + granted + "/ran",
                                 .read_write = {granted},
                                 .more = Section(granted + "/log.jsonl")});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation");
  EXPECT_THAT(Names(granted), testing::IsEmpty());
}

}  // namespace
}  // namespace mxc::test::output_test
