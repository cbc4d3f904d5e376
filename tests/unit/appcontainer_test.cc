// Policies as they are written, and the AppContainer they become. On this system nothing is looked at.
#include "backends/appcontainer/appcontainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "backends/appcontainer/access.h"
#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/fake_host.h"
#include "tests/support/grant_model.h"

namespace mxc::appcontainer_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Plan> PlanOfText(const std::string& text) {
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text});
  if (!document) return document.error();
  FakeHost host;
  const Result<Config> config = Decode(*document, {.system = OperatingSystem::kLinux});
  if (!config) return config.error();
  const Result<Policy> policy = Resolve(*config, host, {.shown_only = true});
  if (!policy) return policy.error();
  const Backend& backend = Dispatch(policy->containment);
  return MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kAssumed));
}

// `members` of a document for this containment.
Result<Plan> PlanOf(const std::string& members) {
  return PlanOfText(R"({"version": "1.1.0-alpha", "containment": "processcontainer",
      "process": {"commandLine": "cmd /c dir", "cwd": "C:\\w"})" +
                    (members.empty() ? "" : ", " + members) + "}");
}

AppContainerSandbox SandboxOf(const std::string& members) {
  Result<Plan> plan = PlanOf(members);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? std::get<AppContainerLaunch>(plan->launch).sandbox : AppContainerSandbox{};
}

// Of a Windows with AppContainers.
Support Present() {
  Support support{.usable = true, .tier = Tier::kProcess};
  support.windows = {.app_container = true, .capability_names = true};
  return support;
}

// The code, pointer and message of a refusal.
std::string RefusalOf(const std::string& members) {
  const Result<Plan> plan = PlanOf(members);
  if (plan) return "planned";
  return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
}

std::string Files(const std::string& lists) { return "\"filesystem\": {" + lists + "}"; }

std::vector<std::string> EntriesOf(const AppContainerSandbox& sandbox) {
  std::vector<std::string> entries;
  for (const AclChange& change : sandbox.acl)
    entries.push_back(std::string(Name(change.type)) + " " + change.path + " " + change.pointer);
  return entries;
}

TEST(AppContainer, StartsClosed) {
  const AppContainerSandbox sandbox = SandboxOf("");
  EXPECT_EQ(sandbox.name, "");
  EXPECT_THAT(sandbox.capabilities, IsEmpty());
  EXPECT_THAT(sandbox.acl, IsEmpty());
  EXPECT_EQ(sandbox.ui_limits, ui_limit::kAll);
  EXPECT_TRUE(sandbox.no_win32k);
  EXPECT_EQ(sandbox.command_line, "cmd /c dir");
}

TEST(AppContainer, GrantsWhatIsWritten) {
  const GrantModel model{SandboxOf(Files(R"("readwritePaths": ["C:\\w"], "readonlyPaths": ["D:/r/"])"))};
  EXPECT_TRUE(model.MayWrite("C:\\w"));
  EXPECT_TRUE(model.MayWrite("c:\\W\\a\\b"));
  EXPECT_TRUE(model.MayDelete("C:\\w\\a"));
  EXPECT_TRUE(model.MayRead("D:\\r\\a"));
  EXPECT_FALSE(model.MayWrite("D:\\r\\a"));
  EXPECT_FALSE(model.MayDelete("D:\\r\\a"));
  EXPECT_FALSE(model.MayRead("C:\\work"));
  EXPECT_FALSE(model.MayRead("C:\\"));
  EXPECT_TRUE(model.MayRead("C:\\Windows\\System32\\cmd.exe"));
}

