// Hogs of every kind end inside the limits of `resources`, and leave no control group behind.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>

#include "tests/containment/containment.h"
#include "tests/support/own_groups.h"

namespace mxc::test::limits_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Limits : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (!IsSkipped() && !groups.Missing().empty()) GTEST_SKIP() << groups.Missing();
  }
  void TearDown() override {
    EXPECT_THAT(groups.Left(), IsEmpty());
    ContainmentTest::TearDown();
  }

  // Runs a hog under `resources`, with each engine, in groups that belong to the caller.
  [[nodiscard]] std::vector<std::string> Under(const std::string& resources, const Words& hog,
                                               const std::string& engine, int timeout_ms = 0) {
    Parts policy{
        .containment = engine, .timeout_ms = timeout_ms, .more = "\"resources\":{" + resources + "}"};
    Launch launch = PrepareGuest(policy, {hog});
    launch.arguments.insert(launch.arguments.begin(), {"--result", workspace.Path("result")});
    launch.before_exec = [this] { groups.Enter(); };
    last = Execute(launch);
    EXPECT_FALSE(last.overdue);
    reached = At(LastLine(Contents(workspace.Path("result")).value_or("")), "/limits/reached");
    return Lines(last.out);
  }

  const OwnGroups groups{uid};
  std::string reached;  // of the last run, as JSON
};
MXC_FOR_EACH_CALLER(Limits);

const std::vector<const char*> kEngines = Engines();
constexpr const char* kAllEngines[] = {"namespaces", "bubblewrap", "landlock"};

TEST_P(Limits, MemoryHog) {
  for (const char* engine : kAllEngines) {
    EXPECT_THAT(Under(R"("memoryMb":48)", {"memory", "300"}, engine), ElementsAre("signal 9")) << last.err;
    EXPECT_EQ(reached, R"(["memory"])") << engine;
    EXPECT_THAT(last.err,
                HasSubstr("the limit of 48 MiB of memory was reached: processes were killed; `memoryMb` of "
                          "`resources`, or --memory, sets it"));
    EXPECT_THAT(Under(R"("memoryMb":48)", {"memory", "10"}, engine), ElementsAre("exit 0")) << last.err;
    EXPECT_EQ(reached, "[]") << engine;
  }
}

// What the kernel holds for sockets of the command's own loopback.
TEST_P(Limits, MemoryHogInSockets) {
  for (const char* engine : kEngines) {
    const auto held = Under(R"("memoryMb":48)", {"datagrams", "900"}, engine);
    ASSERT_EQ(held.size(), 1U) << last.err;
    EXPECT_LE(std::stol(held.front()), 48) << engine;
    EXPECT_GE(std::stol(held.front()), 4) << engine;
  }
}

TEST_P(Limits, MemoryHogInATmpfs) {
  for (const char* engine : kEngines) {
    for (const char* file : {"/tmp/x", "/dev/shm/x"}) {
      EXPECT_THAT(Under(R"("memoryMb":48)", {"fill", file, "200"}, engine),
                  AnyOf(IsEmpty(), ElementsAre("signal 9")));
      EXPECT_EQ(reached, R"(["memory"])") << engine << " " << file;
    }
  }
}

TEST_P(Limits, Crowd) {
  for (const char* engine : kAllEngines) {
    // The guest is one of them, and so may be the shell that has started it.
    EXPECT_THAT(Under(R"("processes":20)", {"crowd", "100"}, engine),
                ElementsAre(AnyOf("19 EAGAIN", "18 EAGAIN")))
        << last.err;
    EXPECT_EQ(reached, R"(["processes"])") << engine;
    EXPECT_THAT(Under(R"("processes":20)", {"crowd", "10"}, engine), ElementsAre("10")) << last.err;
    EXPECT_EQ(reached, "[]") << engine;
  }
}

TEST_P(Limits, ForkBomb) {
  for (const char* engine : kEngines) {
    EXPECT_THAT(Under(R"("processes":30)", {"forkbomb"}, engine, 700), IsEmpty());
    EXPECT_EQ(last.status, 255);
    EXPECT_EQ(EnvelopeMessage(last), "script timed out after 700ms");
    EXPECT_EQ(reached, R"(["processes"])") << engine;
  }
}

