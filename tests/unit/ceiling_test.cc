// The ceiling's file, whose sections are in force, and what it does to the parts of a request that need no
// files.
#include "ceiling/ceiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ceiling/cut_command.h"
#include "ceiling/cut_config.h"
#include "isolation_fallback.h"
#include "tests/support/fake_host.h"
#include "tests/unit/decode_text.h"

namespace mxc::ceiling_test {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "/etc/mxc-exec/ceiling.json";

class CeilingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian()
        .AddFile("/etc/passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n")
        .AddFile("/etc/group", "root:x:0:\nalice:x:1000:\ndevs:x:2000:alice\nops:x:3000:\n");
  }
  void Write(const std::string& text, FakeAttributes attributes = {.mode = 0644}) {
    host_.AddFile(kFile, text, attributes);
  }
  // Pointers of the sections in force; "none", or why there are no answers.
  [[nodiscard]] std::string Sections(const std::vector<std::uint32_t>& groups = {}) const {
    const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host_, groups);
    if (!ceiling) return std::string(Name(ceiling.error().code)) + ": " + ceiling.error().message;
    if (!*ceiling) return "none";
    std::string text;
    for (const CeilingSection& section : (*ceiling)->sections) text += "'" + section.pointer + "'";
    return text;
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(CeilingFileTest, IsNotNeeded) { EXPECT_EQ(Sections(), "none"); }

TEST_F(CeilingFileTest, BelongsToRootAndIsWritableByNobodyElse) {
  Write("{}");
  EXPECT_EQ(Sections(), "''");
  Write("{}", {.mode = 0664});
  EXPECT_THAT(Sections(), HasSubstr("'/etc/mxc-exec/ceiling.json' can be written by others than root"));
  Write("{}", {.mode = 0644, .uid = 1000});
  EXPECT_THAT(Sections(), HasSubstr("does not belong to root"));
  Write("{}");
  host_.AddDirectory("/etc/mxc-exec", {.mode = 0757});
  EXPECT_THAT(Sections(), HasSubstr("'/etc/mxc-exec' can be written by others"));
  host_.AddDirectory("/etc/mxc-exec", {.mode = 0755, .uid = 1000});
  EXPECT_THAT(Sections(), HasSubstr("'/etc/mxc-exec' does not belong to root"));
}

TEST_F(CeilingFileTest, RefusesWhatItCannotRead) {
  Write("{}");
  host_.AddUnreadable(kFile);
  EXPECT_THAT(Sections(), HasSubstr("policy_conflict: the ceiling of this machine"));
  host_.Remove(kFile);
  host_.AddSymlink(kFile, "/nowhere");
  EXPECT_THAT(Sections(), HasSubstr("is a symbolic link"));
  host_.Remove(kFile);
  host_.AddDirectory(kFile);
  EXPECT_THAT(Sections(), HasSubstr("no regular file"));
}

TEST_F(CeilingFileTest, RefusesALinkThatLeadsNowhereInPlaceOfTheDirectory) {
  host_.AddSymlink("/etc/mxc-exec", "/nowhere");
  EXPECT_THAT(Sections(), HasSubstr("'/etc/mxc-exec' is a symbolic link"));
}

TEST_F(CeilingFileTest, RefusesWhatIsNoCeiling) {
  for (const char* text :
       {"", "{", "[]", R"({"filesystems":{}})", R"({"filesystem":{"readwritePaths":["work"]}})",
        R"({"require":{"containments":["none"]}})", R"({"users":{"alice":{"users":{}}}})",
        R"({"users":{"alice":7}})", R"({"users":{"bob":{"onExcess":"never"},"alice":{}}})",
        R"({"filesystem":{"sockets":["$SSH_AUTH_SOCK"]}})", R"({"network":{"defaultPolicy":"allow"}})",
        R"({"network":{"egress":{"allow":[{"to":[{"host":"ex\u00e4mple.com"}]}]}}})"}) {
    Write(text);
    EXPECT_THAT(Sections(), HasSubstr("cannot be used, and nothing runs without it")) << text;
  }
}

