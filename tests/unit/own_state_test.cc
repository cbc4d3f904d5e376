// What mxc-exec keeps for itself never shows, wherever it lies and whether it exists yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "backends/linux/lower.h"
#include "base/runtime_places.h"
#include "tests/unit/policy_text.h"

namespace mxc::own_state_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// The rules of protection: "kept PATH" of what exists, "held PATH" of what does not, "pinned PATH" of what
// keeps its name alone.
std::string KeptText(const Policy& policy) {
  std::string text;
  for (const PathRule& rule : policy.paths) {
    if (rule.origin != Origin::kProtection) continue;
    const char* const there = rule.access == Access::kReadWrite ? "pinned " : "kept ";
    text += (rule.object ? there : "held ") + rule.path + "\n";
  }
  return text;
}

Config ConfigFor(const Lists& lists, Containment containment) {
  Config config = ConfigOf(lists);
  config.intent = Intent::kConcrete;
  config.containment = containment;
  return config;
}

class OwnState : public testing::Test {
 protected:
  void SetUp() override { host_.AddDebian().AddDirectory("/srv/work", {.uid = 1000}); }
  // "denied PATH" and "kept PATH" of what exists, "made PATH" and "held PATH" of what does not.
  [[nodiscard]] std::string Denied(const Lists& lists) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      if (rule.path.find("mxc-exec") == std::string::npos || rule.origin == Origin::kPolicy) continue;
      const bool kept = rule.origin == Origin::kProtection;
      EXPECT_EQ(rule.access, kept ? Access::kReadOnly : Access::kDenied);
      EXPECT_EQ(rule.own_directory_mode != 0, !kept && !rule.object);
      const char* const there = kept ? "kept " : "denied ";
      text += (rule.object ? there : kept ? "held " : "made ") + rule.path + "\n";
    }
    return text;
  }
  FakeHost host_;
};

TEST_F(OwnState, IsDeniedBelowEveryGrant) {
  EXPECT_EQ(Denied({.ro = {"/srv/work"}}), "");
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\n");
  EXPECT_EQ(Denied({.ro = {"/tmp"}}), "made /tmp/mxc-exec-1000\n") << "a run outside may make it meanwhile";
  host_.AddDirectory("/tmp/mxc-exec-1000", {.mode = 0700, .uid = 1000});
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "denied /tmp/mxc-exec-1000\n");
  host_.AddDirectory("/run/user/1000/mxc-exec", {.mode = 0700, .uid = 1000});
  EXPECT_EQ(Denied({.ro = {"/run/user/1000"}}), "denied /run/user/1000/mxc-exec\n");
  host_.SetCaller(0, 0);
  EXPECT_EQ(Denied({.rw = {"/run"}}), "made /run/mxc-exec\ndenied /run/user/1000/mxc-exec\n");
}

// Where runs under Landlock alone have HOME and TMPDIR, whatever containment this one has.
TEST_F(OwnState, IncludesThePlaceForTemporaryFiles) {
  EXPECT_EQ(Denied({.rw = {"/var/tmp"}}), "made /var/tmp/mxc-exec-temp-1000\n");
  EXPECT_EQ(Denied({.ro = {"/var"}}), "made /var/tmp/mxc-exec-temp-1000\n");
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\n") << "nothing is made there";
  host_.AddDirectory("/var/tmp/mxc-exec-temp-1000/mxc-1", {.mode = 0700, .uid = 1000});
  EXPECT_EQ(Denied({.rw = {"/var/tmp"}}), "denied /var/tmp/mxc-exec-temp-1000\n");
  EXPECT_EQ(Denied({.ro = {"/var/tmp/mxc-exec-temp-1000/mxc-1"}}),
            "policy_conflict /filesystem/readonlyPaths/0: '/var/tmp/mxc-exec-temp-1000/mxc-1': what mxc-exec "
            "keeps of sandboxes in '/var/tmp/mxc-exec-temp-1000' never appears inside");
  host_.AddDirectory("/var/tmp/mxc-exec-temp-1000", {.mode = 0700, .uid = 1000}).SetCaller(0, 0);
  EXPECT_EQ(Denied({.rw = {"/var/tmp"}}),
            "made /var/tmp/mxc-exec-temp-0\ndenied /var/tmp/mxc-exec-temp-1000\n");
}

