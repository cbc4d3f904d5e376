#include "config/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode_text.h"
#include "mxc/limits.h"

namespace mxc::decode_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Dialect DialectOf(const std::string& version) {
  const Result<Config> config = DecodeText(With("", version));
  EXPECT_TRUE(config.ok()) << version;
  return config ? config->dialect : Dialect::kLegacy;
}

TEST(Decode, SelectsTheDialectByVersion) {
  EXPECT_EQ(DialectOf(""), Dialect::kLegacy);
  EXPECT_EQ(DecodeText(With(R"("version":"")"))->dialect, Dialect::kLegacy);
  EXPECT_EQ(DecodeText(With(R"("version":null)"))->dialect, Dialect::kLegacy);
  for (const std::string version : {"0.4.0-alpha", "0.5.0", "0.6.0-alpha", "0.7.0+build.7", "0.7.99-dev.1"}) {
    EXPECT_EQ(DialectOf(version), Dialect::kLegacy) << version;
  }
  for (const std::string version : {"0.8.0-alpha", "0.8.0-dev", "0.9.0", "0.9.9"}) {
    EXPECT_EQ(DialectOf(version), Dialect::kDirectional) << version;
  }
  EXPECT_EQ(DialectOf("0.9.0-alpha"), Dialect::kContract09);
  EXPECT_EQ(DialectOf("0.10.0-alpha"), Dialect::kContract11);
  EXPECT_EQ(DialectOf("1.0.0"), Dialect::kContract10);
  EXPECT_EQ(DialectOf("1.1.0-alpha"), Dialect::kContract11);
}

TEST(Decode, RefusesOtherVersions) {
  for (const std::string version :
       {"0.3.0", "0.10.0", "1.0.1", "1.1.0", "2.0.0", "0.7", "v0.7.0", " 0.7.0", "00.7.0", "0.7.0-",
        "0.7.0-01", "0.7.0-a..b", "0.7.0+", "0.7.0 ", "latest", "99999999999999999999.0.0"}) {
    EXPECT_EQ(Blamed(With("", version)), "/version") << version;
  }
  EXPECT_THAT(Errors(With("", "0.3.0")), ElementsAre(HasSubstr("`0.3.0` is older than supported at line 1")));
}

TEST(Decode, ReadsTheOlderModelWhereTheContract09DoesNotFit) {
  const Result<Config> older = DecodeText(With(R"("network":{"defaultPolicy":"block"})", "0.9.0-alpha"));
  ASSERT_TRUE(older.ok());
  EXPECT_EQ(older->dialect, Dialect::kDirectional);
  ASSERT_EQ(older->notes.size(), 1U);
  EXPECT_EQ(older->notes[0].category, "older-model");
  // Neither model knows this key: the contract's errors are shown.
  EXPECT_THAT(Errors(With(R"("ui":{"x":1})", "0.9.0-alpha")), ElementsAre(HasSubstr("unknown field `x`")));
}

TEST(Decode, WantsAnObjectWithAProcess) {
  EXPECT_THAT(Errors("[]"), ElementsAre(HasSubstr("expected a configuration object at line 1 column 1")));
  EXPECT_THAT(Errors("{}"),
              ElementsAre(": Invalid configuration: missing field `process` at line 1 column 1"));
  EXPECT_THAT(
      Errors(R"({"process":{}})"),
      ElementsAre("/process: Invalid configuration at `process`: missing field `process.commandLine` or "
                  "`process.argv` at line 1 column 12"));
  for (const char* without : {"{}", R"({"process":{}})"})
    EXPECT_EQ(DecodeText(without).error().hint, "put the command behind --: mxc-exec FILE -- CMD ARGS...");
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":""}})"), "/process/commandLine");
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":" "}})"), "ok");
}

TEST(Decode, ReportsEveryErrorInDocumentOrder) {
  EXPECT_THAT(
      Errors(
          "{\"filesystm\":{},\n\"process\":{\"timeout\":1.5,\"commandLine\":[]},\n\"ui\":{\"disable\":0}}"),
      ElementsAre(HasSubstr("did you mean `filesystem`? at line 1 column 2"),
                  "/process/timeout: Invalid configuration at `process.timeout`: invalid type: number, "
                  "expected an integer at line 2 column 22",
                  HasSubstr("`process.commandLine`: invalid type: array"), HasSubstr("`ui.disable`")));
}

