// A command line that needs no shell is executed without one; nobody can tell but by the process's parent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/unit/engine_sandboxes.h"

namespace mxc::test::engine_shell_test {
namespace {

using ::testing::HasSubstr;

bool ShellIsDash() {
  std::error_code error;
  return std::filesystem::canonical("/bin/sh", error).filename() == "dash";
}

LinuxSandbox LineSandbox(const std::string& line) {
  LinuxSandbox sandbox = ShellSandbox("");
  sandbox.argv = {"/bin/sh", "-c", line};
  return sandbox;
}

RunReport RunLine(const std::string& line) { return RunInChild(PlanOf(LineSandbox(line)), {}); }

class EngineShell : public test::NamespacesTest {};

TEST_F(EngineShell, PlainLineRunsWithoutIt) {
  if (!ShellIsDash()) GTEST_SKIP() << "/bin/sh is not dash here, and every command line goes through it";
  EXPECT_THAT(RunLine("grep PPid: /proc/self/status").out, HasSubstr("\t1\n"));
  EXPECT_THAT(RunLine("/usr/bin/grep PPid: /proc/self/status").out, HasSubstr("\t1\n"));
  EXPECT_THAT(RunLine("grep PPid: /proc/self/status; true").out, ::testing::Not(HasSubstr("\t1\n")));
}

TEST_F(EngineShell, ItsOwnWordsComeFirst) {
  EXPECT_EQ(RunLine("echo -n").out, "");  // /usr/bin/echo says the same, but is not asked
  EXPECT_EQ(RunLine("exit 7").outcome.exit_code, 7);
  EXPECT_EQ(RunLine("pwd").out, "/\n");
}

// The same line with something behind it that makes the shell itself go about it.
TEST_F(EngineShell, ResultIsTheSameWithAndWithoutIt) {
  for (const std::string line : {"/bin/echo a  b", "printenv PWD", "ls /nowhere", "no-such-program a",
                                 "/no/such/program", "/etc/passwd", "/usr", "/etc/passwd/x", "env", "false",
                                 "/bin/false", "dirname /a/b", "./usr/bin/id -u"}) {
    const RunReport without = RunLine(line);
    const RunReport with = RunLine(line + "; exit $?");
    ASSERT_TRUE(without.ok && with.ok) << line << without.message << with.message;
    EXPECT_EQ(without.outcome.exit_code, with.outcome.exit_code) << line;
    EXPECT_EQ(without.err, with.err) << line;
    const auto lines = [](std::string text) { return std::multiset<char>(text.begin(), text.end()); };
    EXPECT_EQ(lines(without.out), lines(with.out)) << line;  // the shell sorts the environment its own way
  }
}

// A file without "#!" is a script to the shell, and to nobody else.
TEST_F(EngineShell, WhatTheKernelCannotExecuteIsLeftToIt) {
  const ScratchDirectory scratch;
  const std::string script = scratch.Path("script");
  std::ofstream(script) << "echo from a script\nexit 3\n";
  ::chmod(script.c_str(), 0755);
  LinuxSandbox sandbox = LineSandbox(script);
  sandbox.mounts.emplace_back(Grant(scratch.Path(), Access::kReadOnly));
  const RunReport report = RunInChild(PlanOf(std::move(sandbox)), {});
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.out, "from a script\n");
  EXPECT_EQ(report.outcome.exit_code, 3);
}

// Whoever denies the shell denies command lines.
TEST_F(EngineShell, NothingRunsWhereItMayNotRun) {
  LinuxSandbox sandbox = LineSandbox("/bin/echo ran");
  const std::string shell = std::filesystem::canonical("/bin/sh").string();
  sandbox.mounts.emplace_back(FileMask{.target = shell, .object = ObjectAt(shell)});
  const RunReport report = RunInChild(PlanOf(std::move(sandbox)), {});
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.out, "");
}

}  // namespace
}  // namespace mxc::test::engine_shell_test