TEST_F(OwnState, HasATemporaryPlaceInTmpWhereVarTmpIsNotWritable) {
  host_.AddDirectory("/var/tmp", {.writable = false});
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\nmade /tmp/mxc-exec-temp-1000\n");
  host_.Remove("/var/tmp");
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\nmade /tmp/mxc-exec-temp-1000\n");
  host_.AddDirectory("/tmp/mxc-exec-temp-1000", {.mode = 0700, .uid = 1000}).AddDirectory("/var/tmp");
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\ndenied /tmp/mxc-exec-temp-1000\n")
      << "a run may be using it";
}

// As inside of a sandbox with mounts of its own, where /tmp may be the host's.
TEST_F(OwnState, HasATemporaryPlaceInShmWhereVarTmpIsMissing) {
  host_.Remove("/var/tmp").AddDirectory("/dev/shm");
  PathWalker walker(host_);
  EXPECT_EQ(FindTempPlace(host_, walker), "/dev/shm/mxc-exec-temp-1000");
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\n") << "no grant reaches /dev/shm";
}

// TMPDIR names the directory of the run around this call, which has no other.
TEST_F(OwnState, InsideARunUnderLandlockAloneIsInItsDirectory) {
  const std::string outer = "/var/tmp/mxc-exec-temp-1000/mxc-1";
  host_.AddDirectory(outer + "/home", {.mode = 0700, .uid = 1000});
  host_.AddDirectory(outer + "/work", {.uid = 1000}).AddDirectory(outer + "2", {.uid = 1000});
  host_.AddDirectory(outer + "/mxc-exec-temp-1000/mxc-3", {.mode = 0700, .uid = 1000});
  host_.SetEnvironment("TMPDIR", outer);
  EXPECT_EQ(Denied({.rw = {outer + "/work"}}), "");
  EXPECT_EQ(Denied({.rw = {outer}}), "denied " + outer + "/mxc-exec-temp-1000\n");
  EXPECT_EQ(Denied({.rw = {"/var/tmp"}}), "denied /var/tmp/mxc-exec-temp-1000\n");
  EXPECT_THAT(Denied({.rw = {outer + "2"}}), EndsWith("never appears inside"));
  EXPECT_THAT(Denied({.rw = {outer + "/mxc-exec-temp-1000/mxc-3"}}), EndsWith("never appears inside"));
  host_.SetEnvironment("TMPDIR", "/srv/work");
  EXPECT_THAT(Denied({.rw = {outer + "/work"}}), EndsWith("never appears inside"));
}

TEST_F(OwnState, ThePlaceForTemporaryFilesIsOfThePolicy) {
  const auto place = [&](Containment containment) {
    const Result<Policy> policy = Resolve(ConfigFor({}, containment), host_, {});
    return policy ? policy->temp_place : RefusalOf(policy);
  };
  EXPECT_EQ(place(Containment::kLandlock), "/var/tmp/mxc-exec-temp-1000");
  EXPECT_EQ(place(Containment::kNamespaces), "") << "which has mounts";
  host_.SetEnvironment("TMPDIR", "/srv/work");
  EXPECT_EQ(place(Containment::kLandlock), "/var/tmp/mxc-exec-temp-1000");
  host_.AddDirectory("/var/tmp", {.writable = false});
  EXPECT_EQ(place(Containment::kLandlock), "/tmp/mxc-exec-temp-1000");
  host_.AddDirectory("/tmp", {.writable = false});
  EXPECT_EQ(place(Containment::kLandlock), "");
}

// A command may have written there before.
TEST_F(OwnState, LiesNowhereThatTheEnvironmentSays) {
  host_.SetEnvironment("XDG_RUNTIME_DIR", "/srv/work/run").AddDirectory("/srv/work/run/mxc-exec");
  EXPECT_EQ(Denied({.rw = {"/srv/work"}}), "");
  const std::string place = RuntimePlaceOf("/srv/work/run", 1000);
  EXPECT_TRUE(place.starts_with("/tmp/mxc-exec-1000/.place-")) << place;
  EXPECT_NE(place, RuntimePlaceOf("/srv/work/other", 1000));
  EXPECT_EQ(RuntimePlaceOf("/run/user/1000", 1000), "/run/user/1000/mxc-exec");
  EXPECT_TRUE(RuntimePlaceOf("/run/user/0", 0).starts_with("/run/mxc-exec/.place-"))
      << "a command of root's could create it";
  EXPECT_TRUE(RuntimePlaceOf("/run/user/1000", 1001).starts_with("/tmp/mxc-exec-1001/.place-"));
}

