// Mounts below a grant: the kernel's list of them, and which never show inside.
#include "policy/paths/mounts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/policy_text.h"

namespace mxc::mounts_test {
namespace {

std::string TextOf(const Mount& mount) {
  return mount.path + " " + mount.type + " " + std::to_string(mount.device) + "\n";
}

std::string MountsText(std::string_view table) {
  const Result<std::vector<Mount>> mounts = ParseMounts(table);
  if (!mounts) return mounts.error().message;
  std::string text;
  for (const Mount& mount : *mounts) text += TextOf(mount);
  return text;
}

TEST(ParseMounts, ReadsWhatTheKernelWrites) {
  EXPECT_EQ(MountsText(R"(22 27 0:20 / /proc rw,nosuid,nodev,noexec,relatime shared:5 - proc proc rw
27 1 254:1 / / rw,relatime shared:1 master:2 - ext4 /dev/vda1 rw,errors=remount-ro
90 27 0:45 /sub/dir /srv/a\040b\134c rw - fuse.sshfs host: rw
91 27 259:300 / /big rw - xfs /dev/nvme0n1p300 rw
)"),
            "/proc proc 20\n"
            "/ ext4 65025\n"
            "/srv/a b\\c fuse.sshfs 45\n"
            "/big xfs 1114924\n");
  EXPECT_EQ(MountsText(""), "");
}

// Three digits are an escape, everything else is itself.
TEST(ParseMounts, OddPaths) {
  EXPECT_EQ(MountsText("1 2 0:3 / /a\\1\\09\\ rw - tmpfs t rw"), "/a\\1\\09\\ tmpfs 3\n");
  EXPECT_EQ(MountsText("1 2 0:3 / /- rw a:1 - tmpfs - rw"), "/- tmpfs 3\n");
  EXPECT_EQ(MountsText("1 2 0:3 / /\\040-\\040proc rw - tmpfs t rw"), "/ - proc tmpfs 3\n");
}

TEST(ParseMounts, RefusesWhatIsNoLineOfIt) {
  for (const char* line :
       {"\n", "x", "1 2 0:3 / /a rw tmpfs t rw", "1 2 03 / /a rw - tmpfs t rw",
        "1 2 0:3x / /a rw - tmpfs t rw", "1 2 :3 / /a rw - tmpfs t rw", "1 2 0: / /a rw - tmpfs t rw",
        "1 2 -1:3 / /a rw - tmpfs t rw", "1 2 99999999999:3 / /a rw - tmpfs t rw",
        "1 2 0:3 / a rw - tmpfs t rw", "1 2 0:3 / /a rw - ", "1 2 0:3 /"}) {
    EXPECT_FALSE(ParseMounts(line).ok()) << line;
  }
}

// Cut off, or with one byte changed.
std::vector<std::string> Damaged(const std::string& line) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < line.size(); ++i) {
    all.push_back(line.substr(0, i));
    for (const char byte : {'\0', ' ', '\n', '\\', '-', ':', '9', '\xff'}) {
      all.push_back(line);
      all.back()[i] = byte;
    }
  }
  return all;
}

TEST(ParseMounts, ADamagedLineIsRefusedOrChangesNoOther) {
  const std::string proc = "22 27 0:20 / /pr\\040oc rw shared:5 - proc proc rw";
  const std::string disk = "27 1 254:1 / / rw - ext4 d rw";
  for (const std::string& line : Damaged(proc)) {
    const Result<std::vector<Mount>> mounts = ParseMounts(line + "\n" + disk + "\n");
    if (!mounts) continue;
    ASSERT_EQ(mounts->size(), 2U) << line;
    EXPECT_TRUE(mounts->front().path.starts_with('/')) << line;
    EXPECT_FALSE(mounts->front().type.empty()) << line;
    EXPECT_EQ(TextOf(mounts->back()), "/ ext4 65025\n") << line;
  }
  for (const std::string& line : Damaged(disk)) {
    const Result<std::vector<Mount>> mounts = ParseMounts(proc + "\n" + line + "\n");
    if (!mounts) continue;
    ASSERT_EQ(mounts->size(), 2U) << line;
    EXPECT_TRUE(mounts->back().path.starts_with('/')) << line;
    EXPECT_FALSE(mounts->back().type.empty()) << line;
    EXPECT_EQ(TextOf(mounts->front()), "/pr oc proc 20\n") << line;
  }
}

TEST(BackingOf, IsDataOnlyForDisksAndKnownTypes) {
  const auto backing = [](const char* type, std::uint64_t device) {
    return BackingOf({.path = "/m", .type = type, .device = device});
  };
  EXPECT_EQ(backing("proc", 22), Backing::kKernel);
  EXPECT_EQ(backing("cgroup2", 0x10000033), Backing::kKernel);
  EXPECT_EQ(backing("ext4", 65025), Backing::kData);
  EXPECT_EQ(backing("whatever", 65025), Backing::kData);
  EXPECT_EQ(backing("fuse.sshfs", 45), Backing::kData);
  EXPECT_EQ(backing("overlay", 45), Backing::kData);
  EXPECT_EQ(backing("newfs", 45), Backing::kUnknown);
  EXPECT_EQ(backing("newfs", 0x10000033), Backing::kUnknown) << "minor numbers may be large";
}