TEST(Decode, StopsReportingAtTheBound) {
  std::string fragment;
  for (std::size_t i = 0; i < 3 * kMaxReportedErrors; ++i) {
    fragment += (i == 0 ? "\"x" : ",\"x") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(Errors(With(fragment)).size(), kMaxReportedErrors);
}

TEST(Decode, SuggestsTheNearestName) {
  EXPECT_THAT(Errors(With(R"("filesystem":{"readOnlyPaths":[]})")),
              ElementsAre(HasSubstr("; did you mean `readonlyPaths`?")));
  EXPECT_THAT(Errors(With(R"("containment":"bublewrap")")),
              ElementsAre(HasSubstr("did you mean `bubblewrap`?")));
  EXPECT_THAT(Errors(With(R"("zzzzzzzz":1)")), ElementsAre(testing::Not(HasSubstr("did you mean"))));
}

TEST(Decode, TakesNullForAbsenceOnlyBeforeTheContracts) {
  EXPECT_EQ(Blamed(With(R"("ui":null,"filesystem":{"readonlyPaths":null},"containment":null)")), "ok");
  EXPECT_EQ(Blamed(With(R"("ui":null)", "0.8.0-alpha")), "ok");
  EXPECT_EQ(Blamed(With(R"("ui":null)", "1.0.0")), "/ui");
  EXPECT_EQ(Blamed(With(R"("_comment":null)", "1.0.0")), "ok");
  EXPECT_EQ(Blamed(With(R"("filesystem":{"readonlyPaths":[null]})")), "/filesystem/readonlyPaths/0");
}

TEST(Decode, ChecksTypesAndBounds) {
  EXPECT_EQ(Blamed(With(R"("containment":5)")), "/containment");
  EXPECT_EQ(Blamed(With(R"("containment":{"lxc":null})")), "/containment");
  EXPECT_EQ(Blamed(With(R"("filesystem":[["/tmp"],null,null])")), "/filesystem");
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":"x","timeout":4294967295}})"), "ok");
  for (const std::string timeout :
       {"-1", "-0", "4294967296", "1.5", "1e3", "\"5\"", "99999999999999999999"}) {
    EXPECT_EQ(Blamed(R"({"process":{"commandLine":"x","timeout":)" + timeout + "}}"), "/process/timeout")
        << timeout;
  }
}

TEST(Decode, KnowsFieldsPerVersion) {
  EXPECT_EQ(Blamed(With(R"("telemetry":{"enabled":true})", "1.0.0")), "ok");
  EXPECT_EQ(Blamed(With(R"("telemetry":{"enabled":true})", "0.8.0-alpha")), "/telemetry");
  EXPECT_EQ(Blamed(With(R"("experimental":{})", "1.0.0")), "/experimental");
  EXPECT_EQ(Blamed(With(R"("test":{"message":"x"})", "1.0.0")), "/test");
  EXPECT_EQ(Blamed(With(R"("test":{"message":"x"})", "1.1.0-alpha")), "ok");
  EXPECT_EQ(Blamed(With(R"("containment":"vm")", "1.0.0")), "/containment");
  EXPECT_EQ(Blamed(With(R"("containment":"vm")", "1.1.0-alpha")), "ok");
  EXPECT_THAT(Errors(With(R"("network":{"proxy":{}})", "1.0.0")),
              ElementsAre(HasSubstr("unknown field `proxy`, expected one of `egress`, `ingress`; use "
                                    "runtimeConfig.networkProxy at")));
}

