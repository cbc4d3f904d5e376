// Settings of other programs in, configurations of ours out.
#include "import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "document/parse.h"
#include "import/toml.h"
#include "profiles/expand_document.h"
#include "tests/support/fake_host.h"
#include "tests/unit/decode_text.h"

namespace mxc::import_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Of somebody in /srv/work, whose home is /home/me.
Result<Import> Imported(const std::string& text) {
  FakeHost host;
  host.SetEnvironment("HOME", "/home/me");
  host.AddDirectory("/srv/work/.github");
  host.AddDirectory("/srv/work/docs");
  host.AddDirectory("/a/b");
  host.AddSymlink("/home/me/link", "/srv/work/docs");
  return ImportSettings({.name = "test", .bytes = text}, "/srv/work", host);
}

// Of what srt keeps whatever its settings say.
bool IsKept(const std::string& path) {
  return path.starts_with("${PWD}/.") &&
         std::string(
             ".gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc .mcp.json ")
                 .find(path.substr(std::string("${PWD}/").size()) + " ") != std::string::npos;
}

// `filesystem` without what every import has, `network.egress`, and the warnings, a line each.
std::string ImportText(const std::string& text) {
  const Result<Import> import = Imported(text);
  if (!import) return "refused: " + import.error().message;
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(import->text);
  nlohmann::ordered_json files = document["filesystem"];
  files.erase("tools");
  if (files["protect"].is_array()) files.erase("protect");
  nlohmann::ordered_json denied = nlohmann::ordered_json::array();
  for (const auto& path : files.value("deniedPaths", denied))
    if (!IsKept(path.get<std::string>())) denied.push_back(path);
  if (files.contains("deniedPaths")) files["deniedPaths"] = denied;
  if (denied.empty()) files.erase("deniedPaths");
  std::string result = files.dump() + "\n" + document["network"]["egress"].dump() + "\n";
  for (const std::string& warning : import->warnings)
    if (!warning.starts_with("commands may read every file") && !warning.starts_with("${PWD}/.gitconfig, "))
      result += warning + "\n";
  return result;
}

std::string Files(const std::string& text) {
  const std::string all = ImportText(text);
  return all.substr(0, all.find('\n'));
}

TEST(Import, SaysWhatSrtSays) {
  EXPECT_EQ(
      ImportText(R"({
    "network": {"allowedDomains": ["github.com", "*.npmjs.org", "api.example.com:443", "[2001:db8::1]:80", "10.0.0.7"],
                "deniedDomains": ["evil.example", "*:22"], "deniedResolvedAddresses": ["192.0.2.0/24", "fd00::/8"],
                "strictAllowlist": true, "requireHostMatch": true},
    "filesystem": {"denyRead": ["~/.ssh", "**/.env"], "allowRead": ["~/.ssh/known_hosts"],
                   "allowWrite": [".", "/tmp/build/", "./out/**"], "denyWrite": ["./.github", "/etc"]}})"),
      R"({"readwritePaths":["${PWD}","/tmp/build","${PWD}/out"],"readonlyPaths":["/","~/.ssh/known_hosts","${PWD}/.github"],)"
      R"("deniedPaths":["~/.ssh","${PWD}/**/.env"]})"
      "\n"
      R"({"default":"deny","allow":[{"to":[{"host":"github.com"}]},{"to":[{"host":"*.npmjs.org"}]},)"
      R"({"to":[{"host":"api.example.com"}],"ports":[{"port":443}]},{"to":[{"cidr":"2001:db8::1"}],"ports":[{"port":80}]},)"
      R"({"to":[{"cidr":"10.0.0.7"}]}],"deny":[{"to":[{"host":"evil.example"}]},{"ports":[{"port":22}]},)"
      R"({"to":[{"cidr":"192.0.2.0/24"}]},{"to":[{"cidr":"fd00::/8"}]}]})"
      "\n");
}

