// What a sandbox sees without asking, and what is taken out of it again.
#include <gtest/gtest.h>

#include <algorithm>

#include "policy/paths/baseline.h"
#include "tests/unit/policy_text.h"

namespace mxc::resolve_baseline_test {
namespace {

class ResolveBaseline : public testing::Test {
 protected:
  [[nodiscard]] Result<Policy> With(const Lists& lists) const { return Resolve(ConfigOf(lists), host_, {}); }
  [[nodiscard]] std::string Baseline(const Lists& lists) const {
    const Result<Policy> policy = With(lists);
    return policy ? RulesText(*policy, Origin::kBaseline) : RefusalOf(policy);
  }

  FakeHost host_;  // NOLINT: the tests fill it
  void SetUp() override { host_.AddDebian(); }
};

TEST_F(ResolveBaseline, MergedUsr) {
  const Result<Policy> policy = With({});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy, Origin::kBaseline),
            "read-only /etc\n"
            "read-only /usr\n");
  EXPECT_EQ(LinksText(*policy),
            "/bin -> usr/bin\n/sbin -> usr/sbin\n/lib -> usr/lib\n/lib64 -> usr/lib64\n/var/run -> /run\n");
  for (const PathRule& rule : policy->paths) EXPECT_TRUE(rule.object.has_value()) << rule.path;
}

TEST_F(ResolveBaseline, SeparateBin) {
  FakeHost host;
  host.AddDirectory("/bin").AddDirectory("/usr/bin").AddDirectory("/var/run");
  const Result<Policy> policy = Resolve(ConfigOf({}), host, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy, Origin::kBaseline), "read-only /bin\nread-only /usr\n");
  EXPECT_EQ(LinksText(*policy), "");
}

TEST_F(ResolveBaseline, UsrOnAnotherVolume) {
  FakeHost host;
  host.AddDirectory("/vol/usr/bin").AddSymlink("/usr", "vol/usr").AddSymlink("/bin", "usr/bin");
  const Result<Policy> policy = Resolve(ConfigOf({}), host, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy, Origin::kBaseline), "read-only /vol/usr\n");
  EXPECT_EQ(LinksText(*policy), "/usr -> vol/usr\n/bin -> usr/bin\n");
  const Result<Policy> denied = Resolve(ConfigOf({.denied = {"/vol"}}), host, {});
  EXPECT_EQ(RulesText(*denied, Origin::kBaseline), "");
}

TEST_F(ResolveBaseline, LocalAdditionsAreHiddenUnlessGranted) {
  host_.AddFile("/usr/local/bin/tool", "x").AddDirectory("/usr/local/share");
  EXPECT_EQ(Baseline({}), "read-only /etc\nread-only /usr\ndenied /usr/local\n");
  EXPECT_EQ(Baseline({.ro = {"/usr/local"}}), "read-only /etc\nread-only /usr\n");
  EXPECT_EQ(Baseline({.ro = {"/usr/local/bin"}}), "read-only /etc\nread-only /usr\ndenied /usr/local\n");
}

TEST_F(ResolveBaseline, ResolverDirectories) {
  host_.AddDirectory("/run/systemd/resolve").AddFile("/mnt/wsl/resolv.conf");
  EXPECT_NE(Baseline({}).find("read-only /run/systemd/resolve\n"), std::string::npos);
  EXPECT_NE(Baseline({}).find("read-only /mnt/wsl/resolv.conf\n"), std::string::npos);
}

TEST_F(ResolveBaseline, YieldsToThePolicy) {
  host_.AddDirectory("/usr/share/doc").SetCaller(0, 0);
  EXPECT_EQ(Baseline({.rw = {"/"}}),
            "denied /run/mxc-exec (missing from )\n"
            "denied /var/tmp/mxc-exec-temp-0 (missing from )\n");
  EXPECT_EQ(Baseline({.denied = {"/usr"}}), "read-only /etc\n");
  EXPECT_EQ(Baseline({.ro = {"/usr/share/doc"}, .denied = {"/etc", "/usr/lib"}}), "read-only /usr\n");
  EXPECT_EQ(LinksText(*With({.ro = {"/"}})), "");
}