TEST_F(CeilingFileTest, TheCallersSectionTakesThePlaceOfTheGeneralOne) {
  Write(R"({"users":{"alice":{},"1001":{}},"groups":{"devs":{},"3000":{}}})");
  EXPECT_EQ(Sections({2000, 3000}), "'/users/alice'");
  host_.SetCaller(1001, 1001);
  EXPECT_EQ(Sections({2000}), "'/users/1001'");
  host_.SetCaller(1002, 1002);
  EXPECT_EQ(Sections({2000, 3000}), "'/groups/devs''/groups/3000'");
  EXPECT_EQ(Sections(), "''");
}

TEST_F(CeilingFileTest, ANameThatMayBeTheCallersRefuses) {
  Write(R"({"users":{"carol":{}}})");
  EXPECT_EQ(Sections(), "''");  // 1000 is alice
  host_.SetCaller(5000, 5000);
  EXPECT_THAT(Sections(), HasSubstr("'carol' is not in /etc/passwd, and may be the caller's 5000"));
}

// A section that is nobody's by mistake would leave its user to the general one.
TEST_F(CeilingFileTest, ASectionHasOneUserAndAUserOneSection) {
  for (const char* number : {"01000", "00", "4294967295", "4294967296", "99999999999999999999"}) {
    Write(R"({"users":{")" + std::string(number) + R"(":{}}})");
    EXPECT_THAT(Sections(), HasSubstr("is no number that a user or a group has")) << number;
    Write(R"({"groups":{")" + std::string(number) + R"(":{}}})");
    EXPECT_THAT(Sections(), HasSubstr("is no number that a user or a group has")) << number;
  }
  Write(R"({"users":{"alice":{},"1000":{"filesystem":{}}}})");
  EXPECT_THAT(Sections(), HasSubstr("'/users/alice' and '/users/1000' are sections of one user"));
  Write(R"({"groups":{"devs":{},"2000":{}}})");
  EXPECT_EQ(Sections({2000}), "'/groups/devs''/groups/2000'") << "of groups all are in force";
}

// What may not be used is passed over, as what is not usable here.
TEST_F(CeilingFileTest, AutoPassesOverWhatIsNotAllowed) {
  Write(R"({"require":{"containments":["landlock"]}})");
  Config config{.intent = Intent::kAuto};
  config.order = {Containment::kBubblewrap, Containment::kNamespaces};
  const Result<Config> chosen = ChooseContainment(config, host_);
  ASSERT_FALSE(chosen.ok());
  EXPECT_THAT(chosen.error().message,
              testing::AllOf(HasSubstr("not bubblewrap: the ceiling of this machine does not allow"),
                             HasSubstr("not namespaces: the ceiling of this machine does not allow")));
}

// To find out whether it is usable it would have to be started.
TEST_F(CeilingFileTest, AutoStartsNoHelperWithoutAPin) {
  using namespace std::string_literals;
  host_.AddFile("/usr/bin/bwrap", "--clearenv\0--perms\0--json-status-fd\0"s)
      .AddTool("bwrap", "/usr/bin/bwrap");
  Config config{.intent = Intent::kAuto};
  config.order = {Containment::kBubblewrap};
  const auto started = [&] {
    return std::any_of(host_.Questions().begin(), host_.Questions().end(), [](const std::string& question) {
      return question.starts_with("run /usr/bin/bwrap");
    });
  };
  Write(R"({"require":{"verify":true}})");
  const Result<Config> unpinned = ChooseContainment(config, host_);
  ASSERT_FALSE(unpinned.ok());
  EXPECT_THAT(unpinned.error().message, HasSubstr("'bwrap' has none of the operator's"));
  Write(R"({"require":)");
  EXPECT_FALSE(ChooseContainment(config, host_).ok());
  EXPECT_FALSE(started());
  Write("{}");
  EXPECT_FALSE(ChooseContainment(config, host_).ok());
  EXPECT_TRUE(started());
}