// Also where they are missing.
TEST(Import, KeepsTheNamesThatSrtKeeps) {
  for (const char* settings : {R"({"filesystem": {"allowWrite": ["."]}})", R"({"sandbox": {}})"}) {
    const Result<Import> import = Imported(settings);
    const auto files = nlohmann::json::parse(import->text)["filesystem"];
    EXPECT_EQ(files["deniedPaths"].size(), 9U) << import->text;
    EXPECT_THAT(import->warnings.front(),
                AllOf(HasSubstr("${PWD}/.mcp.json: denied as a whole"), HasSubstr("${PWD}/.gitmodules, ")));
  }
  EXPECT_FALSE(
      nlohmann::json::parse(Imported(R"({"filesystem": {"allowWrite": ["/a"]}})")->text)["filesystem"]
          .contains("deniedPaths"));
  FakeHost host;
  host.AddFile("/srv/work/.gitmodules");
  const Result<Import> there = ImportSettings(
      {.name = "test", .bytes = R"({"filesystem": {"allowWrite": ["."]}})"}, "/srv/work", host);
  EXPECT_THAT(there->text, HasSubstr("\"${PWD}/.gitmodules\"\n    ],\n    \"deniedPaths\""));
}

// {"path": ..., "literal": true} is no pattern, whatever is in it.
TEST(Import, ReadsPathsThatAreMarkedAsLiteral) {
  EXPECT_EQ(
      ImportText(
          R"({"filesystem": {"denyRead": [{"path": "~/a{b,c}", "literal": true}], "denyWrite": [{"path": "/a/b", "literal": true}],
        "allowRead": [{"path": "/a/b*", "literal": true}], "allowWrite": ["/a", {"path": "./w", "literal": true}]}})"),
      R"({"readwritePaths":["/a","${PWD}/w"],"readonlyPaths":["/","/a/b"],"deniedPaths":["~/a{b,c}"]})"
      "\n"
      R"({"default":"deny"})"
      "\n"
      "filesystem.allowRead /a/b* is left out: it is no path that is expanded\n");
}

// There a denial of writing wins wherever it stands; here the most specific entry would.
TEST(Import, LetsDenialsWinAsTheyDoThere) {
  EXPECT_EQ(
      ImportText(
          R"({"filesystem": {"allowWrite": ["/a", "/a/b/c", "/s/x"], "denyWrite": ["/a/b"], "denyRead": ["/s"]}})"),
      R"({"readwritePaths":["/a"],"readonlyPaths":["/","/a/b"],"deniedPaths":["/s"]})"
      "\n"
      R"({"default":"deny"})"
      "\n"
      "writing /a/b/c is left out: another entry denies it there, and wins\n"
      "writing /s/x is left out: another entry denies it there, and wins\n");
}

// Compared as they stand on this host: through links, "..", ~ and the directory it is called in.
TEST(Import, ComparesDenialsByWhereTheyLead) {
  const auto writes = [](const std::string& grant, const std::string& denied) {
    const std::string files =
        Files(R"({"filesystem": {"allowWrite": [")" + grant + R"("], "denyWrite": [")" + denied + R"("]}})");
    EXPECT_THAT(files, HasSubstr("readonlyPaths")) << grant;
    return files.find("readwritePaths") != std::string::npos;
  };
  EXPECT_TRUE(writes("/a/c", "/a/b"));
  EXPECT_FALSE(writes("/a/x/../b/c", "/a/b"));
  EXPECT_FALSE(writes("/home/me/x", "~"));
  EXPECT_FALSE(writes("./x", "/srv/work"));
  EXPECT_FALSE(writes("~/link/x", "./docs"));
  EXPECT_FALSE(writes("./docs/x", "~/link"));
  EXPECT_FALSE(writes("./docs/x", "**/docs"));
  EXPECT_FALSE(writes("./docs", "/srv/**/d*"));
  EXPECT_FALSE(writes("./docs/x", "~/link/*"));
  EXPECT_TRUE(writes("./docs", "**/docs/*"));
  EXPECT_TRUE(writes("./docs", "/srv/*/d"));
}

TEST(Import, OpensWhatIsReadableBelowADenial) {
  EXPECT_EQ(
      Files(R"({"filesystem": {"denyRead": ["~"], "allowRead": ["~/w"], "allowWrite": ["~/w", "~/x"]}})"),
      R"({"readwritePaths":["~/w"],"readonlyPaths":["/"],"deniedPaths":["~"]})");
  EXPECT_EQ(Files(R"({"filesystem": {"denyRead": ["/"], "allowRead": ["/a"], "allowWrite": []}})"),
            R"({"readonlyPaths":["/a"]})");
}