TEST_F(ResolveBaseline, SecretsAreMaskedWhereTheCallerCouldReadThem) {
  for (const char* file : {"/etc/shadow", "/etc/gshadow-", "/etc/ssh/ssh_host_rsa_key",
                           "/etc/ssh/ssh_host_rsa_key.pub", "/etc/ssh/sshd_config"}) {
    host_.AddFile(file, "x", {.readable = false, .writable = false});
  }
  host_.AddDirectory("/etc/ssl/private", {.readable = false, .writable = false})
      .AddFile("/etc/ssl/private/key");
  host_.AddDirectory("/etc/sudoers.d").AddFile("/etc/security/opasswd");  // both empty
  EXPECT_EQ(Baseline({}).find("denied"), std::string::npos);
  host_.SetCaller(0, 0);
  EXPECT_EQ(Baseline({}),
            "read-only /etc\n"
            "denied /etc/gshadow-\n"
            "denied /etc/shadow\n"
            "denied /etc/ssh/ssh_host_rsa_key\n"
            "denied /etc/ssl/private\n"
            "read-only /usr\n");
}

// No table knows them all.
TEST_F(ResolveBaseline, WhatOthersMayNotReadIsMaskedForRoot) {
  host_.AddFile("/etc/rclone.conf", "x", {.mode = 0640}).AddFile("/etc/public.conf", "x", {.mode = 0644});
  host_.AddDirectory("/etc/vault.d", {.mode = 0750}).AddFile("/etc/vault.d/vault.hcl", "x", {.mode = 0644});
  host_.AddFile("/etc/nginx/a/b/c/key.pem", "x", {.mode = 0600}).AddFile("/etc/empty", "", {.mode = 0600});
  host_.AddFile("/run/NetworkManager/system-connections/wifi", "x", {.mode = 0600});
  EXPECT_EQ(Baseline({}).find("denied"), std::string::npos) << "an ordinary caller is kept out by the host";
  host_.SetCaller(0, 0);
  EXPECT_EQ(Baseline({}),
            "read-only /etc\n"
            "denied /etc/nginx/a/b/c/key.pem\n"
            "denied /etc/rclone.conf\n"
            "denied /etc/vault.d\n"
            "read-only /run/NetworkManager\n"
            "denied /run/NetworkManager/system-connections/wifi\n"
            "read-only /usr\n");
  // The policy can name what it needs.
  EXPECT_EQ(Baseline({.ro = {"/etc/rclone.conf", "/etc/vault.d/vault.hcl", "/etc/nginx/a/b/c/key.pem"}}),
            "read-only /etc\n"
            "denied /etc/vault.d\n"
            "read-only /run/NetworkManager\n"
            "denied /run/NetworkManager/system-connections/wifi\n"
            "read-only /usr\n");
  EXPECT_EQ(Baseline({.ro = {"/"}}),
            "denied /etc/nginx/a/b/c/key.pem\ndenied /etc/rclone.conf\ndenied /etc/vault.d\n"
            "denied /run/NetworkManager/system-connections/wifi\ndenied /run/mxc-exec (missing from )\n"
            "denied /var/tmp/mxc-exec-temp-0 (missing from )\n");
}

// The kernel keeps closed what others may not read, also what appears later, where nothing asks for more.
class ClosedByTheKernel : public ResolveBaseline {
 protected:
  void SetUp() override {
    ResolveBaseline::SetUp();
    host_.AddFile("/etc/secret", "x", {.mode = 0600}).AddFile("/etc/passwd", "x", {.mode = 0644});
    host_.AddDirectory("/etc/closed", {.mode = 0700}).AddFile("/etc/closed/file", "x", {.mode = 0644});
    host_.AddDirectory("/srv/work").SetCaller(0, 0).SetUnmapsOwners(true);
  }
  [[nodiscard]] std::string Etc(const Lists& lists,
                                Containment containment = Containment::kNamespaces) const {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host_, {.linux_process = containment});
    if (!policy) return RefusalOf(policy);
    std::string text = RulesText(*policy, Origin::kBaseline);
    return text.substr(0, text.find("read-only /usr"));
  }
  static constexpr const char* kByKernel = "read-only /etc (as others)\n";
  static constexpr const char* kByMasks = "read-only /etc\ndenied /etc/closed\ndenied /etc/secret\n";
};

