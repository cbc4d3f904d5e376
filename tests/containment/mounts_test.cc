// What the host has mounted below a grant.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/containment/containment.h"
#include "tests/support/listener.h"

namespace mxc::test::mounts_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// With a mount table of its own for mxc-exec: nothing is left on the machine.
class Mounts : public ContainmentTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
    ContainmentTest::SetUp();
  }
  static void Mount(const std::string& source, const std::string& target, const char* type,
                    unsigned long flags = 0) {
    if (::mount(source.c_str(), target.c_str(), type, flags, nullptr) != 0) std::_Exit(124);
  }
  static void OwnMounts() {
    if (::unshare(CLONE_NEWNS) != 0) std::_Exit(124);
    Mount("none", "/", nullptr, MS_REC | MS_PRIVATE);
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(Mounts);

// Uid 0 needs no capability to write the machine's settings through files that it owns.
TEST_P(Mounts, OfTheKernelAreDeniedBelowAGrant) {
  const std::string root = workspace.Directory("rootfs");
  for (const char* name : {"rootfs/proc", "rootfs/sys", "rootfs/cgroup"}) workspace.Directory(name);
  const std::string pattern = workspace.File("rootfs/pattern", "");
  const auto mount = [&] {
    OwnMounts();
    Mount("proc", root + "/proc", "proc");
    Mount("sysfs", root + "/sys", "sysfs");
    Mount("/proc/sys/kernel/core_pattern", pattern, nullptr, MS_BIND);
  };
  EXPECT_THAT(Try({.read_write = {root}},
                  {{"opentrunc", root + "/proc/sys/kernel/core_pattern"},
                   {"read", root + "/proc/1/cmdline"},
                   {"list", root + "/proc"},
                   {"read", root + "/sys/kernel/uevent_seqnum"},
                   {"opentrunc", root + "/sys/kernel/uevent_helper"},
                   {"opentrunc", pattern},
                   {"mkdir", root + "/proc/new"},
                   {"rename", root + "/proc", root + "/away"}},
                  mount),
              ElementsAre("EACCES", "EACCES", "EACCES", "EACCES", "EACCES", "EACCES", "EACCES", "EBUSY"));
  EXPECT_THAT(Try({.read_only = {root}},
                  {{"read", root + "/proc/1/cmdline"}, {"read", root + "/sys/kernel/uevent_seqnum"}}, mount),
              Each("EACCES"));
}

TEST_P(Mounts, OfTheKernelCannotBeGranted) {
  const std::string root = workspace.Directory("rootfs");
  workspace.Directory("rootfs/proc");
  Launch launch = PrepareConfig({.read_only = {root + "/proc/sys"}});
  launch.before_exec = [&] {
    OwnMounts();
    Mount("proc", root + "/proc", "proc");
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation") << ended.err;
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("in a file system of the kernel (proc)"));
}

// Directories, single files, parts of what is denied, and a directory above it.
TEST_P(Mounts, ShowNothingDeniedUnderASecondName) {
  const std::string top = workspace.Directory("top");
  for (const char* name : {"top/whole", "top/part", "top/above"}) workspace.Directory(name);
  const std::string file = workspace.File("top/file", "");
  const std::string denied = workspace.File("a/denied/file", Secret("below"));
  const std::string single = workspace.File("a/single", Secret("single"));
  const std::string above = workspace.Directory("a");
  const auto mount = [&] {
    OwnMounts();
    Mount(above, top + "/whole", nullptr, MS_BIND);
    Mount(above + "/denied", top + "/part", nullptr, MS_BIND);
    Mount(single, file, nullptr, MS_BIND);
    Mount(workspace.Path("."), top + "/above", nullptr, MS_BIND);
  };
  EXPECT_THAT(Try({.read_write = {top}, .denied = {above + "/denied", single}},
                  {{"read", top + "/whole/denied/file"},
                   {"read", top + "/whole/single"},
                   {"read", top + "/part/file"},
                   {"read", file},
                   {"read", top + "/above/a/single"},
                   {"rename", top + "/above/a", top + "/above/b"}},
                  mount),
              ElementsAre("EACCES", "EACCES", "EACCES", "EACCES", "EACCES", "EBUSY"));
}

TEST_P(Mounts, AreReadOnlyWhereTheirOtherNameIs) {
  const std::string top = workspace.Directory("top");
  workspace.Directory("top/mnt");
  const std::string file = workspace.File("a/sub/file", "as it was");
  EXPECT_THAT(Try({.read_only = {workspace.Path("a")}, .read_write = {top}},
                  {{"write", top + "/mnt/file", "x"}, {"mkdir", top + "/mnt/new"}},
                  [&] {
                    OwnMounts();
                    Mount(workspace.Path("a/sub"), top + "/mnt", nullptr, MS_BIND);
                  }),
              Each("EROFS"));
}

TEST_P(Mounts, OfDataBelongToTheGrant) {
  const std::string root = workspace.Directory("rootfs");
  workspace.Directory("rootfs/disk");
  EXPECT_THAT(Try({.read_write = {root}}, {{"write", root + "/disk/file", "x"}},
                  [&] {
                    OwnMounts();
                    if (::mount("none", (root + "/disk").c_str(), "tmpfs", 0, "mode=0777") != 0)
                      std::_Exit(124);
                  }),
              ElementsAre("ok"));
  EXPECT_FALSE(Exists(root + "/disk/file"));
}

// A program that moves its socket there, far from where the search for sockets begins.
void MoveSocket(const std::string& directory, uid_t uid) {
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) std::_Exit(124);
  const pid_t server = ::fork();
  if (server != 0) {
    char byte = 0;
    if (server < 0 || ::close(ready[1]) != 0 || ::read(ready[0], &byte, 1) != 1) std::_Exit(124);
    return;
  }
  // Who starts mxc-exec may end it.
  if (::setresuid(uid, uid, uid) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) std::_Exit(124);
  for (int i = 0; i < 200; ++i)
    std::filesystem::create_directories(directory + "/" + std::to_string(i) + "/a/b");
  const Listener listener = Listener::Unix(directory + "/bound");
  std::filesystem::rename(directory + "/bound", directory + "/0/a/b/moved");
  if (::write(ready[1], "x", 1) == 1) ::pause();
  std::_Exit(0);
}

TEST_P(Mounts, BelowAGrantOfTheWholeHostShowNoSocketThatWasMoved) {
  const std::string disk = workspace.Directory("disk");
  EXPECT_THAT(Try({.read_only = {"/"}}, {{"connect", "unix", disk + "/0/a/b/moved", "0", "x"}},
                  [&] {
                    OwnMounts();
                    if (::mount("none", disk.c_str(), "tmpfs", 0, "mode=0777") != 0) std::_Exit(124);
                    MoveSocket(disk, uid);
                  }),
              ElementsAre("ECONNREFUSED"));
}

}  // namespace
}  // namespace mxc::test::mounts_test