TEST_F(OwnState, IncludesTheCallersConfiguration) {
  host_.SetEnvironment("HOME", "/home/me").AddDirectory("/home/me/.config/mxc-exec", {.uid = 1000});
  EXPECT_EQ(Denied({.ro = {"/home/me/.config"}}), "");
  EXPECT_EQ(Denied({.rw = {"/home/me/.config"}}), "kept /home/me/.config/mxc-exec\n");
  EXPECT_EQ(
      Denied({.rw = {"/home/me/.config/mxc-exec"}}),
      "policy_conflict /filesystem/readwritePaths/0: '/home/me/.config/mxc-exec': what mxc-exec keeps in "
      "'/home/me/.config/mxc-exec' is no command's to write");
  host_.SetEnvironment("XDG_CONFIG_HOME", "/srv/work/etc");
  EXPECT_EQ(Denied({.rw = {"/srv/work"}}), "held /srv/work/etc/mxc-exec\n");
  EXPECT_EQ(Denied({.rw = {"/home/me/.config"}}), "kept /home/me/.config/mxc-exec\n") << "of the next call";
}

TEST_F(OwnState, IncludesTheConfigurationInTheHomeOfTheListOfUsers) {
  host_.AddDirectory("/home/ana/.config/mxc-exec", {.uid = 1000}).SetEnvironment("HOME", "/srv/h");
  host_.AddDirectory("/home/ana/.local/share/mxc-exec", {.uid = 1000});
  EXPECT_EQ(Denied({.rw = {"/home/ana/.config", "/home/ana/.local"}}),
            "kept /home/ana/.config/mxc-exec\nkept /home/ana/.local/share/mxc-exec\n");
}

TEST_F(OwnState, OfOtherUsersIsDeniedToRoot) {
  host_.AddDirectory("/tmp/mxc-exec-1000", {.mode = 0700, .uid = 1000})
      .AddDirectory("/run/user/1001/mxc-exec", {.mode = 0700, .uid = 1001})
      .SetCaller(0, 0);
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "denied /tmp/mxc-exec-1000\n");
  EXPECT_EQ(Denied({.ro = {"/tmp"}}), "denied /tmp/mxc-exec-1000\n");
  EXPECT_EQ(Denied({.ro = {"/run/user"}}), "denied /run/user/1001/mxc-exec\n");
  EXPECT_EQ(Denied({.rw = {"/tmp/mxc-exec-1000"}}),
            "policy_conflict /filesystem/readwritePaths/0: '/tmp/mxc-exec-1000': what mxc-exec keeps of "
            "sandboxes in '/tmp/mxc-exec-1000' never appears inside");
  host_.AddDirectory("/srv/work/mnt").AddBind("/srv/work/mnt", "/tmp");
  EXPECT_EQ(Denied({.rw = {"/srv/work"}}), "denied /srv/work/mnt/mxc-exec-1000\n");
}

// A name denied to root has to belong to the user it is named after: nobody else can have it denied.
TEST_F(OwnState, OfOtherUsersIsTheirsAlone) {
  host_.AddDirectory("/tmp/mxc-exec-1001", {.mode = 0700, .uid = 1001});
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "made /tmp/mxc-exec-1000\n");
  host_.AddDirectory("/tmp/mxc-exec-1002", {.mode = 0700, .uid = 1003})
      .AddDirectory("/tmp/mxc-exec-1004", {.mode = 0755, .uid = 1004})
      .AddSymlink("/tmp/mxc-exec-1005", "/srv", {.uid = 1005})
      .AddDirectory("/tmp/mxc-exec-01006", {.mode = 0700, .uid = 1006})
      .AddDirectory("/tmp/mxc-exec-x", {.mode = 0700, .uid = 1001})
      .SetCaller(0, 0);
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "denied /tmp/mxc-exec-1001\n");
}

// As /run/user/UID is: root's command gets no farther than that directory, but could rename it.
TEST_F(OwnState, OfOtherUsersBehindTheirDirectoryTakesItAlong) {
  host_.AddDirectory("/run/user/1001", {.mode = 0700, .uid = 1001})
      .AddDirectory("/run/user/1001/mxc-exec", {.mode = 0700, .uid = 1001})
      .AddDirectory("/run/user/1002", {.mode = 0700, .uid = 1002})
      .SetCaller(0, 0);
  for (const Lists& lists : {Lists{.rw = {"/run/user"}}, Lists{.ro = {"/run/user"}}}) {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {});
    ASSERT_TRUE(policy.ok());
    const auto denied = [&](std::string_view path) {
      return std::any_of(policy->paths.begin(), policy->paths.end(), [&](const PathRule& rule) {
        return rule.path == path && rule.access == Access::kDenied;
      });
    };
    EXPECT_TRUE(denied("/run/user/1001"));
    EXPECT_FALSE(denied("/run/user/1002")) << "nothing of ours is there";
  }
  EXPECT_THAT(Denied({.rw = {"/run/user/1001"}}),
              StartsWith("policy_conflict /filesystem/readwritePaths/0: '/run/user/1001"));
}

