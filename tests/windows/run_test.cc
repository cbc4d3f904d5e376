// The launcher, with what Wine can do: a command in a job, without a container.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <windows.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "mxc/command_line.h"
#include "tests/windows/guest_windows.h"
#include "tests/windows/program_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test::run_test {
namespace {

using testing::HasSubstr;

Said RunBare(const std::vector<std::string>& guest, const std::vector<std::string>& flags = {},
             const std::string& input = "") {
  std::vector<std::string> arguments = {"--containment", "none", "--allow-unsandboxed"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.emplace_back("--");
  const std::vector<std::string> command = Guest(guest);
  arguments.insert(arguments.end(), command.begin(), command.end());
  return RunProgram(arguments, input);
}

bool Exists(const std::string& path) { return std::filesystem::exists(Wide(path)); }

TEST(WindowsRun, PassesTheStatusOn) {
  EXPECT_EQ(RunBare({"exit", "0"}).status, 0U);
  EXPECT_EQ(RunBare({"exit", "42"}).status, 42U);
  EXPECT_EQ(RunBare({"exit", "3221225786"}).status, 0xC000013AU);
}

TEST(WindowsRun, PassesTheStreamsOnUntouched) {
  const std::string bytes{"a\r\nb\n\x1a\0c\xff", 9};
  EXPECT_EQ(RunBare({"copy"}, {}, bytes).out, bytes);
  const Said said = RunBare({"both"});
  EXPECT_EQ(said.out, "out");
  EXPECT_EQ(said.err, "err");
}

TEST(WindowsRun, ArgumentsArriveAsTheyWere) {
  const std::vector<std::string> hard = {"a b",     "",       "c\"d",   "e\\",
                                         "f g\\\\", "h\\\"i", "%PATH%", "\xc3\xa9\xe6\xbc\xa2"};
  std::vector<std::string> guest = {"args"};
  guest.insert(guest.end(), hard.begin(), hard.end());
  std::string lines;
  for (const std::string& argument : hard) lines += argument + "\n";
  EXPECT_EQ(RunBare(guest).out, lines);
}

TEST(WindowsRun, ACommandLineIsPassedOnAsItStands) {
  const Scratch scratch;
  const std::string file = scratch.Write(
      "c.json",
      R"({"version": "1.1.0-alpha", "containment": "none", "process": {"commandLine": "cmd /c exit 5"}})");
  EXPECT_EQ(RunProgram({"--allow-unsandboxed", file}).status, 5U);
}

TEST(WindowsRun, TheEnvironmentIsWhatIsWrittenAndTheSystems) {
  EXPECT_EQ(RunBare({"env", "MXC_TEST"}, {"--env", "MXC_TEST=v \xc3\xa9"}).out, "v \xc3\xa9\n");
  EXPECT_THAT(RunBare({"env", "SystemRoot"}).out, HasSubstr("indows"));
  ::SetEnvironmentVariableW(L"MXC_SECRET", L"s");
  EXPECT_EQ(RunBare({"env", "MXC_SECRET"}).status, 1U);
}

TEST(WindowsRun, StartsWhereItIsTold) {
  const Scratch scratch;
  std::filesystem::create_directories(Wide(scratch.Path("d")));
  EXPECT_EQ(RunBare({"cwd"}, {"--cwd", scratch.Path("d")}).out, scratch.Path("d") + "\n");
  const Said said = RunBare({"cwd"}, {"--cwd", scratch.Path("none")});
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("does not exist"));
}

TEST(WindowsRun, EndsAtTheTimeout) {
  const Said said = RunBare({"sleep", "60000"}, {"--timeout", "300"});
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("timed out after 300ms"));
}

TEST(WindowsRun, NothingOutlivesTheRun) {
  const Scratch scratch;
  ASSERT_EQ(
      std::system(JoinArguments(Guest({"late", scratch.Path("control"), "500"}), QuoteFor::kProgram).c_str()),
      0);
  EXPECT_EQ(RunBare({"late", scratch.Path("late"), "1500"}).status, 0U);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_FALSE(Exists(scratch.Path("late")));
  EXPECT_TRUE(Exists(scratch.Path("control"))) << "without a run it is written";
}

TEST(WindowsRun, SaysWhatCannotBeStarted) {
  const Said said = RunProgram({"--containment", "none", "--allow-unsandboxed", "--", "C:\\no\\such.exe"});
  EXPECT_EQ(said.status, 255U);
  EXPECT_THAT(said.err, HasSubstr("cannot be started"));
}

TEST(WindowsRun, WritesTheAuditLogAndTheResult) {
  const Scratch scratch;
  std::string audit;
  for (const char c : scratch.Path("audit")) audit += c == '\\' ? "\\\\" : std::string(1, c);
  const std::string file = scratch.Write("c.json", R"({"version": "1.1.0-alpha", "containment": "none",
      "process": {"commandLine": "cmd /c exit 3"}, "audit": {"path": ")" +
                                                       audit + "\"}}");
  EXPECT_EQ(RunProgram({"--allow-unsandboxed", "--result", scratch.Path("result"), file}).status, 3U);
  EXPECT_THAT(scratch.Read("audit"), HasSubstr("\"event\":\"end\""));
  EXPECT_THAT(scratch.Read("result"), HasSubstr("\"exitStatus\":3"));
}

TEST(WindowsRun, RefusesAContainerThatIsNotToBeHad) {
  if (RunProgram({"--available-backends"}).out.find("processcontainer") != std::string::npos)
    GTEST_SKIP() << "this Windows has AppContainers";
  const Said said = RunProgram({"--rw", ".", "--", "cmd", "/c", "echo ran"});
  EXPECT_EQ(said.status, 255U);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("backend_unavailable"));
}

}  // namespace
}  // namespace mxc::test::run_test
