// Which files the comparison takes from those who could still write them before it reads them.
#include "policy/protect/git/review_host.h"

#include <gtest/gtest.h>

#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc::review_host_test {
namespace {

class Reviewing : public testing::Test {
 protected:
  // Of every read: whether the file was taken from writers before.
  [[nodiscard]] ReviewHost Host(ReviewBudget* budget = nullptr) {
    const auto detach = [this](const std::string& path, std::uint64_t room) -> Result<bool> {
      room_ = room;
      detached_.push_back(path);
      if (on_detach_) on_detach_();
      if (path == fails_) return Error{.code = ErrorCode::kSetupFailed, .message = "no"};
      return path == open_;
    };
    return {host_, before_, detach, budget};
  }

  FakeHost host_;                                                             // NOLINT: the tests fill these
  GitSnapshot before_ = {.roots = {"/w", "/w/ro/rw"}, .skipped = {"/w/ro"}};  // NOLINT
  std::vector<std::string> detached_;                                         // NOLINT
  std::function<void()> on_detach_;                                           // NOLINT
  std::uint64_t room_ = 0;                                                    // NOLINT
  std::string fails_;                                                         // NOLINT
  std::string open_;                                                          // NOLINT
};

TEST_F(Reviewing, OnlyWhatTheCommandCouldWriteIsTouched) {
  before_.held = {{.path = "/w/.git/config"}};
  for (const char* path : {"/w/a", "/w/.git/config", "/w/ro/b", "/w/ro/rw/c", "/etc/d"})
    host_.AddFile(path, "x");
  host_.AddSymlink("/link", "/w/e").AddFile("/w/e", "x").AddSymlink("/w/out", "/etc/d");
  const ReviewHost host = Host();
  for (const char* path :
       {"/w/a", "/w/.git/config", "/w/ro/b", "/w/ro/rw/c", "/etc/d", "/link", "/w/out", "/w/a"})
    EXPECT_TRUE(host.ReadFile(path, 1)) << path;
  EXPECT_EQ(detached_, (std::vector<std::string>{"/w/a", "/w/ro/rw/c", "/w/e"}));
}

TEST_F(Reviewing, WhatStaysOpenElsewhereIsNotRead) {
  host_.AddFile("/w/a", "x");
  fails_ = "/w/a";
  const ReviewHost host = Host();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(host.ReadFile("/w/a", 1).error().message, "no");
  EXPECT_TRUE(host.Copied().empty());
}

TEST_F(Reviewing, WhatWasOpenElsewhereIsTold) {
  host_.AddFile("/w/a", "x").AddFile("/w/b", "x");
  open_ = "/w/a";
  const ReviewHost host = Host();
  EXPECT_TRUE(host.ReadFile("/w/a", 1));
  EXPECT_TRUE(host.ReadFile("/w/b", 1));
  EXPECT_EQ(host.Copied(), std::vector<std::string>{"/w/a"});
}

TEST_F(Reviewing, NothingLongIsReadOrTouchedBeyondTheBudget) {
  const std::string text(100000, 'x');
  for (const char* path : {"/w/a", "/w/b", "/w/c", "/etc/d"}) host_.AddFile(path, text);
  host_.AddFile("/w/small", "x");
  ReviewBudget few(host_, {.bytes = 199999});
  const ReviewHost host = Host(&few);
  EXPECT_TRUE(host.ReadFile("/w/a", text.size()));
  EXPECT_TRUE(host.ReadFile("/w/b", text.size()));
  EXPECT_EQ(few.Gap(), "");
  EXPECT_TRUE(host.ReadFile("/w/small", text.size()));
  const Result<std::string> third = host.ReadFile("/w/c", text.size());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().message, "'/w/c' was not read: it would have read more than 199999 bytes");
  EXPECT_FALSE(host.ReadFile("/etc/d", text.size()));
  EXPECT_EQ(detached_, (std::vector<std::string>{"/w/a", "/w/b", "/w/small"}));
  EXPECT_EQ(room_, 65536U);
}

TEST_F(Reviewing, ASignalLeavesTimeForSmallFilesAlone) {
  host_.AddFile("/etc/long", std::string(100000, 'x')).AddFile("/etc/small", "x");
  bool asked = false;
  ReviewBudget budget(host_, {.interrupted = [&] { return asked; }});
  const ReviewHost host = Host(&budget);
  EXPECT_TRUE(host.ReadFile("/etc/long", 100000));
  asked = true;
  EXPECT_FALSE(host.ReadFile("/etc/long", 100000));
  EXPECT_TRUE(host.ReadFile("/etc/small", 100000));
  asked = false;
  EXPECT_FALSE(host.ReadFile("/etc/long", 100000));
  EXPECT_EQ(budget.Gap(), "a signal asked for the end");
  host_.SetClockStep(5001);
  static_cast<void>(host_.Clock());
  EXPECT_FALSE(host.ReadFile("/etc/small", 100000));
}