TEST_F(OwnState, IsDeniedUnderEveryName) {
  host_.AddDirectory("/run/user/1000", {.mode = 0700, .uid = 1000})
      .AddDirectory("/srv/work/mnt")
      .AddBind("/srv/work/mnt", "/run/user/1000");
  EXPECT_EQ(Denied({.rw = {"/srv/work"}}), "made /srv/work/mnt/mxc-exec\n");
}

TEST_F(OwnState, IsNeverGranted) {
  host_.AddFile("/tmp/mxc-exec-1000/ns-1", "");
  for (const std::string path : {"/tmp/mxc-exec-1000", "/tmp/mxc-exec-1000/ns-1"}) {
    EXPECT_EQ(Denied({.rw = {path}}), "policy_conflict /filesystem/readwritePaths/0: '" + path +
                                          "': what mxc-exec keeps of sandboxes in '/tmp/mxc-exec-1000' never "
                                          "appears inside");
  }
}

TEST_F(OwnState, ALinkInItsPlaceRefusesTheRun) {
  host_.AddSymlink("/tmp/mxc-exec-1000", "/srv/work", {.uid = 1000});
  EXPECT_EQ(Denied({.ro = {"/tmp"}}), "");
  EXPECT_THAT(Denied({.rw = {"/tmp"}}),
              StartsWith("policy_conflict /filesystem/readwritePaths/0: '/tmp/mxc-exec-1000', below"));
}

TEST_F(OwnState, WhatNobodyCanMakeNeedsNoMask) {
  host_.AddDirectory("/tmp", {.writable = false});
  EXPECT_EQ(Denied({.ro = {"/tmp"}}), "");
}

// Later runs would execute what is in them.
TEST_F(OwnState, ImagesAreKeptFromWhoCouldWriteThem) {
  host_.AddDirectory("/home/me", {.uid = 1000}).SetEnvironment("HOME", "/home/me");
  EXPECT_EQ(Denied({.rw = {"/home/me"}}),
            "held /home/me/.cache/mxc-exec\nheld /home/me/.config/mxc-exec\n"
            "held /home/me/.local/share/mxc-exec\n");
  EXPECT_EQ(Denied({.ro = {"/home/me"}}), "");
}

// Unpacking is itself a sandboxed run.
TEST_F(OwnState, AnImageThatIsBeingUnpackedIsWritable) {
  const std::string images = "/home/me/.cache/mxc-exec/images";
  host_.SetEnvironment("HOME", "/home/me")
      .AddDirectory("/home/me/.cache/mxc-exec", {.uid = 1000})
      .AddDirectory(images + "/.unpacking-1", {.uid = 1000})
      .AddDirectory(images + "/1", {.uid = 1000});
  EXPECT_TRUE(Resolve(ConfigOf({.rw = {images + "/.unpacking-1"}}), host_, {}).ok());
  EXPECT_EQ(Denied({.rw = {images + "/1"}}),
            "policy_conflict /filesystem/readwritePaths/0: '" + images +
                "/1': what mxc-exec keeps in '/home/me/.cache/mxc-exec' is no command's to write");
}

class LinkedConfiguration : public OwnState {
 protected:
  void SetUp() override {
    OwnState::SetUp();
    host_.SetEnvironment("HOME", "/home/me");
    for (const char* path : {"/home/me", "/home/me/.config", "/home/me/dot", "/home/me/dot/m"})
      host_.AddDirectory(path, {.uid = 1000});
  }
  void AddDirectory() { host_.AddDirectory("/home/me/.config/mxc-exec", {.uid = 1000}); }
  void AddLink(const std::string& path, const std::string& text) {
    host_.AddSymlink("/home/me/" + path, text, {.uid = 1000});
  }
  // Without "/home/me/".
  [[nodiscard]] std::string Kept(const Lists& lists = {.rw = {"/home/me/dot"}},
                                 Containment containment = Containment::kNamespaces) const {
    Config config = ConfigFor(lists, containment);
    config.protect.clear();
    const Result<Policy> policy = Resolve(config, host_, {});
    if (!policy) return RefusalOf(policy);
    std::string text = KeptText(*policy);
    const std::string home = "/home/me/";
    for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos;) text.erase(at, home.size());
    return text;
  }
};