class KernelMounts : public testing::Test {
 protected:
  [[nodiscard]] std::string Rules(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    return policy ? RulesText(*policy) + WarningsText(*policy) : RefusalOf(policy);
  }
  void SetUp() override { host_.AddDebian().AddDirectory("/srv/c/rootfs").AddDirectory("/srv/plain"); }
  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(KernelMounts, BelowAGrantAreDenied) {
  host_.AddMount("/srv/c/rootfs/proc", "proc").AddMount("/srv/c/data", "ext4", true);
  EXPECT_EQ(Rules({.rw = {"/srv/c"}}),
            "read-write /srv/c\n"
            "denied /srv/c/rootfs/proc\n"
            "kernel-mount /filesystem/readwritePaths/0\n");
  EXPECT_EQ(Rules({.ro = {"/srv/c"}}),
            "read-only /srv/c\n"
            "denied /srv/c/rootfs/proc\n"
            "kernel-mount /filesystem/readonlyPaths/0\n");
  EXPECT_EQ(Rules({.rw = {"/srv/plain"}}), "read-write /srv/plain\n");
}

TEST_F(KernelMounts, UnknownOnesAreDeniedUnlessNamed) {
  host_.AddMount("/srv/c/odd", "oddfs").AddDirectory("/srv/c/odd/sub");
  EXPECT_EQ(Rules({.rw = {"/srv/c"}}),
            "read-write /srv/c\ndenied /srv/c/odd\nkernel-mount /filesystem/readwritePaths/0\n");
  EXPECT_EQ(Rules({.rw = {"/srv/c", "/srv/c/odd"}}), "read-write /srv/c\nread-write /srv/c/odd\n");
}

TEST_F(KernelMounts, CannotBeGrantedUnderAnyName) {
  host_.AddMount("/srv/c/rootfs/proc", "proc").AddFile("/srv/c/rootfs/proc/sys/kernel/core_pattern", "core");
  for (const char* path :
       {"/srv/c/rootfs/proc", "/srv/c/rootfs/proc/sys", "/srv/c/rootfs/proc/sys/kernel/core_pattern"}) {
    EXPECT_EQ(Rules({.ro = {path}}), "policy_conflict /filesystem/readonlyPaths/0: '" + std::string(path) +
                                         "' is in a file system of the kernel (proc): the host's never "
                                         "appears inside");
  }
}

TEST_F(KernelMounts, DeniedByThePolicyAlreadyAreLeftToIt) {
  host_.AddMount("/srv/c/rootfs/proc", "proc");
  EXPECT_EQ(Rules({.rw = {"/srv/c"}, .denied = {"/srv/c/rootfs"}}),
            "read-write /srv/c\ndenied /srv/c/rootfs\n");
  EXPECT_EQ(Rules({.rw = {"/srv/c"}, .denied = {"/srv/c/rootfs/proc"}}),
            "read-write /srv/c\ndenied /srv/c/rootfs/proc\n");
}

TEST_F(KernelMounts, CoveredByAnotherMountAreNotThere) {
  host_.AddMount("/srv/c/rootfs/proc", "proc").AddMount("/srv/c/rootfs/proc", "ext4", true);
  EXPECT_EQ(Rules({.rw = {"/srv/c"}}), "read-write /srv/c\n");
  host_.AddMount("/srv/c/gone", "sysfs").Remove("/srv/c/gone");
  EXPECT_EQ(Rules({.rw = {"/srv/c"}}), "read-write /srv/c\n");
}

TEST_F(KernelMounts, OutOfTheCallersReachAreOutOfTheCommands) {
  host_.AddMount("/srv/c/closed/proc", "proc").AddUnreadable("/srv/c/closed");
  EXPECT_EQ(Rules({.rw = {"/srv/c"}}), "read-write /srv/c\n");
}

TEST_F(KernelMounts, ThatCannotBeLookedAtRefuse) {
  host_.AddMount("/srv/c/stuck", "nfsd")
      .AddUnreadable("/srv/c/stuck", LookupFailure::kOther, "Input/output error");
  EXPECT_EQ(
      Rules({.rw = {"/srv/c"}}),
      "policy_conflict /filesystem/readwritePaths/0: '/srv/c/stuck', a mount below it, cannot be looked "
      "at: Input/output error");
}

TEST_F(KernelMounts, AreAskedForOnceAndOnlyWithAnEntry) {
  const auto asked = [](const Lists& lists) {
    FakeHost host;
    host.AddDebian().AddDirectory("/srv/plain").AddDirectory("/srv/c");
    EXPECT_TRUE(Resolve(ConfigOf(lists), host, {}).ok());
    return std::count(host.Questions().begin(), host.Questions().end(), "read /proc/self/mountinfo");
  };
  EXPECT_EQ(asked({}), 0);
  EXPECT_EQ(asked({.denied = {"/srv/c"}}), 1);
  EXPECT_EQ(asked({.rw = {"/srv/c"}, .ro = {"/srv/plain"}}), 1);
}

}  // namespace
}  // namespace mxc::mounts_test
