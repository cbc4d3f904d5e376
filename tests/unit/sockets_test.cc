// Sockets of the host's programs: which a policy grants, and which of the others a grant does not show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/landlock/landlock.h"
#include "policy/paths/socket_tables.h"
#include "tests/unit/policy_text.h"

namespace mxc::sockets_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Sockets : public testing::Test {
 protected:
  void SetUp() override { host_.AddDebian(); }
  [[nodiscard]] Result<Policy> With(const Lists& lists, const std::vector<std::string>& sockets = {}) const {
    Config config = ConfigOf(lists);
    config.sockets = Entries(sockets, "sockets");
    return Resolve(config, host_, {});
  }
  [[nodiscard]] std::string Denied(const Lists& lists, const std::vector<std::string>& sockets = {}) const {
    const Result<Policy> policy = With(lists, sockets);
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      const bool socket = rule.object && rule.object->type == FileType::kSocket;
      if (rule.access != Access::kDenied || (!socket && rule.socket_directory_mode == 0)) continue;
      text += rule.path + (rule.own_directory_mode != 0 ? " (made)\n" : "\n");
    }
    return text;
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(Sockets, BoundOnesInAGrantAreDenied) {
  host_.AddLiveSocket("/srv/app/db/s")
      .AddLiveSocket("/srv/other/s")
      .AddNode("/srv/app/dead", FileType::kSocket);
  EXPECT_EQ(Denied({.rw = {"/srv/app"}}), "/srv/app/db/s\n");
  EXPECT_EQ(Denied({.ro = {"/srv"}}), "/srv/app/db/s\n/srv/other/s\n");
  EXPECT_EQ(Denied({.ro = {"/srv"}, .denied = {"/srv/other"}}), "/srv/app/db/s\n");
  EXPECT_EQ(Denied({.ro = {"/srv/other"}, .denied = {"/srv"}}), "/srv/other/s\n");
  EXPECT_EQ(Denied({}), "");
  EXPECT_EQ(WarningsText(*With({.rw = {"/srv/app"}})), "daemon-socket /filesystem/readwritePaths/0\n");
}

// An engine could not be told the path of the socket; a command gets there step by step.
TEST_F(Sockets, BelowDirectoriesThatAreNotSearchedAreDeniedWithTheLastThatIs) {
  std::string deep = "/srv/w";
  for (int i = 0; i < 15; ++i) deep += "/" + std::string(199, 'd');
  const std::string beyond = deep + "/" + std::string(199, 'd');
  host_.AddLiveSocket(beyond + "/a/b/s").AddLiveSocket(deep + "/s");
  const auto denied = [&](const Lists& lists, const std::vector<std::string>& sockets = {}) {
    const Result<Policy> policy = With(lists, sockets);
    return policy ? RulesText(*policy, Origin::kBaseline) : RefusalOf(policy);
  };
  EXPECT_THAT(denied({.ro = {"/srv/w"}}), HasSubstr("denied " + deep + "\n"));
  EXPECT_THAT(denied({.ro = {"/srv/w", beyond}}),
              AllOf(HasSubstr("denied " + beyond + "/a\n"), HasSubstr("denied " + deep + "/s\n"),
                    Not(HasSubstr("denied " + deep + "\n"))))
      << "not above the grant that shows it";
  EXPECT_THAT(denied({.ro = {"/srv/w"}}, {beyond + "/a/b/s"}), Not(HasSubstr("denied " + deep + "\n")));
}

TEST_F(Sockets, AGrantOfTheWholeHostShowsNoTmp) {
  host_.AddLiveSocket("/tmp/s").AddLiveSocket("/srv/s");
  EXPECT_EQ(Denied({.ro = {"/"}}), "/srv/s\n");
  EXPECT_EQ(Denied({.ro = {"/", "/tmp"}}), "/srv/s\n/tmp/s\n/tmp/tmux-1000 (made)\n");
}

// A file system that is mounted below has sockets of its own; /proc is not the host's.
TEST_F(Sockets, AGrantOfTheWholeHostIsSearchedOnEveryFileSystem) {
  host_.AddMount("/home", "ext4", true).AddMount("/proc", "proc").AddMount("/srv/app/disk", "ext4", true);
  ASSERT_TRUE(With({.ro = {"/", "/srv/app"}}).ok());
  const SocketPlaces& places = host_.SearchedForSockets();
  EXPECT_THAT(places.whole_host, testing::ElementsAre("/", "/home"));
  EXPECT_THAT(places.directories, testing::ElementsAre("/srv/app", "/srv/app/disk"));
  EXPECT_THAT(places.skipped, testing::IsSupersetOf({"/proc", "/sys", "/dev", "/tmp"}));
}

// Without a grant they are not searched either; /usr/local is what such a grant adds.
TEST_F(Sockets, AGrantOfWhatEverySandboxSeesIsSearchedForWhatItAdds) {
  host_.AddDirectory("/srv/app").AddDirectory("/usr/local/share").AddDirectory("/usr/lib/x");
  const auto searched = [&](const Lists& paths) {
    EXPECT_TRUE(With(paths).ok());
    return host_.SearchedForSockets().directories;
  };
  EXPECT_THAT(searched({.ro = {"/usr", "/etc", "/srv/app"}}),
              testing::UnorderedElementsAre("/srv/app", "/usr/local"));
  EXPECT_THAT(searched({.ro = {"/usr/lib/x"}}), testing::IsEmpty());
  EXPECT_THAT(searched({.ro = {"/usr/local/share"}}), testing::ElementsAre("/usr/local/share"));
  EXPECT_THAT(searched({.rw = {"/usr/lib/x"}}), testing::ElementsAre("/usr/lib/x"));
  EXPECT_THAT(searched({.ro = {"/usr"}, .denied = {"/usr/local"}}), testing::IsEmpty());
}

TEST_F(Sockets, DirectoriesForSocketsAreDeniedBeforeTheyHoldAny) {
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "/tmp/tmux-1000 (made)\n");
  host_.AddDirectory("/tmp/tmux-1000", {.mode = 0700, .uid = 1000});
  host_.AddDirectory("/tmp/.X11-unix", {.mode = 01777, .uid = 0});
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "/tmp/.X11-unix\n/tmp/tmux-1000\n");
  EXPECT_EQ(Denied({.rw = {"/tmp/tmux-1000"}}), "") << "named, so that only what is bound there is denied";
}