TEST_F(LinkedConfiguration, IsKeptWhereItsLinksLead) {
  AddLink(".config/mxc-exec", "../dot/m");
  EXPECT_EQ(Kept(), "kept dot/m\n");
  host_.Remove("/home/me/.config/mxc-exec");
  AddDirectory();
  EXPECT_EQ(Kept(), "");
  AddLink(".config/mxc-exec/profiles", "../../dot/m");
  EXPECT_EQ(Kept(), "kept dot/m\n");
  host_.AddFile("/home/me/dot/policy", "{}", {.uid = 1000});
  AddLink(".config/mxc-exec/policy.json", "/home/me/dot/policy");
  EXPECT_EQ(Kept(), "kept dot/m\nkept dot/policy\n");
}

TEST_F(LinkedConfiguration, IncludesEachProfile) {
  host_.AddDirectory("/home/me/.config/mxc-exec/profiles", {.uid = 1000})
      .AddFile("/home/me/dot/m/p1.json", "{}", {.uid = 1000})
      .AddFile("/home/me/dot/m/notes", "", {.uid = 1000});
  AddLink(".config/mxc-exec/profiles/p1.json", "../../../dot/m/p1.json");
  AddLink(".config/mxc-exec/profiles/notes", "../../../dot/m/notes");
  AddLink(".config/mxc-exec/other", "../../dot");
  EXPECT_EQ(Kept(), "kept dot/m/p1.json\n") << "what is not read may be written";
  EXPECT_EQ(Kept({.ro = {"/home/me/dot"}}), "");
  EXPECT_EQ(Kept({.rw = {"/home/me/dot/m/p1.json"}}),
            "policy_conflict /filesystem/readwritePaths/0: '/home/me/dot/m/p1.json': what mxc-exec keeps in "
            "'/home/me/dot/m/p1.json' is no command's to write");
  host_.AddDirectory("/srv/work/mnt").AddBind("/srv/work/mnt", "/home/me/dot/m");
  const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/srv/work"}}), host_, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_THAT(KeptText(*policy), HasSubstr("kept /srv/work/mnt/p1.json\n"));
}

TEST_F(LinkedConfiguration, IncludesProfilesInALinkedDirectory) {
  AddDirectory();
  host_.AddDirectory("/srv/profiles", {.uid = 1000}).AddFile("/home/me/dot/p1", "{}", {.uid = 1000});
  AddLink(".config/mxc-exec/profiles", "/srv/profiles");
  host_.AddSymlink("/srv/profiles/p1.json", "/home/me/dot/p1", {.uid = 1000});
  EXPECT_EQ(Kept(), "kept dot/p1\n");
}

TEST_F(LinkedConfiguration, IncludesImages) {
  host_.AddDirectory("/home/me/.local/share", {.uid = 1000});
  AddLink(".local/share/mxc-exec", "../../dot/m");
  AddLink("dot/m/images", "../i");
  EXPECT_EQ(Kept(), "held dot/i\nkept dot/m\n");
}

// Whoever made what a link is waiting for would choose what is read.
TEST_F(LinkedConfiguration, HoldsNamesThatLinksWaitFor) {
  AddDirectory();
  AddLink(".config/mxc-exec/policy.json", "../../dot/x/policy.json");
  EXPECT_EQ(Kept(), "held dot/x\nheld dot/x/policy.json\n");
}

TEST_F(LinkedConfiguration, ALinkThatTheCommandCouldTurnRefusesTheRun) {
  AddLink(".config/mxc-exec", "../dot/current");
  AddLink("dot/current", "m");
  EXPECT_EQ(Kept(),
            "policy_conflict /filesystem/readwritePaths/0: '/home/me/dot/current', below the read-write "
            "'/home/me/dot', is a symbolic link on the way to what mxc-exec keeps for itself");
  EXPECT_THAT(Kept({.rw = {"/home/me/.config"}}),
              StartsWith("policy_conflict /filesystem/readwritePaths/0: '/home/me/.config/mxc-exec', below"));
  host_.Remove("/home/me/.config/mxc-exec").Remove("/home/me/.config");
  AddLink(".config", "dot/m");
  EXPECT_THAT(Kept({.rw = {"/home/me"}}),
              StartsWith("policy_conflict /filesystem/readwritePaths/0: '/home/me/.config', below"));
  AddLink("dot/home", ".");
  host_.SetEnvironment("HOME", "/home/me/dot/home");
  EXPECT_THAT(Kept(), StartsWith("policy_conflict /filesystem/readwritePaths/0: '/home/me/dot/home', below"));
}

