// The supervisor that is kept for the next command: what becomes of it, whatever commands do to it.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "tests/support/lifecycle_test.h"

namespace mxc::test::lifecycle_supervisor_test {
namespace {

class LifecycleSupervisor : public LifecycleTest {
 protected:
  void SetUp() override {
    work_ = workspace.Directory("work");
    id_ = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work_) + "]}");
  }
  // The supervisor of a command, which is free again when this returns; `others` run beside it.
  [[nodiscard]] std::string Next(int others = 0) const {
    std::string supervisor = Exec(id_, "echo $PPID").out;
    EXPECT_TRUE(Eventually([&] { return Running(others); })) << List();
    return supervisor;
  }
  [[nodiscard]] bool Running(int commands) const {
    const std::string list = List();
    for (int i = 0;; ++i) {
      const std::string entry = "/" + std::to_string(i);
      if (At(list, entry + "/sandboxId") == "absent") return false;
      if (At(list, entry + "/sandboxId") == id_)
        return At(list, entry + "/commands") == std::to_string(commands);
    }
  }
  // A command that says its supervisor, waits for the file `word` and then does what is to be `done`.
  [[nodiscard]] Launch Waiting(const std::string& word, const std::string& done) const {
    const std::string file = work_ + "/" + word;
    return ExecOf(
        id_, "echo $PPID; until [ -s " + file + " ]; do sleep 0.02; done; said=$(cat " + file + "); " + done);
  }
  void Say(const std::string& word, const std::string& text = "now") const {
    ASSERT_EQ(std::rename(workspace.File("said", text).c_str(), (work_ + "/" + word).c_str()), 0);
  }

  std::string work_, id_;
};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleSupervisor);

TEST_P(LifecycleSupervisor, TheNewestTakesTheNextCommand) {
  const std::string first = Next();
  EXPECT_EQ(Next(), first);
  test::Running running(Waiting("end", "exit 3"));
  ASSERT_TRUE(running.SaysOnStdout(first));
  const std::string second = Next(1);
  EXPECT_NE(second, first);
  EXPECT_EQ(Next(1), second);
  Say("end");
  EXPECT_EQ(running.Wait().status, 3);
  EXPECT_EQ(Next(), second);
}

TEST_P(LifecycleSupervisor, AKilledOrStoppedOneIsReplaced) {
  for (const std::string signal : {"KILL", "STOP"}) {
    test::Running hostile(
        Waiting("go" + signal,
                "kill -s " + signal + " $said; while kill -s 0 $said; do :; done; echo sent; sleep 300"));
    ASSERT_TRUE(hostile.SaysOnStdout("\n"));
    const std::string kept = Next(1);
    Say("go" + signal, kept);
    ASSERT_TRUE(hostile.SaysOnStdout("sent")) << signal;
    const std::string next = Next(1);
    EXPECT_NE(next, "");
    EXPECT_NE(next, kept);
    hostile.Signal(SIGTERM);
    EXPECT_FALSE(hostile.Wait().overdue);
    EXPECT_TRUE(Eventually([&] { return Running(0); })) << List();
  }
}

// Else neither its time-out nor a later command would come to anything; and those beside it go on.
TEST_P(LifecycleSupervisor, ProcessesThatForkAndExitForEverEndInTime) {
  if (uid == 0) GTEST_SKIP() << "no limit of processes holds for root";
  const std::string marker = workspace.Root() + "/chain";
  test::Running beside(Waiting("end", "exit 3"));
  ASSERT_TRUE(beside.SaysOnStdout("\n"));
  for (const std::string done : {"", "os.kill(os.getppid(), signal.SIGKILL)", "time.sleep(60)"}) {
    Launch launch = ExecOf(id_, "exec python3 -c '#" + marker + R"(
import os, resource, signal, time
resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))
end = time.time() + 200
for i in range(60):
  if os.fork(): continue
  os.setsid()
  signal.signal(signal.SIGCHLD, signal.SIG_IGN)
  while time.time() < end:
    try:
      if os.fork(): os._exit(0)
    except OSError: pass
  os._exit(0)
time.sleep(0.3)
)" + done + "'",
                           ",\"timeout\":2000");
    launch.deadline = std::chrono::seconds(120);
    EXPECT_FALSE(Execute(launch).overdue) << done;
    EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); })) << done;
    EXPECT_EQ(Exec(id_, "echo next").out, "next\n");
  }
  Say("end");
  EXPECT_EQ(beside.Wait().status, 3);
}

// Else no time-out, no signal and no end of its launcher would end it.
TEST_P(LifecycleSupervisor, ACommandThatStopsItsOwnIsOver) {
  const std::string marker = workspace.Root();
  Launch launch =
      ExecOf(id_, "kill -s STOP $PPID; (setsid sh -c ': " + marker + "; sleep 300; :') & sleep 300");
  launch.deadline = std::chrono::seconds(60);
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_FALSE(ended.overdue);
  EXPECT_TRUE(Eventually([&] { return Survivors(marker + "; sleep").empty(); }));
  EXPECT_NE(Next(), "");
}

// A launcher that has not noticed the end of its command may still end it.
class LifecycleLateLauncher : public LifecycleSupervisor {
 protected:
  void SetUp() override {
    LifecycleSupervisor::SetUp();
    first_ = Next();
    late_.emplace(Waiting("end", ": > " + work_ + "/ended"));
    ASSERT_TRUE(late_->SaysOnStdout(first_));
    late_->Signal(SIGSTOP);
    Say("end");
    ASSERT_TRUE(Eventually([&] { return Exists(work_ + "/ended"); }));
    ASSERT_TRUE(Eventually([&] { return Survivors(work_ + "/ended").empty(); }));
  }
  void EndLate() {
    late_->Signal(SIGTERM);
    late_->Signal(SIGCONT);
    EXPECT_FALSE(late_->Wait().overdue);
  }

  std::string first_;
  std::optional<test::Running> late_;
};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleLateLauncher);

TEST_P(LifecycleLateLauncher, EndsNoOtherCommand) {
  test::Running running(Waiting("never", ""));
  ASSERT_TRUE(running.SaysOnStdout("\n"));
  EndLate();
  Say("never");
  EXPECT_EQ(running.Wait().status, 0);
}

// Whether it ends the supervisor as well depends on what it notices first.
TEST_P(LifecycleLateLauncher, EndsNotTheNextCommand) {
  EndLate();
  const Ended next = Exec(id_, "echo next");
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_EQ(next.out, "next\n");
}

}  // namespace
}  // namespace mxc::test::lifecycle_supervisor_test
