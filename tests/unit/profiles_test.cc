#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "config/decoding.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy_text.h"
#include "profiles/add_profiles.h"
#include "profiles/builtin_profiles.h"
#include "profiles/cache.h"
#include "profiles/profile.h"
#include "tests/support/fake_host.h"
#include "tests/unit/decode_text.h"

namespace mxc::profiles_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kOwnProfile = "/home/me/.config/mxc-exec/profiles/site.json";

class ProfileHost : public FakeHost {
 public:
  ProfileHost() : ProfileHost("") {}
  explicit ProfileHost(const std::string& own, FakeAttributes attributes = {.uid = 1000, .gid = 1000}) {
    AddDebian().AddDirectory("/home/me", {.uid = 1000, .gid = 1000}).SetEnvironment("HOME", "/home/me");
    for (const char* path : {"/home/me/app", "/home/me/.nvm", "/home/me/.pyenv", "/home/me/tools",
                             "/home/me/.config", "/home/me/.config/mxc-exec/profiles"})
      AddDirectory(path, {.uid = 1000, .gid = 1000});
    SetWorkingDirectory("/home/me/app");
    if (!own.empty()) AddFile(kOwnProfile, own, attributes);
  }
};

Result<Config> Decoded(const std::string& fragment, const FakeHost& host) {
  const Result<Json> document = ParseDocument({.name = "test", .bytes = With(fragment, "1.1.0-alpha")});
  if (!document) return document.error();
  Result<Config> config = Decode(*document, {});
  if (!config) return config;
  if (Status added = AddProfiles(*document, host, false, *config); !added) return added.error();
  return config;
}

// Every part of a configuration that a profile can add to, a line each.
std::string AddedText(const Result<Config>& config) {
  if (!config) return config.error().pointer + " " + config.error().message + "; " + config.error().hint;
  std::string text;
  for (const PathEntry& entry : config->read_write) text += "rw " + entry.path + " " + entry.pointer + "\n";
  for (const PathEntry& entry : config->read_only) text += "ro " + entry.path + " " + entry.pointer + "\n";
  if (!config->tools_pointer.empty()) text += "tools " + config->tools_pointer + "\n";
  if (config->process.environment) {
    text += config->process.inherit_default_environment ? "env beside the default\n" : "env alone\n";
    for (const Variable& variable : *config->process.environment)
      text += "env " + variable.name + "=" + variable.value.Reveal() + "\n";
  }
  for (const NetworkRule& rule : config->network.allow)
    text += "host " + rule.to.front().host + " " + rule.pointer + "\n";
  return text;
}

std::string CacheOf(const Config& config, const FakeHost& host,
                    const std::vector<std::string>& profiles = {}) {
  return CacheDirectoryFor(config, profiles, host).value();
}

constexpr const char* kSite = R"({
  "_comment": "what this site has",
  "filesystem": {"readonlyPaths": ["~/tools", "~/missing"], "readwritePaths": ["${CACHE}/x"]},
  "process": {"env": ["A=one", "OPTIONS=-a ${HOME}/tools -b ${CACHE}/x"]},
  "network": {"egress": {"allow": [{"to": [{"host": "registry.site.example"}]}]}}
})";

const std::vector<std::string> kSiteEntries = {"readonlyPaths ~/tools", "readonlyPaths ~/missing"};

TEST(Profiles, AddWhatExistsAndNameThemselves) {
  const ProfileHost host(kSite);
  const std::string cache = CacheOf({}, host, kSiteEntries);
  EXPECT_THAT(cache, StartsWith("/home/me/.cache/mxc-exec-caches/app-"));
  EXPECT_EQ(AddedText(Decoded(R"("profiles":["site"])", host)),
            "ro /home/me/tools profile site: /filesystem/readonlyPaths/0\n"
            "env beside the default\n"
            "env A=one\n"
            "env OPTIONS=-a /home/me/tools -b " +
                cache + "/x\n" + "host registry.site.example profile site: /network/egress/allow/0\n");
}

