// start, exec, stop, list: only as the first word, and only what each can use.
#include "verbs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mxc::verbs_test {
namespace {

Result<Options> Called(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

Result<Options> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "mxc-exec");
  return Called(std::move(words));
}

TEST(Verbs, StartTakesAPolicyAndNoCommand) {
  const Result<Options> flags = Parse({"start", "--rw", "/work"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->verb, Verb::kStart);
  EXPECT_EQ(flags->read_write, std::vector<std::string>{"/work"});
  EXPECT_FALSE(flags->HasConfig());
  EXPECT_EQ(Parse({"start", "policy.json"})->config_path, "policy.json");
  EXPECT_EQ(Parse({"start"})->verb, Verb::kStart);
  EXPECT_EQ(Parse({"start", "--explain"})->mode, Mode::kExplain);
  EXPECT_EQ(Parse({"exec", "--help"})->mode, Mode::kHelp);
  EXPECT_EQ(Parse({"exec", "--help"})->verb, Verb::kExec);
  EXPECT_EQ(Parse({"profile", "--help"})->asked, "profile");
}

TEST(Verbs, ExecNamesASandbox) {
  const Result<Options> options = Parse({"exec", "--cwd", "/work", "ns:12", "--", "stop", "--rw"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->verb, Verb::kExec);
  EXPECT_EQ(options->sandbox, "ns:12");
  EXPECT_FALSE(options->HasConfig());
  EXPECT_EQ(options->cwd, "/work");
  EXPECT_EQ(options->command, (std::vector<std::string>{"stop", "--rw"}));
  EXPECT_TRUE(Parse({"exec", "--background", "ns:12", "--", "true"})->background);
}

TEST(Verbs, AFlagOfExecTakesOneWord) {
  const Result<Options> options = Parse({"exec", "--env", "A=1", "ns:12", "--env", "B", "--", "true"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->sandbox, "ns:12");
  EXPECT_EQ(options->environment, (std::vector<std::string>{"A=1", "B"}));
}

TEST(Verbs, StopNamesASandboxAndListNothing) {
  EXPECT_EQ(Parse({"stop", "ns:12"})->verb, Verb::kStop);
  EXPECT_EQ(Parse({"stop", "ns:12"})->sandbox, "ns:12");
  EXPECT_EQ(Parse({"list"})->mode, Mode::kList);
}

TEST(Verbs, AreTheFirstWordOnly) {
  EXPECT_EQ(Parse({"./start"})->config_path, "./start");
  EXPECT_EQ(Parse({"--config", "start"})->config_path, "start");
  EXPECT_EQ(Parse({"--experimental", "list"})->config_path, "list");
  EXPECT_EQ(Parse({"--", "start"})->command, std::vector<std::string>{"start"});
  EXPECT_EQ(Parse({"starts"})->config_path, "starts");
}

TEST(Verbs, AreNoneForSdks) {
  for (const char* name : {"lxc-exec", "/opt/sdk/lxc-exec", "mxc-exec-mac", "C:\\sdk\\wxc-exec.exe"})
    EXPECT_EQ(Called({name, "start"})->config_path, "start") << name;
  EXPECT_FALSE(CalledBySdk("/opt/lxc-exec/mxc-exec"));
}

struct RefusedVerb {
  std::vector<std::string> words;
  std::string message;
  std::string hint;
};

class VerbsRefuse : public testing::TestWithParam<RefusedVerb> {};

TEST_P(VerbsRefuse, WhatWouldDoNothing) {
  const Result<Options> options = Parse(GetParam().words);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, ErrorCode::kUsage);
  EXPECT_EQ(options.error().message, GetParam().message);
  EXPECT_EQ(options.error().hint, GetParam().hint);
}

INSTANTIATE_TEST_SUITE_P(
    Usage, VerbsRefuse,
    testing::Values(
        RefusedVerb{{"start", "--rw", "/x", "--", "true"},
                    "'start' runs no command",
                    "it prints an identifier for mxc-exec exec ID -- CMD ARGS..."},
        RefusedVerb{{"start", "--probe"},
                    "'start' answers --explain and --dry-run alone",
                    "leave it out of the question"},
        RefusedVerb{{"stop", "ns:1", "ns:2"},
                    "unexpected argument 'ns:2'",
                    "stop takes one identifier: call it for each"},
        RefusedVerb{{"exec", "ns:1", "npm", "test"},
                    "unexpected argument 'npm'",
                    "put a command behind --: mxc-exec exec ns:1 -- npm test"},
        RefusedVerb{{"exec", "ns:1", "--env", "A=1", "B=2", "--", "true"},
                    "unexpected argument 'B=2'",
                    "exec takes one word for each flag: --env 'B=2'"},
        RefusedVerb{{"exec", "--env", "A=1", "B=2", "ns:1", "--", "true"},
                    "unexpected argument 'B=2'",
                    "exec takes one word for each flag: --env 'B=2'"},
        RefusedVerb{{"start", "--timeout", "5"}, "'start' takes no --timeout", "leave it out"},
        RefusedVerb{{"exec", "--", "true"},
                    "'exec' needs the sandbox's identifier",
                    "mxc-exec exec ID -- CMD ARGS..."},
        RefusedVerb{{"exec", "ns:1"}, "no command to run", "mxc-exec exec ID -- CMD ARGS..."},
        RefusedVerb{{"exec", "ns:1", "--rw", "/x", "--", "true"},
                    "'exec' takes no --rw",
                    "what a sandbox may do is said when it is started"},
        RefusedVerb{{"list", "--report=short", "--json-errors"}, "'list' takes no --report", "leave it out"},
        RefusedVerb{{"exec", "ns:1", "--background", "--lifeline-fd", "5", "--", "true"},
                    "'exec --background' takes no --lifeline-fd",
                    "leave it out"},
        RefusedVerb{{"exec", "ns:1", "--background", "--timeout", "5000", "--", "true"},
                    "'exec --background' takes no --timeout",
                    "leave it out"},
        RefusedVerb{{"stop"}, "'stop' needs the sandbox's identifier", "`mxc-exec list` shows yours"},
        RefusedVerb{{"stop", "ns:1", "--", "true"}, "'stop' runs no command", "mxc-exec stop ID"},
        RefusedVerb{{"list", "ns:1"}, "'list' takes nothing else", "mxc-exec list"},
        RefusedVerb{{"--foreground", "--rw", "/x", "--", "true"},
                    "--foreground is of 'start'",
                    "mxc-exec start --foreground"},
        RefusedVerb{{"exec", "ns:1", "--foreground", "--", "true"},
                    "'exec' takes no --foreground",
                    "what a sandbox may do is said when it is started"},
        RefusedVerb{{"--background", "--rw", "/x", "--", "true"},
                    "--background is of 'exec'",
                    "mxc-exec exec --background ID -- CMD ARGS..."}));

}  // namespace
}  // namespace mxc::verbs_test
