// SIGKILL of every part of a persistent sandbox, at random moments: each phase answers as it should
// afterwards, and nothing is left. And many commands in one sandbox, which leave nothing behind in its daemon
// and its init.
//
// MXC_KILLS=500 and MXC_COMMANDS=10000 in the environment make longer runs than those of every day.
#include <dirent.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/lifecycle_test.h"

namespace mxc::test::lifecycle_sweep_test {
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

std::vector<pid_t> Tree(pid_t process) {
  std::vector<pid_t> all = {process};
  for (const pid_t child : ChildrenOf(process)) {
    for (const pid_t below : Tree(child)) all.push_back(below);
  }
  return all;
}

// Gone, or waiting for whoever has to bury it.
bool HasEnded(pid_t process) {
  const std::string stat = Contents("/proc/" + std::to_string(process) + "/stat").value_or("");
  // X: reaped, and not yet out of /proc.
  return stat.empty() || stat.find(") Z ") != std::string::npos || stat.find(") X ") != std::string::npos;
}

// The directories of the control groups of version 1 that were made for the sandbox of `process`.
std::vector<std::string> GroupsOf(pid_t process) {
  std::vector<std::string> groups;
  for (const std::string& line :
       Lines(Contents("/proc/" + std::to_string(process) + "/cgroup").value_or(""))) {
    const std::size_t from = line.find(':') + 1;
    const std::size_t path = line.find(':', from) + 1;
    std::string group = "/sys/fs/cgroup/" + line.substr(from, path - 1 - from) + line.substr(path);
    if (line.find("/mxc-") != std::string::npos && ::access(group.c_str(), F_OK) == 0)
      groups.push_back(std::move(group));
  }
  return groups;
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

enum Victim {
  kDaemon,
  kInit,
  kLauncher,
  kSupervisor,
  kWorkload,
  kCleanupProcess,
  kDaemonAndCleanupProcess,
  kTool,
  kStarter,
  kProvisioner,
  kVictims
};

class KillRound : public LifecycleSweep {
 protected:
  void Begin();
  // Provisions and starts; the launcher of one of both may be the victim. Empty: there is no such sandbox.
  std::string Sandbox(Victim victim);
  void RunAndKill(const std::string& id, Victim victim);
  void Pause(unsigned most_us) {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % most_us));
  }
  void ExpectNothingLeft();
  // Of sandboxes, in the caller's own directory. What LXC keeps of containers in general stays.
  [[nodiscard]] std::vector<std::string> Left() const {
    std::vector<std::string> names = Names(directory_);
    std::erase(names, ".lxc");
    return names;
  }

  std::string directory_, missing_, policy_, marker_;
  std::vector<pid_t> processes_;     // that belong to the sandbox
  std::vector<std::string> groups_;  // the same
  std::mt19937 random_{static_cast<unsigned>(Asked("MXC_SEED", 1))};
};
MXC_FOR_EACH_CALLER_AND_ENGINE(KillRound);

void KillRound::Begin() {
  directory_ = OwnDirectory();
  const std::string work = workspace.Directory("work");
  missing_ = work + "/missing";
  marker_ = "mark-" + workspace.Root();
  policy_ =
      R"("filesystem":{"readwritePaths":[)" + Quote(work) + R"(],"deniedPaths":[)" + Quote(missing_) + "]}";
  const std::string grouped = policy_ + R"(,"resources":{"processes":200})";
  const Ended provision = Execute(ProvisionOf("," + grouped));
  if (provision.status != 0) return;  // no control groups for this caller
  policy_ = grouped;
  EXPECT_EQ(Execute(Phase("deprovision", At(provision.out, "/result/sandboxId"))).status, 0);
}

std::string KillRound::Sandbox(Victim victim) {
  if (victim == kProvisioner) {
    Running provisioning(ProvisionOf("," + policy_));
    Pause(12000);
    provisioning.Signal(SIGKILL);
    [[maybe_unused]] const Ended ended = provisioning.Wait();
    // Its name, if there is one, is known to nobody; the daemon may still find that out, and end.
    const std::vector<std::string> names = Left();
    if (names.empty()) return {};
    std::string id = names.front();
    id.at(id.find('-')) = ':';
    if (CodeOf(Exec(id, "true")) == "not_started") return id;
    [[maybe_unused]] const Ended gone = Execute(Phase("deprovision", id));
    EXPECT_TRUE(Eventually([&] { return Left().empty(); }));
    return {};
  }
  const std::string id = Provision(policy_);
  if (victim == kStarter) {
    Running starting(Phase("start", id));
    Pause(12000);
    starting.Signal(SIGKILL);
    [[maybe_unused]] const Ended ended = starting.Wait();
  }
  return id;
}