TEST_F(Reviewing, TimeEndsAll) {
  host_.AddFile("/etc/long", std::string(100000, 'x')).AddFile("/etc/small", "x");
  ReviewBudget budget(host_, {.ms = 10});
  const ReviewHost host = Host(&budget);
  host_.SetClockStep(11);
  static_cast<void>(host_.Clock());
  EXPECT_FALSE(host.ReadFile("/etc/long", 100000));
  EXPECT_EQ(budget.Gap(), "it took longer than 10 ms");
  EXPECT_TRUE(host.ReadFile("/etc/small", 100000));
  for (int i = 0; i < 5; ++i) static_cast<void>(host_.Clock());
  EXPECT_FALSE(host.ReadFile("/etc/small", 100000));
}

// A copy is made of all that a file holds, however little of it is read then.
TEST_F(Reviewing, CopiesAreCounted) {
  const std::string text(100000, 'x');
  host_.AddFile("/w/a", text).AddFile("/w/b", text);
  open_ = "/w/a";
  on_detach_ = [&] { host_.Remove("/w/a").AddFile("/w/a", text); };
  ReviewBudget few(host_, {.bytes = 99999});
  const ReviewHost host = Host(&few);
  EXPECT_TRUE(host.ReadFile("/w/a", 1));
  EXPECT_FALSE(host.ReadFile("/w/b", text.size()));
}

// What is left to be judged is taken for what cannot be read.
TEST_F(Reviewing, WhatIsNotReadIsNotTrusted) {
  host_.AddDirectory("/w/.git/objects").AddDirectory("/w/.git/refs").AddFile("/w/.git/HEAD", "x");
  host_.AddFile("/w/.git/index", "").AddFile("/w/.git/MERGE_RR", "");
  const std::string text(100000, 'x');
  host_.AddDirectory("/w/b/.git/refs").AddFile("/w/b/.git/index", text).AddFile("/w/b/.git/MERGE_RR", text);
  before_.places = {{.path = "/w/.git", .part = "/w/.git"}, {.path = "/w/b/.git", .part = "/w/b/.git"}};
  const auto review = [this](ReviewBudget& budget) {
    std::string gap;
    std::vector<std::string> aside;
    for (const GitChange& change : ReviewGit(before_, Host(&budget), gap)) {
      if (!change.part.empty()) aside.push_back(change.part);
    }
    return aside;
  };
  std::vector<std::string> longer = {"/w/b/.git/MERGE_RR", "/w/b/.git/index"};
  ReviewBudget interrupted(host_, {.interrupted = [] { return true; }});
  EXPECT_EQ(review(interrupted), longer);
  ReviewBudget none(host_, {.ms = 0});
  host_.SetClockStep(1);
  longer.insert(longer.begin(), {"/w/.git/HEAD", "/w/.git/MERGE_RR", "/w/.git/index"});
  EXPECT_EQ(review(none), longer);
}

// An index that did not change is not judged again, unless somebody could still write it.
TEST_F(Reviewing, AnIndexThatStaysIsTakenFromItsWriters) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::string index = "/w/.git/index";
  host_.AddDirectory("/w/.git/objects").AddDirectory("/w/.git/refs").AddFile("/w/.git/HEAD");
  host_.AddFile(index, "DIRC", {.changed = 10 * kSecond});
  const std::uint64_t inode = host_.LookAt(index).status->object.inode;
  before_.indexes = {{index, "file " + std::to_string(inode), 10 * kSecond}};
  before_.places = {{.path = "/w/.git", .part = "/w/.git"}};
  before_.since = 20 * kSecond;
  const auto review = [this] {
    std::string gap;
    return ReviewGit(before_, Host(), gap);
  };
  EXPECT_TRUE(review().empty());
  EXPECT_EQ(detached_, (std::vector<std::string>{"/w/.git/HEAD", index}));  // refs are judged anew
  on_detach_ = [&] { host_.AddFile(index, "DIRC", {.changed = 30 * kSecond}); };
  const std::vector<GitChange> changes = review();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].path, index);
  on_detach_ = {};
  fails_ = index;
  EXPECT_EQ(review().size(), 1U);
}

}  // namespace
}  // namespace mxc::review_host_test