// As a link, x would lead ".." elsewhere.
TEST_F(LinkedConfiguration, HoldsDirectoriesThatAPathStepsOutOf) {
  AddDirectory();
  host_.AddDirectory("/home/me/dot/x", {.uid = 1000}).AddFile("/home/me/dot/policy", "{}", {.uid = 1000});
  AddLink(".config/mxc-exec/policy.json", "../../dot/x/../policy");
  EXPECT_EQ(Kept(), "kept dot/policy\npinned dot/x\n");
  host_.Remove("/home/me/dot/x");
  EXPECT_EQ(Kept(), "kept dot/policy\nheld dot/x\n");
}

TEST_F(LinkedConfiguration, WhatCannotBeToldRefusesTheRun) {
  AddDirectory();
  AddLink(".config/mxc-exec/policy.json", "policy.json");
  const auto cannot_be_told = StartsWith(
      "policy_conflict /filesystem: what mxc-exec keeps for itself cannot be told: "
      "'/home/me/.config/mxc-exec");
  EXPECT_THAT(Kept(), cannot_be_told);
  EXPECT_EQ(Kept({.ro = {"/home/me/dot"}}), "");
  host_.Remove("/home/me/.config/mxc-exec/policy.json");
  host_.AddUnreadable("/home/me/.config/mxc-exec/policy.json");
  EXPECT_THAT(Kept(), cannot_be_told) << "the caller could open it";
  host_.AddDirectory("/home/me/.config/mxc-exec", {.uid = 0});
  EXPECT_EQ(Kept(), "");
}

TEST_F(LinkedConfiguration, IsRefusedWhereNothingHoldsIt) {
  AddDirectory();
  AddLink(".config/mxc-exec/profiles", "../../dot/m");
  EXPECT_EQ(Kept({.rw = {"/home/me/dot"}}, Containment::kLandlock),
            "unenforceable /filesystem/readwritePaths/0: '/home/me/dot/m', whose name decides what later "
            "calls mean, "
            "cannot be held below the read-write '/home/me/dot' without a mount namespace");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, Containment::kLandlock), "");
}

// What is kept of this program and the policy's file, and the directories on the way that keep their names.
class OwnFiles : public OwnState {
 protected:
  [[nodiscard]] std::string Kept(const Lists& lists, const std::string& policy_file = "") const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {.policy_file = {.path = policy_file}});
    return policy ? KeptText(*policy) : RefusalOf(policy);
  }
  // The links that are put right after the run.
  [[nodiscard]] std::string Links() const {
    const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/srv/work"}}), host_, {});
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const auto& link : policy->git.links) text += link.path + " -> " + link.text + "\n";
    return text;
  }
};

// /proc/self/cwd leads each process somewhere else: which file to hold cannot be told.
TEST_F(OwnFiles, APolicyThatCannotBeFollowedIsRefused) {
  host_.AddFile("/srv/work/p.json").AddSymlink("/proc/self", "42").AddSymlink("/srv/work/loop", "loop");
  for (const std::string path : {"/proc/self/cwd/p.json", "/srv/work/loop"}) {
    EXPECT_EQ(Kept({.rw = {"/srv/work"}}, path), "policy_conflict /filesystem: the file of the policy, '" +
                                                     path + "', cannot be held: its path cannot be followed");
    EXPECT_EQ(Kept({.ro = {"/srv/work"}}, path), "") << "nothing can be replaced";
  }
}

TEST_F(OwnFiles, TheProgramIsNoCommandsToReplace) {
  host_.AddFile("/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec", "", {.uid = 1000})
      .AddFile("/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-sh", "", {.uid = 1000})
      .AddFile("/srv/work/node_modules/mxc-exec/bin/mxc-exec", "", {.uid = 1000})
      .AddSymlink("/proc/self/exe", "/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec");
  EXPECT_EQ(Kept({.ro = {"/srv/work"}}), "");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}),
            "pinned /srv/work/node_modules\n"
            "kept /srv/work/node_modules/mxc-exec\n"
            "kept /srv/work/node_modules/mxc-exec-linux-x64\n")
      << "package.json says what node finds in a package";
  EXPECT_EQ(Kept({.rw = {"/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec"}}),
            "policy_conflict /filesystem/readwritePaths/0: "
            "'/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec': whoever could write it would choose "
            "what the "
            "next call runs");
}

