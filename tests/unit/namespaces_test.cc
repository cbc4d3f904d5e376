// The namespaces backend: its plan and its probe.
#include "backends/namespaces/namespaces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"

namespace mxc::namespaces::namespaces_test {
namespace {

using ::testing::HasSubstr;

FakeHost& Modern(FakeHost& host) {
  return host.AddFile("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n")
      .AddFile("/proc/sys/user/max_user_namespaces", "30000\n");
}

TEST(NamespacesProbe, ModernHostIsUsable) {
  FakeHost host;
  const Support support = ProbeNamespaces(Modern(host), ProbeDepth::kQuick);
  EXPECT_TRUE(support.usable) << support.reason;
  EXPECT_EQ(support.tier, Tier::kContainer);
}

TEST(NamespacesProbe, OldKernelIsNot) {
  for (const char* release : {"5.11.0", "4.19.0-26-amd64", "nonsense"}) {
    FakeHost host;
    Modern(host).AddFile("/proc/sys/kernel/osrelease", release);
    const Support support = ProbeNamespaces(host, ProbeDepth::kQuick);
    EXPECT_FALSE(support.usable) << release;
    EXPECT_THAT(support.reason, HasSubstr(std::string("Linux ") + release + " is too old"));
  }
}

TEST(NamespacesProbe, SettingsThatForbidItAreNamed) {
  FakeHost none;
  none.AddFile("/proc/sys/kernel/osrelease", "6.1.0").AddFile("/proc/sys/user/max_user_namespaces", "0\n");
  EXPECT_THAT(ProbeNamespaces(none, ProbeDepth::kQuick).remedy, HasSubstr("max_user_namespaces"));
  FakeHost debian;
  Modern(debian).AddFile("/proc/sys/kernel/unprivileged_userns_clone", "0\n");
  EXPECT_THAT(ProbeNamespaces(debian, ProbeDepth::kQuick).remedy, HasSubstr("unprivileged_userns_clone=1"));
  FakeHost ubuntu;
  Modern(ubuntu)
      .AddFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
      .AddFile("/proc/self/attr/apparmor/current", "unconfined\n");
  EXPECT_THAT(ProbeNamespaces(ubuntu, ProbeDepth::kQuick).remedy, HasSubstr("AppArmor profile"));
}

TEST(NamespacesProbe, RootIsNotHeldByRulesForOthers) {
  FakeHost host;
  Modern(host).AddFile("/proc/sys/kernel/unprivileged_userns_clone", "0\n").SetCaller(0, 0);
  EXPECT_TRUE(ProbeNamespaces(host, ProbeDepth::kQuick).usable);
}

TEST(NamespacesProbe, LiveProbeRunsASandbox) {
  FakeHost host;
  Modern(host).Answer(
      {"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
      {.started = true, .exit_code = 255, .err = "it failed\nmore"});
  EXPECT_TRUE(ProbeNamespaces(host, ProbeDepth::kQuick).usable);
  const Support support = ProbeNamespaces(host, ProbeDepth::kLive);
  EXPECT_FALSE(support.usable);
  EXPECT_EQ(support.reason, "new namespaces are refused here (a sandbox could not be built: it failed)");
}

TEST(NamespacesProbe, LiveTriesTheNetworkGateway) {
  for (const bool works : {true, false}) {
    FakeHost host;
    Modern(host)
        .Answer({"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
                {.started = true})
        .Answer(
            {"/proc/self/exe", "--containment", "namespaces", "--allow-host", "192.0.2.1", "--", "/bin/true"},
            {.started = true, .exit_code = works ? 0 : 255, .err = "no rules\n  hint: load them\n{more}"});
    const Support support = ProbeNamespaces(host, ProbeDepth::kLive);
    EXPECT_TRUE(support.usable);
    EXPECT_EQ(support.Has("network-gateway"), works);
    EXPECT_EQ(support.no_gateway, works ? "" : "no rules; load them");
    if (works) continue;
    ASSERT_EQ(support.warnings.size(), 1U);
    EXPECT_EQ(support.warnings[0],
              "policies that allow some of the network cannot be held here: no rules; load them");
  }
}

TEST(NamespacesProbe, BelongsToLinux) {
  FakeHost host;
  host.SetSystem(OperatingSystem::kMacos);
  EXPECT_EQ(ProbeNamespaces(host, ProbeDepth::kQuick).code, ErrorCode::kUnsupported);
}

TEST(NamespacesPlan, IsTheLoweredSandbox) {
  Policy policy;
  policy.process.argv = {"/bin/true"};
  policy.process.cwd = "/";
  policy.identity = {.uid = 1000, .gid = 1000};
  policy.interactive = true;
  const Result<Plan> plan = PlanNamespaces(policy, {.usable = true, .tier = Tier::kContainer});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->containment, Containment::kNamespaces);
  ASSERT_TRUE(std::holds_alternative<NamespacesLaunch>(plan->launch));
  EXPECT_EQ(LinuxSandboxOf(plan->launch)->argv, policy.process.argv);
  EXPECT_EQ(TerminalOf(plan->launch), Terminal::kPrivatePty);
}

TEST(NamespacesProbe, LiveSaysWhenOnlyTheOuterProcIsToBeHad) {
  FakeHost host;
  Modern(host).Answer(
      {"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
      {.started = true, .out = "{\"rung\":\"namespaces-outer-proc\"}\n"});
  const Support support = ProbeNamespaces(host, ProbeDepth::kLive);
  EXPECT_TRUE(support.usable);
  EXPECT_EQ(support.isolation_level, IsolationLevel::kNamespacesOuterProc);
  EXPECT_THAT(support.warnings.back(), HasSubstr("the outer /proc is used"));
}

TEST(NamespacesProbe, LiveSaysWhenASandboxNeverEnds) {
  FakeHost host;
  Modern(host).Answer(
      {"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
      {.started = true, .timed_out = true});
  const Support support = ProbeNamespaces(host, ProbeDepth::kLive);
  EXPECT_FALSE(support.usable);
  EXPECT_THAT(support.remedy, HasSubstr("a filter of the surrounding container"));
}

TEST(NamespacesPlan, TheOuterProcLeavesSomethingOpen) {
  Policy policy;
  policy.process.argv = {"/bin/true"};
  policy.process.cwd = "/";
  const auto open = [&policy](int abi) {
    const Result<Plan> plan = PlanNamespaces(policy, {.usable = true,
                                                      .tier = Tier::kContainer,
                                                      .isolation_level = IsolationLevel::kNamespacesOuterProc,
                                                      .landlock_abi = abi});
    return plan && plan->not_covered.size() == 1 ? plan->not_covered[0] : "";
  };
  EXPECT_THAT(open(2), HasSubstr("numbers of the processes outside"));
  EXPECT_THAT(open(1), HasSubstr("command lines and states"));
  policy.paths = {
      {.path = "/", .access = Access::kReadOnly, .object = FileObject{.type = FileType::kDirectory}}};
  EXPECT_THAT(open(2), HasSubstr("command lines and states"));
}

}  // namespace
}  // namespace mxc::namespaces::namespaces_test
