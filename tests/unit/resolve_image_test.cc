// The root file system of an image under the paths of a policy: what shows where, and what has no room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::resolve_image_test {
namespace {

constexpr const char* kImage = "/var/cache/image";

class ResolveImage : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDirectory("/srv/work").AddFile("/srv/file").AddFile("/etc/passwd", "me:x:1000:1000::/:\n");
    AddImage("/bin/busybox").AddImage("/etc/passwd", "guest:x:1000:1000::/:\n").AddImage("/usr/share/words");
    host_.AddSymlink(std::string(kImage) + "/bin/sh", "/bin/busybox")
        .AddSymlink(std::string(kImage) + "/lib64", "lib")
        .AddDirectory(std::string(kImage) + "/proc")
        .AddDirectory(std::string(kImage) + "/tmp")
        .AddDirectory(std::string(kImage) + "/srv/other");
  }
  ResolveImage& AddImage(const std::string& path, const std::string& text = "x") {
    host_.AddFile(kImage + path, text);
    return *this;
  }
  [[nodiscard]] Result<Policy> With(const Lists& lists, const std::string& cwd = {}) const {
    Config config = ConfigOf(lists);
    config.process.cwd = cwd;
    return Resolve(config, host_, {.image = kImage});
  }
  // What of the image is shown, a path a line.
  static std::string Shown(const Result<Policy>& policy) {
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      if (rule.source.empty()) continue;
      EXPECT_EQ(rule.source, kImage + rule.path);
      EXPECT_EQ(rule.access, Access::kReadOnly);
      text += rule.path + "\n";
    }
    return text;
  }

  FakeHost host_;
};

TEST_F(ResolveImage, TakesThePlaceOfTheBaseline) {
  host_.AddDebian();
  const Result<Policy> policy = With({});
  EXPECT_EQ(Shown(policy), "/bin\n/etc\n/srv\n/usr\n");
  EXPECT_EQ(LinksText(*policy), "/lib64 -> lib\n");
  EXPECT_EQ(RulesText(*policy, Origin::kBaseline),
            "read-only /bin\nread-only /etc\nread-only /srv\nread-only /usr\n");
}

// The list of users is the image's own, wherever its links seem to lead on this host.
TEST_F(ResolveImage, NoLinkOfTheImageLeadsToAFileOfThisHost) {
  const auto user = [this] {
    const Result<Policy> policy = With({});
    if (!policy) return RefusalOf(policy);
    for (const Variable& variable : policy->process.environment)
      if (variable.name == "USER") return variable.value.Reveal();
    return std::string("none");
  };
  const std::string passwd = std::string(kImage) + "/etc/passwd";
  EXPECT_EQ(user(), "guest");
  host_.AddFile("/srv/private", "secret:x:1000:1000::/:\n");
  for (const char* to : {"/srv/private", "../../../../../../srv/private"}) {
    host_.Remove(passwd).AddSymlink(passwd, to);
    EXPECT_EQ(user(), "none") << to;
  }
  host_.Remove(passwd).AddSymlink(passwd, "/usr/share/users");
  AddImage("/usr/share/users", "linked:x:1000:1000::/:\n");
  EXPECT_EQ(user(), "linked");
}

TEST_F(ResolveImage, AUserNameOfTheImageIsAPortableOne) {
  const auto named = [this](const std::string& name) {
    AddImage("/etc/passwd", name + ":x:1000:1000::/:\n");
    const Result<Policy> policy = With({});
    return policy && std::any_of(policy->process.environment.begin(), policy->process.environment.end(),
                                 [](const Variable& variable) { return variable.name == "USER"; });
  };
  for (const char* name : {"me", "A.b_c-9", "_x"}) EXPECT_TRUE(named(name)) << name;
  for (const char* name : {"-me", "a b", "a\x1b[2K", "$(x)", "a/b", "\xc3\xa4"})
    EXPECT_FALSE(named(name)) << name;
}

TEST_F(ResolveImage, ADirectoryWithoutTheMountPointIsTakenApart) {
  const Result<Policy> policy = With({.rw = {"/srv/work"}, .ro = {"/srv/file"}});
  EXPECT_EQ(Shown(policy), "/bin\n/etc\n/srv/other\n/usr\n");
  EXPECT_EQ(RulesText(*policy), "read-only /srv/file\nread-write /srv/work\n");
}

