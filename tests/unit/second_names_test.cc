// What mounts show under a second name: the stricter intent holds there, too.
#include "policy/second_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::second_names_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// Pairs of directories that exist are made as the table needs them; nothing here looks at an object.
std::vector<std::string> NamesIn(const std::string& table, const std::string& path) {
  FakeHost host;
  host.AddDirectory("/low").AddDirectory("/up").AddSymlink("/link", "/low");
  PathWalker walker(host);
  Result<std::vector<Mount>> mounts = ParseMounts(table);
  if (!mounts) return {mounts.error().message};
  const MountNames names(std::move(*mounts), walker);
  return names.OthersOf(path).value_or(std::vector<std::string>{"too many"});
}

constexpr const char* kRoot = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n";

TEST(MountNames, OfBindMounts) {
  const std::string table = std::string(kRoot) + "2 1 8:1 /a /top/mnt rw - ext4 /dev/sda1 rw\n" +
                            "3 1 8:1 /a/file /top/file rw - ext4 /dev/sda1 rw\n" +
                            "4 1 8:2 /a /other rw - ext4 /dev/sdb1 rw\n";
  EXPECT_THAT(NamesIn(table, "/a/secret"), ElementsAre("/top/mnt/secret"));
  EXPECT_THAT(NamesIn(table, "/a"), ElementsAre("/top/mnt"));
  EXPECT_THAT(NamesIn(table, "/top/mnt/x/y"), ElementsAre("/a/x/y"));
  EXPECT_THAT(NamesIn(table, "/a/file"), UnorderedElementsAre("/top/mnt/file", "/top/file"));
  EXPECT_THAT(NamesIn(table, "/top/file"), UnorderedElementsAre("/a/file", "/top/mnt/file"));
  EXPECT_THAT(NamesIn(table, "/ab"), IsEmpty());
  EXPECT_THAT(NamesIn(table, "/"), IsEmpty());
}

TEST(MountNames, OfARecursiveBindAndOfABindInsideOne) {
  const std::string table = std::string(kRoot) + "2 1 8:2 / /disk rw - xfs /dev/sdb rw\n" +
                            "3 1 8:1 / /r rw - ext4 /dev/sda1 rw\n" +
                            "4 3 8:2 / /r/disk rw - xfs /dev/sdb rw\n" +
                            "5 4 8:2 /d /r/disk/e rw - xfs /dev/sdb rw\n";
  EXPECT_THAT(NamesIn(table, "/disk/d/x"), UnorderedElementsAre("/r/disk/d/x", "/r/disk/e/x"));
  EXPECT_THAT(NamesIn(table, "/etc/shadow"), ElementsAre("/r/etc/shadow"));
  // What the bind covers is not reached through it.
  EXPECT_THAT(NamesIn(table, "/disk/e/x"), IsEmpty());
}

TEST(MountNames, OnlyOfWhatShows) {
  const std::string table = std::string(kRoot) + "2 1 8:1 /a /top/mnt rw - ext4 /dev/sda1 rw\n" +
                            "3 2 8:9 / /top/mnt rw - ext4 /dev/sdb rw\n";
  EXPECT_THAT(NamesIn(table, "/a/x"), IsEmpty());
  const std::string below = std::string(kRoot) + "2 1 8:1 /a /top/mnt rw - ext4 /dev/sda1 rw\n" +
                            "3 1 8:9 / /top rw - ext4 /dev/sdb rw\n";
  EXPECT_THAT(NamesIn(below, "/a/x"), IsEmpty());
  // A mount over a part of what a bind shows.
  const std::string part = std::string(kRoot) + "2 1 8:1 /a /top/mnt rw - ext4 /dev/sda1 rw\n" +
                           "3 2 8:9 / /top/mnt/x rw - ext4 /dev/sdb rw\n";
  EXPECT_THAT(NamesIn(part, "/a/x"), IsEmpty());
  EXPECT_THAT(NamesIn(part, "/a/y"), ElementsAre("/top/mnt/y"));
}

TEST(MountNames, OfSubvolumesAndNetworkExports) {
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:40 /@home /home rw - btrfs /dev/sdb rw\n"
                                           "3 1 0:40 / /all rw - btrfs /dev/sdb rw\n",
                      "/home/me/x"),
              ElementsAre("/all/@home/me/x"));
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:40 / /n rw - nfs4 server:/export rw\n"
                                           "3 1 0:41 / /m rw - nfs4 server:/export/sub rw\n",
                      "/n/sub/x"),
              ElementsAre("/m/x"));
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:40 / /n rw - virtiofs tag rw\n"
                                           "3 1 0:41 /sub /m rw - virtiofs tag rw\n",
                      "/m/x"),
              ElementsAre("/n/sub/x"));
}

