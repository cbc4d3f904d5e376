// Directories that other users keep for themselves, below the grants of root.
#include "policy/unreachable.h"

#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::unreachable_test {
namespace {

class UnreachableTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().SetCaller(0, 0).AddDirectory("/srv/work");
    host_.AddDirectory("/srv/work/theirs", {.mode = 0700, .uid = 1001, .gid = 1001});
    host_.AddFile("/srv/work/theirs/a/secret", "s");
  }
  [[nodiscard]] std::string Rules(const Lists& lists, Containment containment = Containment::kNamespaces) {
    Config config = ConfigOf(lists);
    config.intent = Intent::kConcrete;
    config.containment = containment;
    const Result<Policy> policy = Resolve(config, host_, {});
    return policy ? RulesText(*policy) : RefusalOf(policy);
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(UnreachableTest, IsDeniedAsAWholeWhereSomethingBelowIsHeld) {
  EXPECT_EQ(Rules({.rw = {"/srv/work"}}), "read-write /srv/work\n");
  const std::string denied =
      "read-write /srv/work\ndenied /srv/work/theirs\ndenied /srv/work/theirs/a/secret\n";
  for (const Containment containment :
       {Containment::kNamespaces, Containment::kBubblewrap, Containment::kLxc}) {
    EXPECT_EQ(Rules({.rw = {"/srv/work"}, .denied = {"/srv/work/theirs/a/secret"}}, containment), denied);
  }
  host_.AddMount("/srv/work/theirs/disk", "ext4", true);
  EXPECT_EQ(Rules({.ro = {"/srv/work"}}), "read-only /srv/work\ndenied /srv/work/theirs\n");
}

TEST_F(UnreachableTest, OthersThatMayEnterAreNone) {
  const Lists lists{.rw = {"/srv/work"}, .denied = {"/srv/work/theirs/a/secret"}};
  const std::string plain = "read-write /srv/work\ndenied /srv/work/theirs/a/secret\n";
  host_.AddDirectory("/srv/work/theirs", {.mode = 0711, .uid = 1001});
  EXPECT_EQ(Rules(lists), plain);
  host_.AddDirectory("/srv/work/theirs", {.mode = 0710, .uid = 1001, .gid = 0});
  EXPECT_EQ(Rules(lists), plain);
  host_.AddDirectory("/srv/work/theirs", {.mode = 0700, .uid = 0});
  EXPECT_EQ(Rules(lists), plain);
}

TEST_F(UnreachableTest, WhatCannotBeHeldOrReachedRefuses) {
  EXPECT_EQ(Rules({.rw = {"/srv/work/theirs"}, .denied = {"/srv/work/theirs/a/secret"}}),
            "policy_conflict /filesystem/readwritePaths/0: '/srv/work/theirs' is granted, but its owner lets "
            "nobody else in, and inside root has no privileges: what stands below it "
            "('/srv/work/theirs/a/secret') cannot be held");
  EXPECT_EQ(Rules({.rw = {"/srv/work/theirs/a"}}), "read-write /srv/work/theirs/a\n");
  EXPECT_EQ(Rules({.rw = {"/srv/work/theirs/a"}}, Containment::kBubblewrap),
            "policy_conflict /filesystem/readwritePaths/0: '/srv/work/theirs/a' is below '/srv/work/theirs', "
            "where its owner lets nobody else in: bubblewrap cannot get there for root");
}

}  // namespace
}  // namespace mxc::unreachable_test
