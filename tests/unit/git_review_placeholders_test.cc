// What another run holds in the same grant is none of what the command has left.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mxc/plan.h"
#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc::git_review_placeholders_test {
namespace {

std::string Review(const FakeHost& host) {
  const GitSnapshot before{.roots = {"/srv/w"}, .places = {{.path = "/srv/w/.git", .part = "/srv/w/.git"}}};
  std::string gap;
  std::string text;
  for (const GitChange& change : ReviewGit(before, host, gap)) text += change.path + "\n";
  return text + gap;
}

void AddRepository(FakeHost& host) {
  host.AddFile("/srv/w/.git/HEAD").AddDirectory("/srv/w/.git/objects").AddDirectory("/srv/w/.git/refs");
}

TEST(GitReviewPlaceholders, ThoseOfAnotherRunStay) {
  FakeHost host;
  AddRepository(host);
  host.AddFile("/srv/w/x/.git", "", {.mode = kPlaceholderMode});
  host.AddFile("/srv/w/.git/rebase-merge", "", {.mode = kPlaceholderMode});
  host.AddFile("/srv/w/.git/index", "", {.mode = kPlaceholderFileMode});
  EXPECT_EQ(Review(host), "");
}

// No other run holds a name where something stood.
TEST(GitReviewPlaceholders, OneInThePlaceOfAProtectedLinkIsTold) {
  FakeHost host;
  AddRepository(host);
  host.AddFile("/srv/w/.git/hooks", "", {.mode = kPlaceholderFileMode});
  const GitSnapshot before{.roots = {"/srv/w"},
                           .places = {{.path = "/srv/w/.git", .part = "/srv/w/.git"}},
                           .links = {{.path = "/srv/w/.git/hooks", .text = "../hooks"}}};
  std::string gap;
  const std::vector<GitChange> changes = ReviewGit(before, host, gap);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kind, GitChange::Kind::kLinkTurned);
}

TEST(GitReviewPlaceholders, WhatOnlyLooksLikeOneIsTold) {
  FakeHost host;
  AddRepository(host);
  host.AddFile("/srv/w/x/.git", "gitdir: ../evil\n", {.mode = kPlaceholderFileMode});
  host.AddFile("/srv/w/y/.git", "", {.mode = 0600});
  host.AddSymlink("/srv/w/.git/rebase-merge", "/srv/w/evil");
  EXPECT_EQ(Review(host), "/srv/w/.git/rebase-merge\n/srv/w/x/.git\n/srv/w/y/.git\n");
}

}  // namespace
}  // namespace mxc::git_review_placeholders_test
