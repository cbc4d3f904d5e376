// Which files the comparison takes from those who could still write them before it reads them.
#include "policy/protect/review_host.h"

#include <gtest/gtest.h>

#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc {
namespace {

class Reviewing : public testing::Test {
 protected:
  // Of every read: whether the file was taken from writers before.
  [[nodiscard]] ReviewHost Host() {
    return {host_, before_, [this](const std::string& path) -> Result<bool> {
              detached_.push_back(path);
              if (on_detach_) on_detach_();
              if (path == fails_) return Error{.code = ErrorCode::kSetupFailed, .message = "no"};
              return path == open_;
            }};
  }

  FakeHost host_;                                                             // NOLINT: the tests fill these
  GitSnapshot before_ = {.roots = {"/w", "/w/ro/rw"}, .skipped = {"/w/ro"}};  // NOLINT
  std::vector<std::string> detached_;                                         // NOLINT
  std::function<void()> on_detach_;                                           // NOLINT
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
  EXPECT_EQ(detached_, (std::vector<std::string>{index, "/w/.git/HEAD"}));  // refs are judged anew
  on_detach_ = [&] { host_.AddFile(index, "DIRC", {.changed = 30 * kSecond}); };
  const std::vector<GitChange> changes = review();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].path, index);
  on_detach_ = {};
  fails_ = index;
  EXPECT_EQ(review().size(), 1U);
}

}  // namespace
}  // namespace mxc