TEST_F(ClosedByTheKernel, WhereTheHostCan) {
  EXPECT_EQ(Etc({}), kByKernel);
  EXPECT_EQ(Etc({}, Containment::kBubblewrap), kByKernel);
  EXPECT_EQ(Etc({}, Containment::kLxc), kByKernel);
  EXPECT_EQ(Etc({}, Containment::kLandlock), kByMasks);
  // bubblewrap would take the grant from the directory without owners.
  EXPECT_EQ(Etc({.ro = {"/etc/passwd"}}), kByKernel);
  EXPECT_EQ(Etc({.ro = {"/etc/passwd"}}, Containment::kLxc), kByKernel);
  EXPECT_EQ(Etc({.ro = {"/etc/passwd"}}, Containment::kBubblewrap), kByMasks);
  EXPECT_EQ(Etc({.denied = {"/etc/passwd"}}, Containment::kBubblewrap), kByKernel);
  host_.SetUnmapsOwners(false);
  EXPECT_EQ(Etc({}), kByMasks);
}

TEST_F(ClosedByTheKernel, WithoutAMaskForASecretThatIsClosedItself) {
  host_.AddFile("/etc/shadow", "x", {.mode = 0640}).AddFile("/etc/gshadow", "x", {.mode = 0644});
  EXPECT_EQ(Etc({}), std::string(kByKernel) + "denied /etc/gshadow\ndenied /etc/shadow (as others)\n");
  host_.SetUnmapsOwners(false);
  EXPECT_EQ(Etc({}).find("as others"), std::string::npos);
}

TEST_F(ClosedByTheKernel, NotForOrdinaryCallersWhomTheHostKeepsOut) {
  host_.SetCaller(1000, 1000);
  EXPECT_EQ(Etc({}), "read-only /etc\n");
}

// What is closed and granted is root's to read; nothing can be mounted where others may not go, and nothing
// of a directory that is granted to be written is read by others' rights alone.
TEST_F(ClosedByTheKernel, AroundGrantsAndMasksThatOthersCanReach) {
  host_.AddDirectory("/etc/app").AddFile("/etc/app/key", "x", {.mode = 0600});
  const auto rules = [&](const Lists& lists) {
    const Result<Policy> policy =
        Resolve(ConfigOf(lists), host_, {.linux_process = Containment::kNamespaces});
    return policy ? RulesText(*policy) : RefusalOf(policy);
  };
  EXPECT_EQ(Etc({.ro = {"/etc/secret", "/etc/app"}}), kByKernel);
  EXPECT_EQ(rules({.ro = {"/etc/secret", "/etc/app"}}),
            "read-only /etc/app (as others)\nread-only /etc/secret\n");
  EXPECT_EQ(rules({.ro = {"/etc"}}), "read-only /etc (as others)\n");
  EXPECT_EQ(Etc({.ro = {"/etc/closed/file"}}),
            "read-only /etc\ndenied /etc/app/key\ndenied /etc/closed\ndenied /etc/secret\n");
  EXPECT_EQ(Etc({.rw = {"/etc/app"}}),
            "read-only /etc\ndenied /etc/app/key\ndenied /etc/closed\ndenied /etc/secret\n");
  host_.Remove("/etc/app/key").Remove("/etc/app");
  EXPECT_EQ(Etc({.denied = {"/etc/closed/file"}}), kByMasks);
  EXPECT_EQ(Etc({.denied = {"/etc/passwd"}}), kByKernel);
}

TEST_F(ClosedByTheKernel, NotWhereAGrantShowsTheSameFiles) {
  host_.AddBind("/srv/work/etc", "/etc");
  EXPECT_EQ(Etc({}), kByKernel);
  const std::string both =
      std::string(kByMasks) + "denied /srv/work/etc/closed\ndenied /srv/work/etc/secret\n";
  EXPECT_EQ(Etc({.ro = {"/srv/work"}}), both);
  EXPECT_EQ(Etc({.ro = {"/srv/work/etc"}}), both);
}

TEST_F(ClosedByTheKernel, NotWhereOthersMayNotListTheDirectoryItself) {
  host_.AddDirectory("/etc", {.mode = 0750});
  EXPECT_EQ(Etc({}), kByMasks);
}

