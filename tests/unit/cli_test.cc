#include "cli.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace mxc::cli_test {
namespace {

using Words = std::vector<std::string>;

Result<Options> Parse(Words arguments, const std::string& program = "mxc-exec") {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

TEST(Cli, TakesThePositionalAsTheConfiguration) {
  const Result<Options> options = Parse({"policy.json"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->config_path, "policy.json");
  EXPECT_EQ(options->mode, Mode::kRun);
}

TEST(Cli, TakesBase64Alone) {
  const Result<Options> options = Parse({"--config-base64", "e30="});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->config_base64, "e30=");
  EXPECT_FALSE(options->config_path.has_value());
  EXPECT_EQ(options->mode, Mode::kRun);
}

TEST(Cli, PrefersBase64ThenTheFlagThenThePositional) {
  const Result<Options> all = Parse({"a.json", "--config", "b.json", "--config-base64", "e30="});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->config_base64, "e30=");
  EXPECT_FALSE(all->config_path.has_value());

  const Result<Options> variable = Parse({"a.json", "--config-env", "NAME"});
  ASSERT_TRUE(variable.ok());
  EXPECT_EQ(variable->config_env, "NAME");
  EXPECT_FALSE(variable->config_path.has_value());
  EXPECT_TRUE(variable->HasConfig());

  const Result<Options> flag = Parse({"a.json", "--config", "b.json"});
  ASSERT_TRUE(flag.ok());
  EXPECT_EQ(flag->config_path, "b.json");
}

TEST(Cli, ReadsStandardInputForADash) {
  const Result<Options> options = Parse({"-"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->config_path, "-");
}

TEST(Cli, LeavesTheCommandBehindTheDashesAlone) {
  const Result<Options> options = Parse({"--rw", "/work", "--", "ls", "--dry-run", "--", "-x"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->mode, Mode::kRun);
  EXPECT_EQ(options->command, (std::vector<std::string>{"ls", "--dry-run", "--", "-x"}));
  EXPECT_EQ(options->read_write, std::vector<std::string>{"/work"});
}

TEST(Cli, ExplainDoesNotSwallowTheConfiguration) {
  const Result<Options> text = Parse({"--explain", "policy.json"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->mode, Mode::kExplain);
  EXPECT_EQ(text->form, "");
  EXPECT_EQ(text->config_path, "policy.json");

  const Result<Options> json = Parse({"--explain=json", "policy.json"});
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->form, "json");
}

TEST(Cli, QuestionsHaveAForm) {
  EXPECT_EQ(Parse({"--probe"})->form, "");
  EXPECT_EQ(Parse({"--probe=text"})->form, "text");
  EXPECT_EQ(Parse({"--list=json"})->form, "json");
  EXPECT_EQ(Parse({"--list=json"})->mode, Mode::kList);
  EXPECT_EQ(Parse({"--json-errors", "policy.json"})->config_path, "policy.json");
}

TEST(Cli, PreparesAMachine) {
  const Result<Options> drive = Parse({"--prepare-system-drive", "D:\\"});
  ASSERT_TRUE(drive.ok());
  EXPECT_EQ(drive->mode, Mode::kPrepare);
  EXPECT_EQ(drive->asked, "prepare-system-drive");
  EXPECT_EQ(drive->drive, "D:\\");
  for (const char* flag : {"prepare-system-drive", "unprepare-system-drive", "prepare-null-device",
                           "verify-null-device", "dump-null-device"}) {
    const Result<Options> options = Parse({"--" + std::string(flag)});
    ASSERT_TRUE(options.ok()) << flag;
    EXPECT_EQ(options->mode, Mode::kPrepare);
    EXPECT_EQ(options->asked, flag);
    EXPECT_EQ(options->drive, "");
  }
  EXPECT_EQ(Parse({"--recover"})->asked, "");
}

TEST(Cli, IsTheProgramThatPreparesWindowsByItsName) {
  const std::string name = "C:\\sdk\\wxc-host-prep.exe";
  for (const Words& words :
       {Words{"prepare-system-drive", "--target", "D:\\"}, Words{"prepare-system-drive", "--target=D:\\"}}) {
    const Result<Options> drive = Parse(words, name);
    ASSERT_TRUE(drive.ok()) << drive.error().message;
    EXPECT_EQ(drive->asked, "prepare-system-drive");
    EXPECT_EQ(drive->drive, "D:\\");
  }
  EXPECT_EQ(Parse({"verify-null-device"}, "wxc-host-prep")->asked, "verify-null-device");
  EXPECT_EQ(Parse({}, name)->mode, Mode::kHelp);
  EXPECT_EQ(Parse({"--help"}, name)->mode, Mode::kHelp);
  EXPECT_FALSE(Parse({"dump-null-device", "--json"}, name).ok());
  EXPECT_EQ(Parse({"prepare-null-device"})->mode, Mode::kRun);  // not ours by this name: a file
}

TEST(Cli, KnowsTheFlagsOfTheProgramForWindows) {
  for (const Words& words : {Words{"--audit"}, Words{"--audit", "--audit-verbose", "c.json"},
                             Words{"--setup-wslc", "--image", "alpine:latest", "--image", "b",
                                   "--storage-path", "C:\\s", "--wslc-daemon-slots", "2"},
                             Words{"--telemetry-consent", "status", "--telemetry-consent-locale", "de-DE"}}) {
    const Result<Options> options = Parse(words);
    ASSERT_TRUE(options.ok()) << options.error().message;
    EXPECT_EQ(options->mode, Mode::kOfReference);
    EXPECT_EQ("--" + options->asked, words.front());
  }
  const Result<Options> phase =
      Parse({"--operation", "exec", "--container-id", "ns:1", "--force-reclaim", "--", "true"});
  ASSERT_TRUE(phase.ok());
  EXPECT_EQ(phase->operation, "exec");
  EXPECT_EQ(phase->container_id, "ns:1");
  EXPECT_TRUE(phase->force_reclaim);
  EXPECT_EQ(phase->mode, Mode::kRun);
  EXPECT_EQ(Parse({"--operation", "begin"}).error().code, ErrorCode::kUsage);
}

TEST(Cli, TakesEveryWordUpToTheNextFlag) {
  const Result<Options> options = Parse({"--ro", "a", "b", "--rw=c", "--deny", "d", "--", "true"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->read_only, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->read_write, std::vector<std::string>{"c"});
  EXPECT_EQ(options->denied, std::vector<std::string>{"d"});
  EXPECT_FALSE(options->HasConfig());
}

TEST(Cli, AConfigurationStandsBeforeFlagsOrBehindAnEqualsSign) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"a.json", "--rw", "x"},
                                             {"--rw=x", "a.json"},
                                             {"--rw", "x", "--report", "a.json"},
                                             {"--rw", "x", "--config", "a.json", "--", "true"}}) {
    const Result<Options> options = Parse(arguments);
    ASSERT_TRUE(options.ok()) << arguments[0];
    EXPECT_EQ(options->config_path, "a.json");
    EXPECT_EQ(options->read_write, std::vector<std::string>{"x"});
  }
}

