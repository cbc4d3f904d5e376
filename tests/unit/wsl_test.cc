// Policies as they are written, and the run in a distribution of WSL that they become.
#include "backends/wsl/wsl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "backends/wsl/paths.h"
#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "field_sayings.h"
#include "mxc/windows/wsl_engine.h"
#include "mxc/windows/wsl_path.h"
#include "mxc/windows/wsl_run.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"

namespace mxc::wsl_test {
namespace {

using testing::HasSubstr;

const Support& Assumed() {
  static const FakeHost host;
  static const Support support = wsl::WslBackend().probe(host, ProbeDepth::kAssumed);
  return support;
}

Result<Policy> PolicyOf(const std::string& members) {
  const std::string text = R"({"version": "1.1.0-alpha", "containment": "wslc", )" +
                           (members.find("\"process\"") == std::string::npos
                                ? std::string(R"("process": {"commandLine": "make", "cwd": "C:\\w"})")
                                : std::string("\"_comment\": 0")) +
                           (members.empty() ? "" : ", " + members) + "}";
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text});
  if (!document) return document.error();
  const Result<Config> config = Decode(*document, {.system = OperatingSystem::kWindows});
  if (!config) return config.error();
  const FakeHost host;
  return Resolve(*config, host, {.experimental = true, .shown_only = true});
}

Result<Plan> PlanOf(const std::string& members, const Support& support = Assumed()) {
  const Result<Policy> policy = PolicyOf(members);
  if (!policy) return policy.error();
  return MakePlan(wsl::WslBackend(), *policy, support);
}

// The code, pointer and message of a refusal.
std::string RefusalOf(const std::string& members, const Support& support = Assumed()) {
  const Result<Plan> plan = PlanOf(members, support);
  if (plan) return "planned";
  return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
}

std::string ConfigText(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    const auto* shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : std::get<Secret>(part).Reveal();
  }
  return text;
}

std::string ConfigOf(const std::string& members) {
  const Result<Plan> plan = PlanOf(members);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? ConfigText(std::get<WslLaunch>(plan->launch).run.config) : "";
}

// What the mxc-exec inside makes of the document.
Config Inner(const std::string& members) {
  const Result<Json> document = ParseDocument({.name = "inner", .bytes = ConfigOf(members)});
  EXPECT_TRUE(document) << document.error().message;
  Result<Config> config = Decode(*document, {.system = OperatingSystem::kLinux});
  EXPECT_TRUE(config) << config.error().message;
  return config ? std::move(*config) : Config{};
}

std::vector<std::string> PathsOf(const std::vector<PathEntry>& entries) {
  std::vector<std::string> paths;
  for (const PathEntry& entry : entries) paths.push_back(entry.path);
  return paths;
}