TEST_F(ResolveBaseline, SecretsStayMaskedUnderWiderGrantsOnly) {
  host_.AddFile("/etc/shadow", "x").AddFile("/etc/sudoers", "x").SetCaller(0, 0);
  EXPECT_EQ(Baseline({.ro = {"/"}}),
            "denied /etc/shadow\ndenied /etc/sudoers\ndenied /run/mxc-exec (missing from )\n"
            "denied /var/tmp/mxc-exec-temp-0 (missing from )\n");
  EXPECT_EQ(Baseline({.rw = {"/etc/shadow"}, .ro = {"/"}}),
            "denied /etc/sudoers\ndenied /run/mxc-exec (missing from )\n"
            "denied /var/tmp/mxc-exec-temp-0 (missing from )\n");
  EXPECT_EQ(Baseline({.denied = {"/etc", "/usr"}}), "");
}

TEST_F(ResolveBaseline, AMaskFollowsALinkToTheSecret) {
  host_.AddFile("/etc/keys/real", "x").AddSymlink("/etc/krb5.keytab", "keys/real");
  EXPECT_NE(Baseline({}).find("denied /etc/keys/real\n"), std::string::npos);
}

TEST_F(ResolveBaseline, DaemonSocketsUnderGrantsAreDenied) {
  host_.AddNode("/run/docker.sock", FileType::kSocket).AddNode("/run/user/1000/bus", FileType::kSocket);
  host_.AddDirectory("/run/other").AddNode("/run/user/1001/bus", FileType::kSocket);
  const Result<Policy> policy = With({.ro = {"/var/run"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_NE(
      RulesText(*policy, Origin::kBaseline).find("denied /run/docker.sock\ndenied /run/user/1000/bus\n"),
      std::string::npos);
  EXPECT_EQ(WarningsText(*policy),
            "daemon-socket /filesystem/readonlyPaths/0\ndaemon-socket /filesystem/readonlyPaths/0\n");
  EXPECT_EQ(
      policy->warnings[0].message,
      "'/run/docker.sock' in the grant of '/run' belongs to a program outside the sandbox and is denied");
  EXPECT_EQ(Baseline({.ro = {"/run/other"}}).find("sock"), std::string::npos);
}

TEST_F(ResolveBaseline, ResolverSocketOfTheBaselineIsDeniedWithoutNoise) {
  host_.AddNode("/run/systemd/resolve/io.systemd.Resolve", FileType::kSocket);
  const Result<Policy> policy = With({});
  ASSERT_TRUE(policy.ok());
  EXPECT_NE(RulesText(*policy, Origin::kBaseline)
                .find("read-only /run/systemd/resolve\ndenied /run/systemd/resolve/io.systemd.Resolve\n"),
            std::string::npos);
  EXPECT_EQ(WarningsText(*policy), "");
}

TEST_F(ResolveBaseline, TheCallersAgentIsDeniedWhereverItListens) {
  host_.AddNode("/srv/agent/sock", FileType::kSocket)
      .SetEnvironment("SSH_AUTH_SOCK", "/srv/agent/../agent/sock");
  const Result<Policy> policy = With({.rw = {"/srv"}});
  ASSERT_TRUE(policy.ok());
  EXPECT_NE(RulesText(*policy, Origin::kBaseline).find("denied /srv/agent/sock\n"), std::string::npos);
  EXPECT_EQ(WarningsText(*policy), "daemon-socket /filesystem/readwritePaths/0\n");
}

TEST_F(ResolveBaseline, EveryRowIsAbsoluteAndReasoned) {
  for (const auto table : {BaselineRows(), SecretRows(), SocketRows()}) {
    std::vector<std::string_view> paths;
    for (const BaselineRow& row : table) {
      EXPECT_EQ(FoldLexically(row.path), row.path);
      EXPECT_FALSE(row.why.empty()) << row.path;
      paths.push_back(row.path);
    }
    std::sort(paths.begin(), paths.end());
    EXPECT_EQ(std::adjacent_find(paths.begin(), paths.end()), paths.end());
  }
}

TEST_F(ResolveBaseline, ALaunchAsksFewQuestions) {
  ASSERT_TRUE(With({}).ok());
  EXPECT_LE(host_.Questions().size(), 80U);
}

}  // namespace
}  // namespace mxc::resolve_baseline_test