TEST(Decode, SaysWhereAFieldStands) {
  const auto hint = [](const std::string& text) { return DecodeText(With(text)).error().hint; };
  EXPECT_EQ(hint(R"("protect":["git"])"), R"(write it in `filesystem`: "filesystem": {"protect": ...})");
  EXPECT_EQ(hint(R"("readonlyPaths":["/srv"])"),
            R"(write it in `filesystem`: "filesystem": {"readonlyPaths": ...})");
  EXPECT_EQ(hint(R"("filesystem":{"network":{}})"), "`network` stands at the top of the document");
  EXPECT_EQ(hint(R"("filesystem":{"egress":{}})"), "");
  EXPECT_EQ(hint(R"("zzz":1)"), "");
}

TEST(Decode, LeavesOpenSectionsAlone) {
  EXPECT_EQ(Blamed(With(R"("experimental":{"zzz":{"a":1},"test":{"more":1}})")), "ok");
  EXPECT_EQ(Blamed(With(R"("experimental":{"telemetry":{"enabled":1}})")), "/experimental/telemetry/enabled");
  EXPECT_EQ(Blamed(With(R"("_comment":[{"a":[1]}])")), "ok");
}

TEST(Decode, KeepsLifecycleKeysOutOfRuns) {
  EXPECT_THAT(Errors(With(R"("sandboxId":"x:1")")),
              ElementsAre(HasSubstr("'sandboxId' is only valid on state-aware lifecycle requests")));
  EXPECT_EQ(Blamed(With(R"("correlationVector":"a")")), "/correlationVector");
  EXPECT_EQ(Blamed(With(R"("session":{})")), "/session");
  EXPECT_EQ(Blamed(With(R"("phase":"boot")")), "/phase");
  for (const char* version : {"0.7.0", "0.8.0", "1.0.0"})  // and not for the command that it may need not
    EXPECT_EQ(Blamed(R"({"version":")" + std::string(version) + R"(","phase":"boot"})"), "/phase");
  EXPECT_EQ(Blamed(With(R"("phase":null)")), "ok");
  EXPECT_EQ(Blamed(With(R"("phase":null)", "1.0.0")), "/phase");
}

TEST(Decode, ReadsLifecycleRequests) {
  for (const std::string version : {"0.6.0-alpha", "0.8.0-alpha", "1.0.0"}) {
    const std::string head = R"({"version":")" + version + R"(","phase":)";
    const Result<Config> provision = DecodeText(
        head +
        R"("provision","containment":"process","filesystem":{"readwritePaths":["/w"]},"session":{"lifetimeMs":5}})");
    ASSERT_TRUE(provision.ok()) << provision.error().message;
    EXPECT_EQ(provision->phase, Phase::kProvision);
    EXPECT_EQ(provision->session.lifetime_ms, 5U);
    EXPECT_EQ(provision->session.idle_timeout_ms, 86400000U);
    ASSERT_EQ(provision->read_write.size(), 1U);
    const Result<Config> exec =
        DecodeText(head + R"("exec","sandboxId":"ns:1","process":{"commandLine":"true"}})");
    ASSERT_TRUE(exec.ok()) << exec.error().message;
    EXPECT_EQ(exec->sandbox_id, "ns:1");
    EXPECT_EQ(Blamed(head + R"("stop","sandboxId":"ns:1"})"), "ok");
  }
}

TEST(Decode, EachPhaseTakesItsKeysOnly) {
  EXPECT_EQ(Blamed(R"({"phase":"provision"})"), "/containment");
  EXPECT_EQ(Blamed(R"({"phase":"provision","containment":"process","lifecycle":{}})"), "/lifecycle");
  EXPECT_EQ(Blamed(R"({"phase":"provision","containment":"process","sandboxId":"ns:1"})"), "/sandboxId");
  EXPECT_EQ(Blamed(R"({"phase":"start"})"), "/sandboxId");
  EXPECT_EQ(Blamed(R"({"phase":"start","sandboxId":"ns:1","containment":"process"})"), "/containment");
  EXPECT_EQ(Blamed(R"({"phase":"stop","sandboxId":"ns:1","process":{"commandLine":"x"}})"), "/process");
  EXPECT_EQ(Blamed(R"({"phase":"exec","sandboxId":"ns:1"})"), "");
  EXPECT_EQ(Blamed(R"({"phase":"exec","sandboxId":"ns:1","process":{}})"), "/process");
  EXPECT_EQ(Blamed(R"({"phase":"exec","sandboxId":"ns:1","process":{"commandLine":"x"},"network":{}})"),
            "/network");
  EXPECT_EQ(Blamed(R"({"version":"1.0.0","phase":"stop","sandboxId":"ns:1","correlationVector":"a"})"),
            "/correlationVector");
  EXPECT_EQ(Blamed(R"({"phase":"start","sandboxId":"ns:1"})", {.command = {"ls"}}), "/phase");
  EXPECT_EQ(Blamed(R"({"phase":"exec","sandboxId":"ns:1"})", {.command = {"ls"}}), "ok");
}

