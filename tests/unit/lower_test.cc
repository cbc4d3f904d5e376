#include "backends/linux/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "backends/linux/kernel_files.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::linux_backend::lower_test {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)

Lowered Lower(const Policy& policy, const Facts& facts = {}) {
  Result<Lowered> lowered = LowerPolicy(policy, facts);
  EXPECT_TRUE(lowered.ok()) << (lowered.ok() ? "" : lowered.error().message);
  return lowered.ok() ? *lowered : Lowered{};
}

std::string Mounts(std::vector<PathRule> paths) {
  return PolicyText(Lower(PolicyOf(std::move(paths))).sandbox.mounts);
}

TEST(Lower, EmptyPolicyHasOnlyItsOwnNodes) {
  const Lowered lowered = Lower(PolicyOf({}));
  EXPECT_EQ(Text(lowered.sandbox.mounts),
            "dev /dev read-only\n"
            "tmpfs /dev/shm 268435456 bytes, mode 1777\n"
            "proc /proc\n"
            "tmpfs /tmp 1073741824 bytes, mode 1777\n"
            "directory /tmp/home mode 0700\n");
  EXPECT_TRUE(lowered.sandbox.root_read_only);
  EXPECT_TRUE(lowered.sandbox.private_network);
  EXPECT_EQ(lowered.sandbox.limits.core_bytes, 1U);
}

TEST(Lower, DirectoriesOnTheWayAreReadableByAll) {
  EXPECT_EQ(Mounts({ReadOnly("/srv/a/b"), ReadWrite("/srv/a/c", "/p")}),
            "directory /srv mode 0755\n"
            "directory /srv/a mode 0755\n"
            "read-only /srv/a/b\n"
            "read-write /srv/a/c\n");
}

TEST(Lower, MostSpecificRuleWins) {
  EXPECT_EQ(Mounts({ReadOnly("/w"), ReadWrite("/w/out", "/p"), ReadOnly("/w/out/lib", "/q")}),
            "read-only /w\n"
            "read-write /w/out\n"
            "read-only /w/out/lib\n");
}

TEST(Lower, SiblingsWithTheSamePrefixAreNotDescendants) {
  EXPECT_EQ(Mounts({ReadWrite("/a"), ReadOnly("/a-b", "/p"), ReadOnly("/a/b", "/q")}),
            "read-write /a\n"
            "read-only /a/b\n"
            "read-only /a-b\n");
}

TEST(Lower, RepeatedAccessNeedsNoMount) {
  EXPECT_EQ(Mounts({ReadOnly("/w"), ReadOnly("/w/a", "/p"), ReadOnly("/w/a/b", "/q")}), "read-only /w\n");
  EXPECT_EQ(Mounts({ReadWrite("/w"), ReadWrite("/w/a", "/p")}), "read-write /w\n");
}

TEST(Lower, DeniedFileAndDirectory) {
  EXPECT_EQ(Mounts({ReadOnly("/w"), DeniedDirectory("/w/dir"), DeniedFile("/w/file", "/p")}),
            "read-only /w\n"
            "tmpfs /w/dir 4096 bytes, mode 0000, read-only\n"
            "masked /w/file\n");
}

TEST(Lower, ReopenedBelowDenied) {
  EXPECT_EQ(Mounts({ReadOnly("/w"), DeniedDirectory("/w/d"), ReadWrite("/w/d/a/b", "/p")}),
            "read-only /w\n"
            "tmpfs /w/d 4096 bytes, mode 0555, read-only\n"
            "directory /w/d/a mode 0755\n"
            "read-write /w/d/a/b\n");
}

TEST(Lower, DeniedWhereNothingShowsNeedsNothing) {
  EXPECT_EQ(Mounts({DeniedDirectory("/home/u"), ReadOnly("/home/u/pub", "/p")}),
            "directory /home mode 0755\n"
            "directory /home/u mode 0755\n"
            "read-only /home/u/pub\n");
  EXPECT_EQ(Mounts({DeniedMissing("/nowhere/x", "/nowhere")}), "");
}

// Renaming a directory above a mask would take the mask along and leave its name free.
TEST(Lower, AncestorsOfProtectedPathsArePinned) {
  EXPECT_EQ(Mounts({ReadWrite("/w"), DeniedDirectory("/w/a/b/secret"), ReadOnly("/w/a/c/hooks", "/p")}),
            "read-write /w\n"
            "pinned /w/a\n"
            "pinned /w/a/b\n"
            "tmpfs /w/a/b/secret 4096 bytes, mode 0000, read-only\n"
            "pinned /w/a/c\n"
            "read-only /w/a/c/hooks\n");
}