TEST_F(CeilingFileTest, OwnersOfAUserNamespaceMaySeemUnmapped) {
  Write("{}", {.mode = 0644, .uid = 65534});
  EXPECT_THAT(Sections(), HasSubstr("does not belong to root"));
  host_.AddFile("/proc/self/uid_map", "         0          0 4294967295\n");
  EXPECT_THAT(Sections(), HasSubstr("does not belong to root"));
  host_.AddFile("/proc/self/uid_map", "1000 1000 1\n");
  EXPECT_EQ(Sections(), "''");
  host_.AddFile("/proc/self/uid_map", "0 1000 1\n");
  EXPECT_EQ(Sections(), "''");
  Write("{}", {.mode = 0644, .uid = 1000});
  EXPECT_THAT(Sections(), HasSubstr("does not belong to root"));
}

TEST_F(CeilingFileTest, OnWindowsItRefuses) {
  FakeHost windows;
  windows.SetSystem(OperatingSystem::kWindows);
  EXPECT_FALSE(ReadCeiling(windows, {})->has_value());
  windows.AddFile("C:\\ProgramData\\mxc-exec\\ceiling.json", "{}");
  EXPECT_FALSE(ReadCeiling(windows, {}).ok());
}

// ---- what needs no files ----------------------------------------------------------------------------------

class CeilingConfigTest : public CeilingFileTest {
 protected:
  // The request under the ceiling: what `show` says of it and, a line each, what was cut.
  [[nodiscard]] std::string Cut(const std::string& ceiling, const std::string& request,
                                const std::function<std::string(const Config&)>& show) const {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(ceiling, host_, {});
    Result<Config> config = DecodeText(With(request, "1.1.0-alpha"));
    if (!sections || !config) return !sections ? sections.error().message : config.error().message;
    Cuts cuts;
    const Status done = CutConfig(sections->front(), *config, cuts);
    if (!done) return done.error().message;
    std::string text = show(*config);
    for (const Warning& warning : cuts.Warnings())
      if (warning.category == "clamped") text += "\n" + warning.pointer + ": " + warning.message;
    if (const Status refusal = cuts.Refusal(); !refusal) text += "\nrefused";
    return text;
  }
};

std::string LimitsText(const Config& config) {
  std::string text;
  for (const ResourceLimit& limit : config.resources) text += AmountText(limit) + " " + limit.pointer + ";";
  return text;
}

TEST_F(CeilingConfigTest, TheLowerLimitCounts) {
  const std::string bound = R"({"resources":{"openFiles":100}})";
  EXPECT_EQ(Cut(bound, "", LimitsText), "100 open files in each process /ceiling/resources/openFiles;");
  EXPECT_EQ(Cut(bound, R"("resources":{"openFiles":50})", LimitsText),
            "50 open files in each process /resources/openFiles;");
  EXPECT_EQ(Cut(bound, R"("resources":{"openFiles":200})", LimitsText),
            "100 open files in each process /ceiling/resources/openFiles;\n"
            "/resources/openFiles: 200 open files in each process are 100 open files in each process "
            "(/ceiling/resources/openFiles)");
  EXPECT_THAT(Cut(R"({"onExcess":"refuse","resources":{"openFiles":100}})",
                  R"("resources":{"openFiles":200})", LimitsText),
              HasSubstr("\nrefused"));
}