TEST(Wsl, HandsThePolicyOnInTheWordsOfLinux) {
  const Config inner = Inner(R"("containerId": "job",
      "filesystem": {"readwritePaths": ["C:\\w"], "readonlyPaths": ["D:\\Tools\\", "/opt"],
                     "deniedPaths": ["\\\\wsl$\\debian\\home\\me\\.ssh"]},
      "network": {"egress": {"allow": [{"to": [{"host": "*.example.com"}],
                                        "ports": [{"protocol": "tcp", "port": 80, "endPort": 90}]}],
                             "deny": [{"to": [{"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}]}]},
                  "ingress": {"publish": [{"host": 8080, "guest": 80}]}},
      "resources": {"memoryMb": 64, "cpus": 1.5, "processes": 9, "openFiles": 99, "tmpMb": 3, "fileSizeMb": 4,
                    "cpuTimeMs": 5000},
      "output": {"maxBytes": 100, "redact": ["secrets"]})");
  EXPECT_EQ(inner.container_id, "job");
  EXPECT_EQ(inner.minimum_tier, Tier::kContainer);
  EXPECT_EQ(inner.process.command_line, "make");
  EXPECT_EQ(inner.process.cwd, "/mnt/c/w");
  EXPECT_THAT(PathsOf(inner.read_write), testing::ElementsAre("/mnt/c/w"));
  EXPECT_THAT(PathsOf(inner.read_only), testing::UnorderedElementsAre("/mnt/d/Tools", "/opt"));
  EXPECT_THAT(PathsOf(inner.denied), testing::ElementsAre("/home/me/.ssh"));
  ASSERT_EQ(inner.network.allow.size(), 1U);
  EXPECT_EQ(inner.network.allow[0].to[0].host, "*.example.com");
  EXPECT_EQ(inner.network.allow[0].ports[0].first, 80);
  EXPECT_EQ(inner.network.allow[0].ports[0].last, 90);
  EXPECT_EQ(inner.network.deny[0].to[0].cidr, "10.0.0.0/8");
  EXPECT_THAT(inner.network.deny[0].to[0].except, testing::ElementsAre("10.1.0.0/16"));
  EXPECT_EQ(inner.network.publish[0].guest, 80);
  ASSERT_EQ(inner.resources.size(), 7U);
  EXPECT_EQ(inner.resources[0].amount, 64U << 20U);
  EXPECT_EQ(inner.resources[1].amount, 1500U);
  EXPECT_EQ(inner.output.max_bytes, 100U);
  EXPECT_TRUE(inner.output.redact_secrets);
}

// "distribution/release" of the image that the mxc-exec inside shows; or the refusal.
std::string ImageOf(const std::string& reference) {
  const std::string members = "\"wslc\": {\"image\": \"" + reference + "\"}";
  if (const std::string refusal = RefusalOf(members); refusal != "planned") return refusal;
  const Config inner = Inner(members);
  EXPECT_EQ(inner.containment, Containment::kLxc);
  EXPECT_EQ(inner.minimum_tier, Tier::kContainer);
  const auto text = [&](const char* key) {
    const Json* value = inner.backend_section.Find(key);
    return value == nullptr ? std::string() : value->text;
  };
  return text("distribution") + "/" + text("release");
}

// Held outside of the distribution, or by what the mxc-exec inside does without being told.
const std::map<std::string, std::string>& NotHandedOn() {
  static const std::map<std::string, std::string> reasons = {
      {"/audit/path", "written by mxc-exec on Windows"},
      {"/audit/onFailure", "written by mxc-exec on Windows"},
      {"/audit/syslog", "written by mxc-exec on Windows"},
      {"/review", "asked for before the command starts"},
      {"/minimumTier", "what is asked of the mxc-exec inside is always a container"},
      {"/filesystem/temp", "/tmp is private unless the policy says otherwise"},
      {"/filesystem/repositories", "the mxc-exec inside searches for them"},
  };
  return reasons;
}

// "" for a policy that this containment does not have, or refuses.
std::string HandedOn(const std::string& fragment, const std::string& version) {
  std::string text = "{\"version\": \"" + version + "\", " + fragment;
  if (fragment.find("\"containment\"") == std::string::npos)
    text += std::string(fragment.empty() ? "" : ", ") + R"("containment": "wslc")";
  if (fragment.find("\"process\":") == std::string::npos && fragment.find("\"phase\"") == std::string::npos)
    text += R"(, "process": {"commandLine": "true"})";
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text + "}"});
  const Result<Config> config = Decode(*document, {.system = OperatingSystem::kWindows});
  if (!config || config->containment != Containment::kWslc) return "";
  const FakeHost host;
  const Result<Policy> policy = Resolve(*config, host, {.experimental = true, .shown_only = true});
  if (!policy) return "";
  const Result<Plan> plan = MakePlan(wsl::WslBackend(), *policy, Assumed());
  return plan ? ConfigText(std::get<WslLaunch>(plan->launch).run.config) : "";
}

TEST(Wsl, HandsEveryFieldOnOrRefusesIt) {
  for (const auto& [pointer, saying] : Sayings()) {
    const std::string text = HandedOn(saying.fragment, saying.version);
    const bool differs = text.empty() || text != HandedOn(saying.without, saying.version);
    EXPECT_NE(differs, NotHandedOn().contains(pointer))
        << pointer << ": write it into the guest's document, or say who else holds it";
  }
}

TEST(Wsl, AnImageIsShownByTheMxcExecInside) {
  EXPECT_EQ(ImageOf("alpine:3.23"), "alpine/3.23");
  EXPECT_EQ(ImageOf("alpine"), "alpine/latest");
  EXPECT_EQ(ImageOf("python:3.12-alpine"), "python/3.12-alpine");
  EXPECT_EQ(ImageOf("mcr.microsoft.com/cbl-mariner/base/core:2.0"),
            "mcr.microsoft.com+cbl-mariner+base+core/2.0");
  for (const char* bad : {"a@sha256:0", "localhost:5000/a", "../a", "a:..", "a+b", "a b", ":x", "a:"})
    EXPECT_THAT(ImageOf(bad), HasSubstr("policy_conflict /wslc/image")) << bad;
  EXPECT_EQ(Inner(R"("wslc": {"image": ""})").intent, Intent::kProcess);
}

TEST(Wsl, ProvisionHasAPlaceOfItsOwnForTheImage) {
  const Config inner = Inner(R"("wslc": {"image": "debian:12", "provision": {"image": "alpine:3.23"}})");
  EXPECT_EQ(inner.backend_section.Find("distribution")->text, "alpine");
  EXPECT_THAT(RefusalOf(R"("wslc": {"provision": {"imageTarPath": "C:\\a.tar"}})"),
              HasSubstr("unavailable /wslc/imageTarPath"));
}

TEST(Wsl, StorageIsNotNeeded) {
  const Result<Plan> plan = PlanOf(R"("wslc": {"storagePath": "C:\\s"})");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->warnings.back().category + plan->warnings.back().pointer,
            "without-effect/wslc/storagePath");
}

TEST(Wsl, TheEnvironmentIsTheGuestsUnlessItIsWritten) {
  EXPECT_FALSE(Inner("").process.environment);
  const std::string env = R"("process": {"argv": ["a", "b \"c\""], "env": ["T=s \"q\" \\ \u0001", "U="])";
  const Config exact = Inner(env + "}");
  EXPECT_THAT(exact.process.argv, testing::ElementsAre("a", "b \"c\""));
  ASSERT_EQ(exact.process.environment->size(), 2U);
  EXPECT_EQ((*exact.process.environment)[0].value.Reveal(), "s \"q\" \\ \x01");
  EXPECT_FALSE(exact.process.inherit_default_environment);
  EXPECT_TRUE(Inner(env + R"(, "inheritDefaultEnv": true})").process.inherit_default_environment);
  EXPECT_TRUE(Inner(R"("process": {"commandLine": "x", "env": []})").process.environment);
}

