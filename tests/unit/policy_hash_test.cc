// One policy has one hash, however it is written; another has another.
#include "plan/policy_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/fields.h"
#include "decode_text.h"
#include "field_sayings.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc::policy_hash_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string CanonicalText(const std::string& fragment, const std::string& version = "1.1.0-alpha") {
  FakeHost host;
  host.AddDebian()
      .AddDirectory("/srv/a/b")
      .AddDirectory("/srv/z")
      .AddSymlink("/srv/link", "/srv/z")
      .AddNode("/srv/socket", FileType::kSocket);
  const std::string head = "{\"version\":\"" + version + "\",";
  const Result<Config> config = DecodeText(
      fragment.starts_with("\"process\"") || fragment.starts_with("\"phase\"") ? head + fragment + "}"
                                                                               : With(fragment, version));
  EXPECT_TRUE(config.ok()) << fragment << ": " << config.error().message;
  if (!config) return "";
  const Result<Policy> policy = Resolve(*config, host, {});
  EXPECT_TRUE(policy.ok()) << fragment << ": " << policy.error().message;
  if (!policy) return "";
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
      R"("network":{"ingress":{"hostLoopbackPorts":[{"port":5432}]}})",
      R"("network":{"ingress":{"hostLoopbackPorts":[{"port":5433}]}})",
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

// ---- every field of the schema ----

// No part of the hash, and why.
const std::map<std::string, std::string>& NoPart() {
  static const std::map<std::string, std::string> reasons = {
      {"/$schema", "for editors"},
      {"/_comment", "for readers"},
      {"/version", "a spelling: two dialects say one policy"},
      {"/expand", "a spelling: the paths that come of it are"},
      {"/profiles", "a spelling: what they add is"},
      {"/filesystem/tools", "the paths that it shows are"},
      {"/selection", "the containment that it chose is"},
      {"/containerId", "a name"},
      {"/process/commandLine", "the command is no policy"},
      {"/process/argv", "the command is no policy"},
      {"/process/cwd", "the command's directory is no policy"},
      {"/lifecycle/preservePolicy", "of Windows: see below"},
      {"/network/enforcementMode", "has no effect: rules are always enforced"},
      {"/network/proxy/builtinTestServer", "is refused"},
      {"/fallback", "of Windows: see below"},
      {"/ui", "of systems with a desktop: see below"},
      {"/telemetry", "nothing is sent"},
      {"/test", "ignored"},
      {"/experimental/telemetry", "nothing is sent"},
  };
  return reasons;
}

bool IsNoPart(const std::string& pointer) {
  for (const auto& [start, reason] : NoPart()) {
    if (pointer == start || pointer.starts_with(start + "/")) return true;
  }
  return false;
}

// Fields of containments' sections, which the policy keeps as they are written.
bool IsInSection(const std::string& pointer) {
  for (const std::string start :
       {"/processContainer", "/appContainer", "/lxc", "/kubernetes", "/seatbelt", "/macos_sandbox", "/wslc",
        "/hyperlight", "/windowsSandbox", "/isolationSession", "/experimental"})
    if (pointer.starts_with(start)) return true;
  return false;
}

// Of all fields but those of lifecycle requests, and those that older clients send for nothing.
void CollectFields(const Shape& shape, const std::string& above, std::vector<std::string>& pointers) {
  for (const Field& field : shape.fields) {
    if (field.use != Use::kNormal) continue;
    const std::string pointer = above + "/" + std::string(field.name);
    const bool whole = field.type == FieldType::kObject || IsNoPart(pointer);
    if (!whole || field.shape == nullptr || field.shape->fields.empty()) pointers.push_back(pointer);
    if (field.shape != nullptr && !IsNoPart(pointer)) CollectFields(*field.shape, pointer, pointers);
  }
}

TEST(PolicyHash, HasEveryFieldThatDecidesSomething) {
  std::vector<std::string> pointers;
  CollectFields(RootShape(), "", pointers);
  ASSERT_GT(pointers.size(), 60U);
  for (const std::string& pointer : pointers) {
    if (IsNoPart(pointer) || IsInSection(pointer) || pointer.starts_with("/helpers/")) continue;
    // A denial is written as a grant.
    if (pointer.starts_with("/network/egress/deny/")) continue;
    const auto said = Sayings().find(pointer);
    ASSERT_NE(said, Sayings().end()) << pointer << ": say with what it changes the hash, or why it does not";
    const Saying& saying = said->second;
    EXPECT_NE(CanonicalText(saying.fragment, saying.version), CanonicalText(saying.without, saying.version))
        << pointer;
  }
  for (const auto& [pointer, saying] : Sayings())
    EXPECT_NE(std::find(pointers.begin(), pointers.end(), pointer), pointers.end())
        << pointer << " is no field";
}