// A read-only entry for what is not there would let a command make it.
TEST(Import, DeniesWhatIsNotThereAsAWhole) {
  EXPECT_EQ(ImportText(R"({"filesystem": {"allowWrite": ["."], "denyWrite": ["./.vscode", "/none"]}})"),
            R"({"readwritePaths":["${PWD}"],"readonlyPaths":["/"],"deniedPaths":["${PWD}/.vscode"]})"
            "\n"
            R"({"default":"deny"})"
            "\n"
            "${PWD}/.vscode is not there: it is denied as a whole, so that no command makes it\n");
}

TEST(Import, NamesWhatItLeavesOut) {
  EXPECT_THAT(
      ImportText(R"({
    "network": {"allowedDomains": [], "allowUnixSockets": ["/run/x"], "tlsTerminate": {"caKeyPath": "/k"},
                "allowLocalBinding": false, "httpProxyPort": 8080, "allowNew": 1},
    "filesystem": {"allowWrite": ["src/*", "$HOME/x"]},
    "credentials": {"files": [{"path": "~/.netrc", "mode": "mask"}], "envVars": [{"name": "T", "mode": "deny"}], "sigv4": {"x": 1}},
    "ignoreViolations": {"*": ["/x"]}, "enableWeakerNestedSandbox": true, "allowPty": false})"),
      testing::EndsWith(
          "network.allowUnixSockets is left out: srt has no such list on Linux; name sockets in "
          "filesystem.sockets\n"
          "network.tlsTerminate is left out: connections are judged by their names, and not opened\n"
          "network.httpProxyPort is left out: the gateway decides about hosts; a proxy of yours is "
          "network.proxy\n"
          "network.allowNew is left out: mxc-exec does not know it; see what it denies\n"
          "filesystem.allowWrite src/* is left out: write access is given by name\n"
          "filesystem.allowWrite $HOME/x is left out: it is no path that is expanded\n"
          "credentials.files mode mask is left out: no secret is put into requests: it is denied as a whole\n"
          "credentials.sigv4 is left out: no secret is put into requests\n"
          "ignoreViolations is left out: --report shows all that was refused\n"
          "enableWeakerNestedSandbox is left out: isolation is never weakened by a setting\n"));
}

// What is printed is read again by Decode.
TEST(Import, LeavesOutHostsThatNoRuleTakes) {
  for (const char* host :
       {"*foo.example", "a*.example", "a.example/x", "-a.example", "a..example", "10.0.0", "10.0.0.1/8",
        "10.0.0.0/33", "a.example:00080", "host.mxc.internal", "[a.example]", "*.", "fe80::1%eth0",
        "**.a.example", "-", ".a.example", "1.2.3.4.5", "localhost:"}) {
    const std::string text =
        ImportText(R"({"network": {"allowedDomains": [")" + std::string(host) + R"("]}})");
    EXPECT_THAT(text, HasSubstr("{\"default\":\"deny\"}\nnetwork.allowedDomains " + std::string(host) +
                                " is left out: "))
        << host;
    EXPECT_THAT(ImportText(R"({"network": {"deniedDomains": [")" + std::string(host) + R"("]}})"),
                HasSubstr("refused: network.deniedDomains " + std::string(host)));
  }
  EXPECT_THAT(ImportText(R"({"network": {"allowedDomains": ["a.example:99999"]}})"),
              HasSubstr("a.example:99999 is left out: the port is not a number from 1 to 65535\n"));
}

