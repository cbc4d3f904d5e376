// Rights that a command has given to other users are taken back.
#include "cleanup/way_rights.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "host/host.h"
#include "policy/paths/ways.h"
#include "tests/support/fake_host.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::way_rights_test {
namespace {

constexpr unsigned kWrite = 022;

struct Entry {
  unsigned tag;
  unsigned rights;
  unsigned id = 0xffffffff;
};
// As the extended attribute has it.
std::string List(const std::vector<Entry>& entries) {
  std::string list("\2\0\0\0", 4);
  const auto add = [&](unsigned number, int bytes) {
    for (int i = 0; i < bytes; ++i) list += static_cast<char>(number >> (8U * static_cast<unsigned>(i)));
  };
  for (const Entry& entry : entries) {
    add(entry.tag, 2);
    add(entry.rights, 2);
    add(entry.id, 4);
  }
  return list;
}
// rwx for the owner, the other rights as named.
std::string ListWith(unsigned user, unsigned group, unsigned mask, unsigned other) {
  return List({{0x01, 7}, {0x02, user, 4711}, {0x04, group}, {0x10, mask}, {0x20, other}});
}

std::string ValueOf(const std::string& path, const char* name) {
  std::string value(1024, '\0');
  const ssize_t size = ::lgetxattr(path.c_str(), name, value.data(), value.size());
  value.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return value;
}

unsigned ModeOf(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

class WayRights : public testing::Test {
 protected:
  // What a run notes that has a grant of the scratch directory with something held in `d`.
  [[nodiscard]] Way Note(mode_t mode) {
    EXPECT_EQ(::chmod(directory.c_str(), mode), 0);
    return {.path = directory,
            .mode = mode,
            .guarded = kWrite,
            .uid = ::geteuid(),
            .gid = ::getegid(),
            .inode = 1,
            .acl = ValueOf(directory, kAccessAcl),
            .default_acl = ValueOf(directory, kDefaultAcl)};
  }
  void SetUp() override { ASSERT_EQ(::mkdir(directory.c_str(), 0755), 0); }
  [[nodiscard]] bool Set(const char* name, const std::string& list) const {
    return ::setxattr(directory.c_str(), name, list.data(), list.size(), 0) == 0;
  }

  const ScratchDirectory scratch;
  const std::string directory = scratch.Path("d");
};

TEST_F(WayRights, WhatOthersMayWriteIsTakenBack) {
  const Way before = Note(0755);
  ASSERT_EQ(::chmod(directory.c_str(), 0777), 0);
  EXPECT_TRUE(*TakeRightsBack(before));
  EXPECT_EQ(ModeOf(directory), 0755U);
  EXPECT_FALSE(*TakeRightsBack(before));
}

TEST_F(WayRights, WhatWasThereAndWhatIsTakenAwayStays) {
  const Way before = Note(0775);
  for (const mode_t mode : {0775U, 0700U, 0555U, 0750U, 02775U}) {
    ASSERT_EQ(::chmod(directory.c_str(), mode), 0);
    EXPECT_FALSE(*TakeRightsBack(before)) << mode;
    EXPECT_EQ(ModeOf(directory), mode);
  }
}

TEST_F(WayRights, TheStickyBitIsGivenBack) {
  const Way before = Note(01777);
  ASSERT_EQ(::chmod(directory.c_str(), 0777), 0);
  EXPECT_TRUE(*TakeRightsBack(before));
  EXPECT_EQ(ModeOf(directory), 01777U);
}

TEST_F(WayRights, ListsAreTakenBack) {
  for (const mode_t mode : {0755U, 0775U}) {
    const Way before = Note(mode);
    if (!Set(kAccessAcl, ListWith(7, 5, 7, 5))) GTEST_SKIP() << "no access control lists here";
    ASSERT_TRUE(Set(kDefaultAcl, ListWith(7, 5, 7, 7)));
    EXPECT_TRUE(*TakeRightsBack(before));
    EXPECT_EQ(ModeOf(directory), mode);
    EXPECT_EQ(ValueOf(directory, kDefaultAcl), "");
    EXPECT_FALSE(*TakeRightsBack(before)) << mode;
    ::removexattr(directory.c_str(), kAccessAcl);
  }
}

TEST_F(WayRights, ListsOfTheCallersStay) {
  if (!Set(kAccessAcl, ListWith(7, 5, 7, 5))) GTEST_SKIP() << "no access control lists here";
  ASSERT_TRUE(Set(kDefaultAcl, ListWith(7, 5, 7, 5)));
  const Way before = Note(0775);
  EXPECT_FALSE(*TakeRightsBack(before));
  EXPECT_EQ(ValueOf(directory, kAccessAcl), before.acl);
  ASSERT_TRUE(
      Set(kAccessAcl, List({{0x01, 7}, {0x02, 7, 4711}, {0x02, 7, 4712}, {0x04, 5}, {0x10, 7}, {0x20, 5}})));
  EXPECT_TRUE(*TakeRightsBack(before));
  EXPECT_EQ(ValueOf(directory, kAccessAcl), before.acl);
  EXPECT_EQ(ValueOf(directory, kDefaultAcl), before.default_acl);
}

TEST_F(WayRights, NoLinkIsFollowed) {
  Way before = Note(0777);
  before.path = scratch.Path("l");
  before.mode = 0755;
  ASSERT_EQ(::symlink("d", before.path.c_str()), 0);
  EXPECT_FALSE(*TakeRightsBack(before));
  EXPECT_EQ(ModeOf(directory), 0777U);
}

TEST(GivesMore, WhomAMaskKeepsOut) {
  EXPECT_FALSE(GivesMore({ListWith(7, 7, 5, 5), 0755}, {ListWith(7, 7, 7, 5), 0775}, kWrite));
  EXPECT_TRUE(GivesMore({ListWith(7, 5, 5, 5), 0755}, {"", 0755}, kWrite));
  EXPECT_TRUE(GivesMore({ListWith(7, 5, 7, 5), 0775}, {"", 0755}, kWrite));
  EXPECT_TRUE(GivesMore({ListWith(7, 7, 7, 5), 0775}, {ListWith(7, 7, 5, 5), 0755}, kWrite));
}

TEST(GivesMore, WhoIsListedNoMore) {
  EXPECT_TRUE(GivesMore({"", 0777}, {ListWith(0, 7, 7, 7), 0777}, kWrite));
  EXPECT_FALSE(GivesMore({"", 0775}, {ListWith(5, 7, 7, 5), 0775}, kWrite));
}

std::string Told(const std::vector<Way>& ways) {
  std::string told;
  for (const Way& way : ways) told += way.path + ":" + std::to_string(way.guarded) + " ";
  return told;
}

TEST(FindWays, FromTheGrantToWhatIsHeldOrDenied) {
  FakeHost host;
  host.SetCaller(1000, 1000);
  for (const char* const path : {"/h", "/h/w", "/h/w/r", "/h/w/r/.git", "/h/w/other", "/h/w/d"})
    host.AddDirectory(path, {.mode = 0755, .uid = 1000});
  host.AddFile("/h/w/r/.git/config").AddFile("/h/w/d/secret");
  RuleSet rules;
  rules.Add({.path = "/h/w", .access = Access::kReadWrite});
  rules.Add({.path = "/h/w/r/.git/config", .access = Access::kReadOnly, .origin = Origin::kProtection});
  rules.Add({.path = "/h/w/d/secret", .access = Access::kDenied, .object = FileObject{}});
  rules.Add({.path = "/h/elsewhere", .access = Access::kDenied});
  PathWalker walker(host);
  EXPECT_EQ(Told(FindWays(host, rules, {.directories = {"/h/w/r/.git"}}, walker)),
            "/h/w:63 /h/w/d:63 /h/w/r:18 /h/w/r/.git:18 /h/w/r/.git/modules:18 /h/w/r/.git/worktrees:18 ");
  host.SetCaller(1001, 1001);
  PathWalker others(host);
  EXPECT_EQ(Told(FindWays(host, rules, {}, others)), "");
}

}  // namespace
}  // namespace mxc::test::way_rights_test
