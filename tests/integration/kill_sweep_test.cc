// SIGKILL of the launcher at every moment of set-up and run. Afterwards the host must be as it was: files,
// processes, mounts, cgroups, IPC objects.
//
// MXC_KILLS=1000 in the environment makes a longer sweep than the one of every day.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/runtime_places.h"
#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"

namespace mxc::test::kill_sweep_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

constexpr microseconds kStep{500};

int Kills() {
  const char* asked = ::getenv("MXC_KILLS");
  return asked != nullptr ? std::atoi(asked) : 48;
}

std::string Text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::uintmax_t kMaxText = 65536;

std::string TextOrSize(const fs::directory_entry& file) {
  std::error_code gone;
  const std::uintmax_t size = file.file_size(gone);
  return size <= kMaxText ? Text(file.path().string()) : std::to_string(size) + " bytes";
}

// Everything below `root`: type, permissions, and of files the text; of large ones (the program under test
// may be there) the size.
std::map<std::string, std::string> Tree(const std::string& root) {
  std::map<std::string, std::string> tree;
  std::error_code gone;  // what a sandbox removes at its end may go while we look
  for (fs::recursive_directory_iterator at(root, gone), end; !gone && at != end; at.increment(gone)) {
    const fs::directory_entry& entry = *at;
    const fs::file_status status = entry.symlink_status(gone);
    tree[entry.path().string()] = std::to_string(static_cast<int>(status.type())) + " " +
                                  std::to_string(static_cast<unsigned>(status.permissions())) +
                                  (fs::is_regular_file(status) ? " " + TextOrSize(entry) : std::string());
  }
  return tree;
}

// Names below the cgroup file systems that are ours, or would be LXC's.
std::vector<std::string> Cgroups() {
  std::vector<std::string> found;
  std::error_code gone;  // others come and go while we look
  for (fs::recursive_directory_iterator at("/sys/fs/cgroup", gone), end; !gone && at != end;
       at.increment(gone)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("mxc") || name.starts_with("lxc.")) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What a launcher could leave on the machine outside its workspace.
std::map<std::string, std::string> Machine() {
  return {{"mounts", Text("/proc/self/mountinfo")},
          {"shared memory", Text("/proc/sysvipc/shm")},
          {"semaphores", Text("/proc/sysvipc/sem")},
          {"messages", Text("/proc/sysvipc/msg")}};
}

// What other tests mount and make meanwhile is not seen. Only root can do that; anybody else is alone.
void StandApart() {
  if (::geteuid() != 0) return;
  ASSERT_EQ(::unshare(CLONE_NEWNS | CLONE_NEWIPC), 0);
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
}

class KillSweep : public LauncherTest {
 protected:
  void Sweep(const Parts& parts);
};
MXC_FOR_EACH_CALLER(KillSweep);

void KillSweep::Sweep(const Parts& parts) {
  ASSERT_NO_FATAL_FAILURE(StandApart());
  const std::string config = ConfigFile(parts);
  const Launch launch = Prepare({config});

  const auto begin = std::chrono::steady_clock::now();
  const Ended whole = Execute(launch);
  ASSERT_EQ(whole.status, 0) << whole.err;
  // From the first system call to well after the command has begun.
  const auto span = (std::chrono::steady_clock::now() - begin) * 2;
  const auto moments = span / kStep + 1;

  const std::map<std::string, std::string> tree = Tree(workspace.Root());
  const std::map<std::string, std::string> machine = Machine();
  const std::vector<std::string> cgroups = Cgroups();
  int killed = 0;
  for (int round = 0; round < Kills(); ++round) {
    Running running(launch);
    std::this_thread::sleep_for(kStep * (round % moments));
    running.Signal(SIGKILL);
    const Ended ended = running.Wait();
    ASSERT_FALSE(ended.overdue) << "somebody still holds the streams, round " << round;
    killed += ended.status == -SIGKILL ? 1 : 0;
    ASSERT_TRUE(Eventually([&] { return Survivors(workspace.Root()).empty(); })) << "round " << round;
    ASSERT_TRUE(Eventually([&] { return Tree(workspace.Root()) == tree; }))
        << "round " << round << " left " << testing::PrintToString(Tree(workspace.Root()));
  }
  EXPECT_GT(killed, Kills() / 4) << "most runs ended before they were killed";
  EXPECT_EQ(Machine(), machine);
  // Groups of other tests come and go.
  EXPECT_TRUE(Eventually([&] {
    const std::vector<std::string> now = Cgroups();
    return std::includes(cgroups.begin(), cgroups.end(), now.begin(), now.end());
  }));
}

Parts Everything(const Workspace& workspace, const std::string& containment) {
  return {.containment = containment,
          .command = ": " + workspace.Root() + "; sleep 0.05",
          .read_only = {workspace.Directory("ro")},
          .read_write = {workspace.Directory("rw")},
          .denied = {workspace.File("rw/secret", "SECRET"), workspace.Path("rw/not/there")}};
}

TEST_P(KillSweep, OwnEngine) { Sweep(Everything(workspace, "namespaces")); }
TEST_P(KillSweep, Lxc) {
  if (!HasLxc()) GTEST_SKIP() << kNoLxc;
  Sweep(Everything(workspace, "lxc"));
}
// Its directory for temporary files must be gone like everything else: the place for it is in the workspace.
TEST_P(KillSweep, LandlockAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "other tests have temporary files in the same place";
  const std::string place = TempPlaceIn("/var/tmp", uid);
  ASSERT_EQ(RunConfig({.containment = "landlock"}).status, 0) << "which makes the place";
  ASSERT_NO_FATAL_FAILURE(StandApart());
  const std::string temp = workspace.Directory("temp", 0700);
  ASSERT_EQ(::mount(temp.c_str(), place.c_str(), nullptr, MS_BIND, nullptr), 0);
  Sweep({.containment = "landlock",
         .command = ": " + workspace.Root() + "; mkdir -p $TMPDIR/a/b; setsid sleep 60 & sleep 0.05",
         .read_only = {workspace.Directory("ro")},
         .read_write = {workspace.Directory("rw")}});
  EXPECT_EQ(::umount2(place.c_str(), MNT_DETACH), 0);
}
TEST_P(KillSweep, Bubblewrap) { Sweep(Everything(workspace, "bubblewrap")); }

}  // namespace
}  // namespace mxc::test::kill_sweep_test