// Of a section each member is in it, at whatever depth.
TEST(PolicyHash, HasEverythingOfAContainmentsSection) {
  FakeHost host;
  host.AddDebian();
  const Config config = *DecodeText(
      With(R"("containment":"lxc","lxc":{"distribution":"debian","release":"12"})", "1.1.0-alpha"));
  EXPECT_NE(config.backend_section.kind, Json::Kind::kNull);
  Policy policy = *Resolve(config, host, {});
  EXPECT_THAT(CanonicalPolicy(config, policy), HasSubstr("section /release 12\n"));
  std::set<std::string> texts;
  for (const char* const section : {R"({})", R"({"a":true})", R"({"a":false})", R"({"b":1})", R"({"b":[1]})",
                                    R"({"b":[1,2]})", R"({"b":{"a":true}})", R"({"b":{"a":"true x"}})"}) {
    policy.section = *ParseDocument({.name = "test", .bytes = section});
    EXPECT_TRUE(texts.insert(CanonicalPolicy(config, policy)).second) << section;
  }
}

TEST(PolicyHash, HasWhatOtherSystemsEnforce) {
  FakeHost host;
  host.AddDebian();
  const Config config = *DecodeText(With("", "1.1.0-alpha"));
  Policy policy = *Resolve(config, host, {});
  policy.system = OperatingSystem::kWindows;
  std::set<std::string> texts{CanonicalPolicy(config, policy)};
  const auto changes = [&] { return texts.insert(CanonicalPolicy(config, policy)).second; };
  EXPECT_TRUE((policy.ui.disabled = !policy.ui.disabled, changes()));
  EXPECT_TRUE((policy.ui.clipboard = Clipboard::kRead, changes()));
  EXPECT_TRUE((policy.ui.injection = !policy.ui.injection, changes()));
  EXPECT_TRUE((policy.windows.acl_changes_allowed = false, changes()));
  EXPECT_TRUE((policy.windows.loopback_exemption_allowed = true, changes()));
  EXPECT_TRUE((policy.windows.bfs_allowed = true, changes()));
  EXPECT_TRUE((policy.windows.policy_preserved = true, changes()));
}

TEST(PolicyHash, HasTheFilesThatHelpersHaveToBe) {
  const std::string zeros(64, '0');
  const std::string ones(64, '1');
  std::set<std::string> texts{CanonicalText("")};
  const Field* helpers = nullptr;
  for (const Field& field : RootShape().fields) helpers = field.name == "helpers" ? &field : helpers;
  ASSERT_NE(helpers, nullptr);
  for (const Field& helper : helpers->shape->fields) {
    for (const std::string& hash : {zeros, ones}) {
      const std::string pin =
          "\"helpers\":{\"" + std::string(helper.name) + "\":{\"sha256\":\"" + hash + "\"}}";
      EXPECT_TRUE(texts.insert(CanonicalText(pin)).second) << pin;
    }
  }
}

// Of a proxy its address, and not its password.
TEST(PolicyHash, HasTheProxyOnTheWay) {
  const Config config = *DecodeText(
      With(R"("network":{"egress":{"default":"allow","upstreamProxy":"environment"}})", "1.1.0-alpha"));
  const auto text = [&](const std::map<std::string, std::string>& variables) {
    FakeHost host;
    host.AddDebian();
    for (const auto& [name, value] : variables) host.SetEnvironment(name, value);
    const Result<Policy> policy = Resolve(config, host, {});
    EXPECT_TRUE(policy.ok()) << policy.error().message;
    return CanonicalPolicy(config, *policy);
  };
  std::set<std::string> texts;
  EXPECT_TRUE(texts.insert(text({})).second);
  EXPECT_TRUE(texts.insert(text({{"http_proxy", "http://p.example:1"}})).second);
  EXPECT_TRUE(texts.insert(text({{"http_proxy", "http://p.example:2"}})).second);
  EXPECT_TRUE(texts.insert(text({{"http_proxy", "http://q.example:2"}})).second);
  EXPECT_TRUE(texts.insert(text({{"https_proxy", "http://q.example:2"}})).second);
  EXPECT_TRUE(texts.insert(text({{"http_proxy", "http://q.example:2"}, {"no_proxy", "x.example"}})).second);
  EXPECT_FALSE(texts.insert(text({{"http_proxy", "http://me:secret@q.example:2"}})).second);
}

}  // namespace
}  // namespace mxc::policy_hash_test