TEST(Wsl, SecretsAreNeverShown) {
  const std::string members = R"("process": {"commandLine": "x", "env": ["TOKEN=hunter2"]})";
  const Result<Policy> policy = PolicyOf(members);
  const Result<Plan> plan = PlanOf(members);
  ASSERT_TRUE(policy && plan);
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), *policy, *plan), testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(DescribeText(Dispatch(plan->containment), *policy, *plan), HasSubstr("TOKEN="));
  EXPECT_THAT(DescribeJson(Dispatch(plan->containment), *policy, *plan), testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(DescribeJson(Dispatch(plan->containment), *policy, *plan),
              HasSubstr("\"distribution\": \"Debian\""));
}

// On a drive "SECRET" is "secret", which no mount of Linux covers.
TEST(Wsl, TakesNothingOutOfAGrantOnADrive) {
  const std::string above = R"("filesystem": {"readwritePaths": ["C:\\w"], )";
  EXPECT_THAT(RefusalOf(above + R"("deniedPaths": ["C:\\W\\secret"]})"),
              HasSubstr("unenforceable /filesystem/deniedPaths/0: 'C:\\W\\secret' cannot be kept"));
  EXPECT_THAT(RefusalOf(above + R"("readonlyPaths": ["C:\\w\\lib"]})"),
              HasSubstr("/filesystem/readonlyPaths/0"));
  EXPECT_THAT(RefusalOf(above + R"("deniedPaths": ["/mnt/c/w/x"]})"), HasSubstr("unenforceable"));
  EXPECT_THAT(RefusalOf(R"("filesystem": {"readonlyPaths": ["/"], "deniedPaths": ["C:\\x"]})"),
              HasSubstr("unenforceable"));
  EXPECT_EQ(RefusalOf(above + R"("deniedPaths": ["C:\\wx", "C:\\"]})"), "planned");
  EXPECT_EQ(RefusalOf(R"("filesystem": {"readwritePaths": ["/srv"], "deniedPaths": ["/srv/x"]})"), "planned");
  EXPECT_EQ(RefusalOf(R"("filesystem": {"readonlyPaths": ["C:\\w"], "readwritePaths": ["C:\\w\\out"]})"),
            "planned");
}

