#include "policy/denial.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"

namespace mxc {
namespace {

class DenialTest : public ::testing::Test {
 protected:
  DenialTest() {
    host.AddDebian()
        .AddFile("/srv/work/file", "", {.uid = 1000})
        .AddFile("/srv/work/.env", "", {.uid = 1000})
        .AddFile("/srv/work/.git/hooks/x", "", {.uid = 1000})
        .AddFile("/srv/data/file")
        .AddFile("/home/me/key")
        .AddFile("/home/other/key", "", {.readable = false, .writable = false})
        .AddFile("/tmp/of-the-host")
        .AddSymlink("/srv/work/out", "/home/me/key");
    policy.paths = {
        Rule("/etc", Access::kReadOnly, "", Origin::kBaseline),
        Rule("/etc/shadow", Access::kDenied, "", Origin::kBaseline),
        Rule("/srv/data", Access::kReadOnly, "/filesystem/readonlyPaths/0"),
        Rule("/srv/work", Access::kReadWrite, "/filesystem/readwritePaths/0"),
        Rule("/srv/work/.env", Access::kDenied, "/filesystem/deniedPaths/0"),
        Rule("/srv/work/.git/hooks", Access::kReadOnly, "/filesystem/protect", Origin::kProtection)};
    host.AddFile("/etc/shadow");
  }
  static PathRule Rule(std::string path, Access access, std::string pointer,
                       Origin origin = Origin::kPolicy) {
    return {.path = std::move(path), .access = access, .pointer = std::move(pointer), .origin = origin};
  }
  // "reason; pointer; grant", or "none".
  std::string Judge(FileUse use, const std::string& path) {
    const std::optional<FileDenial> denial = DenialJudge(policy, host).Judge({.use = use, .path = path});
    if (!denial) return "none";
    return denial->reason + "; " + denial->pointer + "; " + denial->grant;
  }

  FakeHost host;
  Policy policy;
};

TEST_F(DenialTest, WhatIsGrantedIsNone) {
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/file"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/new"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/data/file"), "none");
}

TEST_F(DenialTest, WhatNothingGrants) {
  EXPECT_EQ(Judge(FileUse::kRead, "/home/me/key"), "nothing of the policy grants it; ; /home/me/key");
  EXPECT_EQ(Judge(FileUse::kLook, "/srv/work/../../home/me"), "nothing of the policy grants it; ; /home/me");
}

// An image's files are nobody's to change, and what it lacks is not there.
TEST_F(DenialTest, WhereAnImageShows) {
  host.SetCaller(0, 0)
      .AddFile("/opt/tool")
      .AddFile("/opt/both")
      .AddFile("/image/opt/both")
      .AddFile("/image/opt/own");
  policy.paths.push_back(Rule("/opt", Access::kReadOnly, "", Origin::kBaseline));
  policy.paths.back().source = "/image/opt";
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/tool"), "nothing of the policy grants it; ; /opt/tool");
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/both"), "none");
  policy.paths[0].source = "/image/etc";
  EXPECT_EQ(Judge(FileUse::kRead, "/etc/passwd"), "none") << "of another system";
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/own"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/opt/both"), "part of the image, which is read-only; /lxc; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/opt/new"), "part of the image, which is read-only; /lxc; ");
}

TEST_F(DenialTest, AFileThatWouldBeNewNeedsItsDirectory) {
  EXPECT_EQ(Judge(FileUse::kWrite, "/home/me/new"), "nothing of the policy grants it; ; /home/me");
  EXPECT_EQ(Judge(FileUse::kWrite, "/home/me/no/such/new"), "none");
}

TEST_F(DenialTest, TheClauseThatDecided) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/.env"), "denied; /filesystem/deniedPaths/0; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/data/file"), "read-only; /filesystem/readonlyPaths/0; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/.git/hooks/x"),
            "protected against changes; /filesystem/protect; ");
}

TEST_F(DenialTest, TheDefaultsThatDecided) {
  host.SetCaller(0, 0);
  EXPECT_EQ(Judge(FileUse::kRead, "/etc/shadow"), "hidden by default; ; /etc/shadow");
  EXPECT_EQ(Judge(FileUse::kWrite, "/etc/passwd"), "part of the system, which is read-only; ; /etc/passwd");
}

TEST_F(DenialTest, WhatTheHostRefusesOrLacksIsNoneOfOurs) {
  EXPECT_EQ(Judge(FileUse::kRead, "/home/me/missing"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/home/other/key"), "none");
}

TEST_F(DenialTest, LinksAreFollowed) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/out"), "nothing of the policy grants it; ; /home/me/key");
}

TEST_F(DenialTest, DirectoriesOnTheWayToAGrantAreThere) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv"), "none");
  EXPECT_EQ(Judge(FileUse::kLook, "/"), "none");
}

TEST_F(DenialTest, WhatStandsInForADeniedFileCanBeLookedAt) {
  EXPECT_EQ(Judge(FileUse::kLook, "/srv/work/.env"), "none");
}

TEST_F(DenialTest, OfTheSandboxsOwnOnlyTheHostsTemporaryFilesAreMissed) {
  host.AddFile("/proc/cpuinfo");
  EXPECT_EQ(Judge(FileUse::kRead, "/proc/cpuinfo"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/tmp/new"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/of-the-host"),
            "the sandbox has a /tmp of its own; ; /tmp/of-the-host");
}

}  // namespace
}  // namespace mxc