TEST_P(Limits, DescriptorHog) {
  for (const char* engine : kAllEngines) {
    EXPECT_THAT(Under(R"("openFiles":32)", {"files", "1000"}, engine), ElementsAre("31 EMFILE")) << last.err;
  }
}

// All sandboxes of the machine share kernel.pty.max.
TEST_P(Limits, TerminalHog) {
  EXPECT_THAT(Under(R"("openFiles":1000)", {"files", "600", "/dev/ptmx"}, "namespaces"),
              ElementsAre("258 ENOSPC"))
      << last.err;
}

TEST_P(Limits, BigFile) {
  for (const char* engine : kEngines) {
    EXPECT_THAT(Under(R"("fileSizeMb":3)", {"fill", "/tmp/x", "10"}, engine), ElementsAre("signal 25"));
    EXPECT_THAT(Under(R"("fileSizeMb":3)", {"fill", "/tmp/x", "10", "ignore"}, engine),
                ElementsAre("3 EFBIG, exit 1"));
  }
}

TEST_P(Limits, DiskHog) {
  for (const char* engine : kEngines) {
    for (const char* file : {"/tmp/x", "/dev/shm/x"}) {
      // Less than the fifth, where the caller's identity for git stands in HOME.
      EXPECT_THAT(Under(R"("tmpMb":5)", {"fill", file, "10"}, engine),
                  ElementsAre(testing::AnyOf("5 ENOSPC, exit 1", "4 0, exit 1")));
    }
  }
}

TEST_P(Limits, CpuHog) {
  for (const char* engine : kEngines) {
    EXPECT_THAT(Under(R"("cpuTimeMs":200)", {"burn", "3"}, engine), IsEmpty());
    EXPECT_EQ(last.status, 152) << last.err;
    EXPECT_EQ(reached, R"(["cpuTime"])") << engine;
    EXPECT_THAT(Under(R"("cpus":0.02)", {"work", "30"}, engine), ElementsAre("ok"));
    EXPECT_EQ(reached, R"(["cpus"])") << engine;
    EXPECT_EQ(last.err.find("limit"), std::string::npos) << "slow is no failure";
  }
}

TEST_P(Limits, LogFlood) {
  Parts policy{.containment = "namespaces",
               .command = "yes | head -c 5000000",
               .more = R"("output":{"maxBytes":1000},"resources":{"processes":10})"};
  Launch launch = PrepareConfig(policy);
  launch.before_exec = [this] { groups.Enter(); };
  last = Execute(launch);
  std::string expected;
  while (expected.size() < 1000) expected += "y\n";
  EXPECT_EQ(last.out, expected);
}

TEST_P(Limits, TheGroupsCannotBeSeenOrChanged) {
  EXPECT_THAT(Under(R"("memoryMb":64,"processes":20)", {"read", "/proc/self/cgroup"}, "namespaces"),
              ElementsAre(testing::MatchesRegex(R"(([0-9]+:[^:]*:/\\n)+)")));
  EXPECT_THAT(Under(R"("memoryMb":64,"processes":20)", {"list", "/sys/fs/cgroup"}, "namespaces"),
              ElementsAre("ENOENT"));
}

TEST_P(Limits, NothingIsLeftOfAKilledLauncher) {
  for (const char* engine : kAllEngines) {
    const std::string marker = Token();
    Parts policy{
        .containment = engine,
        .command = ": " + marker + "; trap '' TERM; echo $TMPDIR; echo up; while :; do sleep 1; done",
        .more = R"("resources":{"memoryMb":64,"cpus":1,"processes":20,"cpuTimeMs":100000})"};
    Launch launch = PrepareConfig(policy);
    launch.before_exec = [this] { groups.Enter(); };
    Running running(launch);
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    EXPECT_EQ(groups.Left().size(), 4U);
    running.Signal(SIGKILL);
    const Ended ended = running.Wait();
    EXPECT_EQ(ended.status, -SIGKILL);
    EXPECT_TRUE(Eventually([&] { return groups.Left().empty(); })) << engine;
    EXPECT_THAT(Survivors(marker), IsEmpty());
    const std::string temp = Lines(ended.out).at(0);  // with mounts that of a tmpfs
    EXPECT_TRUE(Eventually([&] { return temp == "/tmp" || !Exists(temp); })) << engine;
  }
}