TEST(MountNames, OfLayers) {
  const std::string overlay =
      std::string(kRoot) +
      "2 1 0:50 / /merged rw - overlay overlay rw,lowerdir=/link:/none,upperdir=/up,workdir=/w\n";
  EXPECT_THAT(NamesIn(overlay, "/low/x"), UnorderedElementsAre("/merged/x", "/up/x"));
  EXPECT_THAT(NamesIn(overlay, "/merged/x"), UnorderedElementsAre("/low/x", "/up/x"));
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:50 /d /m rw - overlay o rw,lowerdir+=/low,datadir+=/up\n",
                      "/low/d/x"),
              UnorderedElementsAre("/m/x", "/up/d/x"));
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:50 / /m rw - fuse /low rw\n", "/low/x"),
              ElementsAre("/m/x"));
  EXPECT_THAT(NamesIn(std::string(kRoot) + "2 1 0:50 / /m rw - fuse.sshfs host:/low rw\n", "/low/x"),
              IsEmpty());
}

TEST(MountNames, OfLayersThatAreNamedFromSomewhere) {
  const std::string relative =
      std::string(kRoot) + "2 1 0:50 / /up/m rw - overlay o rw,lowerdir=low:../low/./sub:none,workdir=w\n";
  EXPECT_THAT(NamesIn(relative, "/low/x"), ElementsAre("/up/m/x"));
  EXPECT_THAT(NamesIn(relative, "/up/m/x"), ElementsAre("/low/x"));
  EXPECT_THAT(NamesIn(relative, "/else/where/low/x"), UnorderedElementsAre("/up/m/x", "/low/x"));
  EXPECT_THAT(NamesIn(relative, "/else/where/below/x"), IsEmpty());
}

// Mounts that stand on each other, or on themselves; a number that two have; none.
TEST(MountNames, OfATableThatMakesNoSenseAreNone) {
  for (const char* table : {"1 2 8:1 / / rw - ext4 d rw\n2 1 8:1 / / rw - ext4 d rw\n",
                            "1 1 8:1 / / rw - ext4 d rw\n1 1 8:1 /a /b rw - ext4 d rw\n", "",
                            "0 0 8:1 / / rw - ext4 d rw\n0 0 8:1 /a /b rw - ext4 d rw\n"}) {
    EXPECT_THAT(NamesIn(table, "/a/x"), IsEmpty()) << table;
  }
}

TEST(MountNames, TheRootMayStandOnItself) {
  EXPECT_THAT(NamesIn("1 1 8:1 / / rw - ext4 d rw\n2 1 8:1 /a /b rw - ext4 d rw\n", "/a/x"),
              ElementsAre("/b/x"));
}

class SecondNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().SetCaller(0, 0);
    host_.AddFile("/srv/a/secret")
        .AddFile("/srv/a/sub/x")
        .AddFile("/srv/top/file")
        .AddDirectory("/srv/top/mnt");
  }
  [[nodiscard]] std::string Rules(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    return policy ? RulesText(*policy) : RefusalOf(policy);
  }
  [[nodiscard]] std::string Protected(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    return policy ? RulesText(*policy, Origin::kProtection) : RefusalOf(policy);
  }
  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(SecondNamesTest, OfADirectory) {
  host_.AddBind("/srv/top/mnt", "/srv/a");
  EXPECT_EQ(Rules({.rw = {"/srv/top"}, .denied = {"/srv/a/secret"}}),
            "denied /srv/a/secret\nread-write /srv/top\ndenied /srv/top/mnt/secret\n");
  EXPECT_EQ(Rules({.rw = {"/srv/top"}, .ro = {"/srv/a"}}),
            "read-only /srv/a\nread-write /srv/top\nread-only /srv/top/mnt\n");
  EXPECT_EQ(Rules({.ro = {"/srv/top"}, .denied = {"/srv/a/new/deep"}}),
            "denied /srv/a/new/deep (missing from /srv/a/new)\nread-only /srv/top\n"
            "denied /srv/top/mnt/new/deep (missing from /srv/top/mnt/new)\n");
  EXPECT_EQ(Rules({.rw = {"/srv/top"}}), "read-write /srv/top\n");
}

TEST_F(SecondNamesTest, OfAFileAndOfADirectoryAbove) {
  host_.AddBind("/srv/top/file", "/srv/a/secret").AddBind("/srv/top/mnt", "/srv");
  EXPECT_EQ(
      Rules({.rw = {"/srv/top"}, .denied = {"/srv/a/secret"}}),
      "denied /srv/a/secret\nread-write /srv/top\ndenied /srv/top/file\ndenied /srv/top/mnt/a/secret\n");
}

TEST_F(SecondNamesTest, OfAPartOfWhatIsStricter) {
  host_.AddBind("/srv/top/mnt", "/srv/a/sub");
  EXPECT_EQ(Rules({.rw = {"/srv/top"}, .denied = {"/srv/a"}}),
            "denied /srv/a\nread-write /srv/top\ndenied /srv/top/mnt\n");
  EXPECT_EQ(Rules({.rw = {"/srv/top"}, .ro = {"/"}}),
            "read-only /\nread-write /srv/top\nread-only /srv/top/mnt\n");
  // Taken out of the stricter rule again.
  EXPECT_EQ(Rules({.rw = {"/srv/top", "/srv/a/sub"}, .denied = {"/srv/a"}}),
            "denied /srv/a\nread-write /srv/a/sub\nread-write /srv/top\n");
}

