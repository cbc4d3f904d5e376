// Symlinks in policy paths: followed, recreated inside, or refused where somebody else could turn them.
#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::resolve_links_test {
namespace {

class ResolveLinks : public testing::Test {
 protected:
  [[nodiscard]] Result<Policy> With(const Lists& lists) const { return Resolve(ConfigOf(lists), host_, {}); }

  FakeHost host_;  // NOLINT: the tests fill it
  void SetUp() override {
    host_.AddDirectory("/").AddDirectory("/data/real").AddFile("/data/real/file").AddDirectory("/srv/w");
  }
};

TEST_F(ResolveLinks, ReadOnlyGrantsFollowAndRecreate) {
  host_.AddSymlink("/srv/one", "two").AddSymlink("/srv/two", "/data/real");
  const Result<Policy> policy = With({.ro = {"/srv/one/file"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "read-only /data/real/file\n");
  EXPECT_EQ(LinksText(*policy), "/srv/one -> two\n/srv/two -> /data/real\n");
}

TEST_F(ResolveLinks, LinksThatAreVisibleAnywayAreNotRecreated) {
  host_.AddSymlink("/srv/w/link", "/data/real");
  const Result<Policy> policy = With({.ro = {"/srv/w", "/srv/w/link"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "read-only /data/real\nread-only /srv/w\n");
  EXPECT_EQ(LinksText(*policy), "");
}

TEST_F(ResolveLinks, UnderPrivateTmpTheyAreRecreatedEvenIfRootIsGranted) {
  host_.AddSymlink("/tmp/link", "/data/real").AddSymlink("/srv/link", "/data/real");
  const Result<Policy> policy = With({.ro = {"/", "/tmp/link", "/srv/link"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(LinksText(*policy), "/tmp/link -> /data/real\n");
}

TEST_F(ResolveLinks, DenialsFollowToTheTarget) {
  host_.AddSymlink("/srv/link", "/data/real").AddSymlink("/srv/dangling", "/data/none/x");
  const Result<Policy> policy = With({.denied = {"/srv/link", "/srv/dangling"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "denied /data/none/x (missing from /data/none)\ndenied /data/real\n");
  EXPECT_EQ(LinksText(*policy), "");
}

TEST_F(ResolveLinks, ReadOnlyGrantOfADeniedObjectIsDenied) {
  host_.AddSymlink("/srv/link", "/data/real");
  const Result<Policy> policy = With({.ro = {"/srv/link"}, .denied = {"/data/real"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "denied /data/real\n");
  EXPECT_EQ(LinksText(*policy), "");
  EXPECT_EQ(WarningsText(*policy), "tightened /filesystem/readonlyPaths/0\n");
}

// What another user, or a command of an earlier run, may have put there leads nowhere.
TEST_F(ResolveLinks, GrantsFollowRootsLinksOnly) {
  host_.AddDirectory("/usr/local").AddSymlink("/work", "/data/real").AddSymlink("/var/work", "/data/real");
  host_.AddSymlink("/usr/work", "/data/real").AddSymlink("/mine", "/data/real", {.uid = 1000});
  host_.AddSymlink("/srv/link", "/data/real").AddSymlink("/usr/local/work", "/data/real");
  host_.AddDirectory("/tmp", {.mode = 01777}).AddSymlink("/tmp/link", "/data/real");
  host_.AddDirectory("/home/me", {.uid = 1000});
  host_.AddSymlink("/home/me/link", "/data/real").AddSymlink("/srv/theirs", "/data/real", {.uid = 1001});
  const auto try_both = [&](const std::string& path, bool followed) {
    for (const Lists& lists : {Lists{.rw = {path}}, Lists{.ro = {path}}}) {
      const Result<Policy> policy = With(lists);
      const std::string access = lists.rw.empty() ? "read-only" : "read-write";
      const std::string list = lists.rw.empty() ? "readonlyPaths" : "readwritePaths";
      if (followed) {
        ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
        EXPECT_EQ(RulesText(*policy), access + " /data/real\n");
        // A link below /usr shows through the baseline as it is.
        const bool below_baseline = path.starts_with("/usr/") && !path.starts_with("/usr/local/");
        EXPECT_EQ(LinksText(*policy), below_baseline ? "" : path + " -> /data/real\n");
      } else {
        EXPECT_EQ(RefusalOf(policy), "policy_conflict /filesystem/" + list + "/0: " + access + " '" + path +
                                         "' leads through the symbolic link '" + path + "'");
        EXPECT_EQ(policy.error().hint, "write the real path, '/data/real'");
      }
    }
  };
  for (const char* path : {"/work", "/var/work", "/usr/work", "/usr/local/work", "/srv/link"})
    try_both(path, true);
  for (const char* path : {"/mine", "/srv/theirs", "/tmp/link", "/home/me/link"}) try_both(path, false);
  host_.SetCaller(0, 0);
  host_.AddDirectory("/opt/app").AddSymlink("/opt/app/link", "/data/real");
  host_.AddSymlink("/usr/local/lib/link", "/data/real");
  for (const char* path : {"/work", "/usr/work", "/usr/local/work"}) try_both(path, true);
  for (const char* path : {"/srv/link", "/srv/theirs", "/tmp/link", "/usr/local/lib/link", "/opt/app/link"})
    try_both(path, false);
  host_.AddDirectory("/opt/app/2").AddSymlink("/opt/app/current", "2");
  EXPECT_TRUE(With({.ro = {"/opt/app/current"}}).ok());
  EXPECT_FALSE(With({.rw = {"/opt/app/current"}}).ok());
}

TEST_F(ResolveLinks, AWorkloadCannotChooseALaterReadOnlyGrant) {
  host_.AddSymlink("/srv/w/planted", "/data/real");
  EXPECT_EQ(RefusalOf(With({.rw = {"/srv/w"}, .ro = {"/srv/w/planted"}})),
            "policy_conflict /filesystem/readonlyPaths/0: read-only '/data/real' leads through "
            "'/srv/w/planted', a link in a read-write directory");
}

TEST_F(ResolveLinks, ADenialThroughAReplaceableLinkHoldsWithAWarning) {
  host_.AddSymlink("/srv/w/link", "/data/real");
  const Result<Policy> policy = With({.rw = {"/srv/w"}, .denied = {"/srv/w/link"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "denied /data/real\nread-write /srv/w\n");
  EXPECT_EQ(WarningsText(*policy), "link-replaceable /filesystem/deniedPaths/0\n");
}

TEST_F(ResolveLinks, LoopsAreRefused) {
  host_.AddSymlink("/srv/x", "y").AddSymlink("/srv/y", "x");
  EXPECT_EQ(
      RefusalOf(With({.ro = {"/srv/x"}})),
      "policy_conflict /filesystem/readonlyPaths/0: '/srv/x' of readonlyPaths cannot be resolved: too many "
      "symbolic links");
}

}  // namespace
}  // namespace mxc::resolve_links_test