void KillRound::RunAndKill(const std::string& id, Victim victim) {
  const Ended started = Execute(Phase("start", id));
  EXPECT_TRUE(started.status == 0 || (victim == kStarter && CodeOf(started) == "already_started"))
      << started.out;
  const pid_t daemon = DaemonOf(id);
  const pid_t init = Below(daemon, "mxc-init");
  ASSERT_GT(init, 0);
  processes_ = Tree(daemon);
  groups_ = GroupsOf(init);
  Running running(ExecOf(id, ": " + marker_ + "; setsid sleep 300 & echo up; sleep 0.03; exit 5"));
  Pause(40000);
  const std::vector<pid_t> supervisors = ChildrenOf(init);
  const std::vector<pid_t> commands = supervisors.empty() ? supervisors : ChildrenOf(supervisors.front());
  const pid_t cleanup_process = Below(daemon, "mxc-cleanup");
  const pid_t tool = Below(daemon, containment == "lxc" ? "lxc-start" : "bwrap");
  if (victim == kCleanupProcess || victim == kDaemonAndCleanupProcess) ::kill(cleanup_process, SIGKILL);
  if (victim == kDaemon || victim == kDaemonAndCleanupProcess) ::kill(daemon, SIGKILL);
  if (victim == kInit) ::kill(init, SIGKILL);
  if (victim == kTool) ::kill(tool > 0 ? tool : init, SIGKILL);
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
  if (victim == kCleanupProcess || victim == kStarter || victim == kProvisioner) {
    EXPECT_EQ(ended.status, 5);
  }
  if (ended.status == 1) {
    EXPECT_THAT(CodeOf(ended), AnyOf(Eq("stale_id"), Eq("not_started"))) << ended.out;
  }
  EXPECT_TRUE(Eventually([&] { return Survivors(marker_).empty(); }));

  const bool held = victim != kDaemon && victim != kDaemonAndCleanupProcess;
  const bool stands = held && victim != kInit && victim != kTool;
  if (held && !stands) {
    // Until its daemon has noticed, a command may still be lost.
    EXPECT_TRUE(Eventually([&] { return CodeOf(Exec(id, "true")) == "not_started"; }));
  } else {
    const Ended next = Exec(id, "echo next");
    EXPECT_TRUE(stands ? next.out == "next\n" : CodeOf(next) == "stale_id") << next.out << next.err;
  }
  EXPECT_EQ(Execute(Phase("deprovision", id)).out, "{\"result\":{}}\n");
  EXPECT_EQ(CodeOf(Execute(Phase("stop", id))), "stale_id");
}

void KillRound::ExpectNothingLeft() {
  EXPECT_TRUE(Eventually([&] { return !Contents(missing_).has_value(); })) << "the placeholder is left";
  EXPECT_TRUE(Eventually([&] { return Left().empty(); })) << testing::PrintToString(Left());
  for (const pid_t process : processes_)
    EXPECT_TRUE(Eventually([&] { return HasEnded(process); })) << process;
  for (const std::string& group : groups_)
    EXPECT_TRUE(Eventually([&] { return ::access(group.c_str(), F_OK) != 0; })) << group;
  EXPECT_EQ(Contents("/proc/self/mountinfo").value_or("").find(workspace.Root()), std::string::npos);
}

TEST_P(KillRound, LeavesNothingAndNoWrongAnswer) {
  Begin();
  for (int round = 0; round < Asked("MXC_KILLS", 2 * kVictims); ++round) {
    const auto victim = static_cast<Victim>(round % kVictims);
    SCOPED_TRACE("round " + std::to_string(round) + ", victim " + std::to_string(victim));
    const std::string id = Sandbox(victim);
    if (!id.empty()) RunAndKill(id, victim);
    ExpectNothingLeft();
    processes_.clear();
    groups_.clear();
    provisioned.clear();
    if (HasFailure()) break;
  }
}

TEST_P(LifecycleSweep, ManyCommandsLeaveNothingBehind) {
  const std::string id = Started();
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  const pid_t init = Below(daemon, "mxc-init");
  const int count = Asked("MXC_COMMANDS", 200);
  const Launch launch = ExecOf(id, "exit 7");
  const auto supervisor = [init] { return ChildrenOf(init).front(); };
  // One that was still busy when the next command came ends beside the one that is kept.
  const auto alone = [init] { return ChildrenOf(init).size() == 1; };
  Size daemon_before, init_before, supervisor_before;
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(Execute(launch).status, 7) << i;
    if (i != count / 10) continue;
    ASSERT_TRUE(Eventually(alone));
    daemon_before = SizeOf(daemon);
    init_before = SizeOf(init);
    supervisor_before = SizeOf(supervisor());
  }
  ASSERT_TRUE(Eventually(alone)) << "the supervisor that is kept";
  // The last connection is closed when the daemon comes to it.
  EXPECT_TRUE(Eventually([&] { return SizeOf(daemon).descriptors <= daemon_before.descriptors; }))
      << SizeOf(daemon).descriptors << " descriptors after " << daemon_before.descriptors;
  const Size daemon_after = SizeOf(daemon);
  const Size init_after = SizeOf(init);
  const Size supervisor_after = SizeOf(supervisor());
  std::printf("daemon %ld -> %ld KiB, init %ld -> %ld KiB, supervisor %ld -> %ld KiB\n",
              daemon_before.resident, daemon_after.resident, init_before.resident, init_after.resident,
              supervisor_before.resident, supervisor_after.resident);
  EXPECT_LE(daemon_after.resident, daemon_before.resident + 64);
  EXPECT_LE(init_after.resident, init_before.resident + 64);
  EXPECT_LE(supervisor_after.resident, supervisor_before.resident + 64);
  EXPECT_EQ(init_after.descriptors, init_before.descriptors);
  EXPECT_EQ(daemon_after.children, daemon_before.children);
}

}  // namespace
}  // namespace mxc::test::lifecycle_sweep_test