TEST(Import, RefusesWhatWouldWiden) {
  EXPECT_EQ(ImportText(R"({"filesystem": {"disabled": true}})"),
            "refused: filesystem.disabled: a sandbox that holds no file is none");
  EXPECT_EQ(ImportText(R"({"filesystem": {"denyRead": ["$HOME/.ssh"]}})"),
            "refused: filesystem.denyRead $HOME/.ssh: it denies what no path of a configuration names");
  EXPECT_EQ(ImportText(R"({"filesystem": {"denyRead": "~/.ssh"}})"),
            R"(refused: filesystem.denyRead is no list of paths, or of {"path": ..., "literal": true})");
  for (const char* entry :
       {R"({"path": "/a"})", R"({"path": "/a", "literal": false})", R"({"literal": true, "x": 1})",
        R"({"path": 1, "literal": true})", R"({"path": "/a", "literal": true, "x": 1})", "1"})
    EXPECT_THAT(ImportText(std::string(R"({"filesystem": {"allowRead": [)") + entry + "]}}"),
                HasSubstr("refused: filesystem.allowRead is no list of paths"))
        << entry;
  EXPECT_EQ(ImportText(R"({"filesystem": {"denyWrite": [{"path": "/a/[b]", "literal": true}]}})"),
            "refused: filesystem.denyWrite /a/[b]: it denies what no path of a configuration names");
  for (const char* path : {R"(C:\\x)", "C:/x", R"(a\\b)"})
    EXPECT_THAT(ImportText(std::string(R"({"filesystem": {"denyRead": [")") + path + "\"]}}"),
                HasSubstr("it denies what no path of a configuration names"))
        << path;
  EXPECT_EQ(ImportText(R"({"filesystem": {"denyRead": ["/a/{b,c}"]}})"),
            "refused: filesystem.denyRead /a/{b,c}: it denies what no path of a configuration names");
  EXPECT_EQ(ImportText(R"({"filesystem": {}, "network": ["x"]})"),
            "refused: the settings are of no program that is known");
  EXPECT_EQ(ImportText(R"({"filesystem": {"allowWrite": []}, "network": ["x"]})"),
            "refused: network is no table");
  EXPECT_EQ(ImportText(R"({"network": {"allowedDomains": [], "deniedDomains": ["http://x"]}})"),
            "refused: network.deniedDomains http://x: it denies what no rule of a configuration names");
  EXPECT_EQ(ImportText(R"({"network": {"allowedDomains": []}, "credentials": {"files": ["/x"]}})"),
            "refused: an entry of credentials.files is no table");
  EXPECT_EQ(ImportText(R"({"network": {"allowedDomains": []}, "credentials": {"files": [{}]}})"),
            "refused: credentials.files: an entry names no path");
  EXPECT_EQ(ImportText(R"({"sandbox": {"enabled": false}})"), "refused: sandbox.enabled: it is off");
  EXPECT_EQ(ImportText(R"({"process": {"commandLine": "x"}, "filesystem": {}})"),
            "refused: this is a configuration already");
  EXPECT_THAT(ImportText(R"({"x": 1})"), HasSubstr("of no program that is known"));
  EXPECT_THAT(ImportText("x = 1"), HasSubstr("of no program that is known"));
  EXPECT_THAT(ImportText("{"), HasSubstr("refused"));
  EXPECT_THAT(ImportText(""), HasSubstr("of no program that is known"));
}

TEST(Import, SaysWhatClaudeCodeSays) {
  EXPECT_EQ(
      ImportText(R"j({"model": "x", "sandbox": {"enabled": true, "excludedCommands": ["docker"],
    "network": {"allowedDomains": ["a.example"]}, "filesystem": {"allowWrite": ["~/.kube"], "allowGitConfig": true}},
    "permissions": {"allow": ["Bash(npm *)", "Edit(//srv/out/**)", "WebFetch(domain:b.example)"],
                    "deny": ["Read(./.env)", "Read(~/.aws/**)", "Edit(/docs/**)"], "additionalDirectories": ["../lib"]}})j"),
      R"({"readwritePaths":["${PWD}","~/.kube","/srv/out","${PWD}/../lib"],"readonlyPaths":["/","${PWD}/docs"],)"
      R"("deniedPaths":["${PWD}/.env","~/.aws"],)"
      R"("protect":{"git":{"config":"allow-safe"},"shell":{},"editors":{},"agents":{}}})"
      "\n"
      R"({"default":"deny","allow":[{"to":[{"host":"a.example"}]},{"to":[{"host":"b.example"}]}]})"
      "\n"
      "excludedCommands is left out: nothing of a sandbox runs outside of it\n"
      "permissions.allow Bash(npm *) is left out: it is about the agent's own tools\n"
      "model is left out: the agent itself reads it, not its sandbox\n");
  EXPECT_EQ(Files(R"j({"sandbox": {}, "permissions": {"deny": ["Read(secrets/)"]}})j"),
            R"({"readwritePaths":["${PWD}"],"readonlyPaths":["/"],"deniedPaths":["${PWD}/**/secrets"]})");
  EXPECT_EQ(Files(R"j({"sandbox": {}, "permissions": {"deny": ["Read(.env)", "Write(//a/b)"]}})j"),
            R"({"readwritePaths":["${PWD}"],"readonlyPaths":["/"],"deniedPaths":["${PWD}/**/.env"]})");
}

// What is not understood may deny something.
TEST(Import, LeavesOutNoDenialOfClaudeCodes) {
  const auto denying = [](const std::string& rule) {
    return ImportText(R"j({"sandbox": {}, "permissions": {"deny": [")j" + rule + R"j("]}})j");
  };
  for (const char* rule : {"Read", "Read()", " Read ", "Read( )"})
    EXPECT_THAT(denying(rule), HasSubstr("it denies reading every file")) << rule;
  for (const char* rule : {"Read(secret", "Read)", "", "Read(secret) x"})
    EXPECT_THAT(denying(rule), HasSubstr("it is no rule of the agent's")) << rule;
  EXPECT_THAT(denying("WebFetch(x.example)"), HasSubstr("what it denies is no domain"));
  for (const char* rule : {" Read(.env)", "Read(.env) ", "Read ( .env )"})
    EXPECT_THAT(denying(rule), HasSubstr(R"("deniedPaths":["${PWD}/**/.env"])")) << rule;
  EXPECT_THAT(denying("Edit"), HasSubstr("writing ${PWD} is left out"));
  EXPECT_THAT(denying("WebFetch"), HasSubstr(R"("deny":[{}])"));
  EXPECT_THAT(denying("Edit(*.env)"), HasSubstr("a command can make what matches it later"));
  EXPECT_THAT(denying("Bash(rm *)"), HasSubstr("Bash(rm *) is left out"));
}

TEST(Import, SaysWhatCodexSays) {
  EXPECT_EQ(
      ImportText(R"(
default_permissions = "edit" # the one
[permissions.edit]
description = "x"
[permissions.edit.workspace_roots]
"/srv/lib" = true
"/srv/off" = false
[permissions.edit.filesystem]
":minimal" = "read"
":tmpdir" = "write"
"~/sdk" = "read"
"/srv/secret" = "deny"
glob_scan_max_depth = 3
[permissions.edit.filesystem.":workspace_roots"]
"." = "write"
"**/*.env" = "none"
[permissions.edit.network]
enabled = true
mode = "limited"
[permissions.edit.network.domains]
"api.example.com" = "allow"
"**.internal.example" = "deny"
)"),
      R"({"readwritePaths":["${PWD}","/srv/lib"],"readonlyPaths":["~/sdk"],)"
      R"("deniedPaths":["/srv/secret","${PWD}/**/*.env","/srv/lib/**/*.env"]})"
      "\n"
      R"({"default":"deny","allow":[{"to":[{"host":"api.example.com"}]}],)"
      R"("deny":[{"to":[{"host":"internal.example"}]},{"to":[{"host":"*.internal.example"}]}]})"
      "\n"
      "permissions.edit.network.mode is left out: connections are judged by their names, and not opened\n");
}

// The nearest profile says what holds for a key, and the program's own ":workspace" comes last.
TEST(Import, InheritsWhatCodexsProfilesExtend) {
  const std::string base =
      "default_permissions = \"b\"\n[permissions.a]\nextends = "
      "\":workspace\"\n[permissions.a.workspace_roots]\n"
      "\"/srv/lib\" = true\n[permissions.a.filesystem]\n\"/a\" = \"write\"\n\"/a/b\" = "
      "\"deny\"\n[permissions.b]\n";
  EXPECT_EQ(Files(base + "extends = \"a\"\n[permissions.b.filesystem]\n\"/a\" = \"read\"\n"
                         "\":workspace_roots\" = {\"x\" = \"deny\"}"),
            R"({"readwritePaths":["${PWD}","/srv/lib"],"readonlyPaths":["/","/a"],)"
            R"("deniedPaths":["/a/b","${PWD}/x","/srv/lib/x"]})");
  EXPECT_EQ(Files(base + "extends = \"a\"\n[permissions.b.filesystem]\n\":workspace_roots\" = \"read\""),
            R"({"readwritePaths":["/a"],"readonlyPaths":["/","${PWD}","/srv/lib"],"deniedPaths":["/a/b"]})");
  EXPECT_EQ(Files(base), R"({})");
  EXPECT_EQ(ImportText(base + "extends = \"none\""),
            "refused: permissions.b.extends: there is no profile of the name \"none\"");
  EXPECT_EQ(ImportText(base + "extends = \"b\""),
            "refused: permissions.b.extends: the profile extends itself");
  EXPECT_THAT(ImportText(base + "extends = \":danger-full-access\""), HasSubstr("it is no sandbox"));
}

TEST(Import, SaysWhatCodexsOlderSettingsSay) {
  EXPECT_EQ(ImportText("sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nwritable_roots = [\n  "
                       "'/srv/a', # one\n"
                       "  \"/srv/b\",\n]\nnetwork_access = true\nexclude_slash_tmp = true\n"),
            R"({"readwritePaths":["${PWD}","/srv/a","/srv/b"],"readonlyPaths":["/"]})"
            "\n"
            R"({"default":"allow"})"
            "\n");
  EXPECT_EQ(Files("sandbox_mode = \"read-only\""), R"({"readonlyPaths":["/"]})");
  EXPECT_EQ(Files("default_permissions = \":workspace\""),
            R"({"readwritePaths":["${PWD}"],"readonlyPaths":["/"]})");
  for (const char* name :
       {"sandbox_mode = \"danger-full-access\"", "default_permissions = \":danger-full-access\""})
    EXPECT_THAT(ImportText(name), HasSubstr("it is no sandbox")) << name;
  EXPECT_THAT(ImportText("default_permissions = \"x\""), HasSubstr("there is no profile of the name \"x\""));
  EXPECT_THAT(ImportText("default_permissions = \"x\"\n[permissions.x.filesystem]\n\":root\" = \"write\""),
              HasSubstr("refused: permissions.x.filesystem.:root"));
}

TEST(Import, DoesNotChooseBetweenTwoSandboxesOfCodex) {
  const std::string both =
      "default_permissions = \"p\"\nsandbox_mode = \"read-only\"\n[permissions.p.filesystem]\n"
      "\"/\" = \"read\"\n\"/srv/secret\" = \"none\"\n";
  EXPECT_THAT(ImportText(both), HasSubstr("refused: default_permissions"));
  EXPECT_THAT(ImportText("profile = \"s\"\n" + both + "[profiles.s]\nsandbox_mode = \"read-only\"\n"),
              HasSubstr(R"("readonlyPaths":["/"])"));
}

TEST(Import, LaysCodexsProfileOverTheFile) {
  const std::string profiles =
      "[sandbox_workspace_write]\nnetwork_access = true\n[profiles.strict]\nsandbox_mode = \"read-only\"\n"
      "[profiles.wide]\nsandbox_mode = \"workspace-write\"\n[profiles.no-network]\nmodel = \"m\"\n"
      "[profiles.off]\nsandbox_mode = \"danger-full-access\"\n"
      "[profiles.limited]\nsandbox_mode = \"workspace-write\"\nfeatures = {network_proxy = true}\n"
      "[profiles.other]\npermissions = {}\n";
  const std::string file = "sandbox_mode = \"workspace-write\"\n";
  const auto with = [&](const std::string& head) { return ImportText(head + profiles); };
  for (const std::string& head : {file, std::string("default_permissions = \":workspace\"\n")})
    EXPECT_THAT(with("profile = \"strict\"\n" + head), testing::StartsWith("{\"readonlyPaths\":[\"/\"]}\n"))
        << head;
  for (const std::string& head :
       {file, "profile = \"no-network\"\n" + file, std::string("profile = \"wide\"\n"),
        "sandbox_mode = \"read-only\"\n" + std::string("profile = \"wide\"\n")})
    EXPECT_THAT(with(head),
                AllOf(HasSubstr(R"("readwritePaths":["${PWD}"])"), HasSubstr(R"({"default":"allow"})")))
        << head;
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"none", "profile: `profiles` has no table of the name \"none\""},
      {"off", "danger-full-access: it is no sandbox"},
      {"limited", "profiles.limited.features.network_proxy: it limits the network"},
      {"other", "profiles.other.permissions: Codex reads it at the top of the file alone"}};
  for (const auto& [name, why] : refused)
    EXPECT_THAT(with("profile = \"" + name + "\"\n" + file), HasSubstr("refused: " + why)) << name;
  EXPECT_THAT(with("profile = \"no-network\"\n"), HasSubstr("neither its table nor the file says"));
  EXPECT_THAT(with("profile = 1\n" + file), HasSubstr("profile is no string"));
}

