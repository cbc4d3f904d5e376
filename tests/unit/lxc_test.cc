// The LXC backend: its plan, its probe, and the orders of a container's first process.
#include "backends/lxc/lxc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/lxc/configuration.h"
#include "engine/container_order.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::lxc::lxc_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_policies;

const Support kUsable{.usable = true, .tier = Tier::kContainer};

FakeHost& WithLxc(FakeHost& host) {
  return host.AddFile("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n")
      .AddTool("lxc-start", "/usr/bin/lxc-start");
}

Json Image(const std::string& key, const std::string& value) {
  Json text;
  text.kind = Json::Kind::kString;
  text.text = value;
  Json section;
  section.kind = Json::Kind::kObject;
  section.members.push_back({.key = key, .value = text});
  return section;
}

// ---- configuration ---------------------------------------------------------------------------------------

TEST(LxcConfiguration, MakesAnEmptyContainerForTheCaller) {
  EXPECT_EQ(RenderConfiguration({}, {.uid = 1000, .gid = 100}),
            "lxc.uts.name = localhost\n"
            "lxc.rootfs.path = dir:/\n"
            "lxc.idmap = u 0 1000 1\n"
            "lxc.idmap = g 0 100 1\n"
            "lxc.net.0.type = empty\n"
            "lxc.net.0.flags = up\n"
            "lxc.no_new_privs = 1\n"
            "lxc.console.path = none\n"
            "lxc.tty.max = 0\n"
            "lxc.autodev = 0\n"
            "lxc.apparmor.profile = unconfined\n"
            "lxc.cgroup.relative = 1\n");
}

TEST(LxcConfiguration, SharesTheNetworkOnlyWhereThePolicyDoes) {
  const std::string text = RenderConfiguration({.private_network = false}, {});
  EXPECT_THAT(text, HasSubstr("lxc.net.0.type = none\n"));
  EXPECT_THAT(text, Not(HasSubstr("flags")));
  EXPECT_THAT(text, HasSubstr("lxc.idmap = u 0 0 1\n")) << "of root: root's files, and nobody else's";
}

// ---- plan ------------------------------------------------------------------------------------------------

TEST(LxcPlan, IsTheLoweredSandboxInAContainer) {
  Policy policy = PolicyOf({ReadWrite("/srv/work")});
  policy.container_id = "build";
  policy.interactive = true;
  Support support = kUsable;
  support.program = "/usr/bin/lxc-start";
  const Result<Plan> plan = PlanLxc(policy, support);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->containment, Containment::kLxc);
  EXPECT_EQ(plan->tier, Tier::kContainer);
  EXPECT_THAT(Text(LinuxSandboxOf(plan->launch)->mounts), HasSubstr("read-write /srv/work"));
  const auto& child = std::get<LxcLaunch>(plan->launch);
  EXPECT_EQ(child.program, "/usr/bin/lxc-start");
  EXPECT_EQ(child.name, "build");
  EXPECT_EQ(child.configuration, RenderConfiguration(*LinuxSandboxOf(plan->launch), policy.identity));
  EXPECT_EQ(child.terminal, Terminal::kPrivatePty);
  EXPECT_TRUE(plan->warnings.empty());
}

PathRule OfImage(const std::string& path) {
  PathRule rule = Baseline(path);
  rule.source = "/image" + path;
  return rule;
}

TEST(LxcPlan, NeverShowsTheHostInPlaceOfAnImage) {
  for (const char* key : {"distribution", "release"}) {
    Policy policy = PolicyOf({});
    policy.section = Image(key, "alpine");
    const Result<Plan> plan = PlanLxc(policy, kUsable);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(plan.error().pointer, "/lxc");
    policy.section = Image(key, "");
    EXPECT_TRUE(PlanLxc(policy, kUsable).ok());
    policy = PolicyOf({OfImage("/usr")});
    policy.section = Image(key, "alpine");
    EXPECT_TRUE(PlanLxc(policy, kUsable).ok());
  }
}

// A grant over the image is mounted, also where the image is as readable; a denial covers the image's.
TEST(LxcPlan, PutsThePolicyOverTheImage) {
  const Result<Plan> plan =
      PlanLxc(PolicyOf({OfImage("/usr"), DeniedFile("/usr/bin/x", "/filesystem/deniedPaths/0"),
                        ReadOnly("/usr/share/mine"), ReadWrite("/work")}),
              kUsable);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(
      PolicyText(LinuxSandboxOf(plan->launch)->mounts),
      "read-only /usr from '/image/usr'\nmasked /usr/bin/x\nread-only /usr/share/mine\nread-write /work\n");
  EXPECT_TRUE(LinuxSandboxOf(plan->launch)->root_read_only);
}

// ---- probe -----------------------------------------------------------------------------------------------