TEST_F(Sockets, WhatAnotherUserHasPutThereDeniesNothing) {
  host_.AddDirectory("/tmp/tmux-1000", {.mode = 0700, .uid = 1001});
  EXPECT_EQ(Denied({.rw = {"/tmp"}}), "");
  FakeHost planted;
  planted.AddDebian().AddDirectory("/srv/w").AddSymlink("/tmp/tmux-1000", "/srv/w");
  const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/tmp", "/srv/w"}}), planted, {});
  ASSERT_TRUE(policy.ok());
  for (const PathRule& rule : policy->paths) EXPECT_EQ(rule.socket_directory_mode, 0U) << rule.path;
}

// Its owner may open it during the run.
TEST_F(Sockets, WhereRootHasNoCapabilityToGoTheDirectoryIsDenied) {
  host_.SetCaller(0, 0).AddDirectory("/srv/private", {.mode = 0700, .uid = 1000});
  host_.AddLiveSocket("/srv/private/a/s").AddLiveSocket("/srv/s");
  const Result<Policy> policy = With({.ro = {"/srv"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_THAT(RulesText(*policy), HasSubstr("denied /srv/private\n"));
  EXPECT_THAT(RefusalOf(With({.ro = {"/srv/private"}})), HasSubstr("its owner lets nobody else in"));
}

TEST_F(Sockets, UnderTheNamesThatMountsGiveThem) {
  host_.AddDirectory("/srv/app").AddLiveSocket("/var/lib/agent/s");
  host_.AddBind("/srv/app/agent", "/var/lib/agent").AddBind("/srv/app/one.sock", "/var/lib/agent/s");
  EXPECT_EQ(Denied({.ro = {"/srv/app"}}), "/srv/app/agent/s\n/srv/app/one.sock\n");
}

TEST_F(Sockets, OfTheBaselineAreDeniedWithoutAGrant) {
  host_.AddLiveSocket("/etc/daemon/s").AddLiveSocket("/usr/share/s").AddLiveSocket("/srv/s");
  EXPECT_EQ(Denied({}), "/etc/daemon/s\n/usr/share/s\n");
}

TEST_F(Sockets, WhatCannotBeSearchedIsDeniedOrRefuses) {
  host_.AddLiveSocket("/srv/app/closed").AddDirectory("/srv/app/closed", {.mode = 0711});
  const Result<Policy> policy = With({.rw = {"/srv/app"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  const auto denied = [](const PathRule& rule) {
    return rule.path == "/srv/app/closed" && rule.access == Access::kDenied;
  };
  EXPECT_TRUE(std::any_of(policy->paths.begin(), policy->paths.end(), denied));
  EXPECT_EQ(WarningsText(*policy), "daemon-socket /filesystem/readwritePaths/0\n");
  EXPECT_THAT(RefusalOf(With({.ro = {"/srv/app/closed"}})), HasSubstr("could not be searched to its end"));
}

TEST_F(Sockets, NamedOnesAreGranted) {
  host_.AddLiveSocket("/srv/app/s").AddLiveSocket("/run/docker.sock");
  const Result<Policy> policy = With({.rw = {"/srv/app"}}, {"/srv/app/s", "/var/run/docker.sock"});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(Denied({.rw = {"/srv/app"}}, {"/srv/app/s", "/var/run/docker.sock"}), "");
  EXPECT_EQ(RulesText(*policy), "read-write /run/docker.sock\nread-write /srv/app\nread-write /srv/app/s\n");
  EXPECT_EQ(WarningsText(*policy),
            "socket-granted /filesystem/sockets/0\nsocket-granted /filesystem/sockets/1\n");
  EXPECT_THAT(policy->warnings[1].message, HasSubstr("'/run/docker.sock' starts containers"));
  EXPECT_THAT(policy->relaxations, testing::Contains("host-sockets"));
  EXPECT_EQ(policy->clauses[0].text, "socket '/run/docker.sock'");
}

TEST_F(Sockets, AVariableNamesOneAndComesAlong) {
  host_.AddLiveSocket("/tmp/ssh-x/agent.1").SetEnvironment("SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1");
  const Result<Policy> policy = With({}, {"$SSH_AUTH_SOCK"});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "read-write /tmp/ssh-x/agent.1\n");
  EXPECT_THAT(policy->warnings[0].message, HasSubstr("signs in with the caller's keys"));
  const auto is_agent = [](const Variable& variable) { return variable.name == "SSH_AUTH_SOCK"; };
  EXPECT_TRUE(std::any_of(policy->process.environment.begin(), policy->process.environment.end(), is_agent));
  Config exact = ConfigOf({});
  exact.sockets = Entries({"$SSH_AUTH_SOCK"}, "sockets");
  exact.process.environment = std::vector<Variable>{};
  EXPECT_TRUE(Resolve(exact, host_, {})->process.environment.empty());
}

TEST_F(Sockets, AddressesInVariables) {
  host_.AddLiveSocket("/run/user/1000/bus").AddLiveSocket("/run/user/1000/wayland-0");
  host_.AddLiveSocket("/run/docker.sock").AddLiveSocket("/tmp/tmux-1000/default");
  host_.SetEnvironment("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus,guid=12")
      .SetEnvironment("XDG_RUNTIME_DIR", "/run/user/1000")
      .SetEnvironment("WAYLAND_DISPLAY", "wayland-0")
      .SetEnvironment("DOCKER_HOST", "unix:///run/docker.sock")
      .SetEnvironment("TMUX", "/tmp/tmux-1000/default,311,0");
  const Result<Policy> policy =
      With({}, {"$DBUS_SESSION_BUS_ADDRESS", "$WAYLAND_DISPLAY", "$DOCKER_HOST", "$TMUX"});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  EXPECT_EQ(RulesText(*policy),
            "read-write /run/docker.sock\nread-write /run/user/1000/bus\n"
            "read-write /run/user/1000/wayland-0\nread-write /tmp/tmux-1000/default\n");
}

TEST_F(Sockets, WhatIsNoneIsRefusedAndWhatIsMissingLeftOut) {
  host_.AddLiveSocket("/srv/s").AddSymlink("/srv/link", "s", {.uid = 1000}).AddFile("/srv/file", "x");
  host_.SetEnvironment("ABSTRACT", "unix:abstract=x");
  EXPECT_EQ(RefusalOf(With({}, {"/srv/file"})),
            "policy_conflict /filesystem/sockets/0: '/srv/file' of sockets is no socket");
  EXPECT_EQ(RefusalOf(With({}, {"/srv/link"})),
            "policy_conflict /filesystem/sockets/0: the socket '/srv/link' leads through the symbolic link "
            "'/srv/link'");
  EXPECT_EQ(RefusalOf(With({}, {"$ABSTRACT"})),
            "policy_conflict /filesystem/sockets/0: the variable '$ABSTRACT' of sockets names no path");
  EXPECT_EQ(WarningsText(*With({}, {"$NONE", "/srv/none"})),
            "path-missing /filesystem/sockets/0\npath-missing /filesystem/sockets/1\n");
  EXPECT_EQ(WarningsText(*With({.denied = {"/srv/s"}}, {"/srv/s"})), "tightened /filesystem/sockets/0\n");
}

TEST_F(Sockets, ADeniedOneIsNotGrantedByItsSecondName) {
  host_.AddLiveSocket("/srv/s").AddAlias("/srv/second", "/srv/s").AddLiveSocket("/srv/other");
  const Result<Policy> policy = With({.denied = {"/srv/s"}}, {"/srv/second", "/srv/other"});
  EXPECT_THAT(RulesText(*policy),
              AllOf(HasSubstr("read-write /srv/other\n"), Not(HasSubstr("write /srv/second"))));
  EXPECT_THAT(WarningsText(*policy), HasSubstr("tightened /filesystem/sockets/0\n"));
}

// Such an address may carry a password.
TEST_F(Sockets, NoMessageQuotesAVariable) {
  host_.SetEnvironment("DOCKER_HOST", "tcp://me:password@docker.test:2376")
      .SetEnvironment("MISSING", "/srv/password")
      .SetEnvironment("LOOP", "/srv/password-loop")
      .SetEnvironment("FILE", "/srv/password-file");
  host_.AddFile("/srv/password-file", "x").AddSymlink("/srv/password-loop", "password-loop");
  EXPECT_EQ(RefusalOf(With({}, {"$DOCKER_HOST"})),
            "policy_conflict /filesystem/sockets/0: the variable '$DOCKER_HOST' of sockets names no path");
  EXPECT_EQ(RefusalOf(With({}, {"$LOOP"})),
            "policy_conflict /filesystem/sockets/0: the path in '$LOOP' of sockets cannot be followed to its "
            "end");
  EXPECT_EQ(RefusalOf(With({}, {"$FILE"})),
            "policy_conflict /filesystem/sockets/0: the path in '$FILE' of sockets is no socket");
  const Result<Policy> missing = With({}, {"$MISSING"});
  ASSERT_TRUE(missing.ok()) << RefusalOf(missing);
  ASSERT_EQ(missing->warnings.size(), 1U);
  EXPECT_EQ(missing->warnings[0].message,
            "the path in '$MISSING' of sockets does not exist: nothing is granted");
}

TEST_F(Sockets, AreGrantedOnLinuxOnly) {
  Config config = ConfigOf({});
  config.sockets = Entries({"/srv/s"}, "sockets");
  FakeHost mac;
  mac.SetSystem(OperatingSystem::kMacos);
  EXPECT_EQ(
      RefusalOf(Resolve(config, mac, {})),
      "unsupported /filesystem/sockets: sockets of the host are granted on Linux only, in a sandbox on this "
      "machine");
}

TEST_F(Sockets, LandlockAloneMasksNoneAndGrantsNone) {
  host_.AddLiveSocket("/srv/s").AddDirectory("/tmp/.X11-unix", {.mode = 01777, .uid = 0});
  host_.SetCaller(0, 0);
  Config config = ConfigOf({.rw = {"/srv", "/tmp"}});
  config.intent = Intent::kConcrete;
  config.containment = Containment::kLandlock;
  const Support support{.usable = true, .landlock_abi = 6};
  const Result<Policy> without = Resolve(config, host_, {});
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(landlock::PlanLandlock(*without, support).ok());
  config.sockets = Entries({"/srv/s"}, "sockets");
  const Result<Policy> with = Resolve(config, host_, {});
  ASSERT_TRUE(with.ok());
  const Result<Plan> plan = landlock::PlanLandlock(*with, support);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().pointer, "/filesystem/sockets/0");
}

TEST_F(Sockets, EveryMeaningIsAVerbPhrase) {
  for (const SocketDirectory& row : SocketDirectories()) EXPECT_FALSE(row.why.empty()) << row.path;
  EXPECT_THAT(std::string(MeaningOfSocket("", "/tmp/tmux-0/default")), HasSubstr("shells"));
  EXPECT_THAT(std::string(MeaningOfSocket("", "/srv/mine")), HasSubstr("the program behind it"));
}

}  // namespace
}  // namespace mxc::sockets_test