TEST(Decode, ReadsTheProcess) {
  const Result<Config> config =
      DecodeText(R"({"version":"1.0.0","process":{"commandLine":"make","cwd":"/work",
      "env":["A=1","B=x=y","A=2"],"timeout":5000,"inheritDefaultEnv":true}})");
  ASSERT_TRUE(config.ok());
  const ProcessConfig& process = config->process;
  EXPECT_EQ(process.command_line, "make");
  EXPECT_EQ(process.cwd, "/work");
  EXPECT_EQ(process.cwd_pointer, "/process/cwd");
  EXPECT_EQ(process.timeout_ms, 5000U);
  EXPECT_EQ(process.timeout_pointer, "/process/timeout");
  EXPECT_TRUE(process.inherit_default_environment);
  ASSERT_TRUE(process.environment.has_value());
  ASSERT_EQ(process.environment->size(), 2U);
  EXPECT_EQ((*process.environment)[0].name, "A");
  EXPECT_EQ((*process.environment)[0].value.Reveal(), "2");
  EXPECT_EQ((*process.environment)[1].value.Reveal(), "x=y");
}

TEST(Decode, TellsAnAbsentEnvironmentFromAnEmptyOne) {
  EXPECT_FALSE(DecodeText(With(""))->process.environment.has_value());
  EXPECT_FALSE(DecodeText(R"({"process":{"commandLine":"x","env":null}})")->process.environment.has_value());
  EXPECT_TRUE(DecodeText(R"({"process":{"commandLine":"x","env":[]}})")->process.environment->empty());
}

std::string WithEnvironment(std::string_view entry, std::string_view version) {
  return R"({"version":")" + std::string(version) + R"(","process":{"commandLine":"x","env":[")" +
         std::string(entry) + "\"]}}";
}

TEST(Decode, RefusesEntriesThatAreNoVariables) {
  const Result<Config> legacy = DecodeText(WithEnvironment("hunter2", "0.7.0"));
  ASSERT_TRUE(legacy.ok());
  EXPECT_TRUE(legacy->process.environment->empty());
  ASSERT_EQ(legacy->notes.size(), 1U);
  EXPECT_EQ(legacy->notes[0].message, "`process.env[0]` has no `=` and is left out");
  EXPECT_THAT(
      Errors(WithEnvironment("hunter2", "0.8.0-alpha")),
      ElementsAre("/process/env/0: Invalid configuration at `process.env[0]`: the entry has no `=` at line 1 "
                  "column 62"));
  EXPECT_EQ(Blamed(WithEnvironment("=C", "0.7.0")), "/process/env/0");
  EXPECT_EQ(Blamed(WithEnvironment("A=", "1.0.0")), "ok");
}

TEST(Decode, BoundsArgumentsAndPaths) {
  const std::string argument(kMaxArgumentBytes - 1, 'a');
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":")" + argument + "\"}}"), "ok");
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":"a)" + argument + "\"}}"), "/process/commandLine");
  EXPECT_EQ(Blamed(R"({"process":{"argv":["a","a)" + argument + "\"]}}"), "/process/argv/1");
  EXPECT_EQ(Blamed(WithEnvironment("A=" + argument, "0.7.0")), "/process/env/0");
  const std::string path = "/" + std::string(kMaxPathBytes - 2, 'a');
  EXPECT_EQ(Blamed(With(R"("filesystem":{"deniedPaths":[")" + path + "\"]}")), "ok");
  EXPECT_EQ(Blamed(With(R"("filesystem":{"deniedPaths":[")" + path + "a\"]}")), "/filesystem/deniedPaths/0");
}