TEST(Lower, PinsFollowNoSymlinkAndCarryNoObject) {
  const Lowered lowered = Lower(PolicyOf({ReadWrite("/w"), DeniedFile("/w/a/f")}));
  std::size_t pins = 0;
  for (const MountNode& node : lowered.sandbox.mounts) {
    const auto* bind = std::get_if<BindMount>(&node);
    if (bind == nullptr || !bind->pin) continue;
    ++pins;
    EXPECT_EQ(bind->source, "/w/a");
    EXPECT_EQ(bind->access, Access::kReadWrite);
  }
  EXPECT_EQ(pins, 1U);
}

TEST(Lower, ProtectedPathsAreReadOnlyOrHeldBelowAReadWriteGrant) {
  PathRule config = Rule(Access::kReadOnly, "/w/r/.git/config", FileType::kRegular, "/filesystem/protect");
  config.origin = Origin::kProtection;
  PathRule hooks{.path = "/w/r/.git/hooks",
                 .placeholder_kind = PlaceholderKind{.type = FileType::kDirectory},
                 .pointer = "/filesystem/protect",
                 .origin = Origin::kProtection};
  PathRule elsewhere = config;
  elsewhere.path = "/ro/.git/config";
  const Lowered lowered = Lower(PolicyOf({ReadOnly("/ro"), elsewhere, ReadWrite("/w"), config, hooks}));
  EXPECT_EQ(PolicyText(lowered.sandbox.mounts),
            "read-only /ro\n"
            "read-write /w\n"
            "pinned /w/r\n"
            "pinned /w/r/.git\n"
            "read-only /w/r/.git/config\n"
            "held /w/r/.git/hooks\n");
  ASSERT_EQ(lowered.setup.size(), 1U);
  const auto& placeholder = std::get<Placeholder>(lowered.setup[0]);
  EXPECT_EQ(placeholder.path, "/w/r/.git/hooks");
  ASSERT_TRUE(placeholder.placeholder_kind.has_value());
  EXPECT_EQ(placeholder.placeholder_kind->type, FileType::kDirectory);
}

TEST(Lower, MissingDeniedPathIsHeldBelowAReadWriteGrant) {
  const Lowered lowered =
      Lower(PolicyOf({ReadWrite("/w"), DeniedMissing("/w/a/b/c", "/w/a/b", "/p"),
                      DeniedMissing("/w/a/b/d", "/w/a/b", "/q"), DeniedMissing("/w/.env", "/w/.env", "/r")}));
  EXPECT_EQ(PolicyText(lowered.sandbox.mounts),
            "read-write /w\n"
            "masked /w/.env\n"
            "pinned /w/a\n"
            "masked /w/a/b\n");
  ASSERT_EQ(lowered.setup.size(), 2U);
  EXPECT_EQ(std::get<Placeholder>(lowered.setup[0]).path, "/w/.env");
  EXPECT_EQ(std::get<Placeholder>(lowered.setup[1]).path, "/w/a/b");
  ASSERT_EQ(lowered.warnings.size(), 1U);
  EXPECT_EQ(lowered.warnings[0].category, "path-held");
  EXPECT_EQ(lowered.warnings[0].pointer, "/p");
}

// What holds a name for another run does so for this one; where none is held, it is what anything else is.
TEST(Lower, WhatLooksLikeAPlaceholderIsMaskedWhereNoNameIsHeld) {
  PathRule file = DeniedMissing("/w/ro/a/f", "/w/ro/a");
  file.look_alike = FileObject{.device = 1, .inode = 2, .type = FileType::kRegular};
  PathRule directory = DeniedMissing("/w/ro/d", "/w/ro/d");
  directory.look_alike = FileObject{.device = 1, .inode = 3, .type = FileType::kDirectory};
  const Lowered masked = Lower(PolicyOf({ReadWrite("/w"), ReadOnly("/w/ro"), file, directory}));
  EXPECT_TRUE(masked.setup.empty());
  std::vector<FileObject> objects;
  for (const MountNode& node : masked.sandbox.mounts) {
    if (const auto* mask = std::get_if<FileMask>(&node); mask != nullptr && mask->look_alike)
      objects.push_back(*mask->object);
    if (const auto* mask = std::get_if<TmpfsMount>(&node); mask != nullptr && mask->look_alike)
      objects.push_back(*mask->object);
  }
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_TRUE(objects[0].IsSame(*file.look_alike));
  EXPECT_TRUE(objects[1].IsSame(*directory.look_alike));
  const Lowered held = Lower(PolicyOf({ReadWrite("/w"), file, directory}));
  ASSERT_EQ(held.setup.size(), 2U);
  EXPECT_EQ(std::get<Placeholder>(held.setup[0]).path, "/w/ro/a");
  EXPECT_EQ(std::get<Placeholder>(held.setup[1]).path, "/w/ro/d");
  EXPECT_TRUE(Lower(PolicyOf({file, directory})).setup.empty());
}