TEST(AppContainer, TheMostSpecificPathWinsInEveryDirection) {
  const GrantModel model{SandboxOf(Files(
      R"("readwritePaths": ["C:\\w", "C:\\w\\ro\\rw", "C:\\w\\no\\rw"], "readonlyPaths": ["C:\\w\\ro", "C:\\w\\no\\ro"],
         "deniedPaths": ["C:\\w\\no", "C:\\w\\ro\\no", "C:\\Windows\\Temp"])"))};
  EXPECT_TRUE(model.MayWrite("C:\\w\\a"));
  EXPECT_TRUE(model.MayRead("C:\\w\\ro\\a\\b"));
  EXPECT_FALSE(model.MayWrite("C:\\w\\ro\\a\\b"));
  EXPECT_FALSE(model.MayDelete("C:\\w\\ro"));
  EXPECT_TRUE(model.MayWrite("C:\\w\\ro\\rw\\a"));
  EXPECT_FALSE(model.MayRead("C:\\w\\ro\\no\\a"));
  EXPECT_FALSE(model.MayRead("C:\\w\\no\\a"));
  EXPECT_TRUE(model.MayWrite("C:\\w\\no\\rw\\a"));
  EXPECT_TRUE(model.MayRead("C:\\w\\no\\ro\\a"));
  EXPECT_FALSE(model.MayWrite("C:\\w\\no\\ro\\a"));
  EXPECT_FALSE(model.MayRead("C:\\Windows\\Temp\\a"));
}

TEST(AppContainer, OneEntryForEachRule) {
  const AppContainerSandbox sandbox =
      SandboxOf(Files(R"("readwritePaths": ["C:\\w"], "readonlyPaths": ["C:\\w\\ro", "D:\\ro"])"));
  EXPECT_THAT(
      EntriesOf(sandbox),
      ElementsAre("allow C:\\w /filesystem/readwritePaths/0", "deny C:\\w\\ro /filesystem/readonlyPaths/0",
                  "allow C:\\w\\ro /filesystem/readonlyPaths/0", "allow D:\\ro /filesystem/readonlyPaths/1"));
}

TEST(AppContainer, LeavesRootsAlone) {
  for (const char* path : {"C:\\\\", "D:/"}) {
    EXPECT_THAT(RefusalOf(Files("\"readonlyPaths\": [\"" + std::string(path) + "\"]")),
                HasSubstr("policy_conflict /filesystem/readonlyPaths/0"))
        << path;
  }
  const PathRule profile{.path = "C:\\Users\\Me", .pointer = "/p"};
  const WindowsFacts facts{.profile_directory = "C:\\Users\\me"};
  Policy policy{.as_written = true, .paths = {profile}};
  EXPECT_FALSE(appcontainer::AclFor(policy, false, facts));
  policy.paths[0].path = "C:\\Users";
  EXPECT_FALSE(appcontainer::AclFor(policy, false, facts));
  policy.paths[0].path = "C:\\Users\\me\\work";
  EXPECT_TRUE(appcontainer::AclFor(policy, false, facts));
}

TEST(AppContainer, WindowsIsReadWithoutAnEntry) {
  const std::string system = Files(R"("readwritePaths": ["C:\\w"], "readonlyPaths": ["c:\\WINDOWS"])");
  EXPECT_EQ(SandboxOf(system).acl.size(), 1U);
  EXPECT_TRUE(SandboxOf(Files(R"("readonlyPaths": ["C:\\Windows\\System32"])")).acl.empty());
  EXPECT_EQ(RefusalOf(system + R"(, "fallback": {"allowDaclMutation": true})"), "planned");
  EXPECT_EQ(RefusalOf(Files(R"("readonlyPaths": ["C:\\Windows"])") +
                      R"(, "fallback": {"allowDaclMutation": false})"),
            "planned");
  // Nobody lets a container with the least privilege read it, and nobody lets any write there.
  EXPECT_THAT(RefusalOf(Files(R"("readonlyPaths": ["C:\\Windows"])") +
                        R"(, "processContainer": {"leastPrivilege": true})"),
              HasSubstr("policy_conflict /filesystem/readonlyPaths/0"));
  EXPECT_THAT(RefusalOf(Files(R"("readwritePaths": ["C:\\Windows"])")),
              HasSubstr("policy_conflict /filesystem/readwritePaths/0"));
  // Below what is writable it takes one.
  const AppContainerSandbox nested = SandboxOf(
      Files(R"("readwritePaths": ["C:\\Windows\\Temp"], "readonlyPaths": ["C:\\Windows\\Temp\\a"])"));
  EXPECT_EQ(nested.acl.size(), 3U);
}

TEST(AppContainer, RefusesPathsOfTheNetwork) {
  EXPECT_THAT(RefusalOf(Files(R"("readonlyPaths": ["\\\\server\\share"])")),
              HasSubstr("policy_conflict /filesystem/readonlyPaths/0"));
}

TEST(AppContainer, DeniesOnlyWhatIsThere) {
  const auto rule = [](const char* path, Access access, bool there) {
    PathRule result{.path = path, .access = access, .pointer = "/p"};
    if (there) result.object = FileObject{.type = FileType::kDirectory};
    return result;
  };
  Policy policy{
      .paths = {rule("C:\\w", Access::kReadWrite, true), rule("C:\\w\\no", Access::kDenied, false)}};
  EXPECT_FALSE(appcontainer::AclFor(policy, false, {}));
  policy.paths[0].access = Access::kReadOnly;  // where nothing can be created
  const Result<std::vector<AclChange>> acl = appcontainer::AclFor(policy, false, {});
  ASSERT_TRUE(acl);
  EXPECT_EQ(acl->size(), 1U);
}

TEST(AppContainer, AFileHandsNothingOn) {
  PathRule file{.path = "C:\\w\\f", .access = Access::kReadOnly, .object = FileObject{}, .pointer = "/p"};
  const Result<std::vector<AclChange>> acl = appcontainer::AclFor({.paths = {file}}, false, {});
  ASSERT_TRUE(acl);
  EXPECT_FALSE(acl->at(0).inherited);
}

TEST(AppContainer, ChangesNoListWithoutLeave) {
  const std::string no = R"("fallback": {"allowDaclMutation": false})";
  EXPECT_EQ(RefusalOf(no), "planned");
  EXPECT_THAT(RefusalOf(no + ", " + Files(R"("readonlyPaths": ["C:\\w"])")),
              HasSubstr("unenforceable /fallback/allowDaclMutation"));
}

std::vector<std::string> BfsOf(const AppContainerSandbox& sandbox) {
  std::vector<std::string> grants;
  for (const BfsGrant& grant : sandbox.bfs)
    grants.push_back((grant.read_write ? "rw " : "ro ") + grant.path + " " + grant.pointer);
  return grants;
}

const std::string kAllowBfs = R"("fallback": {"allowBfs": true}, )";
const std::string kBfsAlone = R"("fallback": {"allowBfs": true, "allowDaclMutation": false}, )";

TEST(AppContainer, BfscfgGrantsWhereThePolicyAsksForIt) {
  const std::string files =
      Files(R"("readwritePaths": ["C:\\w"], "readonlyPaths": ["D:\\r", "C:\\Windows"])");
  EXPECT_THAT(SandboxOf(files).bfs, IsEmpty());
  EXPECT_THAT(SandboxOf(R"("fallback": {"allowBfs": false}, )" + files).bfs, IsEmpty());
  for (const std::string& allowed : {kAllowBfs, kBfsAlone}) {
    const AppContainerSandbox sandbox = SandboxOf(allowed + files);
    EXPECT_THAT(BfsOf(sandbox),
                ElementsAre("rw C:\\w /filesystem/readwritePaths/0", "ro D:\\r /filesystem/readonlyPaths/0"));
    EXPECT_THAT(sandbox.acl, IsEmpty());
  }
}

// A denial elsewhere is an entry, and takes leave to make it.
TEST(AppContainer, BfscfgDeniesNothing) {
  const std::string files = Files(R"("readwritePaths": ["C:\\w"], "deniedPaths": ["C:\\Windows\\System32"])");
  const AppContainerSandbox sandbox = SandboxOf(kAllowBfs + files);
  EXPECT_THAT(BfsOf(sandbox), ElementsAre("rw C:\\w /filesystem/readwritePaths/0"));
  EXPECT_THAT(EntriesOf(sandbox), ElementsAre("deny C:\\Windows\\System32 /filesystem/deniedPaths/0"));
  EXPECT_THAT(RefusalOf(kBfsAlone + files), HasSubstr("unenforceable /fallback/allowDaclMutation"));
}

// Which of two paths decides, and whether a denial holds below a grant, is not known of it.
TEST(AppContainer, NestedPathsAreHeldByEntries) {
  for (const char* inner : {R"("readonlyPaths": ["C:\\w\\x"])", R"("deniedPaths": ["C:\\w\\x"])"}) {
    const std::string files = Files(R"("readwritePaths": ["C:\\w"], )" + std::string(inner));
    EXPECT_THAT(SandboxOf(kAllowBfs + files).bfs, IsEmpty()) << inner;
    EXPECT_THAT(RefusalOf(kBfsAlone + files), HasSubstr("unenforceable /fallback/allowDaclMutation"));
  }
  EXPECT_THAT(SandboxOf(kAllowBfs + Files(R"("readwritePaths": ["C:\\w", "C:\\w\\x"])")).bfs,
              testing::SizeIs(2));
}

TEST(AppContainer, BfscfgGrantsNoRoots) {
  for (const char* path : {"D:/", "C:/Windows"}) {
    EXPECT_THAT(RefusalOf(kAllowBfs + Files("\"readwritePaths\": [\"" + std::string(path) + "\"]")),
                HasSubstr("policy_conflict /filesystem/readwritePaths/0"))
        << path;
  }
}

TEST(AppContainer, WithoutBfscfgEntriesHold) {
  const PathRule rule{.path = "C:\\w", .access = Access::kReadWrite, .pointer = "/p"};
  Policy policy{.containment = Containment::kProcessContainer,
                .as_written = true,
                .paths = {rule},
                .windows = {.bfs_allowed = true}};
  policy.process.argv = {"x"};
  const auto sandbox = [&policy](const Support& support) {
    const Result<Plan> plan = appcontainer::AppContainerBackend().plan(policy, support);
    return plan ? std::get<AppContainerLaunch>(plan->launch).sandbox : AppContainerSandbox{};
  };
  Support support = Present();
  EXPECT_THAT(EntriesOf(sandbox(support)), ElementsAre("allow C:\\w /p"));
  support.windows.bfscfg = "C:\\Windows\\System32\\bfscfg.exe";
  EXPECT_THAT(BfsOf(sandbox(support)), ElementsAre("rw C:\\w /p"));
  // It has no need of the older contract of the base container then.
  policy.windows.acl_changes_allowed = false;
  support.windows.create_in_sandbox = true;
  EXPECT_THAT(BfsOf(sandbox(support)), ElementsAre("rw C:\\w /p"));
  EXPECT_FALSE(sandbox(support).base);
  support.windows.bfscfg.clear();
  EXPECT_TRUE(sandbox(support).base);
}

TEST(AppContainer, WhatBfscfgGrantsStaysForANameThatDoes) {
  const std::string keep = R"("lifecycle": {"preservePolicy": true, "destroyOnExit": )";
  const std::string files = Files(R"("readwritePaths": ["C:\\w"])");
  EXPECT_FALSE(SandboxOf(kAllowBfs + files).bfs_kept);
  EXPECT_FALSE(SandboxOf(kAllowBfs + keep + "true}, " + files).bfs_kept);
  const std::string stays = kAllowBfs + keep + R"(false}, "containerId": "agent-1", )";
  EXPECT_TRUE(SandboxOf(stays + files).bfs_kept);
  EXPECT_THAT(RefusalOf(stays + Files(R"("readwritePaths": ["C:\\w"], "deniedPaths": ["C:\\x"])")),
              HasSubstr("policy_conflict /lifecycle/preservePolicy"));
}

TEST(AppContainer, TheNetworkIsACapability) {
  EXPECT_THAT(SandboxOf(R"("network": {"egress": {"default": "allow"}})").capabilities,
              ElementsAre("internetClient"));
  EXPECT_THAT(SandboxOf(R"("network": {"egress": {"default": "allow"}, "ingress": {"default": "allow"}})")
                  .capabilities,
              ElementsAre("internetClient", "privateNetworkClientServer"));
}

TEST(AppContainer, ACapabilityDoesNotOpenWhatThePolicyCloses) {
  const Result<Plan> plan =
      PlanOf(R"("processContainer": {"capabilities": ["InternetClient", "documentsLibrary"]})");
  ASSERT_TRUE(plan);
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.capabilities,
              ElementsAre("documentsLibrary"));
  EXPECT_THAT(plan->warnings, Contains(testing::Field(&Warning::category, "capability-removed")));
}

TEST(AppContainer, RefusesWhatCapabilitiesCannotHold) {
  const auto network = [](const std::string& text) { return RefusalOf("\"network\": {" + text + "}"); };
  EXPECT_THAT(network(R"("ingress": {"publish": [{"host": 8080, "guest": 80}]})"),
              HasSubstr("unenforceable /network/ingress/publish/0"));
  EXPECT_THAT(network(R"("egress": {"allow": [{"to": [{"cidr": "10.0.0.0/8"}]}]})"),
              HasSubstr("unenforceable /network/egress/allow/0"));
  EXPECT_THAT(network(R"("ingress": {"default": "allow"})"),
              HasSubstr("unenforceable /network/ingress/default"));
  EXPECT_THAT(network(R"("ingress": {"hostLoopback": "allow"})"),
              HasSubstr("unenforceable /network/ingress/hostLoopback"));
}

const std::string kExempt = R"("fallback": {"allowLoopbackExemption": true}, )";
const std::string kProxy = R"("runtimeConfig": {"networkProxy": "http://127.0.0.1:3128"})";

TEST(AppContainer, AProxyOfThisMachineTakesAnExemption) {
  EXPECT_THAT(RefusalOf(kProxy), HasSubstr("unenforceable /runtimeConfig/networkProxy: a proxy of this "));
  EXPECT_THAT(RefusalOf(R"("fallback": {"allowLoopbackExemption": false}, )" + kProxy),
              HasSubstr("unenforceable /runtimeConfig/networkProxy"));
  EXPECT_FALSE(SandboxOf(kExempt + Files("")).loopback_exempt);

  const Result<Plan> plan =
      PlanOf(kExempt + kProxy + R"(, "processContainer": {"capabilities": ["internetClient"]})");
  ASSERT_TRUE(plan) << plan.error().message;
  const AppContainerSandbox& sandbox = std::get<AppContainerLaunch>(plan->launch).sandbox;
  EXPECT_TRUE(sandbox.loopback_exempt);
  EXPECT_THAT(sandbox.capabilities, IsEmpty());
  std::vector<std::string> variables;
  for (const Variable& variable : sandbox.environment) variables.push_back(variable.name);
  EXPECT_THAT(variables, ElementsAre("HTTP_PROXY", "HTTPS_PROXY"));
  EXPECT_THAT(plan->relaxations, ElementsAre("loopback-exempt"));
  EXPECT_THAT(plan->not_covered, Contains(HasSubstr("every service that listens there")));
  EXPECT_THAT(plan->warnings, Contains(testing::Field(&Warning::category, "loopback-open")));
}

// The capability for the internet would lead past the proxy.
TEST(AppContainer, BesideTheExemptionThereIsNoCapability) {
  const std::string legacy =
      R"({"version": "0.7.0-alpha", "containment": "processcontainer", "process": {"commandLine": "x"},
          "network": {"defaultPolicy": "allow", "proxy": {"localhost": 3128}},
          "fallback": {"allowLoopbackExemption": true}})";
  const Result<Plan> plan = PlanOfText(legacy);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(std::get<AppContainerLaunch>(plan->launch).sandbox.loopback_exempt);
  EXPECT_THAT(std::get<AppContainerLaunch>(plan->launch).sandbox.capabilities, IsEmpty());
}