TEST(Cli, HelpAndVersionWin) {
  EXPECT_EQ(Parse({"--help"})->mode, Mode::kHelp);
  EXPECT_EQ(Parse({"-h", "--probe"})->mode, Mode::kHelp);
  EXPECT_EQ(Parse({"help"})->mode, Mode::kHelp);
  EXPECT_EQ(Parse({"--help=all"})->help, "all");
  EXPECT_EQ(Parse({"--version", "--list"})->mode, Mode::kVersion);
  EXPECT_EQ(Parse({"-V"})->mode, Mode::kVersion);
  EXPECT_EQ(Parse({"--probe", "--dry-run", "a.json"})->mode, Mode::kProbe);
}

struct Refused {
  std::vector<std::string> arguments;
  std::string message;
  std::string hint;
};

class CliRefuses : public testing::TestWithParam<Refused> {};

TEST_P(CliRefuses, WithAReasonAndAWayOut) {
  const Result<Options> options = Parse(GetParam().arguments);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, ErrorCode::kUsage);
  EXPECT_EQ(ExitStatus(options.error().code), 2);
  EXPECT_EQ(options.error().message, GetParam().message);
  EXPECT_EQ(options.error().hint, GetParam().hint);
}

INSTANTIATE_TEST_SUITE_P(
    Usage, CliRefuses,
    testing::Values(
        Refused{{"--expain"}, "unknown option '--expain'", "did you mean --explain?"},
        Refused{
            {"--conatinment=lxc", "x"}, "unknown option '--conatinment=lxc'", "did you mean --containment?"},
        Refused{{"--network", "none", "--", "a"},
                "unknown option '--network'",
                "there is no network but what --allow-host HOST lets the command reach"},
        Refused{{"-e", "A=1"}, "unknown option '-e'", "variables are set by --env NAME=VALUE"},
        Refused{{"--user", "1"}, "unknown option '--user'", "the command runs as you: leave it out"},
        Refused{{"--qqqqqqqq"}, "unknown option '--qqqqqqqq'", "see mxc-exec --help"},
        Refused{{"a.json", "b.json"},
                "unexpected argument 'b.json'",
                "put a command behind --: mxc-exec a.json -- b.json"},
        Refused{
            {"npm", "test"}, "unexpected argument 'test'", "put a command behind --: mxc-exec -- npm test"},
        Refused{{"import", "user.json", "project.json"},
                "import takes one file, not also 'project.json'",
                "import each by itself"},
        Refused{{"import", "user.json", "--", "true"},
                "import runs no command",
                "keep what it prints in a file: mxc-exec FILE -- true"},
        Refused{{"--list", "x"}, "--list takes nothing else", "mxc-exec --list"},
        Refused{{"--list=json", "--", "true"}, "--list takes nothing else", "mxc-exec --list"},
        Refused{{"--recover", "x"}, "--recover takes nothing else", "mxc-exec --recover"},
        Refused{{"--recover", "--", "true"}, "--recover takes nothing else", "mxc-exec --recover"},
        Refused{{"profile", "show"}, "'profile show' takes one name", "mxc-exec profile show NAME"},
        Refused{{"profile", "show", "node", "git"},
                "'profile show' takes one name",
                "mxc-exec profile show NAME"},
        Refused{{"--profile", "show", "node", "--", "true"},
                "'profile show' takes one name",
                "mxc-exec profile show NAME"},
        Refused{{"profile", "list", "node"}, "'profile list' takes nothing else", "mxc-exec profile list"},
        Refused{{"a.json", "--"}, "no command behind --", "see mxc-exec --help"},
        Refused{{"--explain=yaml", "a"},
                "--explain takes text or json, not 'yaml'",
                "did you mean --explain=json?"},
        Refused{{"--probe=table"}, "--probe takes text or json, not 'table'", "did you mean --probe=json?"},
        Refused{{"--rw", "/x"}, "no command to run", "put it behind --"},
        Refused{{"--report", "--rw", ".", "npm", "test it"},
                "no command to run: --rw takes every word behind it",
                "put the command behind --: mxc-exec --report --rw . -- npm 'test it'"},
        Refused{{"--rw", ".", "cat", "package.json"},
                "no command to run: --rw takes every word behind it",
                "put the command behind --: mxc-exec --rw . -- cat package.json"},
        Refused{{"--rw", "build", "policy.json"},
                "no command to run: --rw takes every word behind it",
                "a configuration stands before the flags: mxc-exec policy.json --rw build"},
        Refused{{"--rw"}, "--rw needs a value", "--rw PATH..."},
        Refused{{"--cwd", "--", "true"}, "--cwd needs a value", "--cwd DIR"},
        Refused{{"--cwd", "a", "--cwd=b", "--", "true"}, "--cwd is given twice", "see mxc-exec --help"},
        Refused{{"--report=yes", "a"}, "--report takes short, not 'yes'", "did you mean --report=short?"},
        Refused{{"--help=al"}, "--help takes all, not 'al'", "did you mean --help=all?"},
        Refused{{"--status-fd", "x", "a"}, "--status-fd takes a number, not 'x'", "see mxc-exec --help"},
        Refused{{"--result", "", "--", "true"}, "--result needs the path of a file", "see mxc-exec --help"},
        Refused{
            {"--log-file", "", "--", "true"}, "--log-file needs the path of a file", "see mxc-exec --help"},
        Refused{{"--config", "a", "--config", "b"}, "--config is given twice", "see mxc-exec --help"},
        Refused{{"--force"}, "--force requires --setup-hyperlight", "see mxc-exec --help"}));

}  // namespace
}  // namespace mxc::cli_test