// The names of the network proxy before `domains`.
TEST(Import, SaysWhatCodexsOlderDomainsSay) {
  const std::string network =
      "default_permissions = \"p\"\n[permissions.p.filesystem]\n\"/\" = \"read\"\n[permissions.p.network]\n"
      "enabled = true\n";
  EXPECT_THAT(
      ImportText(network +
                 "allowed_domains = [\"a.test\"]\ndenied_domains = [\"**.b.test\"]\nmode = \"limited\""),
      HasSubstr(R"({"default":"deny","allow":[{"to":[{"host":"a.test"}]}],)"
                R"("deny":[{"to":[{"host":"b.test"}]},{"to":[{"host":"*.b.test"}]}]})"));
  EXPECT_THAT(ImportText(network + "denied_domains = [\"b.test\"]"), HasSubstr(R"({"default":"deny",)"));
  EXPECT_THAT(ImportText(network + "allowed_domains = []"), HasSubstr(R"({"default":"deny"})"));
  EXPECT_EQ(ImportText(network + "domains = [\"a.test\"]"),
            "refused: permissions.p.network.domains is no table");
}

TEST(Import, OpensNoNetworkThatIsLimitedInAnotherWay) {
  const std::string profile =
      "default_permissions = \"p\"\n[permissions.p.filesystem]\n\"/\" = \"read\"\n[permissions.p.network]\n"
      "enabled = true\n";
  const std::string older =
      "sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nnetwork_access = true\n";
  constexpr const char* kWhy =
      ": it limits the network in a way that no configuration says, and without it the network would be open";
  const std::vector<std::pair<std::string, std::string>> limited = {
      {profile + "mode = \"limited\"", "permissions.p.network.mode"},
      {profile + "allow_local_binding = false", "permissions.p.network.allow_local_binding"},
      {profile + "[network]\nallowed_domains = [\"a.test\"]", "network.allowed_domains"},
      {older + "network_domains = [\"a.test\"]", "sandbox_workspace_write.network_domains"},
      {older + "[experimental_network]\nenabled = true\n", "experimental_network.enabled"},
      {older + "[permissions.network]\nallowed_domains = [\"a.test\"]",
       "permissions.network.allowed_domains"},
      {older + "[network_proxy.policy]\ndenied_domains = [\"a.test\"]",
       "network_proxy.policy.denied_domains"},
      {older + "[features.network_proxy]\nenabled = true", "features.network_proxy.enabled"},
  };
  for (const auto& [settings, key] : limited)
    EXPECT_EQ(ImportText(settings), "refused: " + key + kWhy) << settings;
  constexpr const char* kUnknown = ": mxc-exec does not know it, and it may deny what would be open";
  const std::string listed = profile + "domains = {\"*.a.test\" = \"allow\"}\n";
  const std::vector<std::pair<std::string, std::string>> unknown = {
      {profile + "AllowedDomains = [\"a.test\"]", "permissions.p.network.AllowedDomains"},
      {listed + "blocked = [\"b.a.test\"]", "permissions.p.network.blocked"},
      {listed + "[experimental_network]\ndenied_domains = [\"b.a.test\"]",
       "experimental_network.denied_domains"},
      {profile + "[permissions.p]\ndeny_all = true", "permissions.p.deny_all"},
  };
  for (const auto& [settings, key] : unknown) EXPECT_EQ(ImportText(settings), "refused: " + key + kUnknown);
  EXPECT_EQ(ImportText(profile + "mode = \"limited\"\ndomains = {\"*\" = \"allow\"}"),
            "refused: permissions.p.network.mode" + std::string(kWhy));
  const std::string closed = "sandbox_mode = \"workspace-write\"\n[experimental_network]\nenabled = true\n";
  for (const std::string& open :
       {profile + "mode = \"full\"\nallow_local_binding = true\nproxy_url = \"http://127.0.0.1:1\"",
        older +
            "[features]\nnetwork_proxy = false\n[projects.\"/srv/network\"]\ntrust_level = \"trusted\"\n"})
    EXPECT_THAT(ImportText(open), HasSubstr(R"({"default":"allow"})")) << open;
  EXPECT_THAT(ImportText(closed), HasSubstr(R"({"default":"deny"})"));
}