TEST_F(ResolveImage, AMountPointThatItHasIsUsed) {
  host_.AddDirectory(std::string(kImage) + "/srv/work");
  EXPECT_EQ(Shown(With({.rw = {"/srv/work"}})), "/bin\n/etc\n/srv\n/usr\n");
  host_.AddDirectory("/tmp/work");
  EXPECT_EQ(Shown(With({.rw = {"/tmp/work"}})), "/bin\n/etc\n/srv\n/usr\n") << "/tmp is the sandbox's own";
}

// A directory cannot be mounted on a file, nor the other way round.
TEST_F(ResolveImage, WhatAGrantDoesNotFitOnIsHidden) {
  AddImage("/srv/work");
  EXPECT_EQ(Shown(With({.rw = {"/srv/work"}})), "/bin\n/etc\n/srv/other\n/usr\n");
}

TEST_F(ResolveImage, WhatIsInTheWayIsAConflict) {
  host_.AddDirectory("/lib64/x").AddDirectory("/etc/passwd.d").AddDirectory("/bin/busybox/x");
  EXPECT_EQ(
      RefusalOf(With({.ro = {"/lib64/x"}})),
      "policy_conflict /filesystem/readonlyPaths/0: '/lib64/x' has no place in the image: its '/lib64' is no "
      "directory");
  EXPECT_EQ(RefusalOf(With({.ro = {"/bin/busybox/x"}})),
            "policy_conflict /filesystem/readonlyPaths/0: '/bin/busybox/x' has no place in the image: its "
            "'/bin/busybox' is no "
            "directory");
  EXPECT_EQ(RefusalOf(With({.ro = {"/"}})),
            "policy_conflict /filesystem/readonlyPaths/0: '/' is granted, and would cover the image");
}

TEST_F(ResolveImage, SpellingsThroughLinksNeedRoom) {
  host_.AddSymlink("/work", "/srv/work").AddSymlink("/srv/link", "work").AddSymlink("/usr", "/srv");
  EXPECT_EQ(LinksText(*With({.ro = {"/work"}})), "/work -> /srv/work\n/lib64 -> lib\n");
  const Result<Policy> inside = With({.ro = {"/srv/link"}});
  EXPECT_EQ(Shown(inside), "/bin\n/etc\n/srv/other\n/usr\n");
  EXPECT_EQ(LinksText(*inside), "/srv/link -> work\n/lib64 -> lib\n");
  EXPECT_EQ(
      RefusalOf(With({.ro = {"/usr/work"}})),
      "policy_conflict : the policy names paths through '/usr', a link to '/srv' on this host, and the image "
      "has something "
      "else there");
}

TEST_F(ResolveImage, TheSameLinkIsOne) {
  host_.AddSymlink("/lib64", "lib").AddDirectory("/lib/x");
  const Result<Policy> policy = With({.ro = {"/lib64/x"}});
  EXPECT_EQ(LinksText(*policy), "/lib64 -> lib\n") << RefusalOf(policy);
}

