// Limits of a policy in, control groups, rlimits, sizes and ledger out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/linux/lower.h"
#include "tests/unit/linux_policies.h"

namespace mxc::linux_backend::limits_lower_test {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)

Policy With(std::vector<ResourceLimit> limits, CgroupSupport cgroups = {}) {
  Policy policy = PolicyOf({});
  for (ResourceLimit& limit : limits) limit.pointer = "/resources/" + std::string(Name(limit.resource));
  policy.resources = std::move(limits);
  policy.cgroups = std::move(cgroups);
  return policy;
}

// "PARENT v2 FILE=VALUE ... [controllers] +switched on", a line for each group.
std::string GroupsText(const Lowered& lowered) {
  std::string text;
  for (const SetupAction& action : lowered.setup) {
    const auto& group = std::get<ControlGroup>(action);
    text += group.parent + (group.unified ? " v2" : " v1");
    for (const CgroupSetting& setting : group.settings)
      text += " " + setting.file + (setting.optional ? "?=" : "=") + setting.value;
    for (const std::string& controller : group.controllers) text += " [" + controller + "]";
    for (const std::string& controller : group.switch_on) text += " +" + controller;
    text += "\n";
  }
  return text;
}

std::string LedgerText(const Lowered& lowered) {
  std::string text;
  for (const Enforcement& entry : lowered.ledger) {
    if (entry.pointer.starts_with("/resources"))
      text += entry.pointer + " " + std::string(Name(entry.strength)) + " " + entry.mechanism + "\n";
  }
  return text;
}

std::string Refusal(const Policy& policy, const Facts& facts = {}) {
  const Result<Lowered> lowered = LowerPolicy(policy, facts);
  if (lowered) return "held";
  return std::string(Name(lowered.error().code)) + " " + lowered.error().pointer + ": " +
         lowered.error().message + " | " + lowered.error().hint;
}

const std::vector<ResourceLimit> kCounted = {{.resource = Resource::kMemory, .amount = 64U << 20U},
                                             {.resource = Resource::kCpus, .amount = 1500},
                                             {.resource = Resource::kProcesses, .amount = 20},
                                             {.resource = Resource::kCpuTime, .amount = 500}};

TEST(LowerLimits, LegacyHierarchiesGetAGroupEach) {
  const CgroupSupport cgroups{.places = {{.directory = "/cpu", .controllers = {"cpu", "cpuacct"}},
                                         {.directory = "/memory", .controllers = {"memory"}},
                                         {.directory = "/pids", .controllers = {"pids"}},
                                         {.directory = "/two", .unified = true, .controllers = {"cpuacct"}}}};
  const Result<Lowered> lowered = LowerPolicy(With(kCounted, cgroups), {.engine_tasks = 2});
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(GroupsText(*lowered),
            "/memory v1 memory.limit_in_bytes=67108864 memory.swappiness=0 "
            "memory.memsw.limit_in_bytes?=67108864 memory.kmem.tcp.limit_in_bytes?=67108864\n"
            "/cpu v1 cpu.cfs_period_us=100000 cpu.cfs_quota_us=150000\n"
            "/pids v1 pids.max=22\n");
  EXPECT_EQ(LedgerText(*lowered),
            "/resources/memory kernel control group of version 1 in /memory, controller memory\n"
            "/resources/cpus kernel control group of version 1 in /cpu, controller cpu\n"
            "/resources/processes kernel control group of version 1 in /pids, controller pids\n"
            "/resources/cpuTime proxy the launcher ends the run; counted by a control group of version 1 in "
            "/cpu, controller cpuacct\n");
}

