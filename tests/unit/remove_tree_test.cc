#include "base/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/run_in_child.h"

namespace mxc::testing {
namespace {

bool Exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

TEST(RemoveTree, TakesEverythingAndFollowsNoLink) {
  const ScratchDirectory scratch;
  const std::string top = scratch.Path("top");
  ::mkdir(top.c_str(), 0700);
  ::mkdir((top + "/a").c_str(), 0700);
  ::mkdir((top + "/a/b").c_str(), 0700);
  WriteText(top + "/a/b/file", "x");
  WriteText(top + "/lifted-1", "x");
  WriteText(scratch.Path("kept"), "x");
  ASSERT_EQ(::symlink(scratch.Path("").c_str(), (top + "/a/link").c_str()), 0);
  ::chmod((top + "/a/b").c_str(), 0);
  RemoveTree(top.c_str());
  EXPECT_FALSE(Exists(top));
  EXPECT_TRUE(Exists(scratch.Path("kept")));
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

TEST(RemoveTree, ALinkInItsPlaceIsLeft) {
  const ScratchDirectory scratch;
  ::mkdir(scratch.Path("real").c_str(), 0700);
  WriteText(scratch.Path("real/file"), "x");
  ASSERT_EQ(::symlink("real", scratch.Path("link").c_str()), 0);
  RemoveTree(scratch.Path("link").c_str());
  EXPECT_TRUE(Exists(scratch.Path("real/file")));
}

}  // namespace
}  // namespace mxc::testing
