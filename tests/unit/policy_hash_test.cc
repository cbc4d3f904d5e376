// One policy has one hash, however it is written; another has another.
#include "plan/policy_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "decode_text.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc::policy_hash_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string CanonicalText(const std::string& fragment, const std::string& version = "1.1.0-alpha") {
  FakeHost host;
  host.AddDebian().AddDirectory("/srv/a/b").AddDirectory("/srv/z").AddSymlink("/srv/link", "/srv/z");
  const Result<Config> config = DecodeText(With(fragment, version));
  EXPECT_TRUE(config.ok()) << fragment << ": " << config.error().message;
  const Result<Policy> policy = Resolve(*config, host, {});
  EXPECT_TRUE(policy.ok()) << fragment << ": " << policy.error().message;
  return CanonicalPolicy(*config, *policy);
}

TEST(PolicyHash, IsOfSortedLines) {
  EXPECT_EQ(
      CanonicalText(
          R"("filesystem":{"readwritePaths":["/srv/z"],"readonlyPaths":["/srv/a"],"deniedPaths":["/srv/a/b"]},
                             "network":{"egress":{"allow":[{"to":[{"host":"b.example"},{"cidr":"10.0.0.0/8"}],
                                                            "ports":[{"protocol":"tcp","port":443}]}]}},
                             "resources":{"memoryMb":1})"),
      "mxc-policy 1\n"
      "containment bubblewrap\n"
      "egress allow 10.0.0.0/8 tcp/443-443\n"
      "egress allow host=b.example tcp/443-443\n"
      "egress deny\n"
      "environment default\n"
      "host-loopback deny\n"
      "ingress deny\n"
      "limit memory 1048576\n"
      "path denied /srv/a/b\n"
      "path read-only /srv/a\n"
      "path read-write /srv/z\n"
      "protect git\n"
      "tier none\n");
}

TEST(PolicyHash, IsTheSameForOnePolicyInTwoSpellings) {
  const std::pair<std::string, std::string> kSpellings[] = {
      {R"("filesystem":{"readwritePaths":["/srv/a","/srv/z"]})",
       R"("filesystem":{"readwritePaths":["/srv/z/","/srv/z/../a","/srv/a"]})"},
      {R"("network":{"egress":{"default":"deny"}})", ""},
      {R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}]},{"to":[{"host":"b.example"}]}]}})",
       R"("network":{"egress":{"default":"deny","allow":[{"to":[{"host":"b.example"},{"host":"a.example"}]}]}})"},
      {R"("network":{"egress":{"allow":[{"to":[{"cidr":"10.0.0.7"}]}]}})",
       R"("network":{"egress":{"allow":[{"to":[{"cidr":"10.0.0.7/32"}]}]}})"},
      {R"("filesystem":{"protect":["git"]})", ""},
      {R"("containment":"bubblewrap")", R"("containment":"process","_comment":"x")"},
      {R"("containerId":"a")", R"("containerId":"b")"},
  };
  for (const auto& [one, other] : kSpellings) EXPECT_EQ(CanonicalText(one), CanonicalText(other)) << one;
  EXPECT_EQ(CanonicalText(R"("network":{"defaultPolicy":"block","allowedHosts":["a.example"]})", "0.8.0"),
            CanonicalText(R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}]}]}})"));
}

TEST(PolicyHash, IsAnotherForEachClause) {
  const std::string kPolicies[] = {
      "",
      R"("containment":"namespaces")",
      R"("filesystem":{"readwritePaths":["/srv/a"]})",
      R"("filesystem":{"readonlyPaths":["/srv/a"]})",
      R"("filesystem":{"readonlyPaths":["/srv/z"]})",
      R"("filesystem":{"deniedPaths":["/srv/a"]})",
      R"("filesystem":{"protect":[]})",
      R"("filesystem":{"protect":["git","shell"]})",
      R"("filesystem":{"protect":{"git":{"config":"allow-safe"}}})",
      R"("filesystem":{"repositories":[]})",
      R"("filesystem":{"temp":"private"})",
      R"("network":{"egress":{"default":"allow"}})",
      R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}]}]}})",
      R"("network":{"egress":{"deny":[{"to":[{"host":"a.example"}]}]}})",
      R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}],"ports":[{"port":80}]}]}})",
      R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}],"ports":[{"port":80,"endPort":81}]}]}})",
      R"("network":{"egress":{"allow":[{"to":[{"cidr":"10.0.0.0/8"}]}]}})",
      R"("network":{"egress":{"allow":[{"to":[{"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}]}]}})",
      R"("network":{"egress":{"allow":[{}]}})",
      R"("network":{"ingress":{"publish":[{"host":8080,"guest":80}]}})",
      R"("network":{"ingress":{"hostLoopback":"allow"}})",
      R"("resources":{"memoryMb":1})",
      R"("resources":{"memoryMb":2})",
      R"("resources":{"processes":2})",
      R"("output":{"maxBytes":1})",
      R"("output":{"redact":["secrets"]})",
      R"("output":{"redact":["pii"]})",
      R"("audit":{"path":"/var/log/a"})",
      R"("audit":{"path":"/var/log/a","onFailure":"warn"})",
      R"("minimumTier":"process")",
  };
  std::set<std::string> texts;
  for (const std::string& policy : kPolicies)
    EXPECT_TRUE(texts.insert(CanonicalText(policy)).second) << policy;
}

// A path with a line feed is one path, and no line of its own. Values of variables, which may be secrets, and
// the command are no part.
TEST(PolicyHash, IsOfNothingThatIsSecretOrForged) {
  FakeHost host;
  host.AddDebian().AddDirectory("/srv/a\npath read-write %");
  Config config = *DecodeText(
      R"({"version":"1.1.0-alpha","process":{"commandLine":"hidden","env":["TOKEN=secret"],"timeout":5},
          "filesystem":{"readonlyPaths":["/srv/a\npath read-write %"]}})");
  const std::string text = CanonicalPolicy(config, *Resolve(config, host, {}));
  EXPECT_THAT(text, HasSubstr("path read-only /srv/a%0apath%20read-write%20%25\n"));
  EXPECT_THAT(text, HasSubstr("timeout 5\n"));
  EXPECT_THAT(text, HasSubstr("variable TOKEN\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  EXPECT_THAT(PolicyHash(config, *Resolve(config, host, {})), testing::MatchesRegex("sha256:[0-9a-f]{64}"));
}

}  // namespace
}  // namespace mxc::policy_hash_test
