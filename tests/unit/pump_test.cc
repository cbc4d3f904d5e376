// Output that passes through our hands: capped, redacted, never stuck.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/run_in_child.h"

namespace mxc::test::pump_test {
namespace {

std::string Numbered(const std::string& word) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += word + " " + std::to_string(i) + "\n";
  return text;
}

TEST(Pump, BothStreamsArriveWhole) {
  Plan plan =
      ShellPlan("i=0; while [ $i -lt 2000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done; exit 5");
  plan.output.max_bytes = 1U << 30;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 5);
  EXPECT_EQ(report.out, Numbered("out"));
  EXPECT_EQ(report.err, Numbered("err"));
  EXPECT_FALSE(report.outcome.stdout_truncated);
  EXPECT_FALSE(report.outcome.stderr_truncated);
}

TEST(Pump, CapKeepsTheFirstBytesOfEachStream) {
  Plan plan = ShellPlan("printf 0123456789; printf abcdefghij >&2; printf more; exit 0");
  plan.output.max_bytes = 12;
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.out, "0123456789mo");
  EXPECT_EQ(report.err, "abcdefghij");
  EXPECT_TRUE(report.outcome.stdout_truncated);
  EXPECT_FALSE(report.outcome.stderr_truncated);
}

TEST(Pump, CommandThatExceedsTheCapRunsToItsEnd) {
  Plan plan = ShellPlan("head -c 50000000 /dev/zero; echo done >&2; exit 3");
  plan.output.max_bytes = 1000;
  const RunReport report = RunInChild(plan);
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.exit_code, 3);
  EXPECT_EQ(report.out, std::string(1000, '\0'));
  EXPECT_EQ(report.err, "done\n");
}

TEST(Pump, TokenSplitOverWritesIsRedacted) {
  Plan plan = ShellPlan(
      "printf 'a ghp_0123456789abcdef'; sleep 0.2; printf '0123456789abcdef0123 b'; echo x "
      "ghp_0123456789abcdef0123456789abcdef0123 >&2");
  plan.output.redact_secrets = true;
  const RunReport report = RunInChild(plan);
  EXPECT_EQ(report.out, "a [REDACTED] b");
  EXPECT_EQ(report.err, "x [REDACTED]\n");
}

TEST(Pump, SecretVariablesOfThePlanAreRedacted) {
  Plan plan = ShellPlan("echo $MY_PASSWORD $MY_NAME");
  ExecOf(plan).environment.push_back({.name = "MY_PASSWORD", .value = Secret("correct horse")});
  ExecOf(plan).environment.push_back({.name = "MY_NAME", .value = Secret("long enough")});
  plan.output.redact_secrets = true;
  EXPECT_EQ(RunInChild(plan).out, "[REDACTED] long enough\n");
}

struct Pipe {
  UniqueFd reading;
  UniqueFd writing;
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    reading.Reset(ends[0]);
    writing.Reset(ends[1]);
  }
};

TEST(Pump, SlowReaderLosesNothing) {
  Pipe pipe;
  Plan plan = ShellPlan("head -c 3000000 /dev/zero | tr '\\0' x; echo end");
  plan.output.max_bytes = 1U << 30;
  RunningPlan running(plan, {.standard_output = pipe.writing.Get()});
  pipe.writing.Reset();
  std::string text;
  std::vector<char> buffer(8192);
  for (ssize_t count = 1; count > 0;) {
    if (text.size() < 80000) ::usleep(2000);
    count = ::read(pipe.reading.Get(), buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const RunReport report = running.Finish();
  EXPECT_TRUE(report.ok);
  EXPECT_TRUE(text == std::string(3000000, 'x') + "end\n") << text.size();
}

TEST(Pump, ReaderThatNeverReadsDoesNotHoldTheTimeout) {
  Pipe pipe;
  Plan plan = ShellPlan("yes");
  plan.output.max_bytes = 1U << 30;
  plan.timeout_ms = 300;
  RunningPlan running(plan, {.standard_output = pipe.writing.Get()});
  EXPECT_TRUE(running.Finish().outcome.timed_out);
}

TEST(Pump, ReaderThatLeavesEndsTheCommandWithSigpipe) {
  Pipe pipe;
  Plan plan = ShellPlan("exec yes");
  plan.output.max_bytes = 1U << 30;
  RunningPlan running(plan, {.before = [&] { pipe.reading.Reset(); }, .standard_output = pipe.writing.Get()});
  pipe.writing.Reset();
  char byte = 0;
  EXPECT_EQ(::read(pipe.reading.Get(), &byte, 1), 1);
  pipe.reading.Reset();
  const RunReport report = running.Finish();
  ASSERT_TRUE(report.ok) << report.message;
  EXPECT_EQ(report.outcome.signal, SIGPIPE);
}

TEST(Pump, TheCallersDescriptionStaysBlocking) {
  Pipe pipe;
  Plan plan = ShellPlan("echo hello");
  plan.output.max_bytes = 100;
  RunningPlan running(plan, {.standard_output = pipe.writing.Get()});
  EXPECT_TRUE(running.Finish().ok);
  EXPECT_EQ(::fcntl(pipe.writing.Get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(Pump, WithoutItTheCommandHasTheCallersOwnStream) {
  Pipe pipe;
  const RunSetup setup{.standard_output = pipe.writing.Get()};
  Plan plan = ShellPlan("target=$(readlink /proc/$$/fd/1); echo $target >&2");
  const std::string direct = RunInChild(plan, setup).err;
  plan.output.max_bytes = 1000;
  const std::string pumped = RunInChild(plan, setup).err;
  char link[64] = {};
  ASSERT_GT(
      ::readlink(("/proc/self/fd/" + std::to_string(pipe.writing.Get())).c_str(), link, sizeof link - 1), 0);
  EXPECT_EQ(direct, std::string(link) + "\n");
  EXPECT_NE(pumped, direct);
}

}  // namespace
}  // namespace mxc::test::pump_test
