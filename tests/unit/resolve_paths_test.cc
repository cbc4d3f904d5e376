// The filesystem lists: what a path means, whose intent wins, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mxc/plan.h"
#include "tests/unit/policy_text.h"

namespace mxc::resolve_paths_test {
namespace {

class ResolvePaths : public testing::Test {
 protected:
  [[nodiscard]] Result<Policy> With(const Lists& lists) const { return Resolve(ConfigOf(lists), host_, {}); }
  [[nodiscard]] std::string Rules(const Lists& lists) const {
    const Result<Policy> policy = With(lists);
    return policy ? RulesText(*policy) : RefusalOf(policy);
  }
  [[nodiscard]] std::string Refusal(const Lists& lists) const { return RefusalOf(With(lists)); }
  [[nodiscard]] std::string Warnings(const Lists& lists) const {
    const Result<Policy> policy = With(lists);
    return policy ? WarningsText(*policy) : RefusalOf(policy);
  }

  FakeHost host_;  // NOLINT: the tests fill it
  void SetUp() override {
    host_.AddDebian().AddDirectory("/srv/a/b/c").AddFile("/srv/a/file").AddDirectory("/srv/z");
  }
};

TEST_F(ResolvePaths, AncestorsFirstWhateverTheOrderOfTheLists) {
  EXPECT_EQ(Rules({.rw = {"/srv/a/b/c"}, .ro = {"/srv/z", "/srv/a"}, .denied = {"/srv/a/b"}}),
            "read-only /srv/a\n"
            "denied /srv/a/b\n"
            "read-write /srv/a/b/c\n"
            "read-only /srv/z\n");
}

TEST_F(ResolvePaths, ObjectsAreRecorded) {
  const Result<Policy> policy = With({.ro = {"/srv/a/file"}});
  ASSERT_TRUE(policy.ok());
  for (const PathRule& rule : policy->paths) {
    if (rule.origin == Origin::kBaseline) continue;
    EXPECT_EQ(rule.pointer, "/filesystem/readonlyPaths/0");
    ASSERT_TRUE(rule.object.has_value());
    EXPECT_EQ(rule.object->inode, host_.ObjectAt("/srv/a/file").inode);
    EXPECT_EQ(rule.object->type, FileType::kRegular);
  }
}

TEST_F(ResolvePaths, SpellingsOfOnePathAreOneRule) {
  EXPECT_EQ(Rules({.ro = {"/srv/a/", "/srv//a/b/..", "/srv/a"}}), "read-only /srv/a\n");
}

TEST_F(ResolvePaths, SamePathInTwoListsGetsTheStricter) {
  const Lists lists{.rw = {"/srv/a", "/srv/z"}, .ro = {"/srv/a/"}, .denied = {"/srv/z/."}};
  EXPECT_EQ(Rules(lists), "read-only /srv/a\ndenied /srv/z\n");
  EXPECT_EQ(Warnings(lists),
            "tightened /filesystem/readwritePaths/0\ntightened /filesystem/readwritePaths/1\n");
}

TEST_F(ResolvePaths, OtherNamesOfAReadOnlyFileInAGrantAreToldOf) {
  host_.AddAlias("/srv/z/name", "/srv/a/file");
  EXPECT_EQ(Warnings({.rw = {"/srv"}, .ro = {"/srv/a/file"}}), "hard-link \n");
  EXPECT_EQ(Warnings({.ro = {"/srv/a/file"}}), "");
}

TEST_F(ResolvePaths, HardLinkAndBindMountGetTheStrictestIntent) {
  host_.AddAlias("/srv/z/name", "/srv/a/file").AddAlias("/mnt/bound", "/srv/a/b");
  const Lists lists{.rw = {"/srv/z/name", "/mnt/bound"}, .ro = {"/srv/a/b"}, .denied = {"/srv/a/file"}};
  EXPECT_EQ(Rules(lists),
            "read-only /mnt/bound\n"
            "read-only /srv/a/b\n"
            "denied /srv/a/file\n"
            "denied /srv/z/name\n");
  EXPECT_EQ(Warnings(lists),
            "hard-link /filesystem/deniedPaths/0\n"
            "tightened /filesystem/readwritePaths/0\n"
            "tightened /filesystem/readwritePaths/1\n");
}

TEST_F(ResolvePaths, StricterEntriesAreRepeatedUnderABindMountOfTheirDirectory) {
  host_.AddAlias("/mnt/whole", "/srv").AddAlias("/mnt/part", "/srv/a");
  EXPECT_EQ(Rules({.rw = {"/srv", "/mnt/part"}, .ro = {"/mnt/whole", "/srv/a/b"}, .denied = {"/srv/a/new"}}),
            "read-write /mnt/part\n"
            "read-only /mnt/part/b\n"
            "denied /mnt/part/new (missing from /mnt/part/new)\n"
            "read-only /mnt/whole\n"
            "denied /mnt/whole/a/new (missing from /mnt/whole/a/new)\n"
            "read-only /srv\n"
            "read-only /srv/a/b\n"
            "denied /srv/a/new (missing from /srv/a/new)\n");
}

TEST_F(ResolvePaths, MissingGrantsAreLeftOutWithAWarning) {
  const Lists lists{.rw = {"/srv/gone"}, .ro = {"/srv/a/file/x", "/srv/gone/../a"}};
  EXPECT_EQ(Rules(lists), "");
  EXPECT_EQ(Warnings(lists),
            "path-missing /filesystem/readwritePaths/0\n"
            "path-missing /filesystem/readonlyPaths/0\n"
            "path-missing /filesystem/readonlyPaths/1\n");
}

TEST_F(ResolvePaths, AMissingGrantIsNamedAsItIsWritten) {
  const auto text = [&](const Lists& lists) { return With(lists)->warnings.front().message; };
  EXPECT_EQ(text({.ro = {"/srv/gone/.."}}),
            "'/srv/gone/..' of readonlyPaths does not exist: nothing is granted");
  EXPECT_EQ(text({.rw = {"/srv/a/.:/app"}}),
            "'/srv/a/.:/app' of readwritePaths does not exist: nothing is granted; what is granted keeps its "
            "path, but for --workspace DIR:PATH");
}

// The command could create it, and fill it.
TEST_F(ResolvePaths, AMissingReadOnlyEntryBelowAWritableOneHoldsItsName) {
  const Lists lists{.rw = {"/srv/a"}, .ro = {"/srv/a/later.cfg", "/srv/a/new/deep", "/srv/z/none"}};
  EXPECT_EQ(Rules(lists),
            "read-write /srv/a\n"
            "denied /srv/a/later.cfg (missing from /srv/a/later.cfg)\n"
            "denied /srv/a/new/deep (missing from /srv/a/new)\n");
  EXPECT_EQ(Warnings(lists),
            "path-held /filesystem/readonlyPaths/0\n"
            "path-held /filesystem/readonlyPaths/1\n"
            "path-missing /filesystem/readonlyPaths/2\n");
  // What is in between decides, and who may write there.
  EXPECT_EQ(Rules({.rw = {"/srv"}, .ro = {"/srv/a", "/srv/a/new"}}), "read-write /srv\nread-only /srv/a\n");
  host_.AddDirectory("/srv/a/theirs", {.writable = false});
  EXPECT_EQ(Rules({.rw = {"/srv/a"}, .ro = {"/srv/a/theirs/new"}}), "read-write /srv/a\n");
  // What looks like a placeholder there may be a file that the command could write.
  host_.AddFile("/srv/a/theirs/key", "", {.mode = kPlaceholderMode});
  EXPECT_EQ(Rules({.rw = {"/srv/a"}, .ro = {"/srv/a/theirs/key"}}),
            "read-write /srv/a\nread-only /srv/a/theirs/key\n");
}

TEST_F(ResolvePaths, AMissingReadOnlyEntryThatNothingHoldsIsRefused) {
  EXPECT_EQ(Refusal({.rw = {"/srv/a"}, .ro = {"/srv/a/file/x"}}),
            "policy_conflict /filesystem/readonlyPaths/0: '/srv/a/file/x' of readonlyPaths cannot be kept "
            "from being "
            "created: '/srv/a/file' is not a directory");
  host_.AddSymlink("/srv/a/dangling", "nowhere");
  EXPECT_THAT(Refusal({.rw = {"/srv/a"}, .ro = {"/srv/a/dangling"}}),
              testing::HasSubstr("a link in a read-write"));
}

TEST_F(ResolvePaths, MissingDenialsStay) {
  EXPECT_EQ(Rules({.rw = {"/srv/a"}, .denied = {"/srv/a/new/deep", "/srv/none/../z"}}),
            "read-write /srv/a\n"
            "denied /srv/a/new/deep (missing from /srv/a/new)\n"
            "denied /srv/z\n");
  EXPECT_EQ(
      Refusal({.denied = {"/srv/a/file/x"}}),
      "policy_conflict /filesystem/deniedPaths/0: '/srv/a/file/x' cannot be denied: '/srv/a/file' is not a "
      "directory");
}

// Missing where the name can be held; where none is, it is an object.
TEST_F(ResolvePaths, WhatLooksLikeAPlaceholderIsKeptInMind) {
  host_.AddFile("/srv/a/key", "", {.mode = kPlaceholderMode});
  const Result<Policy> policy = With({.ro = {"/srv/a"}, .denied = {"/srv/a/k*"}});
  ASSERT_TRUE(policy.ok());
  const auto key = std::find_if(policy->paths.begin(), policy->paths.end(),
                                [](const PathRule& rule) { return rule.path == "/srv/a/key"; });
  ASSERT_NE(key, policy->paths.end());
  EXPECT_EQ(key->access, Access::kDenied);
  EXPECT_FALSE(key->object);
  ASSERT_TRUE(key->look_alike);
  EXPECT_TRUE(key->look_alike->IsSame(host_.ObjectAt("/srv/a/key")));
}

// A command gives any mode to what it was granted.
TEST_F(ResolvePaths, WhatIsGrantedAndWhatLeadsThereIsNoPlaceholder) {
  host_.AddDirectory("/srv/p", {.mode = kPlaceholderDirectoryMode})
      .AddDirectory("/srv/p/d", {.mode = kPlaceholderDirectoryMode})
      .AddFile("/srv/p/d/x", "", {.mode = kPlaceholderMode});
  EXPECT_EQ(Rules({.rw = {"/srv/p"}, .denied = {"/srv/p/.env"}}),
            "read-write /srv/p\n"
            "denied /srv/p/.env (missing from /srv/p/.env)\n");
  EXPECT_EQ(Rules({.rw = {"/srv/p"}, .denied = {"/srv/p/d/.env"}}),
            "read-write /srv/p\n"
            "denied /srv/p/d/.env (missing from /srv/p/d)\n");
  EXPECT_EQ(Rules({.rw = {"/srv/p", "/srv/p/d"}, .denied = {"/srv/p/.env", "/srv/p/d/.env"}}),
            "read-write /srv/p\n"
            "denied /srv/p/.env (missing from /srv/p/.env)\n"
            "read-write /srv/p/d\n"
            "denied /srv/p/d/.env (missing from /srv/p/d/.env)\n");
  EXPECT_EQ(Rules({.rw = {"/srv/p/d"}, .ro = {"/srv/p/d/conf"}}),
            "read-write /srv/p/d\n"
            "denied /srv/p/d/conf (missing from /srv/p/d/conf)\n");
}

TEST_F(ResolvePaths, WhatCannotBeLookedAtIsRefused) {
  host_.AddUnreadable("/srv/locked").AddUnreadable("/srv/stale", LookupFailure::kOther, "Stale file handle");
  EXPECT_EQ(Refusal({.denied = {"/srv/locked/x"}}),
            "policy_conflict /filesystem/deniedPaths/0: '/srv/locked/x' of deniedPaths cannot be resolved: "
            "'/srv/locked': Permission denied");
  EXPECT_EQ(Refusal({.ro = {"/srv/stale"}}),
            "policy_conflict /filesystem/readonlyPaths/0: '/srv/stale' of readonlyPaths cannot be resolved: "
            "'/srv/stale': Stale file handle");
}

TEST_F(ResolvePaths, NobodyGrantsWhatTheyCannotAccess) {
  host_.AddDirectory("/srv/theirs", {.readable = false, .writable = false})
      .AddDirectory("/srv/shown", {.writable = false});
  EXPECT_EQ(
      Refusal({.ro = {"/srv/theirs"}}),
      "policy_conflict /filesystem/readonlyPaths/0: the caller (uid 1000) may not read '/srv/theirs' of "
      "readonlyPaths");
  EXPECT_EQ(Refusal({.rw = {"/srv/shown"}}),
            "policy_conflict /filesystem/readwritePaths/0: the caller (uid 1000) may not read and write "
            "'/srv/shown' of readwritePaths");
  EXPECT_EQ(Rules({.ro = {"/srv/shown"}, .denied = {"/srv/theirs"}}),
            "read-only /srv/shown\ndenied /srv/theirs\n");
}

TEST_F(ResolvePaths, HostNodesAreNeverGranted) {
  EXPECT_EQ(Refusal({.ro = {"/proc"}}),
            "policy_conflict /filesystem/readonlyPaths/0: '/proc': the host's /proc never appears inside");
  for (const char* path : {"/proc/self/root", "/sys/kernel", "/dev", "/dev/../dev/sda"}) {
    EXPECT_NE(Refusal({.rw = {path}}).find(" never appears inside"), std::string::npos) << path;
  }
  host_.AddSymlink("/srv/p", "/proc/1");
  EXPECT_EQ(
      Refusal({.ro = {"/srv/p"}}),
      "policy_conflict /filesystem/readonlyPaths/0: '/srv/p' stands for '/proc/1': the host's /proc never "
      "appears inside");
  host_.AddDirectory("/process");
  EXPECT_EQ(Rules({.ro = {"/process"}}), "read-only /process\n");
}

TEST_F(ResolvePaths, DenialsInOwnNodesAreTakenAsWritten) {
  host_.AddFile("/proc/kcore").AddSymlink("/proc/self", "4711");
  EXPECT_EQ(Rules({.denied = {"/proc/kcore", "/proc/none"}}),
            "denied /proc/kcore\n"
            "denied /proc/none (missing from /proc/none)\n");
  EXPECT_EQ(
      Refusal({.denied = {"/proc/self/environ"}}),
      "policy_conflict /filesystem/deniedPaths/0: '/proc/self/environ' cannot be denied: '/proc/self' is a "
      "link that differs for each process");
}

TEST_F(ResolvePaths, ADenialOfAnOwnNodeSaysThatTheSandboxHasOne) {
  host_.AddDirectory("/dev/shm")
      .AddDirectory("/proc")
      .AddDirectory("/tmp")
      .AddNode("/dev/null", FileType::kCharacterDevice);
  EXPECT_EQ(Warnings({.denied = {"/proc", "/dev/shm", "/tmp", "/srv/a"}}),
            "own-node /filesystem/deniedPaths/0\n"
            "own-node /filesystem/deniedPaths/1\n"
            "own-node /filesystem/deniedPaths/2\n");
  EXPECT_EQ(Refusal({.denied = {"/dev/null"}}),
            "policy_conflict /filesystem/deniedPaths/0: '/dev/null' is denied: no command could start, its "
            "standard streams use it");
}

TEST_F(ResolvePaths, RootOfTheHost) {
  EXPECT_EQ(Refusal({.denied = {"/"}}),
            "policy_conflict /filesystem/deniedPaths/0: '/' is denied: no command could start");
  EXPECT_EQ(Rules({.ro = {"/"}}), "read-only /\n");
  host_.SetCaller(0, 0);
  EXPECT_EQ(Warnings({.rw = {"/"}}), "whole-host-writable /filesystem/readwritePaths/0\nrunning-as-root \n");
}

TEST_F(ResolvePaths, SocketsDevicesAndPipesAreNotGranted) {
  host_.AddNode("/srv/s", FileType::kSocket).AddNode("/srv/p", FileType::kFifo);
  host_.AddNode("/srv/d", FileType::kBlockDevice);
  EXPECT_EQ(
      Refusal({.ro = {"/srv/s"}}),
      "policy_conflict /filesystem/readonlyPaths/0: '/srv/s' is a socket: only files and directories are "
      "granted");
  EXPECT_NE(Refusal({.rw = {"/srv/p"}}), "");
  EXPECT_NE(Refusal({.rw = {"/srv/d"}}), "");
  EXPECT_EQ(Rules({.denied = {"/srv/s"}}), "denied /srv/s\n");
}

// A pipe in them could be written by whoever knows its name or goes there step by step.
TEST_F(ResolvePaths, WhatIsNotSearchedForPipesIsDenied) {
  std::string deep = "/srv/w/ro";
  for (int i = 0; i < 15; ++i) deep += "/" + std::string(199, 'd');
  const std::string beyond = deep + "/" + std::string(199, 'd');
  host_.AddNode(beyond + "/pipe", FileType::kFifo)
      .AddDirectory("/srv/w/ro/closed", {.mode = 0300, .uid = 1000, .readable = false});
  const Lists lists = {.rw = {"/srv/w"}, .ro = {"/srv/w/ro"}};
  const Result<Policy> policy = With(lists);
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  const std::string denied = RulesText(*policy, Origin::kBaseline);
  EXPECT_THAT(denied, testing::HasSubstr("denied " + deep + "\n"));
  EXPECT_THAT(denied, testing::HasSubstr("denied /srv/w/ro/closed\n"));
  EXPECT_EQ(Warnings(lists),
            "pipe-denied /filesystem/readonlyPaths/0\npipe-denied /filesystem/readonlyPaths/0\n");
  EXPECT_THAT(
      Refusal({.rw = {"/srv/w"}, .ro = {deep}}),
      testing::EndsWith("' cannot be searched to its end, and a named pipe in it could be written below "
                        "a read-write grant"));
}

TEST_F(ResolvePaths, NamesAreBytes) {
  host_.AddDirectory("/srv/a b\n\xff*");
  EXPECT_EQ(Rules({.ro = {"/srv/a b\n\xff*"}}), "read-only /srv/a b\n\xff*\n");
}

// Root has no capabilities inside, so a checkout that belongs to somebody else is not writable there.
TEST_F(ResolvePaths, RootIsToldWhoseTheGrantIs) {
  host_.AddDirectory("/srv/theirs", {.mode = 0755, .uid = 1001, .gid = 1001})
      .AddDirectory("/srv/closed", {.mode = 0700, .uid = 1001, .gid = 1001})
      .AddDirectory("/srv/shared", {.mode = 0775, .uid = 1001, .gid = 0})
      .AddDirectory("/srv/open", {.mode = 0777, .uid = 1001, .gid = 1001});
  const Lists lists = {.rw = {"/srv/theirs", "/srv/shared", "/srv/open", "/srv/z"}, .ro = {"/srv/closed"}};
  EXPECT_EQ(Warnings(lists), "");
  host_.SetCaller(0, 0);
  EXPECT_EQ(Warnings(lists),
            "foreign-owner /filesystem/readwritePaths/0\n"
            "foreign-owner /filesystem/readonlyPaths/0\n"
            "running-as-root \n");
  const Result<Policy> policy = With(lists);
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->warnings.at(0).message,
            "'/srv/theirs' of readwritePaths belongs to uid 1001 and has the mode 755: the command cannot "
            "write there, "
            "because root has no privileges inside; run mxc-exec as that user, or change the owner");
}

}  // namespace
}  // namespace mxc::resolve_paths_test
