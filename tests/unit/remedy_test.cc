// What is said about files that cannot be had: network and user file systems, files granted by themselves.
#include <gtest/gtest.h>

#include "policy/paths/mounts.h"
#include "tests/unit/policy_text.h"

namespace mxc::remedy_test {
namespace {

std::string HintOf(const Result<Policy>& policy) { return policy ? "" : policy.error().hint; }

TEST(Remedy, FuseOfAnotherUser) {
  FakeHost host;
  host.AddDebian().SetCaller(0, 0).AddMount("/home/ana/remote", "fuse.sshfs");
  host.AddUnreadable("/home/ana/remote/x");
  EXPECT_EQ(HintOf(Resolve(ConfigOf({.rw = {"/home/ana/remote/x"}}), host, {})),
            "it is on '/home/ana/remote' (fuse.sshfs), which only the user sees who mounted it: run as that "
            "user, or mount it with allow_other");
}

TEST(Remedy, RootOnNfs) {
  FakeHost host;
  host.AddDebian().SetCaller(0, 0).AddMount("/net", "nfs4").AddUnreadable("/net/x");
  EXPECT_EQ(HintOf(Resolve(ConfigOf({.ro = {"/net/x"}}), host, {})),
            "it is on '/net' (nfs4), whose server takes root for nobody: run as a user who has access");
  host.SetCaller(1000, 1000);
  EXPECT_EQ(HintOf(Resolve(ConfigOf({.ro = {"/net/x"}}), host, {})),
            "make the directories above it searchable for the caller, or remove the entry");
}

TEST(Remedy, AnOrdinaryFileSystem) {
  FakeHost host;
  host.AddDebian().AddDirectory("/srv/w", {.readable = false});
  EXPECT_EQ(HintOf(Resolve(ConfigOf({.ro = {"/srv/w"}}), host, {})),
            "grant only what the caller can access, or change its mode");
}

TEST(SingleFiles, AreReportedWhereTheyCannotBeReplaced) {
  FakeHost host;
  host.AddDebian().AddFile("/srv/w/a").AddFile("/srv/v/b");
  const Result<Policy> policy =
      Resolve(ConfigOf({.rw = {"/srv/w/a", "/srv/w", "/srv/v/b"}, .ro = {"/srv/v"}}), host, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(WarningsText(*policy), "single-file /filesystem/readwritePaths/2\n");
}

Result<Policy> WithTemp(const FakeHost& host, bool shared, const Lists& lists = {}) {
  Config config = ConfigOf(lists);
  if (shared) {
    config.read_write.push_back({"/tmp", "/filesystem/temp"});
  } else {
    config.private_temp_pointer = "/filesystem/temp";
  }
  return Resolve(config, host, {});
}

TEST(Temp, SharedIsARelaxedGrantAndPrivateAClause) {
  FakeHost host;
  host.AddDebian();
  const Result<Policy> shared = WithTemp(host, true);
  EXPECT_EQ(RulesText(*shared), "read-write /tmp\n");
  EXPECT_EQ(shared->relaxations, std::vector<std::string>{"shared-temp"});
  const Result<Policy> closed = WithTemp(host, false);
  EXPECT_EQ(ClausesText(*closed), "/filesystem/temp: a private, empty /tmp\n/network: no network\n");
  EXPECT_EQ(
      RefusalOf(WithTemp(host, false, {.rw = {"/tmp"}})),
      "policy_conflict /filesystem/temp: `temp` is private, but /filesystem/readwritePaths/0 is an entry for "
      "the host's /tmp");
}

}  // namespace
}  // namespace mxc::remedy_test
