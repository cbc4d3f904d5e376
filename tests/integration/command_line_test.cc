// Runs without a file, and commands that replace the configuration's.
#include <gmock/gmock.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::command_line_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CommandLine : public LauncherTest {};
MXC_FOR_EACH_CALLER(CommandLine);

TEST_P(CommandLine, ArgumentsBehindTheSeparatorArriveAsTheyAre) {
  const std::vector<std::string> words = {"a b",  "it's", "\"quoted\"", "$HOME", "`id`",     "",
                                          "x\ny", "*",    "\\",         "--ro",  "caf\u00e9"};
  std::vector<std::string> arguments = {ConfigFile({.command = "echo never"}), "--", "printf", "[%s]"};
  std::string expected;
  for (const std::string& word : words) {
    arguments.push_back(word);
    expected += "[" + word + "]";
  }
  EXPECT_EQ(Execute(Prepare(arguments)).out, expected);
}

TEST_P(CommandLine, ARunWithoutAFile) {
  const std::string granted = workspace.Directory("rw");
  workspace.File("ro/f", "readable");
  const std::string secret = workspace.File("ro/secret", "SECRET");
  const Ended ended =
      Execute(Prepare({"--ro", workspace.Path("ro"), "--rw", granted, "--deny", secret, "--cwd", granted,
                       "--env", "WORD=hello world", "--timeout", "60000", "--", "sh", "-c",
                       "cat ../ro/f; echo \" $WORD\"; pwd; echo made > made; cat ../ro/secret; exit 6"}));
  EXPECT_EQ(ended.status, 6) << ended.err;
  EXPECT_EQ(ended.out, "readable hello world\n" + granted + "\n");
  EXPECT_THAT(ended.err, HasSubstr("ermission denied"));
  EXPECT_EQ(Contents(granted + "/made"), "made\n");
}

TEST_P(CommandLine, RelativePathsOfFlagsStartWhereTheCallerStands) {
  workspace.File("here/f", "found");
  EXPECT_EQ(Execute(Prepare({"--ro", "here", "--", "cat", workspace.Path("here/f")})).out, "found");
}

// Clients of Microsoft's program for Windows pass them.
TEST_P(CommandLine, FlagsOfTheProgramForWindowsAreAnswered) {
  for (const char* flag : {"--audit", "--setup-wslc"}) {
    const Ended refused = Execute(Prepare({flag}));
    EXPECT_EQ(refused.status, 1) << flag;
    EXPECT_EQ(EnvelopeCode(refused), "unsupported_containment") << flag;
    EXPECT_THAT(refused.err, HasSubstr(flag));
  }
  const Ended consent = Execute(Prepare({"--telemetry-consent", "status"}));
  EXPECT_EQ(consent.status, 0);
  EXPECT_THAT(consent.out, HasSubstr("no telemetry"));
  const Ended reclaim = Execute(Prepare({"--force-reclaim", "--", "echo", "out"}));
  EXPECT_EQ(reclaim.out, "out\n");
  EXPECT_THAT(reclaim.err, HasSubstr("--force-reclaim has no effect"));
}

TEST_P(CommandLine, WithoutAGrantNothingOfTheCallerIsVisible) {
  const std::string file = workspace.File("f", "SECRET");
  const Ended ended = Execute(Prepare({"--", "cat", file}));
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "");
}

// No shell is there to answer 127: the sandbox has nothing to start.
TEST_P(CommandLine, AnUnknownProgramIsAFailureToStart) {
  const Ended ended = Execute(Prepare({"--", "no-such-program-here"}));
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr("no-such-program-here"));
  EXPECT_EQ(EnvelopeCode(ended), "backend_error");
}

