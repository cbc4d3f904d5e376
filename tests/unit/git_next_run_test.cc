// What keeps later runs from starting is told.
#include "policy/protect/git_next_run.h"

#include <gtest/gtest.h>

#include "mxc/limits.h"
#include "mxc/plan.h"
#include "tests/unit/git_review_text.h"

namespace mxc::git_next_run_test {
namespace {

using GitNextRun = GitReviewed;

// As the next run finds it: it would refuse what it cannot read.
TEST_F(GitNextRun, WhatKeepsTheNextRunFromStartingIsTold) {
  const auto next = [&](const std::string& left) {
    const NextRun checked = CheckNextRun(before_, {left}, *host_);
    std::string text =
        checked.starts ? "" : checked.starts.error().message + "; " + checked.starts.error().hint;
    for (const std::string& file : checked.obstacles) text += "\nobstacle " + file;
    return text;
  };
  const std::string obstacle = "\nobstacle /srv/w/c/.git/config";
  AddRepository("/srv/w/c/.git", "[core]\n\tfsmonitor = x\n");
  EXPECT_EQ(next("/srv/w/c/.git"), "");
  EXPECT_EQ(next("/srv/w/gone/.git"), "");
  const std::string remedy =
      "; remove it if an earlier run has left it, else make it a file that you can read, of at most 4194304 "
      "bytes; or write \"protect\": []";
  host_->AddFile("/srv/w/c/.git/config", "", {.uid = 1000, .readable = false});
  EXPECT_EQ(
      next("/srv/w/c/.git"),
      "git's file '/srv/w/c/.git/config' cannot be read: open '/srv/w/c/.git/config': Permission denied" +
          remedy + obstacle);
  host_->AddFile("/srv/w/c/.git/config", std::string(kMaxGitConfigBytes + 1, '#'));
  EXPECT_EQ(next("/srv/w/c/.git"),
            "git's file '/srv/w/c/.git/config' cannot be read: it is longer than 4194304 bytes" + remedy +
                obstacle);
  host_->AddFile("/srv/w/c/.git/config", kPlain);
  AddRepository("/srv/w/c/.git/modules/m");
  host_->AddNode("/srv/w/c/.git/modules/m/config", FileType::kFifo);
  EXPECT_EQ(next("/srv/w/c/.git"),
            "git's file '/srv/w/c/.git/modules/m/config' cannot be read: it is not a regular file" + remedy +
                "\nobstacle /srv/w/c/.git/modules/m/config");
  host_->AddFile("/srv/w/d/.git", "gitdir: x\n", {.uid = 1000, .readable = false});
  EXPECT_NE(next("/srv/w/d/.git").find("'/srv/w/d/.git' cannot be read"), std::string::npos);
  EXPECT_TRUE(next("/srv/w/d/.git").ends_with("\nobstacle /srv/w/d/.git"));
  host_->AddDirectory("/srv/w/e/.git/hooks", {.mode = 0, .uid = 1000, .readable = false});
  EXPECT_NE(next("/srv/w/e/.git").find("'/srv/w/e/.git/hooks' cannot be listed"), std::string::npos)
      << next("/srv/w/e/.git");
  AddRepository("/srv/w/f/.git", "[include]\n\tpath = /srv/w/pipe\n");
  host_->AddNode("/srv/w/pipe", FileType::kFifo);
  EXPECT_EQ(next("/srv/w/f/.git"), "git's file '/srv/w/pipe' cannot be read: it is not a regular file" +
                                       remedy + "\nobstacle /srv/w/f/.git/config");
}

// What cannot be read is nobody's file: the one that leads there is.
TEST_F(GitNextRun, WhatLeadsThroughProcKeepsNoLaterRunFromStarting) {
  host_->AddSymlink("/proc/self", "1")
      .AddDirectory("/srv/w/c")
      .AddFile("/srv/w/c/.git", "gitdir: /proc/self/cwd\n");
  AddRepository("/srv/w/d/.git");
  host_->AddFile("/srv/w/d/.git/commondir", "/proc/self/cwd\n");
  const NextRun next = CheckNextRun(before_, {"/srv/w/c/.git", "/srv/w/d/.git"}, *host_);
  ASSERT_FALSE(next.starts);
  EXPECT_TRUE(
      next.starts.error().message.starts_with("'/srv/w/c/.git' leads to where git's file '/proc/self"))
      << next.starts.error().message;
  EXPECT_EQ(next.starts.error().hint,
            "remove '/srv/w/c/.git' if an earlier run has left it; or write \"protect\": []");
  EXPECT_EQ(next.obstacles, (std::vector<std::string>{"/srv/w/c/.git", "/srv/w/d/.git/commondir"}));
}

// Of before, another user's perhaps: the command did not leave it.
TEST_F(GitNextRun, WhatWasThereBeforeIsNoObstacle) {
  AddRepository("/srv/w/a/.git", "[core]\n\tpager = x\n");
  host_->AddFile("/srv/w/t/.git", "gitdir: /srv/w/a/.git/worktrees/t\n");
  host_->AddFile("/srv/w/a/.git/worktrees/t/commondir", "../..\n");
  host_->AddNode("/srv/w/a/.git/worktrees/t/config.worktree", FileType::kFifo);
  const NextRun next = CheckNextRun(before_, {"/srv/w/t/.git"}, *host_);
  EXPECT_FALSE(next.starts);
  EXPECT_TRUE(next.obstacles.empty()) << next.obstacles.front();
}

TEST_F(GitNextRun, TheNextRunProtectsWhatWasThereAsWell) {
  AddRepository("/srv/w/c/.git");
  for (std::size_t i = 0; i < kMaxProtectedPaths; ++i)
    before_.held.push_back({.path = "/srv/w/a/" + std::to_string(i), .inode = 1});
  const NextRun next = CheckNextRun(before_, {"/srv/w/c/.git"}, *host_);
  ASSERT_FALSE(next.starts);
  EXPECT_NE(next.starts.error().message.find("protected paths, more than the 20000"), std::string::npos)
      << next.starts.error().message;
  before_.held.resize(kMaxProtectedPaths / 2);
  EXPECT_TRUE(CheckNextRun(before_, {"/srv/w/c/.git"}, *host_).starts);
}

TEST_F(GitNextRun, TheNextRunHasNoMoreMountsThanItsContainmentTakes) {
  AddRepository("/srv/w/deep/er/c/.git");
  const auto starts = [&](std::size_t more) {
    before_.more_mounts = more;
    return CheckNextRun(before_, {"/srv/w/deep/er/c/.git"}, *host_).starts;
  };
  std::size_t needed = 0;
  while (!starts(needed)) ++needed;
  EXPECT_EQ(needed, 8U) << "six in it, and two directories that keep their names";
  const Status refused = starts(needed - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      "to protect the 1 new repositories, '/srv/w/deep/er/c/.git' for instance, takes 8 mounts, and this "
      "containment has room for 7");
  before_.held = {{.path = "/srv/w/deep/x", .inode = 1}};
  EXPECT_TRUE(starts(needed - 1)) << "a directory has its mount already";
}

// Landlock holds nothing, but the next run counts it.
TEST_F(GitNextRun, WhatIsPutBackCounts) {
  AddRepository("/srv/w/c/.git");
  before_.put_back = kMaxProtectedPaths;
  EXPECT_FALSE(CheckNextRun(before_, {"/srv/w/c/.git"}, *host_).starts);
}

}  // namespace
}  // namespace mxc::git_next_run_test