TEST(LxcProbe, NeedsLxcAndNamespaces) {
  FakeHost host;
  EXPECT_TRUE(ProbeLxc(WithLxc(host), ProbeDepth::kQuick).usable);
  FakeHost without;
  without.AddFile("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
  EXPECT_THAT(ProbeLxc(without, ProbeDepth::kQuick).remedy, HasSubstr("apt-get install lxc"));
  FakeHost closed;
  WithLxc(closed).AddFile("/proc/sys/user/max_user_namespaces", "0\n");
  EXPECT_THAT(ProbeLxc(closed, ProbeDepth::kQuick).remedy, HasSubstr("max_user_namespaces"));
  FakeHost other;
  other.SetSystem(OperatingSystem::kWindows);
  EXPECT_EQ(ProbeLxc(other, ProbeDepth::kQuick).code, ErrorCode::kUnsupported);
}

TEST(LxcProbe, LiveRunsAContainer) {
  for (const bool works : {true, false}) {
    FakeHost host;
    WithLxc(host)
        .Answer({"/usr/bin/lxc-start", "--version"}, {.started = true, .out = "5.0.2\n"})
        .Answer({"/proc/self/exe", "--containment", "lxc", "--", "/bin/true"},
                {.started = true, .exit_code = works ? 0 : 255, .err = "LXC could not\nmore"})
        .Answer({"/proc/self/exe", "--containment", "lxc", "--allow-host", "192.0.2.1", "--", "/bin/true"},
                {.started = true});
    const Support support = ProbeLxc(host, ProbeDepth::kLive);
    EXPECT_EQ(support.usable, works);
    EXPECT_EQ(support.version, "5.0.2");
    EXPECT_EQ(support.Has("network-gateway"), works);
    EXPECT_EQ(support.reason.find("LXC could not") != std::string::npos, !works) << support.reason;
  }
}

// ---- orders ----------------------------------------------------------------------------------------------

engine::ContainerOrder SomeOrder() {
  engine::ContainerOrder order;
  engine::Program& program = order.program;
  program.mounts = {
      {.kind = engine::MountAction::Kind::kBind,
       .target = "/srv/a b\n",
       .base = 3,
       .path = "a b\n",
       .source = "/srv/a b\n",
       .writable = true,
       .checked = true,
       .device = 7,
       .inode = ~0ULL},
      {.kind = engine::MountAction::Kind::kTmpfs, .target = "/tmp", .slot = 1, .mode_text = "1777"}};
  program.slots = 2;
  program.root_is_bind = true;
  program.root_read_only = false;
  program.uid_map = "1000 0 1\n";
  program.gid_map = "100 0 1\n";
  program.hostname = "localhost";
  program.limits = {{.which = RLIMIT_CORE, .value = {.rlim_cur = 1, .rlim_max = 1}}};
  program.group_entrances = {9, 10};
  program.standard = {4, 5, 6};
  program.report = 8;
  program.command = {.candidates = {"/bin/sh"}, .arguments = {"sh", "-c", ""}};
  program.variables = {"A=b", "PWD=/"};
  program.cwd = "/srv";
  order.seccomp = SeccompProfile::kRootCaller;
  order.outside[0] = {.device = 4, .inode = 4026531837};
  return order;
}

TEST(ContainerOrder, ArrivesAsItWasGiven) {
  const std::string bytes = engine::Pack(SomeOrder());
  const std::optional<engine::ContainerOrder> order = engine::Unpack(bytes);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(engine::Pack(*order), bytes);
  const engine::Program& program = order->program;
  ASSERT_EQ(program.mounts.size(), 2U);
  EXPECT_EQ(program.mounts[0].source, "/srv/a b\n");
  EXPECT_EQ(program.mounts[0].inode, ~0ULL);
  EXPECT_TRUE(program.mounts[0].writable);
  EXPECT_EQ(program.mounts[1].mode_text, "1777");
  EXPECT_TRUE(program.root_is_bind);
  EXPECT_FALSE(program.root_read_only);
  EXPECT_THAT(program.group_entrances, ElementsAre(9, 10));
  EXPECT_EQ(program.limits[0].value.rlim_max, 1U);
  EXPECT_EQ(order->outside[0].inode, 4026531837U);
  EXPECT_THAT(program.command.arguments, ElementsAre("sh", "-c", ""));
  // What is executed are pointers into its own texts.
  EXPECT_EQ(program.command.argv[0], program.command.arguments[0].data());
  EXPECT_EQ(program.command.argv[3], nullptr);
  EXPECT_EQ(program.envp[1], program.variables[1].data());
  // No descriptor but the report is left to the command's side.
  EXPECT_THAT(program.surplus, ElementsAre(std::pair{3U, 7U}, std::pair{9U, ~0U}));
  ASSERT_EQ(program.filters.size(), 1U);
  EXPECT_FALSE(program.filters[0].empty());
}

TEST(ContainerOrder, AnythingElseIsNone) {
  const std::string bytes = engine::Pack(SomeOrder());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(engine::Unpack(std::string_view(bytes).substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(engine::Unpack(bytes + "x").has_value());
  EXPECT_FALSE(engine::Unpack(std::string(64, '\xff')).has_value());
}

}  // namespace
}  // namespace mxc::lxc::lxc_test