TEST_P(CommandLine, AWarningNamesTheFlagOrTheMember) {
  const std::string file = ConfigFile({.read_write = {workspace.Path("gone")}});
  const Ended ended = Execute(Prepare({file, "--rw", "missing"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("gone' of readwritePaths does not exist"));
  EXPECT_THAT(ended.err, HasSubstr("missing' of --rw does not exist"));
}

TEST_P(CommandLine, FlagsAddToAConfiguration) {
  const std::string granted = workspace.Directory("rw");
  const std::string added = workspace.Directory("added");
  const std::string file = ConfigFile(
      {.command = "echo made > added/made; echo \"$WORD\"; pwd", .read_write = {granted}, .cwd = granted});
  const Ended ended =
      Execute(Prepare({file, "--rw", "added", "--cwd", ".", "--ro", ".", "--env", "WORD=hello"}));
  EXPECT_EQ(ended.out, "hello\n" + workspace.Root() + "\n") << ended.err;
  EXPECT_EQ(Contents(added + "/made"), "made\n");
}

// Equal entries are one object, and the strictest counts.
TEST_P(CommandLine, AFlagDoesNotOpenWhatTheConfigurationCloses) {
  const std::string granted = workspace.Directory("rw");
  const std::string secret = workspace.File("rw/secret", "SECRET");
  const std::string fixed = workspace.File("rw/fixed", "FIXED");
  const std::string file = ConfigFile({.command = "cat secret; echo x > fixed",
                                       .read_only = {fixed},
                                       .read_write = {granted},
                                       .denied = {secret},
                                       .cwd = granted});
  const Ended ended = Execute(Prepare({file, "--rw", secret, fixed, "--ro", secret}));
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(Contents(fixed), "FIXED");
  EXPECT_THAT(ended.err, HasSubstr("warning: --rw " + secret + ": "));
}

TEST_P(CommandLine, TheReportNamesTheFlagThatDecided) {
  const std::string secret = workspace.File("rw/secret", "SECRET");
  const std::string hidden = workspace.File("rw/hidden", "HIDDEN");
  const std::string file = ConfigFile({.containment = "namespaces",
                                       .command = "cat secret hidden",
                                       .read_only = {workspace.Path("rw")},
                                       .denied = {secret},
                                       .cwd = workspace.Path("rw")});
  const Ended ended = Execute(Prepare({file, "--report", "--deny", "rw/hidden"}));
  EXPECT_THAT(ended.err, HasSubstr("decided by /filesystem/deniedPaths/0\n"));
  EXPECT_THAT(ended.err, HasSubstr("decided by --deny rw/hidden\n"));
}

TEST_P(CommandLine, ADirectoryThatIsNotGrantedIsSaidBeforeTheRun) {
  const Ended hidden = Execute(Prepare({"--", "pwd"}));
  EXPECT_EQ(hidden.out, "/\n");
  EXPECT_THAT(hidden.err, HasSubstr("is not granted: --rw . grants it, --ro . to read"));
  EXPECT_EQ(Execute(Prepare({"--ro", ".", "--", "true"})).err, "");
  EXPECT_EQ(Execute(Prepare({"--cwd", "/", "--", "true"})).err, "");
  EXPECT_EQ(RunConfig({.version = "1.0.0"}).err, "");
}

TEST_P(CommandLine, OneWordMayHaveBeenACommand) {
  const Ended line = Execute(Prepare({"npm install && npm test"}));
  EXPECT_EQ(line.status, 1);
  EXPECT_THAT(line.err, HasSubstr("mxc-exec --rw . -- sh -c 'npm install && npm test'"));
  EXPECT_THAT(Execute(Prepare({"npm"})).err, HasSubstr("mxc-exec --rw . -- npm\n"));
  EXPECT_THAT(Execute(Prepare({"run", "--", "npm", "a test"})).err,
              HasSubstr("in front of -- stands a policy; without one: mxc-exec --rw . -- npm 'a test'\n"));
  EXPECT_THAT(Execute(Prepare({"policy.json", "--", "npm"})).err, Not(HasSubstr("hint")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{R"({"A":"SECRET"})"}, {"--policy", R"({"A":"SECRET"})", "--", "true"}}) {
    const Ended document = Execute(Prepare(words));
    EXPECT_THAT(document.err, HasSubstr("this is a document, and no name of a file"));
    EXPECT_THAT(document.err, Not(HasSubstr("SECRET")));
  }
}

TEST_P(CommandLine, ContainmentOfAnotherSystemIsRefused) {
  for (const char* name : {"seatbelt", "processcontainer", "windows_sandbox", "wslc"}) {
    const Ended ended =
        Execute(Prepare({"--experimental", "--containment", name, ConfigFile({.version = "1.1.0-alpha"})}));
    EXPECT_EQ(ended.status, 1) << name << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(name));
  }
}

TEST_P(CommandLine, ExperimentalContainmentsAreGated) {
  const Ended ended = Execute(Prepare({ConfigFile({.version = "1.1.0-alpha", .containment = "microvm"})}));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, StartsWith("error: "));
  EXPECT_THAT(ended.err, HasSubstr("experimental"));
}

TEST_P(CommandLine, DeleteOfAnUnknownContainer) {
  const Ended ended = Execute(Prepare({"--delete", "--containername", "no-such-container"}));
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "Container 'no-such-container' does not exist.\n");
  EXPECT_EQ(Execute(Prepare({"--delete", "--containername", "a\x1b[2Jb"})).out,
            "Container 'a\\x1b[2Jb' does not exist.\n");
}

TEST_P(CommandLine, UnsandboxedOnlyWithConsent) {
  const Parts parts = {.version = "1.1.0-alpha", .containment = "none", .command = "echo ran", .network = ""};
  const Ended refused = RunConfig(parts);
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(EnvelopeCode(refused), "backend_unavailable") << refused.err;
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(Execute(PrepareConfig(parts, {"--allow-unsandboxed"})).out, "ran\n");
}

}  // namespace
}  // namespace mxc::test::command_line_test