TEST(Lower, MissingDeniedPathBelowAReadOnlyGrantChangesNothing) {
  const Lowered lowered = Lower(PolicyOf({ReadOnly("/etc"), DeniedMissing("/etc/nologin", "/etc/nologin")}));
  EXPECT_EQ(PolicyText(lowered.sandbox.mounts), "read-only /etc\n");
  EXPECT_TRUE(lowered.setup.empty());
}

TEST(Lower, RootGrantNeverShowsTheHostsOwnNodes) {
  const Lowered lowered = Lower(PolicyOf({ReadOnly("/")}));
  EXPECT_EQ(Text(lowered.sandbox.mounts),
            "read-only /\n"
            "dev /dev read-only\n"
            "tmpfs /dev/shm 268435456 bytes, mode 1777\n"
            "proc /proc\n"
            "tmpfs /sys 4096 bytes, mode 0555, read-only\n"
            "tmpfs /tmp 1073741824 bytes, mode 1777\n"
            "directory /tmp/home mode 0700\n");
  EXPECT_FALSE(lowered.sandbox.root_read_only);
}

TEST(Lower, GrantsBelowTmpStandOnThePrivateOne) {
  const Lowered lowered = Lower(PolicyOf({ReadWrite("/tmp/x/work")}));
  EXPECT_EQ(Text(lowered.sandbox.mounts),
            "dev /dev read-only\n"
            "tmpfs /dev/shm 268435456 bytes, mode 1777\n"
            "proc /proc\n"
            "tmpfs /tmp 1073741824 bytes, mode 1777\n"
            "directory /tmp/home mode 0700\n"
            "directory /tmp/x mode 0755\n"
            "read-write /tmp/x/work\n");
}

TEST(Lower, AGrantOfTmpTakesThePlaceOfThePrivateOne) {
  EXPECT_EQ(PolicyText(Lower(PolicyOf({})).sandbox.mounts), "");
  const Lowered lowered = Lower(PolicyOf({ReadWrite("/tmp")}));
  EXPECT_EQ(Text(lowered.sandbox.mounts),
            "dev /dev read-only\n"
            "tmpfs /dev/shm 1073741824 bytes, mode 1777\n"
            "directory /dev/shm/home mode 0700\n"
            "proc /proc\n"
            "read-write /tmp\n");
}

TEST(Lower, KernelNodesCannotBeGranted) {
  for (const char* path : {"/proc", "/proc/sys", "/sys/fs/cgroup", "/dev", "/dev/kvm", "/dev/shm"}) {
    const Result<Lowered> lowered = LowerPolicy(PolicyOf({ReadOnly(path, "/filesystem/readonlyPaths/3")}));
    ASSERT_FALSE(lowered.ok()) << path;
    EXPECT_EQ(lowered.error().code, ErrorCode::kUnenforceable);
    EXPECT_EQ(lowered.error().pointer, "/filesystem/readonlyPaths/3");
  }
}

TEST(Lower, BaselineYieldsToThePolicy) {
  EXPECT_EQ(Mounts({ReadWrite("/usr"), Baseline("/usr/bin"), Baseline("/usr/lib")}), "read-write /usr\n");
  EXPECT_EQ(Mounts({DeniedDirectory("/usr"), Baseline("/usr/bin")}), "");
  EXPECT_EQ(Mounts({Baseline("/etc"), Baseline("/etc/shadow", Access::kDenied), ReadWrite("/etc/app", "/p")}),
            "read-only /etc\n"
            "read-write /etc/app\n"
            "masked /etc/shadow\n");
  EXPECT_EQ(Mounts({ReadOnly("/etc"), Baseline("/etc/shadow", Access::kDenied)}),
            "read-only /etc\n"
            "masked /etc/shadow\n");
}

TEST(Lower, ClosedFilesNeedNoMaskWhereOwnersAreUnmapped) {
  PathRule etc = Baseline("/etc");
  PathRule shadow = Baseline("/etc/shadow", Access::kDenied);
  etc.unmapped_owners = shadow.unmapped_owners = true;
  EXPECT_EQ(Mounts({etc, shadow, Baseline("/etc/gshadow", Access::kDenied)}),
            "read-only /etc what others may read\nmasked /etc/gshadow\n");
  EXPECT_EQ(Mounts({ReadOnly("/"), shadow}),
            Mounts({ReadOnly("/"), Baseline("/etc/shadow", Access::kDenied)}));
}

TEST(Lower, LinksStandOnlyWhereTheHostDoesNotShow) {
  Policy policy = PolicyOf({Baseline("/usr/bin"), ReadOnly("/srv/data")});
  policy.links = {{"/bin", "usr/bin"}, {"/var/run", "/run"}, {"/srv/data/l", "x"}, {"/usr", "other"}};
  EXPECT_EQ(PolicyText(Lower(policy).sandbox.mounts),
            "symlink /bin to 'usr/bin'\n"
            "directory /srv mode 0755\n"
            "read-only /srv/data\n"
            "directory /usr mode 0755\n"
            "read-only /usr/bin\n"
            "directory /var mode 0755\n"
            "symlink /var/run to '/run'\n");
}