TEST(AppContainer, RefusesWhatTheExemptionCannotHold) {
  const auto beside = [](const std::string& members) { return RefusalOf(kExempt + kProxy + members); };
  EXPECT_EQ(beside(""), "planned");
  EXPECT_THAT(beside(R"(, "network": {"ingress": {"hostLoopback": "deny"}})"),
              HasSubstr("unenforceable /network/ingress/hostLoopback"));
  EXPECT_THAT(beside(R"(, "network": {"ingress": {"hostLoopback": "allow"}})"),
              HasSubstr("unenforceable /network/ingress/hostLoopback"));
  EXPECT_THAT(beside(R"(, "network": {"ingress": {"default": "allow"}})"),
              HasSubstr("unenforceable /network/ingress/default"));
  EXPECT_EQ(beside(R"(, "network": {"ingress": {"default": "deny"}})"), "planned");
  EXPECT_THAT(beside(R"(, "processContainer": {"network": {"allowedProxyPeer": "peer"}})"),
              HasSubstr("unenforceable /processContainer/network/allowedProxyPeer"));

  Policy policy{.containment = Containment::kProcessContainer,
                .windows = {.loopback_exemption_allowed = true}};
  policy.process.argv = {"x"};
  policy.network.proxy = ProxyRule{.host = "127.0.0.1", .port = 3128, .pointer = "/proxy"};
  const auto planned = [&policy](bool administrator) {
    Support support = Present();
    support.windows.administrator = administrator;
    const Result<Plan> plan = appcontainer::AppContainerBackend().plan(policy, support);
    return plan ? "planned" : std::string(Name(plan.error().code)) + " " + plan.error().pointer;
  };
  EXPECT_EQ(planned(true), "planned");
  EXPECT_EQ(planned(false), "unavailable /proxy");
  policy.network.proxy->host = "proxy.example";
  EXPECT_EQ(planned(true), "unenforceable /proxy");
}

