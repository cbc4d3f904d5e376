#include "base/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/needs.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::remove_tree_test {
namespace {

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(RemoveTree, TakesEverythingAndFollowsNoLink) {
  const ScratchDirectory scratch;
  const std::string top = scratch.Path("top");
  ::mkdir(top.c_str(), 0700);
  ::mkdir((top + "/a").c_str(), 0700);
  ::mkdir((top + "/a/b").c_str(), 0700);
  WriteText(top + "/a/b/file", "x");
  WriteText(scratch.Path("kept"), "x");
  ASSERT_EQ(::symlink(scratch.Path("").c_str(), (top + "/a/link").c_str()), 0);
  ::chmod((top + "/a/b").c_str(), 0);
  RemoveTree(top.c_str());
  EXPECT_FALSE(Exists(top));
  EXPECT_TRUE(Exists(scratch.Path("kept")));
}

// What `remove` lets appear in a directory: the names that it works with.
std::vector<std::string> NamesMadeIn(const std::string& directory, const std::function<void()>& remove) {
  const UniqueFd watch{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  EXPECT_GE(::inotify_add_watch(watch.Get(), directory.c_str(), IN_CREATE | IN_MOVED_TO | IN_DELETE), 0);
  remove();
  alignas(inotify_event) std::array<char, 65536> buffer{};
  const ssize_t count = ::read(watch.Get(), buffer.data(), buffer.size());
  EXPECT_GT(count, 0) << "what it takes away shows, at the least";
  std::vector<std::string> names;
  for (ssize_t at = 0; at < count;) {
    const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
    if ((event->mask & (IN_CREATE | IN_MOVED_TO)) != 0) names.emplace_back(event->name);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  return names;
}

TEST(RemoveTree, TheNamesItWorksWithMayBeTaken) {
  const ScratchDirectory scratch;
  const std::string top = scratch.Path("top");
  std::filesystem::create_directories(top + "/a/b/c/d/e/f");
  const std::vector<std::string> names = NamesMadeIn(top, [&] { RemoveTree(top.c_str()); });
  ASSERT_FALSE(Exists(top));
  std::filesystem::create_directory(top);
  for (const std::string& name : names) std::filesystem::create_directories(top + "/" + name + "/b/c");
  RemoveTree(top.c_str());
  EXPECT_FALSE(Exists(top));
}

TEST(RemoveTree, DepthNeedsNothing) {
  const ScratchDirectory scratch;
  const std::string top = scratch.Path("top");
  ::mkdir(top.c_str(), 0700);
  int here = ::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int depth = 0; depth < 3000; ++depth) {
    ASSERT_EQ(::mkdirat(here, "d", 0700), 0);
    const int next = ::openat(here, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(here);
    here = next;
  }
  ::close(here);
  RemoveTree(top.c_str());
  EXPECT_FALSE(Exists(top));
}

// As somebody whom modes keep out.
TEST(RemoveTree, ItsOwnModeKeepsNothing) {
  if (::getuid() != 0) GTEST_SKIP() << "only root can become another user";
  const ScratchDirectory scratch;
  const std::string top = scratch.Path("top");
  ::mkdir(top.c_str(), 0700);
  WriteText(top + "/file", "x");
  ::chmod(scratch.Path("").c_str(), 0777);
  for (const std::string& path : {top + "/file", top}) EXPECT_EQ(::chown(path.c_str(), 61234, 61234), 0);
  ::chmod(top.c_str(), 0);
  EXPECT_TRUE(test::HoldsInChild([&] {
    if (::setresuid(61234, 61234, 61234) != 0) return false;
    RemoveTree(top.c_str());
    return !Exists(top);
  }));
}

TEST(RemoveTree, ALinkInItsPlaceIsLeft) {
  const ScratchDirectory scratch;
  ::mkdir(scratch.Path("real").c_str(), 0700);
  WriteText(scratch.Path("real/file"), "x");
  ASSERT_EQ(::symlink("real", scratch.Path("link").c_str()), 0);
  RemoveTree(scratch.Path("link").c_str());
  EXPECT_TRUE(Exists(scratch.Path("real/file")));
}

}  // namespace
}  // namespace mxc::test::remove_tree_test
