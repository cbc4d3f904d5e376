// SIGKILL of every part of a sandbox that stays, at random moments: each phase answers as it should
// afterwards, and nothing is left. And many commands in one sandbox, which leave nothing behind in its holder
// and its init.
//
// MXC_KILLS=500 and MXC_COMMANDS=10000 in the environment make longer runs than those of every day.
#include <dirent.h>
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/lifecycle_test.h"

namespace mxc::test {
namespace {

using testing::AnyOf;
using testing::Eq;

int Asked(const char* variable, int otherwise) {
  const char* const text = ::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

std::vector<pid_t> ChildrenOf(pid_t process) {
  const std::string id = std::to_string(process);
  std::istringstream text(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
  std::vector<pid_t> children;
  for (pid_t child = 0; text >> child;) children.push_back(child);
  return children;
}

// The first of that name below `process`, by its command line or its name; -1: none.
pid_t Below(pid_t process, const std::string& name) {
  for (const pid_t child : ChildrenOf(process)) {
    const std::string folder = "/proc/" + std::to_string(child);
    const bool found = Contents(folder + "/cmdline").value_or("").starts_with(name) ||
                       Contents(folder + "/comm").value_or("") == name + "\n";
    const pid_t below = found ? child : Below(child, name);
    if (below > 0) return below;
  }
  return -1;
}

// Resident kibibytes, open descriptors and children.
struct Size {
  long resident = 0;
  std::size_t descriptors = 0;
  std::size_t children = 0;
};

Size SizeOf(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  Size size{.descriptors = Names(folder + "/fd").size(), .children = ChildrenOf(process).size()};
  std::istringstream status(Contents(folder + "/status").value_or(""));
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> size.resident;
  }
  return size;
}

class LifecycleSweep : public LifecycleTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleSweep);

TEST_P(LifecycleSweep, KillsLeaveNothingAndNoWrongAnswer) {
  const std::string work = workspace.Directory("work");
  const std::string missing = work + "/missing";
  const std::string policy =
      R"("filesystem":{"readwritePaths":[)" + Quote(work) + R"(],"deniedPaths":[)" + Quote(missing) + "]}";
  const std::string marker = "mark-" + workspace.Root();
  enum Victim { kHolder, kInit, kLauncher, kSupervisor, kWorkload, kVictims };
  std::mt19937 random(static_cast<unsigned>(Asked("MXC_SEED", 1)));
  for (int round = 0; round < Asked("MXC_KILLS", 30); ++round) {
    const int victim = round % kVictims;
    SCOPED_TRACE("round " + std::to_string(round) + ", victim " + std::to_string(victim));
    const std::string id = Started(policy);
    const pid_t holder = HolderOf(id);
    ASSERT_GT(holder, 0);
    const pid_t init = Below(holder, "mxc-init");
    ASSERT_GT(init, 0);
    Running running(ExecOf(id, ": " + marker + "; setsid sleep 300 & echo up; sleep 0.03; exit 5"));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
    const std::vector<pid_t> supervisors = ChildrenOf(init);
    const std::vector<pid_t> commands = supervisors.empty() ? supervisors : ChildrenOf(supervisors.front());
    if (victim == kHolder) ::kill(holder, SIGKILL);
    if (victim == kInit) ::kill(init, SIGKILL);
    if (victim == kLauncher) running.Signal(SIGKILL);
    if (victim == kSupervisor && !supervisors.empty()) ::kill(supervisors.front(), SIGKILL);
    if (victim == kWorkload && !commands.empty()) ::kill(commands.front(), SIGKILL);

    const Ended ended = running.Wait();
    EXPECT_FALSE(ended.overdue);
    // The command's own end, a lost one, one that never began, a killed launcher.
    EXPECT_THAT(ended.status, AnyOf(Eq(5), Eq(255), Eq(1), Eq(-SIGKILL), Eq(128 + SIGKILL))) << ended.err;
    if (ended.status == 5) {
      EXPECT_EQ(ended.out, "up\n");
    }
    if (victim == kWorkload) {
      EXPECT_THAT(ended.status, AnyOf(Eq(5), Eq(128 + SIGKILL))) << ended.err << ended.out;
    }
    if (ended.status == 1) {
      EXPECT_THAT(CodeOf(ended), AnyOf(Eq("stale_id"), Eq("not_started"))) << ended.out;
    }
    EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));

    const bool held = victim != kHolder;
    const bool stands = held && victim != kInit;
    if (victim == kInit) {
      EXPECT_TRUE(Eventually([&] { return CodeOf(Exec(id, "true")) == "not_started"; }));
    }
    const Ended next = Exec(id, "echo next");
    if (stands) {
      EXPECT_EQ(next.out, "next\n") << next.err;
    } else {
      EXPECT_EQ(CodeOf(next), held ? "not_started" : "stale_id") << next.out;
    }
    EXPECT_EQ(Execute(Phase("deprovision", id)).out, "{\"result\":{}}\n");
    EXPECT_EQ(CodeOf(Execute(Phase("stop", id))), "stale_id");
    EXPECT_TRUE(Eventually([&] { return !Contents(missing).has_value(); })) << "the placeholder is left";
    EXPECT_TRUE(Eventually([&] { return ChildrenOf(holder).empty(); }));
    provisioned.clear();
  }
}

TEST_P(LifecycleSweep, ManyCommandsLeaveNothingBehind) {
  const std::string id = Started();
  const pid_t holder = HolderOf(id);
  ASSERT_GT(holder, 0);
  const pid_t init = Below(holder, "mxc-init");
  const int count = Asked("MXC_COMMANDS", 200);
  const Launch launch = ExecOf(id, "exit 7");
  Size holder_before;
  Size init_before;
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(Execute(launch).status, 7) << i;
    if (i != count / 10) continue;
    holder_before = SizeOf(holder);
    init_before = SizeOf(init);
  }
  ASSERT_TRUE(Eventually([&] { return ChildrenOf(init).empty(); }));
  const Size holder_after = SizeOf(holder);
  const Size init_after = SizeOf(init);
  std::printf("holder %ld -> %ld KiB, init %ld -> %ld KiB\n", holder_before.resident, holder_after.resident,
              init_before.resident, init_after.resident);
  EXPECT_LE(holder_after.resident, holder_before.resident + 64);
  EXPECT_LE(init_after.resident, init_before.resident + 64);
  EXPECT_EQ(holder_after.descriptors, holder_before.descriptors);
  EXPECT_EQ(init_after.descriptors, init_before.descriptors);
  EXPECT_EQ(holder_after.children, holder_before.children);
}

}  // namespace
}  // namespace mxc::test