// A grant names the object itself. Where somebody else does it more strictly, nobody can tell which is meant.
TEST_F(SecondNamesTest, OfAGrant) {
  host_.AddBind("/srv/top/mnt", "/srv/a/sub");
  const std::string conflict = Rules({.rw = {"/srv/top/mnt"}, .denied = {"/srv/a"}});
  EXPECT_EQ(conflict,
            "policy_conflict /filesystem/readwritePaths/0: '/srv/top/mnt' is read-write, but a mount makes "
            "it another "
            "name of '/srv/a/sub', which is denied ('/srv/a')");
  EXPECT_THAT(Rules({.rw = {"/srv/top/mnt"}, .ro = {"/srv/a"}}), HasSubstr("policy_conflict"));
  EXPECT_EQ(Rules({.rw = {"/srv/top/mnt", "/srv/a/sub"}, .ro = {"/srv/a"}}),
            "read-only /srv/a\nread-write /srv/a/sub\nread-write /srv/top/mnt\n");
  // The whole host says nothing about it.
  EXPECT_EQ(Rules({.rw = {"/srv/top/mnt"}, .ro = {"/"}}), "read-only /\nread-write /srv/top/mnt\n");
}

// Nor does a directory that only holds the mount.
TEST_F(SecondNamesTest, BehindAMountPointSayNothingAboutAGrant) {
  host_.AddDirectory("/mnt/wslg/distro").AddBind("/mnt/wslg/distro", "/");
  EXPECT_EQ(Rules({.rw = {"/srv/a"}, .denied = {"/mnt"}}), "denied /mnt\nread-write /srv/a\n");
}

TEST_F(SecondNamesTest, OfSecretsOfTheSystem) {
  host_.AddFile("/etc/shadow", "x").AddBind("/srv/top/mnt", "/");
  const Result<Policy> policy = Resolve(ConfigOf({.ro = {"/srv/top"}}), host_, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_THAT(RulesText(*policy, Origin::kBaseline), HasSubstr("denied /srv/top/mnt/etc/shadow\n"));
  EXPECT_THAT(RulesText(*policy, Origin::kBaseline), Not(HasSubstr("/srv/top/mnt/usr")));
}

TEST_F(SecondNamesTest, OfProtectedFiles) {
  for (const char* name : {"HEAD", "config", "hooks/pre-commit", "objects/x", "refs/x"})
    host_.AddFile(std::string("/srv/top/p/.git/") + name);
  host_.AddDirectory("/srv/top/hk").AddBind("/srv/top/hk", "/srv/top/p/.git/hooks");
  EXPECT_THAT(Protected({.rw = {"/srv/top"}}), HasSubstr("read-only /srv/top/hk\n"));
  EXPECT_THAT(Protected({.rw = {"/srv/top", "/srv/top/hk"}}), HasSubstr("read-only /srv/top/hk\n"));
}

TEST_F(SecondNamesTest, OfHooksOfARepositoryElsewhere) {
  host_.AddFile("/home/me/p/.git/hooks/pre-commit").AddFile("/home/me/p/.git/info/attributes");
  host_.AddDirectory("/srv/top/hk").AddBind("/srv/top/hk", "/home/me/p/.git/hooks");
  host_.AddDirectory("/srv/top/i").AddBind("/srv/top/i", "/home/me/p/.git/info");
  EXPECT_EQ(Protected({.rw = {"/srv/top"}}), "read-only /srv/top/hk\nread-only /srv/top/i/attributes\n");
}

TEST_F(SecondNamesTest, OfHooksOfABareRepository) {
  for (const char* name : {"HEAD", "hooks/update", "objects/x", "refs/x"})
    host_.AddFile(std::string("/opt/bare/") + name);
  host_.AddDirectory("/srv/top/hk").AddBind("/srv/top/hk", "/opt/bare/hooks");
  EXPECT_EQ(Protected({.rw = {"/srv/top"}}), "read-only /srv/top/hk\n");
}

// Layers may have been renamed, or had other mounts on them, since they were mounted.
TEST_F(SecondNamesTest, OverlaysBelowAGrantAreDenied) {
  host_.AddDirectory("/srv/low");
  std::string denied;
  std::string path = "/srv/top/o";
  for (const char* layer : {"l/ABC", "/srv/low", "/srv/gone", "/proc/self/cwd"}) {
    path += "o";
    host_.AddMount(path, "overlay", "o", std::string("rw,lowerdir=") + layer);
    denied += "denied " + path + "\n";
    EXPECT_EQ(Rules({.rw = {path}}), "read-write " + path + "\n");
  }
  EXPECT_EQ(Rules({.rw = {"/srv/top"}}), "read-write /srv/top\n" + denied);
}

}  // namespace
}  // namespace mxc::second_names_test