TEST(Lower, RootCaller) {
  Policy policy = PolicyOf({});
  policy.identity = {};
  const Lowered lowered = Lower(policy, {.kernel_files = {"/proc/timer_list"}});
  EXPECT_EQ(lowered.sandbox.seccomp, SeccompProfile::kRootCaller);
  const std::string text = Text(lowered.sandbox.mounts);
  EXPECT_NE(text.find("proc /proc read-only\nmasked /proc/timer_list\n"), std::string::npos) << text;
  EXPECT_EQ(Lower(PolicyOf({})).sandbox.seccomp, SeccompProfile::kDefault);
}

TEST(Lower, KernelFilesThatTheCallerCanRead) {
  FakeHost host;
  host.AddFile("/proc/keys").AddFile("/proc/slabinfo");
  EXPECT_EQ(KernelFilesHere(host), std::vector<std::string>{"/proc/keys"});
  const Lowered ordinary = Lower(PolicyOf({}), {.kernel_files = KernelFilesHere(host)});
  const std::string text = Text(ordinary.sandbox.mounts);
  EXPECT_NE(text.find("proc /proc\nmasked /proc/keys\n"), std::string::npos) << text;
  host.SetCaller(0, 0);
  EXPECT_EQ(KernelFilesHere(host), (std::vector<std::string>{"/proc/keys", "/proc/slabinfo"}));
  EXPECT_EQ(KernelFilesHere(host, false), std::vector<std::string>{"/proc/keys"});
}

TEST(Lower, DeniedKernelFiles) {
  EXPECT_EQ(
      Mounts({DeniedFile("/proc/cpuinfo"), DeniedFile("/proc/1/environ", "/p"), DeniedFile("/dev/sda", "/q"),
              DeniedFile("/dev/tty", "/r"), DeniedDirectory("/sys/kernel", "/s")}),
      "masked /dev/tty\n"
      "masked /proc/cpuinfo\n");
}

TEST(Lower, ObjectsArePassedForPolicyPathsOnly) {
  const Lowered lowered = Lower(PolicyOf({Baseline("/etc"), ReadOnly("/w")}));
  std::map<std::string, bool> has_object;
  for (const MountNode& node : lowered.sandbox.mounts) {
    const auto* bind = std::get_if<BindMount>(&node);
    if (bind != nullptr) has_object[bind->target] = bind->object.has_value();
  }
  EXPECT_THAT(has_object, testing::ElementsAre(testing::Pair("/etc", false), testing::Pair("/w", true)));
}

TEST(Lower, EveryPathClauseIsInTheLedger) {
  const Lowered lowered = Lower(
      PolicyOf({ReadWrite("/w", "/0"), ReadOnly("/w/a", "/1"), ReadOnly("/w/a/b", "/2"),
                DeniedDirectory("/w/d", "/3"), DeniedFile("/w/f", "/4"), DeniedMissing("/w/m", "/w/m", "/5"),
                DeniedMissing("/w/a/m", "/w/a/m", "/6"), DeniedFile("/x", "/7")}));
  std::string text;
  for (const Enforcement& entry : lowered.ledger) {
    EXPECT_EQ(entry.strength, Strength::kKernel);
    if (entry.pointer.size() == 2) text += entry.pointer + " " + entry.mechanism + "\n";
  }
  EXPECT_EQ(text,
            "/0 bind mount\n"
            "/1 read-only bind mount\n"
            "/2 inside the bind mount of a directory above\n"
            "/6 does not exist, and what is around it is read-only\n"
            "/3 empty read-only tmpfs over it\n"
            "/4 masked: opening it fails with EACCES\n"
            "/5 does not exist; a masked placeholder holds its name\n"
            "/7 the host's is not in the sandbox's root\n");
}

TEST(Lower, GrantBelowADeniedFileIsAConflict) {
  const Result<Lowered> lowered =
      LowerPolicy(PolicyOf({ReadWrite("/w"), DeniedMissing("/w/a/b", "/w/a"),
                            ReadWrite("/w/a/c", "/filesystem/readwritePaths/1")}));
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.error().code, ErrorCode::kConflict);
  EXPECT_EQ(lowered.error().pointer, "/filesystem/readwritePaths/1");
}

TEST(Lower, SessionFollowsTheTerminal) {
  Policy policy = PolicyOf({});
  EXPECT_TRUE(Lower(policy).sandbox.new_session);
  policy.interactive = true;
  EXPECT_FALSE(Lower(policy).sandbox.new_session);
}

}  // namespace
}  // namespace mxc::linux_backend::lower_test