// One that is written otherwise than its program reads it, too: nobody knows which is meant.
TEST(Import, RefusesKeysThatMayDeny) {
  for (const char* key :
       {"network.DeniedDomains", "filesystem.denyread", "filesystem.maxDepth", "credentials.deny"}) {
    const std::string text(key);
    const std::size_t dot = text.find('.');
    const std::string section = text.substr(0, dot);
    const std::string member = "{\"" + text.substr(dot + 1) + "\": [\"x\"]";
    const std::string first = section == "network" ? ", \"allowedDomains\": [\"a.test\"]}" : "}";
    const std::string known = section == "network" ? "" : R"(, "network": {"allowedDomains": []})";
    EXPECT_EQ(ImportText("{\"" + section + "\": " + member + first + known + "}"),
              "refused: " + text + ": mxc-exec does not know it, and it may deny what would be open");
  }
  EXPECT_THAT(ImportText(R"({"network": {"allowedDomains": []}, "Network": {"deniedDomains": ["a.test"]}})"),
              HasSubstr("refused: Network: mxc-exec does not know it"));
  EXPECT_THAT(ImportText(R"({"sandbox": {}, "permissions": {"Deny": ["Read"]
}
})"),
              HasSubstr("refused: permissions.Deny: mxc-exec does not know it"));
  const std::string filtered = R"({"network": {"filterRequest": {"x": 1}, "allowedDomains": ["NAME"]}})";
  const auto with = [&](const std::string& name) {
    return std::string(filtered).replace(filtered.find("NAME"), 4, name);
  };
  EXPECT_THAT(ImportText(with("*")), HasSubstr("refused: network.filterRequest: it limits the network"));
  EXPECT_THAT(ImportText(with("a.test")), HasSubstr("network.filterRequest is left out"));
}