TEST(Profiles, AddACacheOnceItIsThere) {
  ProfileHost host(kSite);
  host.AddDirectory(CacheOf({}, host, kSiteEntries) + "/x", {.uid = 1000, .gid = 1000});
  EXPECT_THAT(
      AddedText(Decoded(R"("profiles":["site"])", host)),
      HasSubstr("rw " + CacheOf({}, host, kSiteEntries) + "/x profile site: /filesystem/readwritePaths/0\n"));
}

// As containers have it that run under a number: HOME=/.
TEST(Profiles, CachesStandBelowAnySpellingOfHome) {
  for (const auto& [home, caches] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/", "/.cache"}, {"/home/me/", "/home/me/.cache"}, {"/home//./me", "/home/me/.cache"}}) {
    ProfileHost host(kSite);
    host.SetEnvironment("HOME", home);
    const std::string cache = CacheOf({}, host, kSiteEntries);
    EXPECT_THAT(cache, StartsWith(std::string(caches) + "/mxc-exec-caches/app-"));
  }
  ProfileHost host;
  host.SetEnvironment("XDG_CACHE_HOME", "/home/me/caches/");
  EXPECT_THAT(CacheOf({}, host), StartsWith("/home/me/caches/mxc-exec-caches/app-"));
}

// As service users have it: root could make it on the host.
TEST(Profiles, CachesNeedAHomeThatExists) {
  ProfileHost host(kSite);
  host.SetEnvironment("HOME", "/nonexistent").SetEnvironment("XDG_CONFIG_HOME", "/home/me/.config");
  EXPECT_EQ(
      AddedText(Decoded(R"("profiles":["site"])", host)),
      " profiles keep caches in ~/.cache, and the home directory '/nonexistent' does not exist; set HOME or "
      "XDG_CACHE_HOME to a directory of yours");
  EXPECT_THAT(AddedText(Decoded(R"("profiles":["git"])", host)), HasSubstr("github.com"));
  host.SetEnvironment("XDG_CACHE_HOME", "/nonexistent/caches");
  EXPECT_THAT(AddedText(Decoded(R"("profiles":["site"])", host)),
              HasSubstr("-b /nonexistent/caches/mxc-exec"));
}

// What a command leaves in a cache is found by those alone that start there with the same grants.
TEST(Profiles, CachesAreOfTheDirectoryAndTheGrants) {
  ProfileHost host;
  const std::string here = CacheOf({}, host);
  const Lists different[] = {{.rw = {"/home/me/app"}},   {.rw = {"/home/me/tools"}},
                             {.ro = {"/home/me/app"}},   {.denied = {"/home/me/app"}},
                             {.ro = {"/home/me/app,b"}}, {.rw = {"/home/me/app", "/home/me/tools"}},
                             {.rw = {"/home/me/app/*"}}};
  std::set<std::string> caches = {here};
  for (const Lists& lists : different) EXPECT_TRUE(caches.insert(CacheOf(ConfigOf(lists), host)).second);
  EXPECT_EQ(CacheOf(ConfigOf({.rw = {"/b", "/a/"}}), host),
            CacheOf(ConfigOf({.rw = {"/a", "/b", "/b"}}), host));
  Config config;
  config.sockets = {{.path = "$DOCKER_HOST"}};
  EXPECT_TRUE(caches.insert(CacheOf(config, host)).second);
  for (const char* value : {"unix:///run/weak", "unix:///run/strong"}) {
    host.SetEnvironment("DOCKER_HOST", value);
    EXPECT_TRUE(caches.insert(CacheOf(config, host)).second) << value;
  }
  Config agent;
  agent.sockets = {{.path = "$SSH_AUTH_SOCK"}};
  const std::string of_agent = CacheOf(agent, host);
  host.SetEnvironment("SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1");
  EXPECT_EQ(CacheOf(agent, host), of_agent);
  host.SetWorkingDirectory("/home/me/.x y");
  EXPECT_THAT(CacheOf({}, host), StartsWith("/home/me/.cache/mxc-exec-caches/_.x_y-"));
}