TEST(Wsl, ProtectionHoldsInTheDistributionOnly) {
  EXPECT_EQ(RefusalOf(R"("filesystem": {"readwritePaths": ["/srv"], "protect": ["git", "shell"]})"),
            "planned");
  EXPECT_THAT(RefusalOf(R"("filesystem": {"readwritePaths": ["C:\\w"], "protect": ["git"]})"),
              HasSubstr("unenforceable /filesystem/protect/0"));
  const Result<Plan> plan = PlanOf(R"("filesystem": {"readwritePaths": ["C:\\w"]})");
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->warnings, testing::Contains(testing::Field(&Warning::category, "protection-incomplete")));
}

TEST(Wsl, NamesOnADriveAreNoPatterns) {
  const std::string config = ConfigOf(R"("filesystem": {"readonlyPaths": ["C:\\a [b]", "/srv/*.d"]})");
  EXPECT_THAT(config, HasSubstr(R"("/mnt/c/a \\[b]")"));
  EXPECT_THAT(config, HasSubstr(R"("/srv/*.d")"));
}

TEST(Wsl, ReadsItsSection) {
  const Config inner = Inner(R"("wslc": {"targetOs": "linux", "cpuCount": 2, "memoryMb": 100,
      "portMappings": [{"windowsPort": 8000, "containerPort": 80}]}, "resources": {"memoryMb": 64})");
  ASSERT_EQ(inner.resources.size(), 2U);
  EXPECT_EQ(inner.resources[0].amount, 64U << 20U);
  EXPECT_EQ(inner.resources[1].amount, 2000U);
  EXPECT_EQ(inner.network.publish[0].host, 8000);
  const Result<Plan> plan = PlanOf(R"("wslc": {"distribution": "DEBIAN", "program": "/opt/mxc"})");
  ASSERT_TRUE(plan);
  EXPECT_EQ(std::get<WslLaunch>(plan->launch).run.distribution, "Debian");
  EXPECT_EQ(std::get<WslLaunch>(plan->launch).run.program, "/opt/mxc");
}

TEST(Wsl, RefusesWhatBelongsToImages) {
  EXPECT_THAT(RefusalOf(R"("wslc": {"gpu": true})"), HasSubstr("unavailable /wslc/gpu"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"imageTarPath": "C:\\a"})"), HasSubstr("/wslc/imageTarPath"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"gpu": true})"), HasSubstr("/wslc/gpu"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"targetOs": "windows"})"), HasSubstr("policy_conflict /wslc/targetOs"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"program": "mxc-exec"})"), HasSubstr("/wslc/program"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"distribution": "Arch"})"), HasSubstr("no distribution 'Arch'"));
}

TEST(Wsl, RefusesWhatMeansTheHostItself) {
  const auto network = [](const std::string& text) { return "\"network\": {" + text + "}"; };
  EXPECT_THAT(RefusalOf(network(R"("ingress": {"hostLoopback": "allow"})")),
              HasSubstr("unenforceable /network/ingress/hostLoopback"));
  EXPECT_THAT(RefusalOf(network(R"("ingress": {"default": "allow"})")),
              HasSubstr("/network/ingress/default"));
  EXPECT_THAT(RefusalOf(R"("runtimeConfig": {"networkProxy": "http://127.0.0.1:1"})"),
              HasSubstr("/runtimeConfig/networkProxy"));
  EXPECT_EQ(RefusalOf(network(R"("egress": {"default": "allow"})")), "planned");
}

TEST(Wsl, RefusesPathsThatNoDistributionHas) {
  const auto path = [](const std::string& text) {
    return RefusalOf(R"("filesystem": {"readonlyPaths": [")" + text + "\"]}");
  };
  EXPECT_THAT(path(R"(\\\\server\\share\\x)"), HasSubstr("path of the network"));
  EXPECT_THAT(path(R"(\\\\wsl.localhost\\Ubuntu\\x)"), HasSubstr("another distribution than 'Debian'"));
  EXPECT_THAT(RefusalOf(R"("process": {"commandLine": "x", "cwd": "\\\\server\\share"})"),
              HasSubstr("/process/cwd"));
}

TEST(Wsl, TranslatesPaths) {
  const auto inside = [](std::string_view path) { return *PathInWsl(path, "Debian", ""); };
  EXPECT_EQ(inside("C:\\"), "/mnt/c");
  EXPECT_EQ(inside("D:\\A b\\c"), "/mnt/d/A b/c");
  EXPECT_EQ(inside("\\\\wsl$\\Debian"), "/");
  EXPECT_EQ(inside("\\\\WSL.LOCALHOST\\debian\\home\\me"), "/home/me");
  EXPECT_EQ(inside("/home/me"), "/home/me");
  EXPECT_TRUE(IsOnDriveInWsl("/mnt/c"));
  EXPECT_TRUE(IsOnDriveInWsl("/mnt/C/x"));
  EXPECT_FALSE(IsOnDriveInWsl("/mnt"));
  EXPECT_FALSE(IsOnDriveInWsl("/mnt/cd"));
  EXPECT_FALSE(IsOnDriveInWsl("/home"));
}

TEST(Wsl, ReadsWhatWslSays) {
  EXPECT_EQ(WslText(std::string_view("T\0e\0x\0t\0\r\0\n\0", 12)), "Text\n");
  EXPECT_EQ(WslText(std::string_view("a\0\x6f\x6f\x3d\xd8\x00\xde\x3d\xd8 \0", 12)),
            "a\xe6\xbd\xaf\xf0\x9f\x98\x80\xef\xbf\xbd ");
  EXPECT_EQ(WslText("plain\r\n\xc3\xa9"), "plain\n\xc3\xa9");
  EXPECT_EQ(WslText(""), "");
}

class WindowsMachine final : public FakeHost {
 public:
  WindowsMachine() { SetSystem(OperatingSystem::kWindows); }
  [[nodiscard]] WindowsFacts Windows() const override { return facts; }
  WindowsFacts facts = {};
};

TEST(Wsl, SaysWhatThisMachineLacks) {
  const auto reason = [](const FakeHost& host, ProbeDepth depth = ProbeDepth::kQuick) {
    const Support support = wsl::WslBackend().probe(host, depth);
    return support.usable ? "usable" : std::string(Name(support.code)) + ": " + support.reason;
  };
  EXPECT_EQ(reason(FakeHost()), "unsupported: the 'wslc' backend belongs to Windows, this is Linux");
  WindowsMachine host;
  EXPECT_EQ(reason(host), "unavailable: WSL is not installed");
  host.facts.wsl = "C:\\wsl.exe";
  EXPECT_EQ(reason(host), "unavailable: WSL has no distribution of version 2");
  host.facts.wsl_distributions = {{.name = "docker-desktop", .version = 2, .is_default = true},
                                  {.name = "Old", .version = 1}};
  EXPECT_EQ(reason(host), "unavailable: WSL has no distribution of version 2");
  host.facts.wsl_distributions.push_back({.name = "New", .version = 2});
  EXPECT_EQ(reason(host), "usable");
  EXPECT_EQ(reason(host, ProbeDepth::kLive), "usable");
  EXPECT_THAT(wsl::WslBackend().probe(host, ProbeDepth::kLive).warnings.front(),
              HasSubstr("default distribution cannot be used"));
  const Support support = wsl::WslBackend().probe(host, ProbeDepth::kQuick);
  EXPECT_THAT(RefusalOf("", support), HasSubstr("'docker-desktop' has no Linux kernel of its own"));
  EXPECT_THAT(RefusalOf(R"("wslc": {"distribution": "Old"})", support), HasSubstr("/wslc/distribution"));
  EXPECT_EQ(RefusalOf(R"("wslc": {"distribution": "New"})", support), "planned");
  host.facts.wsl_distributions = {{.name = "New", .version = 2}};
  EXPECT_THAT(RefusalOf("", wsl::WslBackend().probe(host, ProbeDepth::kQuick)),
              HasSubstr("no default distribution"));
}

TEST(Wsl, NamesWhatHoldsInside) {
  EXPECT_EQ(WslEngine("namespaces"), "wsl-unshare");
  EXPECT_EQ(WslEngine("bubblewrap"), "wsl-bwrap");
  EXPECT_EQ(WslEngine("landlock"), "wsl-landlock");
  for (const char* text : {"", "{", "[]", "5", R"({"backends": []})", R"({"version": "1"})",
                           R"({"version": 1, "backends": []})"})
    EXPECT_TRUE(ReadInnerProbe(text).version.empty()) << text;
  EXPECT_TRUE(ReadInnerProbe(R"({"version": "1", "backends": [5, {"usable": 1}]})").engines.empty());
}

TEST(Wsl, AsksTheMxcExecInside) {
  WindowsMachine host;
  host.facts.wsl = "C:\\wsl.exe";
  host.facts.wsl_distributions = {{.name = "Debian", .version = 2, .is_default = true}};
  const std::vector<std::string> question = {
      "C:\\wsl.exe", "-d", "Debian", "--exec", "/usr/local/bin/mxc-exec", "--probe"};
  const auto ask = [&host] { return wsl::WslBackend().probe(host, ProbeDepth::kLive); };
  EXPECT_THAT(ask().reason, HasSubstr("has no /usr/local/bin/mxc-exec"));
  host.Answer(question, {.started = true, .timed_out = true});
  EXPECT_THAT(ask().reason, HasSubstr("did not answer"));
  EXPECT_EQ(ask().remedy, "start it: wsl -d Debian");
  const auto answer = [&](const std::string& backends) {
    host.Answer(question,
                {.started = true, .out = R"({"version": "9.9", "backends": [)" + backends + "]}\n"});
  };
  const std::string engine = R"({"backend": "namespaces", "usable": true, "tier": "container"})";
  const std::string tool = R"({"backend": "bubblewrap", "usable": true, "tier": "container"})";
  answer(tool + ", " + engine);
  EXPECT_TRUE(ask().usable);
  EXPECT_EQ(ask().version, "mxc-exec 9.9");
  EXPECT_THAT(ask().features, testing::ElementsAre("filesystemDeniedPaths", "wsl-unshare", "wsl-bwrap"));
  answer(tool);
  EXPECT_THAT(ask().features, testing::ElementsAre("filesystemDeniedPaths", "wsl-bwrap"));
  answer(
      R"({"backend": "landlock", "usable": true, "tier": "process"}, {"backend": "namespaces", "usable": false},
            {"backend": "bubblewrap", "usable": true, "tier": "process"})");
  EXPECT_FALSE(ask().usable);
  EXPECT_THAT(ask().reason, HasSubstr("allows neither namespaces nor bubblewrap"));
}

}  // namespace
}  // namespace mxc::wsl_test
