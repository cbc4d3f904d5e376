// An image below a ceiling: whose it may be, and what is denied in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::ceiling_image_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOwn = "/home/me/.local/share/mxc-exec/images/x/1";
constexpr const char* kRoots = "/var/lib/mxc-exec/images/x/1";

Ceiling CeilingOf(const Lists& lists) {
  return {.file = "ceiling", .sections = {{.bounds = ConfigOf(lists), .filesystem = true}}};
}

class CeilingImage : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().AddDirectory("/home/me/work", {.uid = 1000}).AddDirectory("/srv/secret");
    host_.AddDirectory("/srv/closed").AddUnreadable("/srv/closed");
    for (const std::string image : {kOwn, kRoots}) {
      host_.AddFile(image + "/bin/sh").AddFile(image + "/srv/secret/s").AddFile(image + "/srv/closed/key");
      host_.AddFile(image + "/home/you/.ssh/id").AddFile(image + "/opt/shown");
    }
  }
  // The policy's rules under the ceiling, or why there are none.
  [[nodiscard]] std::string Under(const Lists& ceiling, const std::string& image,
                                  const Lists& lists = {}) const {
    const Ceiling bounds = CeilingOf(ceiling);
    Cuts cuts;
    const Result<Policy> policy =
        Resolve(ConfigOf(lists), host_, {.image = image, .bounds = {.ceiling = &bounds, .cuts = &cuts}});
    return policy ? RulesText(*policy) : RefusalOf(policy);
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(CeilingImage, IsGrantedLikeAnyDirectory) {
  EXPECT_THAT(Under({.rw = {"/home/me/work"}}, kOwn),
              HasSubstr("the image '" + std::string(kOwn) + "' is not granted"));
  EXPECT_THAT(Under({.ro = {"/home"}, .denied = {"/home/me/.local"}}, kOwn),
              HasSubstr("is not granted (/ceiling/filesystem/deniedPaths/0)"));
  EXPECT_EQ(Under({.ro = {"/home/me/.local"}}, kOwn), "");
  EXPECT_EQ(Under({.rw = {"/"}}, kOwn), "");
}

TEST_F(CeilingImage, RootsOwnNeedNoGrant) {
  EXPECT_EQ(Under({}, kRoots), "");
  EXPECT_THAT(Under({.denied = {"/var/lib/mxc-exec"}}, kRoots), HasSubstr("is not granted"));
  host_.AddDirectory("/var/lib/mxc-exec/images/x", {.mode = 0777});
  EXPECT_THAT(Under({}, kRoots), HasSubstr("is not granted"));
  host_.AddDirectory("/var/lib/mxc-exec/images/x", {.mode = 0755, .uid = 1000});
  EXPECT_THAT(Under({}, kRoots), HasSubstr("is not granted"));
}

// Also where the host has nothing of the name, or the caller cannot look.
TEST_F(CeilingImage, DeniedPathsAreDeniedInside) {
  EXPECT_EQ(Under({.denied = {"/srv/secret", "/home/*/.ssh", "/srv/closed/key"}}, kRoots),
            "denied /home/you/.ssh\ndenied /srv/closed/key\ndenied /srv/secret\n");
  host_.AddSymlink("/etc/kept", "/srv/secret");
  EXPECT_EQ(Under({.denied = {"/etc/kept"}}, kRoots), "denied /srv/secret\n");
  EXPECT_THAT(Under({.denied = {"/"}}, kRoots), HasSubstr("'/' is denied"));
}

TEST_F(CeilingImage, DeniedFilesOfTheImageAreDeniedInside) {
  EXPECT_EQ(Under({.rw = {"/home/me"}, .denied = {"/home/me/**/shown"}}, kOwn), "denied /opt/shown\n");
  host_.AddBind("/mnt/images", "/home/me/.local/share/mxc-exec/images");
  EXPECT_EQ(Under({.rw = {"/home/me"}, .denied = {"/mnt/images/x/1/opt"}}, kOwn), "denied /opt\n");
}

// A grant of the image's directory shows the same files under their names on the host.
TEST_F(CeilingImage, DeniedPathsAreDeniedBySecondNames) {
  for (const char* denied : {"/srv/secret", "/srv/s*", "/opt/shown"}) {
    const std::string text =
        Under({.ro = {"/home/me"}, .denied = {denied}}, kOwn, {.ro = {"/home/me/.local/share"}});
    const std::string name = denied == std::string("/srv/s*") ? "/srv/secret" : denied;
    EXPECT_THAT(text, AllOf(HasSubstr("denied " + std::string(kOwn) + name + "\n"),
                            HasSubstr("denied " + name + "\n")));
  }
}

TEST_F(CeilingImage, WhatIsDeniedBySecondNamesIsTold) {
  const Ceiling bounds = CeilingOf({.ro = {"/home/me"}, .denied = {"/opt/shown"}});
  Cuts cuts;
  const Result<Policy> policy = Resolve(ConfigOf({.ro = {"/home/me/.local/share"}}), host_,
                                        {.image = kOwn, .bounds = {.ceiling = &bounds, .cuts = &cuts}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  std::string told;
  for (const Warning& warning : cuts.Warnings()) told += warning.message + "\n";
  EXPECT_THAT(
      told, HasSubstr("'" + std::string(kOwn) + "/opt/shown' is denied (/ceiling/filesystem/deniedPaths/0)"));
  for (const PathRule& rule : policy->paths) {
    if (rule.access != Access::kDenied) continue;
    EXPECT_EQ(rule.pointer, "/ceiling/filesystem/deniedPaths/0");
  }
}

// What the policy's own pattern comes to does not depend on one of the ceiling's.
TEST_F(CeilingImage, WarningsOfThePolicyStay) {
  const Ceiling bounds = CeilingOf({.ro = {"/home/me"}, .denied = {"/srv/s*"}});
  Cuts cuts;
  const Result<Policy> policy = Resolve(ConfigOf({.denied = {"/srv/none*"}}), host_,
                                        {.image = kOwn, .bounds = {.ceiling = &bounds, .cuts = &cuts}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(WarningsText(*policy), "glob-unmatched /filesystem/deniedPaths/0\n");
}

TEST_F(CeilingImage, AGrantOverTheImageIsCutAsOnTheHost) {
  host_.AddDirectory("/home/me/work/sub", {.uid = 1000}).AddDirectory(std::string(kRoots) + "/home/me/work");
  EXPECT_THAT(Under({.rw = {"/home"}, .denied = {"/home/me/work/sub"}}, kRoots, {.rw = {"/home/me/work"}}),
              AllOf(HasSubstr("read-write /home/me/work\n"), HasSubstr("denied /home/me/work/sub\n"),
                    Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace mxc::ceiling_image_test