TEST(AppContainer, UiBecomesLimitsOfTheJob) {
  using namespace ui_limit;
  const auto limits = [](const std::string& members) { return SandboxOf(members).ui_limits; };
  EXPECT_EQ(limits(R"("ui": {"disable": true, "clipboard": "all", "injection": true})"), kAll);
  EXPECT_EQ(limits(R"("ui": {"disable": false})"), kAll);
  EXPECT_EQ(limits(R"("ui": {"disable": false, "clipboard": "read"})"), kAll & ~kReadClipboard);
  EXPECT_EQ(limits(R"("ui": {"disable": false, "clipboard": "write"})"), kAll & ~kWriteClipboard);
  EXPECT_EQ(limits(R"("ui": {"disable": false, "injection": true})"), kAll & ~kInjection);
  const auto own = [&](const std::string& ui) {
    return limits(R"("ui": {"disable": false}, "processContainer": {"ui": {)" + ui + "}}");
  };
  EXPECT_EQ(own(R"("isolation": "desktop")"), kAll & ~(kHandles | kGlobalAtoms));
  EXPECT_EQ(own(R"("isolation": "handles")"), kAll & ~kGlobalAtoms);
  EXPECT_EQ(own(R"("isolation": "atoms")"), kAll & ~kHandles);
  EXPECT_EQ(own(R"("desktopSystemControl": true)"), kAll & ~(kDesktop | kExitWindows));
  EXPECT_EQ(own(R"("systemSettings": "parameters")"), kAll & ~kSystemParameters);
  EXPECT_EQ(own(R"("systemSettings": "display")"), kAll & ~kDisplaySettings);
  EXPECT_EQ(own(R"("systemSettings": "all")"), kAll & ~(kSystemParameters | kDisplaySettings));
  EXPECT_EQ(own(R"("ime": true)"), kAll & ~kIme);
  EXPECT_FALSE(SandboxOf(R"("ui": {"disable": false})").no_win32k);
}

