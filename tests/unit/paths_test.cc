#include "policy/paths/paths.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fake_host.h"

namespace mxc::paths_test {
namespace {

std::string CanonicalOf(const FakeHost& host, std::string_view path) {
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk(path);
  return walked ? walked->path : "error: " + walked.error().message;
}

TEST(Paths, ParentJoinAndBelow) {
  EXPECT_EQ(ParentOf("/a/b"), "/a");
  EXPECT_EQ(ParentOf("/a"), "/");
  EXPECT_EQ(ParentOf("/"), "/");
  EXPECT_EQ(JoinPath("/", "a"), "/a");
  EXPECT_EQ(JoinPath("/a", "b"), "/a/b");
  EXPECT_TRUE(IsAtOrBelow("/a/b", "/a"));
  EXPECT_TRUE(IsAtOrBelow("/a", "/a"));
  EXPECT_TRUE(IsAtOrBelow("/a", "/"));
  EXPECT_FALSE(IsAtOrBelow("/ab", "/a"));
  EXPECT_FALSE(IsAtOrBelow("/", "/a"));
}

TEST(Paths, OrderKeepsSubtreesTogether) {
  std::vector<std::string> paths = {"/a-b", "/a/c", "/b", "/a", "/", "/a/b/c", "/a/b"};
  std::sort(paths.begin(), paths.end(), PathBefore);
  EXPECT_EQ(paths, (std::vector<std::string>{"/", "/a", "/a/b", "/a/b/c", "/a/c", "/a-b", "/b"}));
}

TEST(Paths, FoldsAndQuotes) {
  EXPECT_EQ(FoldLexically("//a/./b/../c/"), "/a/c");
  EXPECT_EQ(FoldLexically("/../.."), "/");
  EXPECT_EQ(Quoted("/a\nb\x7f"), "'/a\\x0ab\\x7f'");
}

TEST(Paths, PrivateNodes) {
  EXPECT_TRUE(IsNeverFromHost("/proc/1"));
  EXPECT_FALSE(IsNeverFromHost("/process"));
  EXPECT_FALSE(IsNeverFromHost("/tmp"));
  EXPECT_EQ(PrivateNodeOf("/tmp/x"), "/tmp");
  EXPECT_EQ(PrivateNodeOf("/dev"), "/dev");
  EXPECT_EQ(PrivateNodeOf("/srv"), "");
}

TEST(PathWalker, SpellingsOfOnePath) {
  FakeHost host;
  host.AddDirectory("/srv/work/x");
  for (const char* spelling : {"/srv/work", "/srv/work/", "//srv///work", "/srv/./work/.", "/srv/work/x/..",
                               "/srv/../srv/work", "/../srv/work"}) {
    EXPECT_EQ(CanonicalOf(host, spelling), "/srv/work") << spelling;
  }
}

TEST(PathWalker, DotDotBehindALinkLeavesItsTarget) {
  FakeHost host;
  host.AddDirectory("/data/real/deep").AddSymlink("/srv/link", "/data/real/deep");
  EXPECT_EQ(CanonicalOf(host, "/srv/link/.."), "/data/real");
}

TEST(PathWalker, RecordsTheLinksItFollowed) {
  FakeHost host;
  host.AddDirectory("/run/app")
      .AddSymlink("/var/run", "../run")
      .AddSymlink("/run/current", "app", {.uid = 7});
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk("/var/run/current");
  ASSERT_TRUE(walked.ok());
  EXPECT_EQ(walked->path, "/run/app");
  ASSERT_EQ(walked->links.size(), 2U);
  EXPECT_EQ(walked->links[0].link.path, "/var/run");
  EXPECT_EQ(walked->links[0].link.target, "../run");
  EXPECT_EQ(walked->links[1].link.path, "/run/current");
  EXPECT_EQ(walked->links[1].owner, 7U);
}

TEST(PathWalker, MissingTail) {
  FakeHost host;
  host.AddDirectory("/srv").AddFile("/srv/file");
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk("/srv/new/deep");
  ASSERT_TRUE(walked.ok());
  EXPECT_FALSE(walked->status.has_value());
  EXPECT_EQ(walked->path, "/srv/new/deep");
  EXPECT_EQ(walked->first_missing, "/srv/new");
  EXPECT_FALSE(walked->behind_file);
  EXPECT_TRUE(walker.Walk("/srv/file/x")->behind_file);
}

TEST(PathWalker, DotDotOutOfAMissingDirectoryIsFoldedAndMarked) {
  FakeHost host;
  host.AddDirectory("/srv/work");
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk("/srv/gone/../work");
  ASSERT_TRUE(walked.ok());
  EXPECT_EQ(walked->path, "/srv/work");
  EXPECT_TRUE(walked->status.has_value());
  EXPECT_TRUE(walked->folded_missing);
}

TEST(PathWalker, DanglingLinkLeadsToItsTarget) {
  FakeHost host;
  host.AddSymlink("/srv/link", "/data/gone");
  PathWalker walker(host);
  const Result<Walked> walked = walker.Walk("/srv/link/x");
  ASSERT_TRUE(walked.ok());
  EXPECT_EQ(walked->path, "/data/gone/x");
  EXPECT_EQ(walked->first_missing, "/data");
}

TEST(PathWalker, LinksThatDoNotEndAreAnError) {
  FakeHost host;
  host.AddSymlink("/a", "/b").AddSymlink("/b", "/a");
  EXPECT_EQ(CanonicalOf(host, "/a"), "error: too many symbolic links");
}

TEST(PathWalker, UnreadableIsAnError) {
  FakeHost host;
  host.AddUnreadable("/root/x");
  EXPECT_EQ(CanonicalOf(host, "/root/x/y"), "error: '/root/x': Permission denied");
}

TEST(PathWalker, EndsAtALinkOfProc) {
  FakeHost host;
  host.AddSymlink("/proc/self", "4711").AddSymlink("/mtab", "/proc/self/mounts").AddDirectory("/proc/4711");
  EXPECT_EQ(CanonicalOf(host, "/mtab"), "/proc/self");
  EXPECT_EQ(CanonicalOf(host, "/proc/self/../../srv"), "/proc/self");
}

TEST(PathWalker, AsksOnceForEachDirectory) {
  FakeHost host;
  host.AddDirectory("/srv/a").AddDirectory("/srv/b");
  PathWalker walker(host);
  ASSERT_TRUE(walker.Walk("/srv/a").ok());
  ASSERT_TRUE(walker.Walk("/srv/b").ok());
  EXPECT_EQ(host.Questions(),
            (std::vector<std::string>{"look /", "look /srv", "look /srv/a", "look /srv/b"}));
}

TEST(PathWalker, AsksOnceForEachLink) {
  FakeHost host;
  host.AddDirectory("/usr/bin").AddSymlink("/bin", "usr/bin");
  PathWalker walker(host);
  for (const char* path : {"/bin/a", "/bin/b"}) ASSERT_EQ(walker.Walk(path)->links.size(), 1U) << path;
  EXPECT_EQ(std::count(host.Questions().begin(), host.Questions().end(), "readlink /bin"), 1);
}

}  // namespace
}  // namespace mxc::paths_test
