#include "cli.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace mxc {
namespace {

Result<Options> Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mxc-exec");
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
  EXPECT_FALSE(text->explain_json);
  EXPECT_EQ(text->config_path, "policy.json");

  const Result<Options> json = Parse({"--explain=json", "policy.json"});
  ASSERT_TRUE(json.ok());
  EXPECT_TRUE(json->explain_json);
}

TEST(Cli, PreparesAMachine) {
  const Result<Options> drive = Parse({"--prepare-system-drive", "D:\\"});
  ASSERT_TRUE(drive.ok());
  EXPECT_EQ(drive->mode, Mode::kPrepare);
  EXPECT_EQ(drive->prepare, "prepare-system-drive");
  EXPECT_EQ(drive->drive, "D:\\");
  for (const char* flag : {"prepare-system-drive", "unprepare-system-drive", "prepare-null-device",
                           "verify-null-device", "dump-null-device"}) {
    const Result<Options> options = Parse({"--" + std::string(flag)});
    ASSERT_TRUE(options.ok()) << flag;
    EXPECT_EQ(options->mode, Mode::kPrepare);
    EXPECT_EQ(options->prepare, flag);
    EXPECT_EQ(options->drive, "");
  }
  EXPECT_EQ(Parse({"--recover"})->prepare, "");
}

TEST(Cli, PrintsHelpAndVersion) {
  const Result<Options> help = Parse({"--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_EQ(help->mode, Mode::kPrinted);
  EXPECT_NE(help->text.find("--status-fd"), std::string::npos);

  const Result<Options> version = Parse({"--version"});
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(version->text, "mxc-exec " MXC_VERSION "\n");
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
        Refused{{"--qqqqqqqq"}, "unknown option '--qqqqqqqq'", "see mxc-exec --help"},
        Refused{{"a.json", "b.json"}, "unexpected argument 'b.json'", "put a command behind --"},
        Refused{{"a.json", "--"}, "no command behind --", "see mxc-exec --help"},
        Refused{{"--explain=yaml", "a"},
                "--explain takes text or json, not 'yaml'",
                "did you mean --explain=json?"},
        Refused{{"--rw", "/x"}, "no command to run", "put it behind --"},
        Refused{{"--result", "", "--", "true"}, "--result needs the path of a file", "see mxc-exec --help"},
        Refused{
            {"--log-file", "", "--", "true"}, "--log-file needs the path of a file", "see mxc-exec --help"},
        Refused{
            {"--rw", "/x", "a.json", "--", "true"},
            "--ro, --rw, --deny, --allow-host, --env, --cwd and --timeout make the policy of a run "
            "without a file",
            "each --ro, --rw and --deny takes one path, and is repeated for another: 'a.json' is taken for "
            "a configuration"},
        Refused{{"--rw", "/x", "--config", "a.json", "--", "true"},
                "--ro, --rw, --deny, --allow-host, --env, --cwd and --timeout make the policy of a run "
                "without a file",
                "write them into the configuration, or leave the configuration out"},
        Refused{{"--config", "a", "--config", "b"},
                "--config: At Most 1 required but received 2",
                "see mxc-exec --help"},
        Refused{{"--force"}, "--force requires --setup-hyperlight", "see mxc-exec --help"}));

}  // namespace
}  // namespace mxc