TEST(AppContainer, ReadsItsSection) {
  const AppContainerSandbox sandbox =
      SandboxOf(R"("processContainer": {"leastPrivilege": true, "learningMode": true})");
  EXPECT_TRUE(sandbox.least_privilege);
  EXPECT_THAT(sandbox.capabilities, ElementsAre("learningModeLogging"));
  const GrantModel model{sandbox};
  EXPECT_FALSE(model.MayRead("C:\\Windows\\System32\\cmd.exe"));
}

TEST(AppContainer, RefusesWhatItsSectionCannotHave) {
  const auto section = [](const std::string& text) {
    return RefusalOf("\"processContainer\": {" + text + "}");
  };
  EXPECT_THAT(section(R"("capabilities": ["a,b"])"), HasSubstr("/processContainer/capabilities/0"));
  EXPECT_THAT(section(R"("capabilities": ["x", "PermissiveLearningMode"])"),
              HasSubstr("/processContainer/capabilities/1"));
  EXPECT_THAT(section(R"("captureDenials": {})"), HasSubstr("unavailable /processContainer/captureDenials"));
  EXPECT_THAT(section(R"("filesystem": {"enumeratePaths": ["C:\\w"]})"),
              HasSubstr("unavailable /processContainer/filesystem/enumeratePaths"));
}