// What a path is denied for is what stands there inside, not what the host has.
TEST_F(ResolveImage, DenialsReachTheImagesOwnFiles) {
  host_.AddFile("/etc/host-only").AddFile("/bin/sh");
  const Result<Policy> policy = With({.denied = {"/etc/passwd", "/etc/host-only", "/bin/sh", "/usr/share"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  const auto object = [&](const std::string& path) -> std::optional<FileObject> {
    for (const PathRule& rule : policy->paths) {
      if (rule.path == path && rule.access == Access::kDenied) return rule.object;
    }
    return std::nullopt;
  };
  ASSERT_TRUE(object("/etc/passwd"));
  EXPECT_EQ(object("/etc/passwd")->inode, host_.ObjectAt(std::string(kImage) + "/etc/passwd").inode);
  EXPECT_FALSE(object("/etc/host-only")) << "nothing of that name shows";
  EXPECT_TRUE(object("/bin/busybox")) << "where the image's /bin/sh leads";
  EXPECT_EQ(object("/usr/share")->type, FileType::kDirectory);
}

TEST_F(ResolveImage, PatternsReachTheImagesOwnFiles) {
  for (const char* path : {"/opt/a/.env", "/opt/b/x/.env", "/opt/c/env"}) AddImage(path);
  host_.AddSymlink(std::string(kImage) + "/srv/other/away", "/opt/c");  // of the image's, not of the host's
  const Result<Policy> policy = With({.denied = {"/opt/**/.env", "/srv/*/*/env"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "denied /opt/a/.env\ndenied /opt/b/x/.env\ndenied /opt/c/env\n");
}

// A file has two names: what is denied under the one is not shown under the other.
TEST_F(ResolveImage, DenialsOfTheImagesDirectoryHoldInside) {
  const Result<Policy> policy = With({.denied = {std::string(kImage) + "/etc/passwd"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /etc/passwd\n"));
}

// One file, two names: what is denied by its path inside is denied by the host's name of it as well, where a
// grant shows that.
TEST_F(ResolveImage, ADenialByAPathInsideHoldsForTheNameOnTheHost) {
  AddImage("/srv/k/a.key");
  AddImage("/srv/k/open");
  host_.AddSymlink(std::string(kImage) + "/srv/way", "/srv/k")
      .AddSymlink(std::string(kImage) + "/srv/back", "../../../../srv/k/a.key");
  const std::string key = "denied " + std::string(kImage) + "/srv/k/a.key\n";
  for (const char* denied : {"/srv/k/a.key", "/srv/*/a.key", "/srv/way/a.key", "/srv/w*/a.key", "/srv/back",
                             "/var/cache/image/srv/way/a.key", "/var/cache/image/srv/w*/a.key"}) {
    const Result<Policy> policy = With({.ro = {std::string(kImage) + "/srv"}, .denied = {denied}});
    ASSERT_TRUE(policy.ok()) << denied << RefusalOf(policy);
    EXPECT_THAT(RulesText(*policy), testing::HasSubstr(key)) << denied;
    EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /srv/k/a.key\n")) << denied;
    EXPECT_THAT(WarningsText(*policy), testing::Not(testing::HasSubstr("glob-unmatched"))) << denied;
  }
  const Result<Policy> whole = With({.ro = {std::string(kImage) + "/srv"}, .denied = {"/srv/k"}});
  EXPECT_THAT(RulesText(*whole), testing::HasSubstr("denied " + std::string(kImage) + "/srv/k\n"));
}

TEST_F(ResolveImage, ADenialByAPathInsideIsNotListedWhereNothingShowsItsNameOnTheHost) {
  const Result<Policy> policy = With({.denied = {"/etc/passwd"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "denied /etc/passwd\n");
}

TEST_F(ResolveImage, ADenialByAPathInsideHoldsForAGrantOfTheFileItself) {
  AddImage("/srv/k/a.key");
  const Result<Policy> policy =
      With({.ro = {std::string(kImage) + "/srv/k/a.key"}, .denied = {"/srv/k/a.key"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "denied /srv/k/a.key\n") << "no grant shows the other name";
  EXPECT_THAT(WarningsText(*policy), testing::HasSubstr("tightened /filesystem/readonlyPaths/0\n"));
}

TEST_F(ResolveImage, ADenialByAPathInsideHoldsForTheSourceOfAnImageThatIsAMount) {
  host_.AddFile("/srv/root/etc/secret").AddFile("/srv/root/bin/sh").AddBind("/mnt/image", "/srv/root");
  const Result<Policy> policy =
      Resolve(ConfigOf({.ro = {"/srv/root"}, .denied = {"/etc/secret"}}), host_, {.image = "/mnt/image"});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::AllOf(testing::HasSubstr("denied /srv/root/etc/secret\n"),
                                                 testing::HasSubstr("denied /etc/secret\n")));
}

// Read-write entries by other names of the image's files do not make these writable.
TEST_F(ResolveImage, TheSourceOfAnImageThatIsAMountIsReadOnly) {
  host_.AddFile("/srv/root/etc/secret").AddFile("/srv/root/bin/sh").AddBind("/mnt/image", "/srv/root");
  const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/srv/root"}}), host_, {.image = "/mnt/image"});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy), "read-only /srv/root\n");
  EXPECT_THAT(RefusalOf(Resolve(ConfigOf({.rw = {"/srv/root/etc"}}), host_, {.image = "/mnt/image"})),
              testing::HasSubstr("a mount makes it another name of '/mnt/image/etc', which is read-only"));
}

TEST_F(ResolveImage, ADenialByAPathInsideHoldsInAWorkspaceAboveTheImage) {
  Config config = ConfigOf({.denied = {"/etc/passwd"}});
  config.process.workspace = {.host = "/var/cache", .guest = "/workspace", .pointer = "/workspace"};
  const Result<Policy> policy = Resolve(config, host_, {.image = kImage});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /var/cache/image/etc/passwd\n"));
}

// The image may say where a path leads inside: into a grant, for instance.
TEST_F(ResolveImage, ADenialFollowsALinkOfTheImageIntoAGrant) {
  host_.AddFile("/srv/work/a.key").AddFile("/srv/work/open").AddDirectory("/srv/k");
  host_.AddSymlink(std::string(kImage) + "/srv/k", "/srv/work");
  for (const char* denied : {"/srv/k/a.key", "/srv/k/*.key"}) {
    const Result<Policy> policy = With({.rw = {"/srv/work"}, .denied = {denied}});
    ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
    EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /srv/work/a.key\n")) << denied;
  }
}

// Whoever writes in a grant does not choose what a pattern denies in the image.
TEST_F(ResolveImage, APatternFollowsNoLinkOfAGrantIntoTheImage) {
  host_.AddSymlink("/srv/work/a.key", "/usr").AddSymlink(std::string(kImage) + "/srv/k", "/srv/work");
  const Result<Policy> policy = With({.rw = {"/srv/work"}, .denied = {"/srv/k/*.key", "/srv/work/*.key"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::Not(testing::HasSubstr("denied /usr")));
}

TEST_F(ResolveImage, ADenialThatLeadsToTheRootOfTheImageIsRefused) {
  host_.AddSymlink(std::string(kImage) + "/srv/all", "/");
  EXPECT_EQ(RefusalOf(With({.denied = {"/srv/all"}})),
            "policy_conflict /filesystem/deniedPaths/0: the image '/var/cache/image' is denied");
}

TEST_F(ResolveImage, ADenialInsideThatCannotBeResolvedIsRefused) {
  AddImage("/srv/k/a.key");
  host_.AddUnreadable(std::string(kImage) + "/srv/k", LookupFailure::kOther, "Input/output error");
  EXPECT_THAT(RefusalOf(With({.denied = {"/srv/k/a.key"}})),
              testing::AllOf(testing::HasSubstr("/filesystem/deniedPaths/0: '/srv/k/a.key'"),
                             testing::HasSubstr("in the image"), testing::HasSubstr("Input/output error")));
}

TEST_F(ResolveImage, OtherNamesOfADeniedFileInItAreToldOf) {
  host_.AddFile(std::string(kImage) + "/srv/k/a.key", "x", {.links = 2});
  for (const char* denied : {"/srv/k/a.key", "/srv/*/a.key"})
    EXPECT_EQ(WarningsText(*With({.denied = {denied}})), "hard-link /filesystem/deniedPaths/0\n") << denied;
}

// What the host denies may be a link in the image.
TEST_F(ResolveImage, ADenialIsFollowedInside) {
  host_.AddFile("/etc/secret").AddSymlink("/secret", "/etc/secret");
  host_.AddSymlink(std::string(kImage) + "/etc/secret", "../usr/share/words");
  const Result<Policy> policy = With({.denied = {"/secret"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /usr/share/words\n"));
}

TEST_F(ResolveImage, ALinkOnTheWayChoosesNoImage) {
  host_.AddSymlink("/home/me/images", kImage, {.uid = 1000});
  const Result<Policy> policy = Resolve(ConfigOf({}), host_, {.image = "/home/me/images"});
  EXPECT_THAT(RefusalOf(policy), testing::HasSubstr("leads through the symbolic link '/home/me/images'"));
}

TEST_F(ResolveImage, DenialsBelowAGrantAreTheHosts) {
  host_.AddFile("/srv/work/secret");
  const Result<Policy> policy = With({.rw = {"/srv/work"}, .denied = {"/srv/work/secret"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  for (const PathRule& rule : policy->paths) {
    if (rule.path != "/srv/work/secret") continue;
    EXPECT_EQ(rule.object->inode, host_.ObjectAt("/srv/work/secret").inode);
  }
}

TEST_F(ResolveImage, TheDirectoryAndTheUserAreThoseInside) {
  const Result<Policy> policy = With({}, "/usr/share");
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(policy->process.cwd, "/usr/share");
  for (const Variable& variable : policy->process.environment) {
    if (variable.name != "USER") continue;
    EXPECT_EQ(variable.value.Reveal(), "guest");
  }
  EXPECT_EQ(RefusalOf(With({}, "/srv/work")),
            "policy_conflict : cwd '/srv/work' is not visible inside the sandbox");
}

TEST_F(ResolveImage, NodesOfAnImageAreLeftOut) {
  host_.AddNode(std::string(kImage) + "/pipe", FileType::kFifo)
      .AddNode(std::string(kImage) + "/disk", FileType::kBlockDevice);
  EXPECT_EQ(Shown(With({})), "/bin\n/etc\n/srv\n/usr\n");
}

TEST_F(ResolveImage, SocketsInItAreDeniedByTheirNameInside) {
  host_.AddLiveSocket(std::string(kImage) + "/srv/other/daemon.sock");
  const Result<Policy> policy = With({});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(host_.SearchedForSockets().directories, testing::Contains(kImage));
  EXPECT_EQ(RulesText(*policy), "denied /srv/other/daemon.sock\n");
  EXPECT_EQ(WarningsText(*policy), "daemon-socket /lxc\n");
}

// A workspace that the image is in is another path inside.
TEST_F(ResolveImage, SocketsInItAreDeniedInAWorkspaceAboveIt) {
  host_.AddLiveSocket(std::string(kImage) + "/srv/other/daemon.sock");
  Config config = ConfigOf({});
  config.process.workspace = {.host = "/var/cache", .guest = "/workspace", .pointer = "/workspace"};
  const Result<Policy> policy = Resolve(config, host_, {.image = kImage});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /srv/other/daemon.sock\n"));
}

TEST_F(ResolveImage, MountsBelowItAreRefused) {
  host_.AddMount("/mnt/usb", "ext4", true);
  EXPECT_TRUE(With({}).ok());
  host_.AddMount(std::string(kImage) + "/proc", "proc");
  const Result<Policy> policy = With({});
  EXPECT_EQ(RefusalOf(policy),
            "policy_conflict /lxc: the image '/var/cache/image' has a file system mounted in it, at "
            "'/var/cache/image/proc' (proc)");
  EXPECT_EQ(policy.error().hint, "unmount it: `umount '/var/cache/image/proc'`");
}

TEST_F(ResolveImage, BindMountsBelowItAreRefused) {
  host_.AddBind(std::string(kImage) + "/srv/other", "/srv/work");
  EXPECT_THAT(RefusalOf(With({})), testing::HasSubstr("at '/var/cache/image/srv/other'"));
}

// Its directory may be a mount point: what is denied by another name is denied inside.
TEST_F(ResolveImage, DenialsHoldForTheOtherNamesOfItsDirectory) {
  host_.AddFile("/srv/root/etc/secret").AddFile("/srv/root/bin/sh").AddBind("/mnt/image", "/srv/root");
  const Result<Policy> policy =
      Resolve(ConfigOf({.denied = {"/srv/root/etc/secret"}}), host_, {.image = "/mnt/image"});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), testing::HasSubstr("denied /etc/secret\n"));
  const Result<Policy> whole = Resolve(ConfigOf({.denied = {"/srv/root"}}), host_, {.image = "/mnt/image"});
  EXPECT_THAT(RefusalOf(whole), testing::HasSubstr("the image '/mnt/image' is denied"));
}

TEST_F(ResolveImage, AFileSystemOfTheKernelIsNone) {
  host_.AddMount("/mnt/kernel", "sysfs");
  EXPECT_EQ(RefusalOf(Resolve(ConfigOf({}), host_, {.image = "/mnt/kernel"})),
            "policy_conflict /lxc: the image '/mnt/kernel' is in a file system of the kernel: "
            "'/mnt/kernel' (sysfs)");
}

TEST_F(ResolveImage, TakingApartIsBounded) {
  for (int i = 0; i < 1001; ++i) AddImage("/srv/" + std::to_string(i));
  EXPECT_EQ(Shown(With({})), "/bin\n/etc\n/srv\n/usr\n");
  EXPECT_EQ(RefusalOf(With({.rw = {"/srv/work"}})),
            "policy_conflict : the image has no directory for '/srv/work', and the directories it would "
            "stand in have more than 1000 entries");
}

}  // namespace
}  // namespace mxc::resolve_image_test