// What comes out is a configuration.
TEST(Import, IsReadByDecode) {
  for (const char* text :
       {R"({"network": {"allowedDomains": ["a.example:443", "[::1]"], "deniedDomains": ["*"]},
                               "filesystem": {"denyRead": ["~/.ssh"], "allowWrite": ["."], "allowGitConfig": true}})",
        "sandbox_mode = \"workspace-write\""}) {
    const Result<Import> import = Imported(text);
    ASSERT_TRUE(import.ok()) << import.error().message;
    Result<Json> document = ParseDocument({.name = "test", .bytes = import->text});
    ASSERT_TRUE(document.ok());
    FakeHost host;
    host.SetEnvironment("HOME", "/home/me");
    ASSERT_TRUE(ExpandDocument("/srv/work", host, *document).ok());
    const Result<Config> config = Decode(*document, {.command = {"true"}});
    EXPECT_TRUE(config.ok()) << config.error().message;
  }
}

TEST(Toml, ReadsWhatSettingsAreWrittenIn) {
  const Result<Json> document = ParseToml(
      "a.b = 1\n'c d' = \"x\\ty\" # c\n[t.\"u v\"]\nl = [1, [true, 'q'],]\ni = {a = 1, b.c = 2}\n[[s]]\nk "
      "= "
      "1\n[[s]]\nk = 2\n");
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(document->Find("a")->Find("b")->text, "1");
  EXPECT_EQ(document->Find("c d")->text, "x\ty");
  const Json& table = *document->Find("t")->Find("u v");
  EXPECT_TRUE(table.Find("l")->items[1].items[0].boolean);
  EXPECT_EQ(table.Find("i")->Find("b")->Find("c")->text, "2");
  EXPECT_EQ(document->Find("s")->items[1].Find("k")->text, "2");
}

TEST(Toml, RefusesTheRest) {
  for (const std::string text :
       {"a", "a =", "= 1", "[a", "a = \"x", "a = 1 b = 2", "a = 1\na = 2", "a = 1\n[a]\nb = 1", "a = [1",
        "a = {b = 1", "a = \"\"\"x\"\"\"", "a = \"\\u0041\"", "[[a]", "a = ]"})
    EXPECT_FALSE(ParseToml(text).ok()) << text;
  EXPECT_FALSE(ParseToml("a = \"\xff\"").ok());
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "k" + std::to_string(i) + " = 1\n";
  EXPECT_THAT(ParseToml(many).error().message, HasSubstr("too many entries"));
  std::string dotted = "[a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_THAT(ParseToml(dotted + "]").error().message, HasSubstr("too deep"));
  std::string deep = "a = ";
  for (int i = 0; i < 1000; ++i) deep += "[";
  EXPECT_FALSE(ParseToml(deep).ok());
}

}  // namespace
}  // namespace mxc::import_test