TEST(AppContainer, AProfileThatStaysNeedsAName) {
  const std::string stay = R"("lifecycle": {"destroyOnExit": false})";
  EXPECT_THAT(RefusalOf(stay), HasSubstr("policy_conflict /containerId"));
  EXPECT_EQ(SandboxOf(stay + R"(, "containerId": "agent-1")").name, "agent-1");
  EXPECT_EQ(SandboxOf(R"("containerId": "agent-1")").name, "");
}

TEST(AppContainer, AJobHoldsLimits) {
  const Result<Plan> plan =
      PlanOf(R"("resources": {"memoryMb": 64, "processes": 8, "cpus": 1.5, "cpuTimeMs": 30000})");
  ASSERT_TRUE(plan) << plan.error().message;
  const JobLimits& limits = std::get<AppContainerLaunch>(plan->launch).sandbox.limits;
  EXPECT_EQ(limits.memory_bytes, std::uint64_t{64} << 20U);
  EXPECT_EQ(limits.processes, 8U);
  EXPECT_EQ(limits.cpu_permille, 1500U);
  EXPECT_EQ(limits.cpu_time_ms, 30000U);
  EXPECT_THAT(plan->not_covered, Contains(HasSubstr("threads are not counted")));
}

TEST(AppContainer, RefusesTheLimitsNoJobHolds) {
  for (const char* name : {"openFiles", "tmpMb", "fileSizeMb"}) {
    EXPECT_THAT(RefusalOf("\"resources\": {\"" + std::string(name) + "\": 64}"),
                HasSubstr("unenforceable /resources/" + std::string(name)));
  }
}

