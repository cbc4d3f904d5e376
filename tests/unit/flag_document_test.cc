// Flags added to configurations, text in and text out.
#include "flag_document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/decode.h"
#include "document/parse.h"
#include "tests/support/fake_host.h"

namespace mxc::flag_document_test {
namespace {

// NOLINTNEXTLINE(misc-no-recursion)
std::string Rendered(const Json& json) {
  std::string text;
  const auto separate = [&] { return text.empty() ? "" : ","; };
  switch (json.kind) {
    case Json::Kind::kArray:
      for (const Json& item : json.items) text += separate() + Rendered(item);
      return "[" + text + "]";
    case Json::Kind::kObject:
      for (const JsonMember& member : json.members)
        text += separate() + member.key + ":" + Rendered(member.value);
      return "{" + text + "}";
    case Json::Kind::kBool:
      return json.boolean ? "true" : "false";
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kInteger:
    case Json::Kind::kFloat:
    case Json::Kind::kString:
      break;
  }
  return json.text;
}

Options OptionsOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mxc-exec");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  const Result<Options> options = ParseCommandLine(static_cast<int>(argv.size()), argv.data());
  return options ? *options : Options{.cwd = "error: " + options.error().message};
}

class Machine : public FakeHost {
 public:
  Machine() {
    AddDebian().SetWorkingDirectory("/here").SetEnvironment("HOME", "/home/me").SetEnvironment("TOKEN", "s3");
    AddFile("/here/policy.json")
        .AddFile("/here/policy", "\n {}")
        .AddFile("/here/list", "[]")
        .AddDirectory("/here/dir.json");
  }
};

// The document with the flags in it, or the error with its hint.
std::string Added(const std::string& document, std::vector<std::string> flags) {
  Result<Json> json = ParseDocument({.name = "test", .bytes = document});
  if (!json) return json.error().message;
  const Machine host;
  flags.insert(flags.begin(), "a.json");
  const Result<std::vector<FlagPlace>> places = AddFlags(OptionsOf(flags), host, *json);
  if (!places) return "error: " + places.error().message + " | " + places.error().hint;
  return Rendered(*json);
}

struct Case {
  std::string document;
  std::vector<std::string> flags;
  std::string result;
};
class FlagDocument : public testing::TestWithParam<Case> {};

TEST_P(FlagDocument, IsWhatOneWouldHaveWritten) {
  EXPECT_EQ(Added(GetParam().document, GetParam().flags), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, FlagDocument,
    testing::Values(
        Case{"{}", {}, "{}"},
        Case{"{}",
             {"--rw", "b", "/c", "~/d", ".", "--ro", "~", "--deny", "./.env"},
             "{filesystem:{readonlyPaths:[/home/me],readwritePaths:[/here/b,/c,/home/me/d,/here],"
             "deniedPaths:[/here/.env]}}"},
        // ".." may follow a link, and what it steps out of is held.
        Case{"{}",
             {"--ro", "..", ".././../b", "./", ".//.git/../c", "..d", "--rw", "../here/e"},
             "{filesystem:{readonlyPaths:[/here/..,/here/.././../b,/here,/here/.git/../c,/here/..d],"
             "readwritePaths:[/here/../here/e]}}"},
        // As Windows writes it: refused on Linux, with what to write instead.
        Case{"{}",
             {"--rw", R"(C:\a)", R"(\\server\b)", R"(\\?\C:\c)", R"(./\\d)"},
             R"({filesystem:{readwritePaths:[C:\a,\\server\b,\\?\C:\c,/here/\\d]}})"},
        Case{R"({"filesystem":{"readwritePaths":["/a"]}})",
             {"--rw", "b"},
             "{filesystem:{readwritePaths:[/a,/here/b]}}"},
        Case{R"({"filesystem":{"tools":"inherit"}})",
             {"--tools", "system", "--socket", "b", "$SSH_AUTH_SOCK"},
             "{filesystem:{sockets:[/here/b,$SSH_AUTH_SOCK],tools:system}}"},
        Case{R"({"version":"0.7.0-alpha","filesystem":null})",
             {"--rw", "/b"},
             "{version:0.7.0-alpha,filesystem:{readwritePaths:[/b]}}"},
        Case{R"({"version":"1.0.0","filesystem":null})",
             {"--rw", "/b"},
             "error: --rw /b has nowhere to go: /filesystem of the configuration has another type | "},
        Case{"{}",
             {"--rw", "~root"},
             "error: only ~ and ~/ are expanded, not '~root' | write the directory, or ./~root for a name "
             "that "
             "begins so"},
        // The preset of the default stays, and so does a list that leaves it out.
        Case{"{}", {"--protect", "editors", "git"}, "{filesystem:{protect:[git,editors]}}"},
        Case{R"({"filesystem":{"protect":[]}})", {"--protect", "shell"}, "{filesystem:{protect:[shell]}}"},
        Case{"{}",
             {"--protect", "git=allow-unsafe"},
             "error: --protect 'git=allow-unsafe': the one option of git is git=allow-safe | "},
        Case{"{}", {"--protect", "git=allow-safe"}, "{filesystem:{protect:{git:{config:allow-safe}}}}"},
        Case{R"({"filesystem":{"protect":["shell"]}})",
             {"--protect", "git=allow-safe", "editors"},
             "{filesystem:{protect:{shell:{},git:{config:allow-safe},editors:{}}}}"},
        Case{R"({"filesystem":{"protect":{"git":{"config":"allow-safe"}}}})",
             {"--protect", "git", "agents"},
             "{filesystem:{protect:{git:{config:allow-safe},agents:{}}}}"},
        // What is stricter stays, and what is wrong is told of.
        Case{R"({"filesystem":{"protect":{"git":{"config":"read-only"}}}})",
             {"--protect", "git=allow-safe"},
             "{filesystem:{protect:{git:{config:read-only}}}}"},
        Case{R"({"filesystem":{"protect":{"git":{"config":"wrong"}}}})",
             {"--protect", "git=allow-safe"},
             "{filesystem:{protect:{git:{config:wrong}}}}"},
        Case{R"({"filesystem":{"protect":{"git":{}}}})",
             {"--protect", "git=allow-safe"},
             "{filesystem:{protect:{git:{config:allow-safe}}}}"}));

INSTANTIATE_TEST_SUITE_P(
    Values, FlagDocument,
    testing::Values(
        Case{R"({"process":{"cwd":"/a","timeout":5}})",
             {"--cwd", "b", "--timeout", "90s"},
             "{process:{cwd:/here/b,timeout:90000}}"},
        Case{"{}", {"--timeout", "1500"}, "{process:{timeout:1500}}"},
        Case{"{}", {"--timeout=2h"}, "{process:{timeout:7200000}}"},
        Case{"{}",
             {"--timeout=5x"},
             "error: --timeout takes a time of at most 49 days such as 90s, 5m, 2h or 500ms, not '5x' | "},
        Case{
            "{}",
            {"--timeout=50000h"},
            "error: --timeout takes a time of at most 49 days such as 90s, 5m, 2h or 500ms, not '50000h' | "},
        Case{R"({"resources":{"memoryMb":64,"processes":9}})",
             {"--memory", "1.5G", "--cpus", "1.5"},
             "{resources:{processes:9,memoryMb:1536,cpus:1.5}}"},
        Case{"{}", {"--memory=512"}, "error: --memory takes a size such as 512M or 2G, not '512' | "},
        Case{"{}", {"--cpus=1.5.2"}, "error: --cpus takes a number such as 2 or 1.5, not '1.5.2' | "},
        // A flag asks for at least so much.
        Case{R"({"minimumTier":"process"})", {"--tier=container"}, "{minimumTier:container}"},
        Case{R"({"minimumTier":"container"})", {"--tier=process"}, "{minimumTier:container}"},
        Case{"{}", {"--tier=process"}, "{minimumTier:process}"}));

INSTANTIATE_TEST_SUITE_P(
    Environment, FlagDocument,
    testing::Values(
        Case{R"({"version":"1.0.0"})",
             {"--env", "A=1=2", "TOKEN"},
             "{version:1.0.0,process:{inheritDefaultEnv:true,env:[A=1=2,TOKEN=s3]}}"},
        Case{R"({"version":"0.7.0-alpha","process":{"env":["A=0"]}})",
             {"--env", "A=1"},
             "{version:0.7.0-alpha,process:{env:[A=0,A=1]}}"},
        Case{R"({"version":"1.0.0","process":{"env":[],"inheritDefaultEnv":false}})",
             {"--env", "A=1"},
             "{version:1.0.0,process:{env:[A=1],inheritDefaultEnv:false}}"},
        Case{R"({"version":"0.7.0-alpha"})",
             {"--env", "A=secret"},
             "error: --env A would replace the default environment: a configuration of this version has no "
             "process.inheritDefaultEnv | write \"version\": \"1.0.0\", or the whole environment into "
             "process.env"},
        Case{"{}", {"--env", ""}, "error: --env takes the name of a variable, or NAME=VALUE, not '' | "},
        Case{"{}", {"--env", "=x"}, "error: --env takes the name of a variable, or NAME=VALUE, not '=x' | "},
        Case{"{}",
             {"--env", "NONE"},
             "error: --env NONE: no such variable is set here | give it a value: --env NONE=VALUE"}));

INSTANTIATE_TEST_SUITE_P(
    Network, FlagDocument,
    testing::Values(
        Case{R"({"version":"1.0.0"})",
             {"--allow-host", "a.example:443", "10.0.0.0/8"},
             "{version:1.0.0,network:{egress:{allow:[{to:[{host:a.example}],ports:[{port:443}]},{to:[{cidr:"
             "10.0.0.0/8}]}]}}}"},
        Case{R"({"version":"0.7.0-alpha"})",
             {"--allow-host", "a.example:443"},
             "{version:0.7.0-alpha,network:{allowedHosts:[a.example:443]}}"},
        Case{R"({"version":"0.8.0","network":{"defaultPolicy":"block","allowedHosts":["b"]}})",
             {"--allow-host", "a"},
             "{version:0.8.0,network:{defaultPolicy:block,allowedHosts:[b,a]}}"},
        Case{R"({"version":"0.8.0","network":{"egress":{}}})",
             {"--allow-host", "a"},
             "{version:0.8.0,network:{egress:{allow:[{to:[{host:a}]}]}}}"},
        // A URL is refused as a name, with the name that was meant.
        Case{R"({"version":"1.0.0"})",
             {"--allow-host", "https://a.example:443/x", "a.example:443/x"},
             "{version:1.0.0,network:{egress:{allow:[{to:[{host:https://a.example:443/x}]},{to:[{host:"
             "a.example:443/x}]}]}}}"},
        // The host's own network has it already; a list would take the rest away.
        Case{R"({"network":{"defaultPolicy":"allow","allowLocalNetwork":true}})",
             {"--allow-host", "a"},
             "{network:{defaultPolicy:allow,allowLocalNetwork:true}}"},
        Case{R"({"version":"1.0.0"})",
             {"--allow-host", "Host.mxc.internal:5432"},
             "{version:1.0.0,network:{ingress:{hostLoopbackPorts:[{port:5432}]}}}"},
        Case{"{}",
             {"--allow-host", "host.mxc.internal"},
             "error: --allow-host host.mxc.internal would open every service of the host's loopback | name "
             "the port: --allow-host host.mxc.internal:5432"},
        Case{R"({"version":"0.7.0-alpha"})",
             {"--allow-host", "host.mxc.internal:80"},
             "error: --allow-host host.mxc.internal:80 cannot be said in a configuration of this version, or "
             "beside network.defaultPolicy and its like | write network.egress in their place, and "
             "\"version\": \"1.0.0\""},
        Case{"{}",
             {"--allow-host", "a.example:99999"},
             "error: --allow-host a.example:99999: the port is not a number from 1 to 65535 | write "
             "--allow-host "
             "a.example:443, or a.example alone for every port"},
        Case{
            R"({"version":"0.7.0-alpha"})",
            {"--allow-host", "10.0.0.0/8:0"},
            "error: --allow-host 10.0.0.0/8:0: the port is not a number from 1 to 65535 | write --allow-host "
            "10.0.0.0/8:443, or 10.0.0.0/8 alone for every port"},
        Case{"{}",
             {"--allow-host", "Host.mxc.internal:x"},
             "error: --allow-host Host.mxc.internal:x: the port is not a number from 1 to 65535 | write "
             "--allow-host Host.mxc.internal:443, or Host.mxc.internal alone for every port"},
        Case{"{}",
             {"--allow-host", "::1:99999"},
             "error: --allow-host ::1:99999: not an address, a block or a host name | an IPv6 address with a "
             "port "
             "stands in brackets: '[2001:db8::1]:443'"},
        Case{R"({"version":"1.0.0"})",
             {"--publish", "8080:80", "90"},
             "{version:1.0.0,network:{ingress:{publish:[{host:8080,guest:80},{host:90,guest:90}]}}}"},
        Case{R"({"version":"0.7.0-alpha"})",
             {"--publish", "90"},
             "error: --publish 90 cannot be said in a configuration of this version, or beside "
             "network.defaultPolicy and its like | write network.egress in their place, and \"version\": "
             "\"1.0.0\""},
        Case{"{}",
             {"--publish", "127.0.0.1:8080:80"},
             "error: --publish takes ports alone, not '127.0.0.1:8080:80' | the port of this host is opened "
             "on its "
             "loopback: write 8080:80"},
        Case{"{}",
             {"--publish", "8080:0"},
             "error: --publish takes a port of this host and one inside, each from 1 to 65535, such as "
             "8080:80, not '8080:0' | "}));

TEST(FlagDocument, AnErrorNamesTheFlag) {
  const Machine host;
  Json json = *ParseDocument(
      {.name = "test",
       .bytes = R"({"version":"1.0.0","phase":"exec","sandboxId":"x","process":{"argv":["a"]}})"});
  const std::vector<FlagPlace> places = *AddFlags(OptionsOf({"a.json", "--rw", "a b"}), host, json);
  EXPECT_EQ(FlagAt(places, "/filesystem/readwritePaths/0"), "--rw 'a b'");
  EXPECT_EQ(FlagAt(places, "/filesystem"), "--rw 'a b'");
  EXPECT_EQ(FlagAt(places, "/filesystem/protect"), "");  // the default's
  EXPECT_EQ(FlagAt(places, "/process"), "");
  Error error = Decode(json, {}).error();
  NameFlags(places, error);
  EXPECT_EQ(error.message, "--rw 'a b': a lifecycle request of the phase `exec` has no such key");
  EXPECT_EQ(error.code, ErrorCode::kUsage);
}

TEST(FlagDocument, AWarningNamesTheFlag) {
  const std::vector<FlagPlace> places = {{.pointer = "/filesystem/readwritePaths/1", .flag = "--rw x"}};
  const auto told = [&](bool has_config) {
    std::vector<Warning> warnings = {
        {.message = "'/a' of readwritePaths", .pointer = "/filesystem/readwritePaths/0"},
        {.message = "'/x' of readwritePaths", .pointer = "/filesystem/readwritePaths/1"}};
    NameFlags(places, has_config, warnings);
    return warnings[0].message + ", " + warnings[1].message;
  };
  EXPECT_EQ(told(true), "'/a' of readwritePaths, '/x' of --rw");
  EXPECT_EQ(told(false), "'/a' of --rw, '/x' of --rw") << "nobody has written a file";
  Error error{.message = "'/x' of readwritePaths is none", .pointer = "/filesystem/readwritePaths/1"};
  NameFlags(places, error);
  EXPECT_EQ(error.message, "'/x' of --rw is none");
}

// Its caller stands in a directory without a name.
class Nameless : public FakeHost {
 public:
  explicit Nameless(std::uint64_t links) : links_(links) { SetWorkingDirectory(""); }
  [[nodiscard]] Lookup LookAt(const std::string& path) const override {
    return path == "." ? Lookup{.status = FileStatus{.links = links_}} : FakeHost::LookAt(path);
  }

 private:
  std::uint64_t links_;
};

TEST(FlagDocument, PathsWithoutADirectoryOrAHome) {
  const auto told = [](const FakeHost& host, const std::string& path) {
    Json json = *ParseDocument({.name = "test", .bytes = "{}"});
    const Result<std::vector<FlagPlace>> places = AddFlags(OptionsOf({"a.json", "--rw", path}), host, json);
    return places ? Rendered(json) : places.error().message + " | " + places.error().hint;
  };
  const std::string way_out = " | cd to a directory that exists, or write the path from the root";
  Nameless host{0};
  EXPECT_EQ(told(host, "."),
            "'.' is relative to the current directory, which does not exist any more" + way_out);
  EXPECT_EQ(told(Nameless{2}, "."),
            "'.' is relative to the current directory, which has no path from the root here" + way_out);
  EXPECT_EQ(told(host, "/x"), "{filesystem:{readwritePaths:[/x]}}");
  EXPECT_EQ(told(host, "~/x"), "'~/x' needs HOME, which is not set | set HOME, or write the directory");
  host.AddFile("/etc/passwd", "me:x:1000:1000::/home/me:/bin/sh\n");
  EXPECT_EQ(told(host, "~/x"), "{filesystem:{readwritePaths:[/home/me/x]}}");
}

TEST(FlagDocument, AWordThatMayBeAConfigurationIsNoPath) {
  const Machine host;
  const auto told = [&](const std::vector<std::string>& arguments) -> std::string {
    Json json = *ParseDocument({.name = "test", .bytes = "{}"});
    const auto places = AddFlags(OptionsOf(arguments), host, json);
    return places ? "" : places.error().message + " | " + places.error().hint;
  };
  EXPECT_EQ(
      told({"--rw", "build", "policy.json", "--", "make"}),
      "'policy.json' may be a configuration, or a value of --rw | a configuration: mxc-exec policy.json --rw "
      "build -- ...; a value: --rw=policy.json");
  EXPECT_NE(told({"--env", "A=1", "policy", "--", "make"}), "");
  EXPECT_NE(told({"--ro", "a", "-", "--", "make"}), "");
  EXPECT_EQ(told({"--ro", "a", "list", "--", "make"}), "");
  EXPECT_EQ(told({"--rw", "build", "dir.json", "none.json", "--", "make"}), "");
  EXPECT_EQ(told({"--rw", "policy.json", "--", "make"}), "");
  EXPECT_EQ(told({"--rw=build", "--rw=policy.json", "--", "make"}), "");
  EXPECT_EQ(told({"other.json", "--rw", "build", "policy.json"}), "");
}

// What a shell's caller passes on.
std::string WithVariables(const std::string& document) {
  Result<Json> json = ParseDocument({.name = "test", .bytes = document});
  if (!json) return json.error().message;
  FakeHost host;
  host.SetEnvironment("TERM", "tmux").SetEnvironment("CI", "1");
  const Options options{.config_path = "policy.json", .shell = true, .variables = {"TERM", "CI", "UNSET"}};
  const Result<std::vector<FlagPlace>> places = AddFlags(options, host, *json);
  return places ? Rendered(*json) : "error: " + places.error().message;
}

TEST(FlagDocument, TheConfigurationsVariablesCountForMore) {
  EXPECT_EQ(WithVariables(R"({"version":"1.0.0"})"),
            "{version:1.0.0,process:{inheritDefaultEnv:true,env:[TERM=tmux,CI=1]}}");
  EXPECT_EQ(WithVariables(R"({"version":"1.0.0","process":{"env":["TERM=dumb"]}})"),
            "{version:1.0.0,process:{env:[TERM=dumb,CI=1]}}");
  EXPECT_EQ(WithVariables(R"({"version":"0.7.0-alpha"})"), "{version:0.7.0-alpha}");
}

}  // namespace
}  // namespace mxc::flag_document_test
