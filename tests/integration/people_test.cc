// People at a terminal read prose, programs read JSON.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/lifecycle_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::people_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kEscape = "\x1b";

class People : public LauncherTest {
 protected:
  // All that a call prints on a terminal of its own, read as it comes: a terminal holds few kilobytes.
  [[nodiscard]] std::string Shown(Launch launch) const {
    const Terminal terminal(uid);
    launch.terminal = terminal.Fd();
    Running running(launch);
    std::string all;
    std::atomic<bool> over = false;
    std::thread reader([&] {
      while (!over) {
        all += terminal.Output();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    const Ended ended = running.Wait();
    over = true;
    reader.join();
    EXPECT_FALSE(ended.overdue);
    for (std::string part = terminal.Output(); !part.empty(); part = terminal.Output()) all += part;
    return all;
  }
  [[nodiscard]] Launch Refused(std::vector<std::string> flags = {}) const {
    flags.emplace_back("/nonexistent.json");
    return Prepare(std::move(flags));
  }
};
MXC_FOR_EACH_CALLER(People);

TEST_P(People, ReadErrorsAsProseAlone) {
  EXPECT_THAT(Shown(Refused()), AllOf(StartsWith("error: Cannot read config '/nonexistent.json'"),
                                      Not(HasSubstr("{\"error\""))));
  EXPECT_THAT(Shown(Prepare({"--expain"})),
              "error: unknown option '--expain'\n  hint: did you mean --explain?\n");
  EXPECT_THAT(Execute(Refused()).err,
              AllOf(StartsWith("Request error\n"), HasSubstr("\n{\"error\":{\"code\"")));
}

TEST_P(People, AreLedToTheHelp) {
  constexpr const char* kWords =
      "Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n";
  const std::string help = std::string(kWords) + "  hint: mxc-exec --help shows how to call it\n";
  EXPECT_EQ(Shown(Prepare({})), help);
  EXPECT_EQ(Execute(Prepare({})).err, help);
  Launch sdk = Prepare({});
  sdk.program = workspace.Link("bin/lxc-exec", sdk.program);
  EXPECT_EQ(Execute(sdk).err, kWords);
}

TEST_P(People, LearnOfTheReportWhenACommandFails) {
  const auto shown = [&](const std::string& line, std::vector<std::string> flags = {}) {
    return Shown(PrepareConfig({.command = line}, std::move(flags)));
  };
  constexpr const char* kTold =
      "mxc-exec: the command failed; with --report, what the sandbox refused it is listed\n";
  const bool watches = std::string(GetParam().containment) == "namespaces";
  EXPECT_EQ(shown("exit 3"), watches ? kTold : "");
  for (const char* line : {"true", "kill -TERM $$", "exit 130"}) EXPECT_EQ(shown(line), "") << line;
  EXPECT_THAT(shown("exit 3", {"--report"}), Not(HasSubstr(kTold)));
  EXPECT_EQ(shown("exit 3", {"--quiet"}), "");
  EXPECT_EQ(Execute(PrepareConfig({.command = "exit 3"})).err, "");
}

// A bare number is of milliseconds; many programs mean seconds.
TEST_P(People, AreToldWhatABareTimeMeans) {
  EXPECT_THAT(Shown(Prepare({"--timeout", "5", "--", "sleep", "5"})),
              HasSubstr("--timeout 5 is 5 milliseconds; write --timeout 5s for seconds"));
  for (const char* time : {"60000", "999999", "5s", "900ms"})
    EXPECT_THAT(Shown(Prepare({"--timeout", time, "--", "true"})), Not(HasSubstr("milliseconds"))) << time;
}

TEST_P(People, ReadThatTimeIsOver) {
  EXPECT_THAT(Shown(PrepareConfig({.command = "sleep 60", .timeout_ms = 100})),
              EndsWith("error: script timed out after 100ms\n"));
}

TEST_P(People, MayAskForWhatProgramsGet) {
  const std::string same = Execute(Refused()).err;
  EXPECT_EQ(Shown(Refused({"--json-errors"})), same);
  EXPECT_THAT(Shown(Prepare({"--config-base64", "e30="})), HasSubstr("\n{\"error\""));
  Launch sdk = Refused();
  sdk.program = workspace.Link("bin/lxc-exec", sdk.program);
  EXPECT_EQ(Shown(sdk), same);
  // The command's flags are its own.
  EXPECT_THAT(Shown(Prepare({"--expain", "--", "--json-errors"})), Not(HasSubstr("{\"error\"")));
}

TEST_P(People, SeeColoursWhereATerminalTakesThem) {
  Launch launch = Refused();
  EXPECT_THAT(Shown(launch), Not(HasSubstr(kEscape))) << "without TERM";
  launch.environment.emplace_back("TERM=xterm-256color");
  EXPECT_THAT(Shown(launch), StartsWith("\x1b[1;31merror:\x1b[0m Cannot"));
  EXPECT_THAT(Execute(launch).err, Not(HasSubstr(kEscape)));
  launch.environment.back() = "TERM=dumb";
  EXPECT_THAT(Shown(launch), Not(HasSubstr(kEscape)));
  launch.environment.back() = "TERM=xterm";
  launch.environment.emplace_back("NO_COLOR=1");
  EXPECT_THAT(Shown(launch), Not(HasSubstr(kEscape)));
}

TEST_P(People, GetATableForAProbe) {
  const std::string table = Shown(Prepare({"--probe"}));
  EXPECT_THAT(table, StartsWith("BACKEND "));
  EXPECT_THAT(table, HasSubstr("\nlandlock "));
  for (const std::string& line : Lines(table)) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(Shown(Prepare({"--probe=json"})), StartsWith("{\n"));
  EXPECT_THAT(Execute(Prepare({"--probe"})).out, StartsWith("{\n"));
  EXPECT_THAT(Execute(Prepare({"--probe=text"})).out, StartsWith("BACKEND "));
  EXPECT_THAT(Shown(Prepare({"--available-backends"})),
              AllOf(StartsWith("BACKEND "), Not(HasSubstr("hyperlight"))));
  EXPECT_THAT(Execute(Prepare({"--available-backends"})).out, StartsWith("["));
}

// The next call's paths may begin with "..".
TEST_P(People, AreHeldOrToldWhereTheyStand) {
  const std::string granted = workspace.Directory("granted");
  const std::string here = workspace.Directory("granted/a/b");
  const auto run = [&](const std::string& grant) {
    Launch launch = Prepare(
        {"--rw", grant, "--", "python3", "-c", "import os; os.rename('" + here + "', '" + granted + "/b')"});
    launch.cwd = here;
    return Execute(launch);
  };
  EXPECT_THAT(run("../..").err, HasSubstr("OSError"));
  EXPECT_TRUE(Exists(here));
  EXPECT_THAT(run(granted).err, HasSubstr("'" + here + "' was moved to '" + granted + "/b'"));
}

class PeopleWithSandboxes : public LifecycleTest {};
INSTANTIATE_TEST_SUITE_P(As, PeopleWithSandboxes,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"}),
                         CallerOf);

TEST_P(PeopleWithSandboxes, GetATableForAList) {
  const auto list = [&](const char* flag) {
    Launch launch = Phase("stop", "");
    launch.arguments = {flag};
    return Execute(launch).out;
  };
  const std::string id = Started();
  EXPECT_THAT(list("--list"), HasSubstr("{\"sandboxId\":\"" + id));
  EXPECT_THAT(Lines(list("--list=text"))[0], testing::MatchesRegex("ID +STATE +AGE +COMMANDS"));
  EXPECT_THAT(list("--list=text"), testing::ContainsRegex("\n" + id + " +started +[0-9]+ s +0\n"));
}

}  // namespace
}  // namespace mxc::test::people_test