TEST(LowerLimits, VersionTwoGetsOneGroupInTheNearestPlaceThatHasAll) {
  const CgroupSupport cgroups{
      .places = {{.directory = "/a/b/c", .unified = true, .controllers = {"cpuacct"}},
                 {.directory = "/a/b", .unified = true, .controllers = {"memory", "pids", "cpuacct"}},
                 {.directory = "/a", .unified = true, .controllers = {"cpu", "memory", "pids", "cpuacct"}}}};
  const Result<Lowered> all = LowerPolicy(With(kCounted, cgroups));
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(GroupsText(*all),
            "/a v2 memory.max=67108864 memory.swap.max?=0 cpu.max=150000 100000 pids.max=21 [memory] [cpu] "
            "[pids]\n");
  const Result<Lowered> memory = LowerPolicy(With({kCounted[0]}, cgroups));
  EXPECT_EQ(GroupsText(*memory), "/a/b v2 memory.max=67108864 memory.swap.max?=0 [memory]\n");
  const Result<Lowered> time = LowerPolicy(With({kCounted[3]}, cgroups));
  EXPECT_EQ(GroupsText(*time), "/a/b/c v2\n");
  EXPECT_EQ(LedgerText(*time),
            "/resources/cpuTime proxy the launcher ends the run; counted by a control group of version 2 in "
            "/a/b/c, controller cpu.stat\n");
}

TEST(LowerLimits, ControllersAreSwitchedOnOnlyWhenAskedFor) {
  const CgroupSupport cgroups{.places = {{.directory = "/g",
                                          .unified = true,
                                          .controllers = {"memory", "cpu", "pids", "cpuacct"},
                                          .switched_off = {"cpu", "pids"}}}};
  EXPECT_EQ(GroupsText(*LowerPolicy(With({kCounted[0], kCounted[2]}, cgroups))),
            "/g v2 memory.max=67108864 memory.swap.max?=0 pids.max=21 [memory] [pids] +pids\n");
}

TEST(LowerLimits, AScopeIsAskedForWithTheGroup) {
  CgroupSupport cgroups{.places = {{.directory = "/app.slice",
                                    .unified = true,
                                    .controllers = {"memory", "pids", "cpuacct"},
                                    .switched_off = {"memory", "pids"},
                                    .scope = ScopeRequest{.slice = "app.slice"}}}};
  const Result<Lowered> lowered = LowerPolicy(With({kCounted[0]}, cgroups));
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(GroupsText(*lowered), "/app.slice v2 memory.max=67108864 memory.swap.max?=0 [memory] +memory\n");
  EXPECT_EQ(std::get<ControlGroup>(lowered->setup.front()).scope->slice, "app.slice");
  EXPECT_EQ(LedgerText(*lowered),
            "/resources/memory kernel control group of version 2 in a scope of systemd's below /app.slice, "
            "controller memory\n");
}

TEST(LowerLimits, WithoutAControllerTheLimitIsRefused) {
  const CgroupSupport cgroups{.gaps = {{"memory", "nobody gave it", "ask for it"},
                                       {"cpuacct", "nobody counts", "count"},
                                       {"pids", "none here", "elsewhere"}}};
  EXPECT_EQ(Refusal(With({kCounted[0]}, cgroups)),
            "unenforceable /resources/memory: 'at most 64 MiB of memory' cannot be held here: nobody gave it "
            "(controller memory) | ask for it");
  EXPECT_EQ(
      Refusal(With({kCounted[3]}, cgroups)),
      "unenforceable /resources/cpuTime: 'at most 500 ms of processor time' cannot be held here: nobody "
      "counts (controller cpuacct) | count; process.timeout needs nothing of this");
  EXPECT_EQ(
      Refusal(With({kCounted[2]}, cgroups)),
      "unenforceable /resources/processes: 'at most 20 processes and threads' cannot be held here: none "
      "here (controller pids) | elsewhere");
}

TEST(LowerLimits, VersionTwoWithoutOneGroupForAllIsRefused) {
  const CgroupSupport cgroups{
      .places = {{.directory = "/a", .unified = true, .controllers = {"memory", "cpuacct"}},
                 {.directory = "/b", .unified = true, .controllers = {"cpu", "cpuacct"}}}};
  EXPECT_EQ(
      Refusal(With({kCounted[0], kCounted[1]}, cgroups)),
      "unenforceable /resources/memory: 'at most 64 MiB of memory' cannot be held here: no control group "
      "that the caller may use has everything that `resources` asks for | name fewer limits of memory, "
      "cpus, processes and processor time, or run as root");
}