TEST(AppContainer, OutputIsTheLaunchersAffair) {
  EXPECT_EQ(RefusalOf(R"("output": {"maxBytes": 4096, "redact": ["secrets"]})"), "planned");
}

TEST(AppContainer, IsNoContainerTier) {
  EXPECT_THAT(RefusalOf(R"("minimumTier": "container")"), HasSubstr("policy_conflict /minimumTier"));
  EXPECT_EQ(RefusalOf(R"("minimumTier": "process")"), "planned");
}

TEST(AppContainer, ATerminalIsOneOfItsOwn) {
  Policy policy{.containment = Containment::kProcessContainer};
  policy.process.argv = {"x"};
  const auto terminal = [&policy] {
    const Result<Plan> plan = appcontainer::AppContainerBackend().plan(policy, Present());
    return std::get<AppContainerLaunch>(plan->launch).terminal;
  };
  EXPECT_EQ(terminal(), Terminal::kInherit);
  policy.interactive = true;
  EXPECT_EQ(terminal(), Terminal::kPrivatePty);
}

TEST(AppContainer, CommandsOfAnyLengthAreNotWindowss) {
  Policy policy{.containment = Containment::kProcessContainer};
  const auto blamed = [&policy] {
    const Result<Plan> plan = appcontainer::AppContainerBackend().plan(policy, Present());
    return plan ? "planned" : plan.error().pointer;
  };
  policy.process.command_line = std::string(32766, 'x');
  EXPECT_EQ(blamed(), "planned");
  policy.process.command_line += 'x';
  EXPECT_EQ(blamed(), "/process/commandLine");
  policy.process.command_line.clear();
  policy.process.argv = {std::string("a\0b", 3)};
  EXPECT_EQ(blamed(), "/process/argv");
}

TEST(AppContainer, TheLedgerAnswersEveryClause) {
  const Result<Plan> plan =
      PlanOf(Files(R"("readwritePaths": ["C:\\w"], "deniedPaths": ["C:\\w\\no"])") +
             R"(, "network": {"egress": {"default": "allow"}}, "ui": {"disable": true})");
  ASSERT_TRUE(plan) << plan.error().message;
  for (const Enforcement& entry : plan->ledger) EXPECT_EQ(entry.strength, Strength::kKernel) << entry.pointer;
  EXPECT_GE(plan->ledger.size(), 4U);
}

TEST(AppContainer, ProbesOnlyWhereItBelongs) {
  const FakeHost host;
  const Support support = appcontainer::AppContainerBackend().probe(host, ProbeDepth::kQuick);
  EXPECT_FALSE(support.usable);
  EXPECT_EQ(support.code, ErrorCode::kUnsupported);
}

class WindowsMachine final : public FakeHost {
 public:
  explicit WindowsMachine(WindowsFacts found) : facts(std::move(found)) {
    SetSystem(OperatingSystem::kWindows);
  }
  [[nodiscard]] WindowsFacts Windows() const override { return facts; }
  WindowsFacts facts;
};

TEST(AppContainer, ProbesForEitherContainer) {
  const auto probed = [](WindowsFacts facts) {
    return appcontainer::AppContainerBackend().probe(WindowsMachine(std::move(facts)), ProbeDepth::kQuick);
  };
  EXPECT_TRUE(probed({.app_container = true, .capability_names = true}).usable);
  EXPECT_THAT(probed({.app_container = true, .capability_names = true}).features,
              ElementsAre("filesystemDeniedPaths"));
  EXPECT_TRUE(probed({.create_in_sandbox = true}).usable);
  EXPECT_TRUE(probed({.security_environment = true}).Has("proxyEnforcement"));
  EXPECT_EQ(probed({.app_container = true}).code, ErrorCode::kUnavailable);
  EXPECT_THAT(probed({}).reason, HasSubstr("this Windows has no AppContainer"));
  const Support wine =
      probed({.wine = true, .app_container = true, .capability_names = true, .security_environment = true});
  EXPECT_FALSE(wine.usable);
  EXPECT_EQ(wine.reason, "Wine has no AppContainer");
}

}  // namespace
}  // namespace mxc::appcontainer_test