TEST(Decode, ReadsArgv) {
  const Result<Config> config = DecodeText(R"({"process":{"argv":["git","commit","-m",""]}})");
  ASSERT_TRUE(config.ok());
  EXPECT_THAT(config->process.argv, ElementsAre("git", "commit", "-m", ""));
  EXPECT_EQ(Blamed(R"({"process":{"argv":[]}})"), "/process/argv");
  EXPECT_EQ(Blamed(R"({"process":{"argv":[""]}})"), "/process/argv/0");
  EXPECT_THAT(Errors(R"({"process":{"argv":["a"],"commandLine":"a"}})"),
              ElementsAre(HasSubstr("one of `commandLine`, `argv` is allowed, not several")));
}

TEST(Decode, PutsACommandGivenApartInPlaceOfTheDocuments) {
  const DecodeOptions options{.command = {"ls", "-l"}};
  for (const std::string text : {"{}", R"({"process":{}})", R"({"process":{"commandLine":"x"}})"}) {
    const Result<Config> config = DecodeText(text, options);
    ASSERT_TRUE(config.ok()) << text;
    EXPECT_THAT(config->process.argv, ElementsAre("ls", "-l"));
    EXPECT_EQ(config->process.command_line, "");
  }
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":5}})", options), "/process/commandLine");
}

TEST(Decode, TakesOnlyAbsolutePaths) {
  const Result<Config> config = DecodeText(With(
      R"("filesystem":{"readwritePaths":["/a/../b/","/a\"b"],"readonlyPaths":["C:\\x","\\\\s\\x"],"deniedPaths":["/c d"]})"));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->read_write[0].path, "/a/../b/");
  EXPECT_EQ(config->read_write[0].pointer, "/filesystem/readwritePaths/0");
  EXPECT_EQ(config->read_write[1].path, "/a\"b");
  EXPECT_EQ(config->read_only[1].path, "\\\\s\\x");
  EXPECT_EQ(config->read_only[1].pointer, "/filesystem/readonlyPaths/1");
  EXPECT_EQ(config->denied[0].path, "/c d");
  for (const std::string path :
       {"", "  ", "d", "./d", "~/x", "$HOME/x", "%TEMP%", "C:x", "a\\\"b", "C:\\\\a\\\"b"}) {
    EXPECT_EQ(Blamed(With(R"("filesystem":{"readonlyPaths":[")" + path + "\"]}")),
              "/filesystem/readonlyPaths/0")
        << path;
  }
  const Result<Config> home = DecodeText(With(R"("filesystem":{"readonlyPaths":["~/x"]})"));
  EXPECT_EQ(home.error().hint,
            "write the directory itself, such as /home/me/x, or \"expand\": true and ~/x or ${HOME}/x");
}

TEST(Decode, TakesSocketsByPathOrVariable) {
  const Result<Config> config = DecodeText(With(R"("filesystem":{"sockets":["/run/x","$SSH_AUTH_SOCK"]})"));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->sockets[0].path, "/run/x");
  EXPECT_EQ(config->sockets[1].path, "$SSH_AUTH_SOCK");
  EXPECT_EQ(config->sockets[1].pointer, "/filesystem/sockets/1");
  for (const std::string path : {"", "x", "~/x", "$", "$1", "$A/x", "${A}", "$A B"}) {
    EXPECT_EQ(Blamed(With(R"("filesystem":{"sockets":[")" + path + "\"]}")), "/filesystem/sockets/0") << path;
  }
}

TEST(Decode, TakesOnlyAnAbsoluteWorkingDirectory) {
  EXPECT_EQ(Blamed(R"({"process":{"commandLine":"x","cwd":"rel"}})"), "/process/cwd");
  const Result<Config> empty = DecodeText(R"({"process":{"commandLine":"x","cwd":""}})");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->process.cwd_pointer, "");
}