// The object counts, whatever leads to it.
TEST(Profiles, CachesAreOfWhatPathsLeadTo) {
  ProfileHost host;
  host.AddSymlink("/opt/current", "/home/me/app");
  Config config = ConfigOf({.rw = {"/opt/current"}});
  config.process.cwd = "/opt/current";
  Config plain = ConfigOf({.rw = {"/home/me/app"}});
  plain.process.cwd = "/home/me/app";
  EXPECT_EQ(CacheOf(config, host), CacheOf(plain, host));
  host.Remove("/opt/current").AddSymlink("/opt/current", "/home/me/tools");
  EXPECT_NE(CacheOf(config, host), CacheOf(plain, host));
}

TEST(Profiles, CachesAreOfTheWorkspace) {
  ProfileHost host;
  host.SetWorkingDirectory("/home/me");
  const auto of = [&host](const char* root, const char* guest, const char* cwd = "",
                          const Lists& lists = {}) {
    Config config = ConfigOf(lists);
    config.process.workspace = {.host = root, .guest = guest, .pointer = "/process/workspace"};
    config.process.cwd = cwd;
    return CacheOf(config, host);
  };
  const std::string app = of("/home/me/app", "/workspace");
  EXPECT_THAT(app, StartsWith("/home/me/.cache/mxc-exec-caches/app-")) << "the command starts there";
  const std::string others[] = {of("/home/me/tools", "/workspace"),
                                of("/home/me/app", "/project"),
                                of("/home/me/app", "/workspace", "/workspace/sub"),
                                of("/home/me/app", "/workspace", "", {.ro = {"/workspace/sub"}}),
                                CacheOf({}, host),
                                CacheOf(ConfigOf({.rw = {"/home/me/app"}}), host)};
  for (const std::string& other : others) EXPECT_NE(other, app);
  EXPECT_EQ(of("/home/me/app/", "/workspace/"), app);
  EXPECT_EQ(of("/home/me/app", "/workspace", "/workspace"), app);
  EXPECT_EQ(of("/home/me/app", "/workspace", "/home/me/app"), app);
  host.SetWorkingDirectory("/home/me/app");
  EXPECT_EQ(of("/home/me/app", "/workspace"), app);
}

TEST(Profiles, CachesAreOfWhatOwnProfilesGrant) {
  const auto cache = [](const std::string& profile, const std::string& names) {
    const std::string text = AddedText(Decoded("\"profiles\":[" + names + "]", ProfileHost(profile)));
    const std::size_t at = text.find("mxc-exec-caches/");
    return text.substr(at, text.find('/', at + 17) - at);
  };
  const std::string node = cache("{}", R"("node")");
  EXPECT_EQ(cache(R"({"process":{"env":["A=${CACHE}/x"]}})", R"("site")"), node);
  EXPECT_EQ(cache("{}", R"("node","go")"), node);
  for (const char* list : {"readwritePaths", "readonlyPaths"}) {
    const std::string grants = std::string(R"({"filesystem":{")") + list + R"(":["~/tools","${CACHE}/x"]}})";
    EXPECT_NE(cache(grants, R"("site","node")"), node) << list;
  }
}

TEST(Profiles, ToolsOfNodeHaveACacheEach) {
  const std::string text = AddedText(Decoded("\"profiles\":[\"node\"]", ProfileHost("{}")));
  for (const auto& [name, directory] :
       {std::pair{"npm_config_cache", "npm"}, std::pair{"PNPM_HOME", "pnpm"},
        std::pair{"YARN_CACHE_FOLDER", "yarn"}, std::pair{"COREPACK_HOME", "corepack"}}) {
    const std::size_t at = text.find(std::string("env ") + name + "=");
    ASSERT_NE(at, std::string::npos) << text;
    const std::size_t value = text.find('=', at) + 1;
    const std::string path = text.substr(value, text.find('\n', value) - value);
    EXPECT_TRUE(path.ends_with(std::string("/") + directory));
    EXPECT_THAT(path, HasSubstr("/mxc-exec-caches/"));
  }
}

TEST(Profiles, TheDocumentsOwnValuesWin) {
  const ProfileHost host(kSite);
  const Result<Json> document = ParseDocument(
      {.name = "test",
       .bytes =
           R"({"version":"1.1.0-alpha","profiles":["site","site"],"process":{"argv":["x"],"env":["A=two"]}})"});
  Result<Config> config = Decode(*document, {});
  ASSERT_TRUE(config.ok());
  ASSERT_TRUE(AddProfiles(*document, host, false, *config).ok());
  const std::vector<Variable>& variables = *config->process.environment;
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables.back().name + "=" + variables.back().value.Reveal(), "A=two");
  EXPECT_FALSE(config->process.inherit_default_environment);
  const Result<Config> named = Decoded(R"("profiles":["node"],"filesystem":{"tools":"system"})", host);
  EXPECT_THAT(AddedText(named), Not(HasSubstr("tools ")));
  EXPECT_THAT(AddedText(Decoded(R"("profiles":["node"])", host)),
              HasSubstr("tools profile node: /filesystem/tools\n"));
}