// What is cut of a clause that the request wrote is told, and refused where the ceiling says so; a request
// that asks for no more is not.
TEST_F(CeilingConfigTest, EveryCutIsRefused) {
  struct Case {
    std::string bound = {};
    std::string beyond = {};
    std::string within = {};
  };
  const std::string process = R"("process":{"commandLine":"true",)";
  for (const Case& each : std::vector<Case>{
           {R"("process":{"timeout":5})", process + R"("timeout":6})", process + R"("timeout":4})"},
           {R"("process":{"timeout":5})", process + R"("timeout":0})", ""},
           {R"("process":{"env":["A"]})", process + R"("env":["B=1"]})", process + R"("env":["A=1"]})"},
           {R"("resources":{"openFiles":50})", R"("resources":{"openFiles":51})",
            R"("resources":{"openFiles":50})"},
           {R"("output":{"maxBytes":5})", R"("output":{"maxBytes":6})", R"("output":{"maxBytes":5})"},
           {R"("require":{"protect":["git"]})", R"("filesystem":{"protect":[]})",
            R"("filesystem":{"protect":["git"]})"},
           {R"("require":{"protect":["git"]})", R"("filesystem":{"protect":{"git":{"config":"allow-safe"}}})",
            ""},
           {R"("require":{"protect":["git"]})", R"("filesystem":{"repositories":[]})", ""},
           {R"("audit":{"path":"/a"})", R"("audit":{"path":"/b"})", R"("audit":{"path":"/a"})"},
           {R"("audit":{"path":"/a"})", R"("audit":{"path":"/a","onFailure":"warn"})", ""},
           {R"("require":{"audit":true},"audit":{"path":"/a"})",
            R"("audit":{"path":"/a","onFailure":"warn"})", ""},
           {R"("network":{})", R"("network":{"egress":{"default":"allow"}})", R"("network":{})"},
           {R"("network":{})", R"("network":{"egress":{"allow":[{"to":[{"host":"a.example"}]}]}})", ""},
           {R"("network":{})", R"("network":{"egress":{"upstreamProxy":"environment"}})", ""},
           {R"("network":{})", R"("network":{"ingress":{"default":"allow"}})", ""},
           {R"("network":{})", R"("network":{"ingress":{"hostLoopback":"allow"}})", ""},
           {R"("network":{})", R"("network":{"ingress":{"publish":[{"host":80}]}})", ""},
           {R"("network":{})", R"("runtimeConfig":{"networkProxy":"http://127.0.0.1:80"})", ""},
           {R"("network":{"egress":{"default":"allow","deny":[{"to":[{"host":"a.example"}]}]}})",
            R"("network":{"egress":{"default":"allow"}})", ""},
       }) {
    const auto refused = [&](const std::string& request) {
      const std::string members =
          request.starts_with("\"process\"") ? request + "}" : With(request).substr(1);
      const Result<std::vector<CeilingSection>> sections =
          DecodeCeiling("{\"onExcess\":\"refuse\"," + each.bound + "}", host_, {});
      Result<Config> config = DecodeText("{\"version\":\"1.1.0-alpha\"," + members);
      EXPECT_TRUE(sections.ok()) << each.bound;
      EXPECT_TRUE(config.ok()) << request << config.error().message;
      Cuts cuts;
      EXPECT_TRUE(CutConfig(sections->front(), *config, cuts).ok()) << each.bound;
      return !cuts.Refusal();
    };
    EXPECT_TRUE(refused(each.beyond)) << each.bound << " " << each.beyond;
    EXPECT_FALSE(refused(each.within)) << each.bound << " " << each.within;
  }
}

TEST_F(CeilingConfigTest, NoTimeOutIsTheLongest) {
  const auto time = [](const Config& config) { return std::to_string(config.process.timeout_ms); };
  const std::string bound = R"({"process":{"timeout":1000}})";
  EXPECT_EQ(Cut(bound, "", time), "1000");
  EXPECT_EQ(Cut(R"({"process":{"timeout":0}})", "", time), "0");
  const auto session = [&](const std::string& ceiling, SessionConfig asked) {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(ceiling, host_, {});
    Config config;
    config.session = asked;
    Cuts cuts;
    CutTime(sections->front(), config, cuts);
    return std::to_string(config.session.idle_timeout_ms) + " " + std::to_string(config.session.lifetime_ms);
  };
  EXPECT_EQ(session(R"({"session":{"lifetimeMs":5}})", {.idle_timeout_ms = 0}), "0 5");
  EXPECT_EQ(session(R"({"session":{"idleTimeoutMs":7}})", {.idle_timeout_ms = 0, .lifetime_ms = 9}), "7 9");
  EXPECT_EQ(session(R"({"session":{"idleTimeoutMs":7}})", {.idle_timeout_ms = 6}), "6 0");
}

TEST_F(CeilingConfigTest, TheTimeOfASandboxIsTold) {
  const auto cut = [&](const std::string& session) {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(
        R"({"onExcess":"refuse","session":{"idleTimeoutMs":7000,"lifetimeMs":9000}})", host_, {});
    Result<Config> config =
        DecodeText(R"({"version":"1.1.0-alpha","phase":"provision","containment":"process")" + session + "}");
    if (!config) return config.error().message;
    Cuts cuts;
    CutTime(sections->front(), *config, cuts);
    std::string text = std::to_string(config->session.idle_timeout_ms) + " " +
                       std::to_string(config->session.lifetime_ms) + "\n";
    for (const Warning& warning : cuts.Warnings())
      if (warning.category == "clamped") text += warning.pointer + ": " + warning.message + "\n";
    return text + (cuts.Refusal() ? "" : "refused");
  };
  EXPECT_EQ(cut(""), "7000 9000\n") << "nobody has asked for the defaults";
  EXPECT_EQ(cut(R"(,"session":{"idleTimeoutMs":7000,"lifetimeMs":1000})"), "7000 1000\n");
  EXPECT_EQ(cut(R"(,"session":{"idleTimeoutMs":0,"lifetimeMs":100000})"),
            "7000 9000\n"
            "/session/idleTimeoutMs: a sandbox without a command ends after 7000 ms "
            "(/ceiling/session/idleTimeoutMs)\n"
            "/session/lifetimeMs: the sandbox ends after 9000 ms (/ceiling/session/lifetimeMs)\n"
            "refused");
}

TEST_F(CeilingConfigTest, VariablesByName) {
  const auto names = [](const Config& config) {
    std::string text;
    for (const Variable& variable : *config.process.environment) text += variable.name + " ";
    return text;
  };
  const auto cut = [&](const std::string& bound) {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(bound, host_, {});
    Config config;
    config.process.environment = {
        {.name = "CI"}, {.name = "NPM_X"}, {.name = "npm_x"}, {.name = "LD_PRELOAD"}};
    Cuts cuts;
    EXPECT_TRUE(CutConfig(sections->front(), config, cuts).ok());
    return names(config);
  };
  EXPECT_EQ(cut(R"({"process":{"env":["CI","NPM_*"]}})"), "CI NPM_X ");
  EXPECT_EQ(cut(R"({"process":{"env":[]}})"), "");
  EXPECT_EQ(cut(R"({"process":{}})"), "CI NPM_X npm_x LD_PRELOAD ");
}

TEST_F(CeilingConfigTest, WhatItRequires) {
  const auto protect = [](const Config& config) {
    std::string text;
    for (const PresetEntry& entry : config.protect) text += entry.pointer + " ";
    return text + (config.repositories_written ? "listed" : "searched");
  };
  const std::string bound = R"({"require":{"protect":["git"],"minimumTier":"container"}})";
  EXPECT_EQ(Cut(bound, "", protect), "/filesystem/protect searched");
  EXPECT_EQ(Cut(bound, R"("filesystem":{"protect":[],"repositories":[]})", protect),
            "/ceiling/require/protect/0 searched\n"
            "/filesystem/protect: a preset that is required stays in force (/ceiling/require/protect/0)\n"
            "/filesystem/repositories: repositories are searched for (/ceiling/require/protect)");
  const auto tier = [](const Config& config) { return std::string(Name(config.minimum_tier)); };
  EXPECT_EQ(Cut(bound, R"("minimumTier":"process")", tier), "container");
  EXPECT_EQ(Cut(bound, R"("minimumTier":"virtual-machine")", tier), "virtual-machine");
}

TEST_F(CeilingConfigTest, TheRecord) {
  const auto audit = [](const Config& config) {
    return config.audit.path + (config.audit.on_failure == Audit::OnFailure::kWarn ? " warn" : "");
  };
  EXPECT_THAT(Cut(R"({"require":{"audit":true}})", "", audit), HasSubstr("asks for a record of every run"));
  const std::string own = R"("audit":{"path":"/srv/mine","onFailure":"warn"})";
  EXPECT_THAT(Cut(R"({"require":{"audit":true}})", own, audit), testing::StartsWith("/srv/mine\n"));
  EXPECT_THAT(Cut(R"({"audit":{"path":"/var/log/mxc/{uid}.jsonl"}})", own, audit),
              testing::StartsWith("/var/log/mxc/1000.jsonl\n/audit: the record is written to"));
}

TEST_F(CeilingConfigTest, Containments) {
  const auto check = [&](const std::string& bound, Containment containment) {
    const Result<std::vector<CeilingSection>> sections = DecodeCeiling(bound, host_, {});
    return CheckContainment(sections->front(), Config{}, containment).ok();
  };
  EXPECT_FALSE(check("{}", Containment::kNone));
  EXPECT_TRUE(check("{}", Containment::kLxc));
  EXPECT_FALSE(check("{}", Containment::kKubernetes));
  EXPECT_TRUE(check(R"({"require":{"containments":["kubernetes"]}})", Containment::kKubernetes));
  const std::string process = R"({"require":{"containments":["process"]}})";
  EXPECT_TRUE(check(process, Containment::kLandlock));
  EXPECT_TRUE(check(process, Containment::kBubblewrap));
  EXPECT_FALSE(check(process, Containment::kLxc));
  const std::string one = R"({"require":{"containments":["namespaces"]}})";
  EXPECT_TRUE(check(one, Containment::kNamespaces));
  EXPECT_FALSE(check(one, Containment::kLandlock));
  EXPECT_FALSE(check(one, Containment::kNone));
}

TEST_F(CeilingConfigTest, ProfilesByName) {
  const Result<std::vector<CeilingSection>> sections =
      DecodeCeiling(R"({"require":{"profiles":["node"]}})", host_, {});
  Config config;
  config.read_write = {{"/a", "profile node: /filesystem/readwritePaths/0"},
                       {"/b", "profile nodes: /filesystem/readwritePaths/0"},
                       {"/c", "/filesystem/readwritePaths/0"}};
  Cuts cuts;
  ASSERT_TRUE(CutConfig(sections->front(), config, cuts).ok());
  ASSERT_EQ(config.read_write.size(), 2U);
  EXPECT_EQ(config.read_write[0].path, "/a");
  EXPECT_EQ(config.read_write[1].path, "/c");
}

// ---- persistent sandboxes ---------------------------------------------------------------------------------

TEST_F(CeilingFileTest, ASandboxOfAnotherCeilingRunsNothing) {
  const auto may = [&](const Plan& plan, bool background = false) {
    Config config;
    Cuts cuts;
    return CutCommand(host_, plan, background, config, cuts).ok();
  };
  const Plan before;
  EXPECT_TRUE(may(before));
  Write(R"({"process":{"timeout":1000}})");
  EXPECT_FALSE(may(before));
  const std::string text = (*ReadCeiling(host_, {}))->Text();
  Plan under;
  under.ledger.push_back({.pointer = kCeilingPointer, .mechanism = text});
  EXPECT_TRUE(may(under));
  EXPECT_FALSE(may(under, true));
  Write(R"({"process":{"timeout":2000}})");
  EXPECT_FALSE(may(under));
  host_.Remove(kFile);
  EXPECT_FALSE(may(under));
}

}  // namespace
}  // namespace mxc::ceiling_test