// The next run of `lxc` unpacks its system from there.
TEST_F(OwnFiles, ArchivesOfImagesAreNoCommandsToWrite) {
  host_.SetEnvironment("HOME", "/home/me").AddDirectory("/home/me/.cache/lxc/download", {.uid = 1000});
  EXPECT_EQ(Kept({.rw = {"/home/me/.cache/lxc"}}), "kept /home/me/.cache/lxc/download\n");
  host_.AddDirectory("/var/cache/lxc/download").SetCaller(0, 0);
  EXPECT_EQ(Kept({.rw = {"/var/cache/lxc"}}), "kept /var/cache/lxc/download\n");
}

// As pnpm has it: the launcher stands beside a link to the package.
TEST_F(OwnFiles, TheWayToTheProgramIsKept) {
  const std::string store = "/srv/work/node_modules/.pnpm";
  host_.AddFile(store + "/x64/node_modules/mxc-exec-linux-x64/bin/mxc-exec", "", {.uid = 1000})
      .AddFile(store + "/mxc/node_modules/mxc-exec/bin/mxc-exec", "", {.uid = 1000})
      .AddSymlink(store + "/mxc/node_modules/mxc-exec-linux-x64", "../../x64/node_modules/mxc-exec-linux-x64",
                  {.uid = 1000})
      .AddSymlink("/proc/self/exe", store + "/x64/node_modules/mxc-exec-linux-x64/bin/mxc-exec")
      .SetCalledAs(store + "/mxc/node_modules/mxc-exec-linux-x64/bin/mxc-exec");
  EXPECT_THAT(Kept({.rw = {"/srv/work"}}),
              AllOf(HasSubstr("kept " + store + "/mxc/node_modules/mxc-exec\n"),
                    HasSubstr("kept " + store + "/x64/node_modules/mxc-exec-linux-x64\n")));
  EXPECT_EQ(Links(),
            store + "/mxc/node_modules/mxc-exec-linux-x64 -> ../../x64/node_modules/mxc-exec-linux-x64\n");
}

TEST_F(OwnFiles, OfAScopeOnlyThePackageIsKept) {
  host_.AddFile("/srv/work/node_modules/@scope/a/bin/mxc-exec", "", {.uid = 1000})
      .AddDirectory("/srv/work/node_modules/@scope/b", {.uid = 1000})
      .AddSymlink("/proc/self/exe", "/srv/work/node_modules/@scope/a/bin/mxc-exec");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}),
            "pinned /srv/work/node_modules\n"
            "pinned /srv/work/node_modules/@scope\n"
            "kept /srv/work/node_modules/@scope/a\n");
  EXPECT_EQ(Kept({.rw = {"/srv/work/node_modules/@scope/a"}}),
            "policy_conflict /filesystem/readwritePaths/0: '/srv/work/node_modules/@scope/a': whoever could "
            "write it would choose what the next call runs");
}

TEST_F(OwnFiles, WhatPathFindsByOurNamesIsKept) {
  host_.AddFile("/opt/mxc-exec")
      .AddSymlink("/proc/self/exe", "/opt/mxc-exec")
      .AddFile("/srv/work/bin/mxc-exec", "", {.uid = 1000})
      .AddFile("/srv/work/tools/mxc-sh", "", {.uid = 1000})
      .AddFile("/srv/work/tools/other", "", {.uid = 1000})
      .AddSymlink("/srv/work/lxc-exec", "/opt/mxc-exec", {.uid = 1000})
      .SetWorkingDirectory("/srv/work")
      .SetEnvironment("PATH", "/srv/work/bin::tools");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}),
            "pinned /srv/work/bin\n"
            "kept /srv/work/bin/mxc-exec\n"
            "pinned /srv/work/tools\n"
            "kept /srv/work/tools/mxc-sh\n");
  EXPECT_EQ(Links(), "/srv/work/lxc-exec -> /opt/mxc-exec\n");
}

TEST_F(OwnFiles, ThePolicyThatIsInForceIsNoCommandsToReplace) {
  host_.AddFile("/srv/work/policy.json", "", {.uid = 1000}).AddFile("/srv/work/ci/p.json", "", {.uid = 1000});
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, "/srv/work/policy.json"), "kept /srv/work/policy.json\n");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, "/srv/work/ci/p.json"),
            "pinned /srv/work/ci\nkept /srv/work/ci/p.json\n");
  EXPECT_EQ(Kept({.rw = {"/srv/work/ci"}}, "/srv/work/policy.json"), "");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, "/srv/gone.json"), "");
  // In the place of a link the command could put a policy of its own.
  host_.AddSymlink("/srv/work/link.json", "ci/p.json", {.uid = 1000});
  EXPECT_THAT(Kept({.rw = {"/srv/work"}}, "/srv/work/link.json"),
              StartsWith("policy_conflict /filesystem/readwritePaths/0: '/srv/work/link.json', below the "));
}