// -1: `process` has no child of this name.
pid_t ChildOf(pid_t process, const std::string& name) {
  const std::string id = std::to_string(process);
  std::istringstream children(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
  for (pid_t child = 0; children >> child;) {
    if (Contents("/proc/" + std::to_string(child) + "/comm") == name + "\n") return child;
  }
  return -1;
}

// Its cleanup process was killed, too: the next run in the same place takes the empty group away.
TEST_P(Limits, TheNextRunReapsWhatAKilledGuardianLeft) {
  const std::string marker = Token();
  Launch launch = PrepareConfig({.containment = "namespaces",
                                 .command = ": " + marker + "; echo up; sleep 300",
                                 .more = R"("resources":{"processes":20})"});
  launch.before_exec = [this] { groups.Enter(); };
  Running running(launch);
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  const pid_t cleanup_process = ChildOf(running.Pid(), "mxc-cleanup");
  ASSERT_GT(cleanup_process, 0);
  ASSERT_EQ(::kill(cleanup_process, SIGKILL) + ::kill(running.Pid(), SIGKILL), 0);
  EXPECT_EQ(running.Wait().status, -SIGKILL);
  ASSERT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
  ASSERT_THAT(groups.Left(), testing::SizeIs(1)) << "nobody was there to take it away";
  // What was killed has no command line any more, but may still be in the group, or hold its lock.
  const std::string left = groups.Left().front();
  const std::string files = "/proc/" + std::to_string(cleanup_process) + "/fd";
  ASSERT_TRUE(Eventually([&] {
    std::error_code gone;
    return Contents(left + "/cgroup.procs").value_or("").empty() &&
           std::filesystem::directory_iterator(files, gone) == std::filesystem::directory_iterator();
  }));
  EXPECT_THAT(Under(R"("processes":20)", {"crowd", "10"}, "namespaces"), ElementsAre("10")) << last.err;
  EXPECT_THAT(groups.Left(), IsEmpty());
}

// A caller without a control group, as most are inside containers.
class UngroupedLimits : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (!IsSkipped() && uid == 0)
      GTEST_SKIP() << "root divides every group, and no rlimit counts its processes";
  }
  [[nodiscard]] std::vector<std::string> Crowd(const std::string& engine) {
    last = Execute(
        PrepareGuest({.containment = engine, .more = R"("resources":{"processes":20})"}, {{"crowd", "100"}}));
    return Lines(last.out);
  }
};
MXC_FOR_EACH_CALLER(UngroupedLimits);

TEST_P(UngroupedLimits, ProcessesAreCountedBySandbox) {
  // What the caller runs outside of the sandbox does not count.
  std::vector<std::unique_ptr<Running>> others;
  for (int i = 0; i < 25; ++i) {
    others.push_back(
        std::make_unique<Running>(Launch{.program = "/bin/sleep", .arguments = {"30"}, .uid = uid}));
  }
  EXPECT_THAT(Crowd("namespaces"), ElementsAre(AnyOf("19 EAGAIN", "18 EAGAIN"))) << last.err;
}

TEST_P(UngroupedLimits, BubblewrapRefusesWhatItCannotCount) {
  EXPECT_THAT(Crowd("bubblewrap"), IsEmpty());
  EXPECT_EQ(last.status, 255);
  EXPECT_EQ(At(LastLine(last.err), "/error/kind"), "unenforceable");
  EXPECT_EQ(At(LastLine(last.err), "/error/pointer"), "/resources/processes");
}

}  // namespace
}  // namespace mxc::test::limits_test