TEST(Profiles, AddNoHostWhereEveryOneIsReached) {
  const ProfileHost host(kSite);
  for (const std::string network : {R"("network":{"egress":{"default":"allow"}})",
                                    R"("network":{"proxy":{"url":"http://10.0.0.1:3128"}})"})
    EXPECT_THAT(AddedText(Decoded(R"("profiles":["site"],)" + network, host)), Not(HasSubstr("host ")));
}

TEST(Profiles, UnknownNamesGetASuggestion) {
  const ProfileHost host(kSite);
  EXPECT_EQ(
      AddedText(Decoded(R"("profiles":["nod"])", host)),
      "/profiles/0 Invalid configuration at `profiles[0]`: there is no profile 'nod' at line 1 column 71; "
      "did you mean node? `mxc-exec profile list` shows them");
  EXPECT_THAT(AddedText(Decoded(R"("profiles":["sites"])", host)), HasSubstr("did you mean site?"));
  for (const char* name : {"../x", "", "list", "show", "a/b", ".x", "Site"})
    EXPECT_THAT(AddedText(Decoded(std::string(R"("profiles":[")") + name + "\"]", host)),
                HasSubstr("there is no profile"))
        << name;
}

TEST(Profiles, CanOnlyAdd) {
  for (const char* text : {R"({"filesystem":{"deniedPaths":["/x"]}})", R"({"filesystem":{"protect":[]}})",
                           R"({"filesystem":{"sockets":["/x"]}})", R"({"filesystem":{"temp":"shared"}})",
                           R"({"process":{"cwd":"/"}})", R"({"network":{"egress":{"default":"allow"}}})",
                           R"({"network":{"ingress":{"hostLoopback":"allow"}}})", R"({"containment":"none"})",
                           R"({"profiles":["node"]})", R"({"output":{"maxBytes":1}})",
                           R"({"network":{"defaultPolicy":"allow"}})"}) {
    const ProfileHost host(text);
    EXPECT_THAT(AddedText(Decoded(R"("profiles":["site"])", host)), HasSubstr("a profile can only add"))
        << text;
  }
}

TEST(Profiles, ErrorsNameTheProfileAndItsFile) {
  const ProfileHost host(R"({"filesystem":{"readonlyPaths":["x"]}})");
  EXPECT_THAT(
      AddedText(Decoded(R"("profiles":["site"])", host)),
      StartsWith("profile site: /filesystem/readonlyPaths/0 profile site (" + std::string(kOwnProfile) +
                 "): Invalid configuration at `filesystem.readonlyPaths[0]`"));
}

TEST(Profiles, AnOwnFileIsTheCallersAlone) {
  const std::string ask = R"("profiles":["site"])";
  EXPECT_THAT(AddedText(Decoded(ask, ProfileHost(kSite, {.mode = 0666, .uid = 1000, .gid = 1000}))),
              HasSubstr("could be changed by others"));
  EXPECT_THAT(AddedText(Decoded(ask, ProfileHost(kSite, {.uid = 1001}))),
              HasSubstr("could be changed by others"));
  EXPECT_THAT(AddedText(Decoded(ask, ProfileHost(kSite, {.uid = 1000, .gid = 1000, .links = 2}))),
              HasSubstr("has another name"));
  ProfileHost open(kSite);
  open.AddDirectory("/home/me/.config/mxc-exec", {.mode = 0777, .uid = 1000, .gid = 1000});
  EXPECT_THAT(AddedText(Decoded(ask, open)), HasSubstr("could be changed by others"));
}

TEST(Profiles, SoAreTheLinksThatLeadToIt) {
  const auto through = [](const char* hop, FakeAttributes around, const std::string& grant) {
    ProfileHost host;
    host.AddFile("/home/me/site.json", kSite, {.uid = 1000, .gid = 1000});
    host.AddDirectory(std::string(ParentOf(hop)), around).AddSymlink(hop, "/home/me/site.json");
    host.AddSymlink(kOwnProfile, hop);
    return AddedText(Decoded(R"("profiles":["site"])" + grant, host));
  };
  const FakeAttributes own = {.uid = 1000, .gid = 1000};
  const std::string grant = R"(,"filesystem":{"readwritePaths":["/home/me/app"]})";
  EXPECT_THAT(through("/home/me/app/hop", own, ""), HasSubstr("env A=one"));
  EXPECT_THAT(through("/home/me/app/hop", own, grant), HasSubstr("could be written by the command"));
  EXPECT_THAT(through("/srv/open/hop", {.mode = 0777, .uid = 1001}, ""),
              HasSubstr("could be changed by others"));
}

TEST(Profiles, ALargeOwnFileIsRefusedAsThat) {
  const std::string large = "{\"_comment\":\"" + std::string(kMaxDocumentBytes, 'x') + "\"}";
  EXPECT_THAT(AddedText(Decoded(R"("profiles":["site"])", ProfileHost(large, {.uid = 1000, .gid = 1000}))),
              HasSubstr("larger than"));
}

TEST(Profiles, AHostHasTheProfileOfItsToolchain) {
  EXPECT_EQ(ProfileForHost("registry.npmjs.org"), "node");
  EXPECT_EQ(ProfileForHost("files.pythonhosted.org"), "python");
  for (const char* host : {"github.com", "api.anthropic.com", "", "npmjs.org", "org"})
    EXPECT_EQ(ProfileForHost(host), "") << host;
}

TEST(Profiles, AnOwnFileIsOutOfTheCommandsReach) {
  ProfileHost host(kSite);
  host.AddSymlink("/home/me/link", "/home/me");
  for (const char* path : {"/", "/home/me", "/home/me/.config", "/home/me/link", kOwnProfile}) {
    const std::string grant = std::string(R"(,"filesystem":{"readwritePaths":[")") + path + "\"]}";
    EXPECT_THAT(AddedText(Decoded(R"("profiles":["site"])" + grant, host)),
                HasSubstr("could be written by the command"))
        << path;
    EXPECT_THAT(AddedText(Decoded(R"("profiles":["git"])" + grant, host)), HasSubstr("env ")) << path;
  }
}

TEST(Profiles, AnOwnFileIsOutOfTheWorkspaceToo) {
  const ProfileHost host(kSite);
  const Result<Json> document =
      ParseDocument({.name = "test",
                     .bytes = R"({"version":"1.1.0-alpha","profiles":["site"],"process":{"argv":["x"],)"
                              R"("workspace":{"host":"/home/me/.config"}}})"});
  Result<Config> config = Decode(*document, {});
  ASSERT_TRUE(config.ok());
  const Status added = AddProfiles(*document, host, false, *config);
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("could be written by the command"));
  EXPECT_EQ(added.error().pointer, "/process/workspace");
}

TEST(Profiles, AreListedWithTheirPurpose) {
  const ProfileHost host(kSite);
  const std::string table = ProfileTable(host);
  EXPECT_THAT(table, HasSubstr("node         npm, npx, pnpm, yarn and corepack\n"));
  EXPECT_THAT(table, HasSubstr("site         what this site has (your own)\n"));
  EXPECT_THAT(ProfileNames(host), Contains("claude-code"));
}

// ---- those of the program ------------------------------------------------------------------------------

TEST(Profiles, EveryBuiltinIsValidAndSaysWhatItIsFor) {
  const ProfileHost host;
  for (const BuiltinProfile& known : BuiltinProfiles()) {
    const std::string name{known.name};
    const Result<Config> config = Decoded("\"profiles\":[\"" + name + "\"]", host);
    EXPECT_TRUE(config.ok()) << AddedText(config);
    const Result<Profile> profile = ReadProfile(name, host);
    EXPECT_FALSE(AboutProfile(*profile).empty()) << name;
    // Their entries do not count for the name of the cache.
    const Json* const files = Member(&profile->document, "filesystem");
    const Json* const writable = Member(files, "readwritePaths");
    for (std::size_t i = 0; writable != nullptr && i < writable->items.size(); ++i)
      EXPECT_THAT(writable->items[i].text, StartsWith("${CACHE}/")) << name;
  }
}

// What a program of the host later runs or trusts is never a command's to write.
TEST(Profiles, NoBuiltinWritesOutsideOfCaches) {
  const ProfileHost host;
  for (const BuiltinProfile& known : BuiltinProfiles()) {
    const Result<Profile> profile = ReadProfile(std::string(known.name), host);
    ASSERT_TRUE(profile.ok());
    const Json* const files = profile->document.Find("filesystem");
    const Json* const list = files != nullptr ? files->Find("readwritePaths") : nullptr;
    if (list == nullptr) continue;
    for (const Json& path : list->items) EXPECT_THAT(path.text, StartsWith("${CACHE}/")) << known.name;
  }
}

// ---- with the policy's own entries ---------------------------------------------------------------------

Config WithAdded(const Lists& own, const Lists& added) {
  Config config = ConfigOf(own);
  for (const std::string& path : added.rw) config.read_write.push_back({path, "profile x: /rw"});
  for (const std::string& path : added.ro) config.read_only.push_back({path, "profile x: /ro"});
  return config;
}

std::string RulesWith(const Lists& own, const Lists& added, const FakeHost& host = ProfileHost()) {
  const Result<Policy> policy = Resolve(WithAdded(own, added), host, {});
  return policy ? RulesText(*policy) : RefusalOf(policy);
}

TEST(Profiles, YieldToWhatThePolicyDenies) {
  EXPECT_EQ(RulesWith({.denied = {"/home/me"}}, {.ro = {"/home/me/.nvm"}}), "denied /home/me\n");
  EXPECT_EQ(RulesWith({.denied = {"/home/me/.nvm"}}, {.rw = {"/home/me/.nvm"}}), "denied /home/me/.nvm\n");
  EXPECT_EQ(RulesWith({.denied = {"/home/*/.nvm"}}, {.ro = {"/home/me/.nvm"}}), "denied /home/me/.nvm\n");
  EXPECT_EQ(RulesWith({.denied = {"/home/me/.nvm/x"}}, {.ro = {"/home/me/.nvm"}}),
            "read-only /home/me/.nvm\ndenied /home/me/.nvm/x (missing from /home/me/.nvm/x)\n");
  ProfileHost linked;
  linked.AddSymlink("/home/me/.rbenv", "/home/me/tools");
  EXPECT_EQ(RulesWith({.denied = {"/home/me/tools"}}, {.ro = {"/home/me/.rbenv"}}, linked),
            "denied /home/me/tools\n");
}

TEST(Profiles, NarrowNothing) {
  EXPECT_EQ(RulesWith({.rw = {"/home/me/app"}}, {.ro = {"/home/me/app"}}), "read-write /home/me/app\n");
  EXPECT_EQ(RulesWith({}, {.rw = {"/home/me/.nvm"}, .ro = {"/home/me/.nvm"}}), "read-write /home/me/.nvm\n");
  EXPECT_EQ(RulesWith({.ro = {"/home/me/app"}}, {.rw = {"/home/me/app"}}), "read-only /home/me/app\n");
}

}  // namespace
}  // namespace mxc::profiles_test