// Names that are kept already are not looked for.
TEST_F(OwnFiles, SoAreTheirOtherNames) {
  host_.AddFile("/srv/work/bin/mxc-exec", "", {.uid = 1000, .links = 3})
      .AddAlias("/srv/work/bin/mxc-sh", "/srv/work/bin/mxc-exec")
      .AddAlias("/srv/work/bin/lxc-exec", "/srv/work/bin/mxc-exec")
      .AddSymlink("/proc/self/exe", "/srv/work/bin/mxc-exec")
      .AddFile("/srv/work/policy.json", "", {.uid = 1000, .links = 2})
      .AddAlias("/srv/work/l/x", "/srv/work/policy.json");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, "/srv/work/policy.json"),
            "pinned /srv/work/bin\n"
            "kept /srv/work/bin/lxc-exec\n"
            "kept /srv/work/bin/mxc-exec\n"
            "kept /srv/work/bin/mxc-sh\n"
            "kept /srv/work/l/x\n"
            "kept /srv/work/policy.json\n");
}

TEST_F(OwnFiles, WhatNpmLinksToTheProgramIsPutRight) {
  host_.AddFile("/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec", "", {.uid = 1000})
      .AddFile("/srv/work/node_modules/mxc-exec/bin/mxc-exec", "", {.uid = 1000})
      .AddSymlink("/srv/work/node_modules/.bin/mxc-exec", "../mxc-exec/bin/mxc-exec", {.uid = 1000})
      .AddSymlink("/proc/self/exe", "/srv/work/node_modules/mxc-exec-linux-x64/bin/mxc-exec");
  EXPECT_EQ(Links(), "/srv/work/node_modules/.bin/mxc-exec -> ../mxc-exec/bin/mxc-exec\n");
}

TEST_F(OwnState, IsMadeAndMasked) {
  const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/tmp"}}), host_, {});
  ASSERT_TRUE(policy.ok());
  const Result<linux_backend::Lowered> lowered = linux_backend::LowerPolicy(*policy);
  ASSERT_TRUE(lowered.ok());
  ASSERT_EQ(lowered->setup.size(), 2U);
  EXPECT_EQ(std::get<OwnDirectory>(lowered->setup[0]).path, "/tmp/mxc-exec-1000");
  EXPECT_EQ(std::get<OwnDirectory>(lowered->setup[1]).path, "/tmp/tmux-1000") << "tmux's, made as tmux would";
  EXPECT_TRUE(
      std::any_of(lowered->sandbox.mounts.begin(), lowered->sandbox.mounts.end(), [](const auto& node) {
        const auto* mask = std::get_if<TmpfsMount>(&node);
        return mask != nullptr && mask->target == "/tmp/mxc-exec-1000";
      }));
}

// With a link in the place of one of them the next call's path would lead somewhere else.
TEST_F(OwnFiles, NamesThatPathsStepOutOfAreHeld) {
  host_.AddDirectory("/srv/work/a/b", {.uid = 1000}).AddFile("/srv/p.json");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}}, "/srv/work/a/../../p.json"), "pinned /srv/work/a\n");
  EXPECT_EQ(Kept({.rw = {"/srv/work/a/b/../.."}}), "pinned /srv/work/a\npinned /srv/work/a/b\n");
  EXPECT_EQ(Kept({.rw = {"/srv/work"}, .denied = {"/srv/work/none/../x"}}), "held /srv/work/none\n");
  EXPECT_EQ(Kept({.ro = {"/srv/work/a/b/.."}}), "") << "nobody can turn it";
  const Result<Policy> refused =
      Resolve(ConfigFor({.rw = {"/srv/work/a/.."}}, Containment::kLandlock), host_, {});
  EXPECT_EQ(
      RefusalOf(refused),
      "unenforceable /filesystem/readwritePaths/0: '/srv/work/a', which a path steps back out of, cannot be "
      "held below the read-write '/srv/work' without a mount namespace");
  EXPECT_EQ(refused.error().hint, "write the path without '..'");
}

}  // namespace
}  // namespace mxc::own_state_test