// The last contract with the names before 1.0, and the first closed one with what is experimental.
TEST(Decode, ReadsTheDevelopmentContractBefore10) {
  const std::string version = "0.10.0-alpha";
  for (const char* const known :
       {R"("containment":"vm")",
        R"("containment":"appcontainer","appContainer":{"ui":{"systemSettings":"any"}})",
        R"("containment":"macos_sandbox","macos_sandbox":{})", R"("test":{"message":"x"})",
        R"("containment":"hyperlight","hyperlight":{"runtime":"node"})", R"("telemetry":{"enabled":false})",
        R"("containment":"windows_sandbox","windowsSandbox":{"idleTimeoutMs":1})"})
    EXPECT_EQ(Blamed(With(known, version)), "ok") << known;
  EXPECT_EQ(Blamed(With(R"("experimental":{})", version)), "/experimental");
  EXPECT_EQ(Blamed(With(R"("containerId":null)", version)), "/containerId");
  EXPECT_EQ(Blamed(With(R"("network":{"defaultPolicy":"allow"})", version)), "/network/defaultPolicy");
  EXPECT_EQ(Blamed(With("", "0.10.0")), "/version");
  EXPECT_EQ(Blamed(With(R"("appContainer":{})", "1.1.0-alpha")), "/appContainer");
}

TEST(Decode, KeepsTheContainerIdHarmless) {
  EXPECT_EQ(DecodeText(With(R"("containerId":"job-1.a_B")"))->container_id, "job-1.a_B");
  EXPECT_EQ(DecodeText(With(R"("containerId":"")"))->container_id, "");
  EXPECT_EQ(Blamed(With("\"containerId\":\"" + std::string(128, 'a') + "\"")), "ok");
  const auto name = [](const std::string& id) {
    return DecodeText(With("\"containerId\":\"" + id + "\""))->container_id;
  };
  EXPECT_EQ(name("../../x; rm"), "x2e._2f.._2fx_3b_20rm");
  EXPECT_EQ(name("-rf"), "x2drf");
  EXPECT_EQ(name("a_b"), "a_b");
  EXPECT_EQ(name("\xC3\xA9"), "xc3_a9");
  EXPECT_EQ(name(std::string(129, 'a')), std::string(128, 'a'));
}

TEST(Decode, ReadsOurAdditionsInEveryDialect) {
  for (const std::string version : {"", "0.8.0-alpha", "0.9.0-alpha", "1.0.0", "1.1.0-alpha"}) {
    const Result<Config> config = DecodeText(With(
        R"("output":{"maxBytes":1000,"redact":["secrets","pii"]},"audit":{"path":"/var/log/a","onFailure":"warn"},
           "minimumTier":"container","containment":"auto")",
        version));
    ASSERT_TRUE(config.ok()) << version << config.error().message;
    EXPECT_EQ(config->output.max_bytes, 1000U);
    EXPECT_TRUE(config->output.redact_secrets);
    EXPECT_TRUE(config->output.redact_pii);
    EXPECT_EQ(config->output_pointer, "/output");
    EXPECT_EQ(config->audit.path, "/var/log/a");
    EXPECT_EQ(config->audit.on_failure, Audit::OnFailure::kWarn);
    EXPECT_EQ(config->audit_pointer, "/audit");
    EXPECT_EQ(config->minimum_tier, Tier::kContainer);
    EXPECT_EQ(config->minimum_tier_pointer, "/minimumTier");
    EXPECT_EQ(config->intent, Intent::kAuto);
  }
  EXPECT_EQ(Blamed(With(R"("output":{"maxBytes":0})")), "/output/maxBytes");
  EXPECT_EQ(Blamed(With(R"("output":{"redact":["secret"]})")), "/output/redact/0");
  EXPECT_EQ(Blamed(With(R"("audit":{})")), "/audit");
  EXPECT_EQ(Blamed(With(R"("audit":{"path":"a.log"})")), "/audit/path");
  EXPECT_EQ(Blamed(With(R"("minimumTier":"none")")), "/minimumTier");
}

}  // namespace
}  // namespace mxc::decode_test
