// What the host has mounted below a grant.
#include <sched.h>
#include <sys/mount.h>

#include <cstdlib>

#include "tests/containment/containment.h"

namespace mxc::test {
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

}  // namespace
}  // namespace mxc::test