TEST(LowerLimits, ProcessesAreCountedByTheirNamespaceWhereTheEngineCan) {
  const CgroupSupport cgroups{.gaps = {{"pids", "none here", "elsewhere"}}};
  const Result<Lowered> lowered = LowerPolicy(With({kCounted[2]}, cgroups), {.counts_own_tasks = true});
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(lowered->sandbox.limits.tasks, 21U);
  EXPECT_EQ(LedgerText(*lowered),
            "/resources/processes kernel RLIMIT_NPROC, counted in the sandbox's own user namespace\n");
  // A control group is better: it counts what root starts, too.
  const CgroupSupport better{.places = {{.directory = "/pids", .controllers = {"pids"}}}};
  const Result<Lowered> grouped = LowerPolicy(With({kCounted[2]}, better), {.counts_own_tasks = true});
  EXPECT_FALSE(grouped->sandbox.limits.tasks.has_value());
  EXPECT_EQ(GroupsText(*grouped), "/pids v1 pids.max=21\n");
}

TEST(LowerLimits, OfEachProcess) {
  const Result<Lowered> lowered = LowerPolicy(With({{.resource = Resource::kOpenFiles, .amount = 99},
                                                    {.resource = Resource::kFileSize, .amount = 5U << 20U}}));
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(lowered->sandbox.limits.open_files, 99U);
  EXPECT_EQ(lowered->sandbox.limits.file_bytes, 5U << 20U);
  EXPECT_FALSE(lowered->sandbox.limits.tasks.has_value());
  EXPECT_TRUE(lowered->setup.empty());
  EXPECT_EQ(LedgerText(*lowered),
            "/resources/openFiles kernel RLIMIT_NOFILE of each process\n"
            "/resources/fileSize kernel RLIMIT_FSIZE of each process\n");
}

TEST(LowerLimits, TmpIsSizedAndSharedMemoryNeverLarger) {
  const auto sizes = [](std::uint64_t megabytes) {
    const Result<Lowered> lowered =
        LowerPolicy(With({{.resource = Resource::kTmp, .amount = megabytes << 20U}}));
    std::string text;
    for (const MountNode& node : lowered->sandbox.mounts) {
      const auto* tmpfs = std::get_if<TmpfsMount>(&node);
      if (tmpfs != nullptr) text += tmpfs->target + " " + std::to_string(tmpfs->size_bytes >> 20U) + " ";
    }
    return text;
  };
  EXPECT_EQ(sizes(8), "/dev/shm 8 /tmp 8 ");
  EXPECT_EQ(sizes(4096), "/dev/shm 256 /tmp 4096 ");
}

TEST(LowerLimits, TmpOfTheHostHasNoSize) {
  Policy policy = PolicyOf({ReadWrite("/tmp")});
  policy.resources = {{.resource = Resource::kTmp, .amount = 1U << 20U, .pointer = "/resources/tmpMb"}};
  EXPECT_EQ(
      Refusal(policy),
      "unenforceable /resources/tmpMb: 'at most 1 MiB in /tmp' cannot be held here: /tmp is the host's, "
      "because the policy grants it | remove the grant of /tmp, or tmpMb");
  const Policy unsized = With({{.resource = Resource::kTmp, .amount = 1U << 20U}});
  EXPECT_THAT(Refusal(unsized, {.why_unsized = "nobody sizes it"}),
              ::testing::HasSubstr("cannot be held here: nobody sizes it | remove tmpMb, or use"));
}

TEST(LowerLimits, NoneIsTheDefault) {
  const Result<Lowered> lowered = LowerPolicy(With({}));
  EXPECT_TRUE(lowered->setup.empty());
  EXPECT_EQ(lowered->sandbox.limits.core_bytes, kNoCore);
  EXPECT_FALSE(lowered->sandbox.limits.open_files.has_value());
  EXPECT_FALSE(lowered->sandbox.limits.file_bytes.has_value());
  EXPECT_FALSE(lowered->sandbox.limits.tasks.has_value());
}

}  // namespace
}  // namespace mxc::linux_backend::limits_lower_test
