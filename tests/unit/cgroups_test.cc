// Texts of the kernel in, places for control groups out.
#include "policy/cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "policy/paths/cgroup_mounts.h"
#include "tests/support/fake_host.h"

namespace mxc::cgroups_test {
namespace {

using ::testing::StartsWith;

// "v1 /sys/fs/cgroup/pids: pids", "v2 /a: memory pids cpuacct, off: memory"; then "no memory: reason".
std::string Text(const CgroupSupport& support) {
  std::string text;
  for (const CgroupPlace& place : support.places) {
    text += (place.unified ? "v2 " : "v1 ") + place.directory + ":";
    for (const std::string& controller : place.controllers) text += " " + controller;
    for (const std::string& controller : place.switched_off) text += " -" + controller;
    if (place.scope)
      text += ", " + place.scope->slice + " of " + place.scope->address + " by " + place.scope->busctl;
    text += "\n";
  }
  for (const CgroupGap& gap : support.gaps) text += "no " + gap.controller + ": " + gap.reason + "\n";
  return text;
}

// A group's directory, which belongs to `owner`; the fake caller 1000 may write what it owns.
void AddGroup(FakeHost& host, const std::string& path, std::uint32_t owner) {
  const FakeAttributes attributes{.uid = owner, .writable = owner == 1000};
  host.AddDirectory(path, attributes).AddFile(path + "/cgroup.procs", "", attributes);
}

void AddUnified(FakeHost& host, const std::string& path, std::uint32_t owner, const std::string& controllers,
                const std::string& handed_down) {
  AddGroup(host, path, owner);
  host.AddFile(path + "/cgroup.controllers", controllers + "\n");
  host.AddFile(path + "/cgroup.subtree_control", handed_down + "\n");
}

constexpr const char* kLegacyMounts = R"(31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:1 master:2 - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
)";
constexpr const char* kUnifiedMount =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

FakeHost& AddLegacy(FakeHost& host, std::uint32_t owner = 0) {
  AddGroup(host, "/sys/fs/cgroup/cpu,cpuacct", owner);
  AddGroup(host, "/sys/fs/cgroup/memory/user/x:y", owner);
  AddGroup(host, "/sys/fs/cgroup/pids", owner);
  return host.AddFile("/proc/self/mountinfo", kLegacyMounts)
      .AddFile("/proc/self/cgroup",
               "9:name=systemd:/\n8:pids:/\n4:memory:/user/x:y\n2:cpu,cpuacct:/\n0::/elsewhere\n");
}

TEST(Cgroups, LegacyHierarchiesAsRoot) {
  FakeHost host;
  host.SetCaller(0, 0);
  EXPECT_EQ(Text(FindCgroups(AddLegacy(host))),
            "v1 /sys/fs/cgroup/cpu,cpuacct: cpu cpuacct\n"
            "v1 /sys/fs/cgroup/memory/user/x:y: memory\n"
            "v1 /sys/fs/cgroup/pids: pids\n");
}

TEST(Cgroups, LegacyHierarchiesAreNotAUsersUnlessRootGivesThem) {
  FakeHost host;
  EXPECT_EQ(Text(FindCgroups(AddLegacy(host))),
            "no memory: the control group /sys/fs/cgroup/memory/user/x:y is not the caller's to divide\n"
            "no cpu: the control group /sys/fs/cgroup/cpu,cpuacct is not the caller's to divide\n"
            "no pids: the control group /sys/fs/cgroup/pids is not the caller's to divide\n"
            "no cpuacct: the control group /sys/fs/cgroup/cpu,cpuacct is not the caller's to divide\n");
  AddGroup(host, "/sys/fs/cgroup/pids/mine", 1000);
  host.AddFile("/proc/self/cgroup", "8:pids:/mine\n4:memory:/user/x:y\n2:cpu,cpuacct:/\n");
  EXPECT_EQ(Text(FindCgroups(host)).substr(0, 34), "v1 /sys/fs/cgroup/pids/mine: pids\n");
}

TEST(Cgroups, ReadOnlyMountsRefuse) {
  FakeHost host;
  host.SetCaller(0, 0).AddFile("/proc/self/cgroup", "8:pids:/\n0::/\n");
  host.AddFile("/proc/self/mountinfo",
               "39 31 0:36 / /sys/fs/cgroup/pids ro,nosuid - cgroup cgroup rw,pids\n"
               "30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 ro\n");
  AddUnified(host, "/sys/fs/cgroup/unified", 0, "memory cpu", "memory cpu");
  EXPECT_EQ(Text(FindCgroups(host)),
            "no memory: /sys/fs/cgroup/unified is mounted read-only\n"
            "no cpu: /sys/fs/cgroup/unified is mounted read-only\n"
            "no pids: /sys/fs/cgroup/pids is mounted read-only\n"
            "no cpuacct: /sys/fs/cgroup/unified is mounted read-only\n");
}

// Hybrid: the controllers stand in version 1, and version 2 is there for nothing else.
TEST(Cgroups, HybridTakesEachControllerWhereItIs) {
  FakeHost host;
  host.SetCaller(0, 0).AddFile("/proc/self/cgroup", "8:pids:/\n0::/\n");
  host.AddFile("/proc/self/mountinfo",
               "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  AddGroup(host, "/sys/fs/cgroup/pids", 0);
  AddUnified(host, "/sys/fs/cgroup/unified", 0, "hugetlb", "");
  EXPECT_EQ(Text(FindCgroups(host)),
            "v1 /sys/fs/cgroup/pids: pids\n"
            "v2 /sys/fs/cgroup/unified: hugetlb cpuacct -hugetlb\n"
            "no memory: this system has no control group controller for it\n"
            "no cpu: this system has no control group controller for it\n");
}

// A terminal in a desktop session: the group of the program holds processes, the slice above hands down.
TEST(Cgroups, DelegatedSliceOfAUser) {
  FakeHost host;
  const std::string user = "/sys/fs/cgroup/user.slice/user-1000.slice";
  const std::string manager = user + "/user@1000.service";
  host.AddFile("/proc/self/mountinfo", kUnifiedMount);
  host.AddFile("/proc/self/cgroup",
               "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n");
  AddUnified(host, "/sys/fs/cgroup", 0, "cpu io memory pids", "cpu io memory pids");
  host.AddFile("/sys/fs/cgroup/user.slice/cgroup.type", "domain\n");
  AddUnified(host, user, 0, "cpu memory pids", "cpu memory pids");
  AddUnified(host, manager, 1000, "cpu memory pids", "cpu memory pids");
  AddUnified(host, manager + "/app.slice", 1000, "cpu memory pids", "memory pids");
  AddUnified(host, manager + "/app.slice/term.scope", 1000, "memory pids", "");
  EXPECT_EQ(Text(FindCgroups(host)), "v2 " + manager + "/app.slice/term.scope: cpuacct\n" +  //
                                         "v2 " + manager + "/app.slice: memory pids cpuacct\n" + "v2 " +
                                         manager + ": cpu memory pids cpuacct\n");
}

// A login by ssh: nothing from the session's scope upwards is the user's.
TEST(Cgroups, SessionWithoutDelegation) {
  FakeHost host;
  host.AddFile("/proc/self/mountinfo", kUnifiedMount);
  host.AddFile("/proc/self/cgroup", "0::/user.slice/session-3.scope\n");
  AddUnified(host, "/sys/fs/cgroup", 0, "cpu memory pids", "cpu memory pids");
  AddUnified(host, "/sys/fs/cgroup/user.slice", 0, "cpu memory pids", "memory pids");
  AddUnified(host, "/sys/fs/cgroup/user.slice/session-3.scope", 0, "memory pids", "");
  const std::string why =
      "no control group from /sys/fs/cgroup/user.slice/session-3.scope upwards lets the caller use it\n";
  EXPECT_EQ(Text(FindCgroups(host)), "no memory: " + why + "no cpu: " + why + "no pids: " + why +  //
                                         "no cpuacct: " + why);
}

TEST(Cgroups, TheRootOfVersionTwoMaySwitchControllersOn) {
  FakeHost host;
  host.SetCaller(0, 0).AddFile("/proc/self/mountinfo", kUnifiedMount).AddFile("/proc/self/cgroup", "0::/\n");
  AddUnified(host, "/sys/fs/cgroup", 0, "cpu memory pids", "memory");
  EXPECT_EQ(Text(FindCgroups(host)), "v2 /sys/fs/cgroup: memory cpu pids cpuacct -cpu -pids\n");
  // With a type it is the root of a container's namespace only: processes stand in it, and it hands nothing
  // down.
  host.AddFile("/sys/fs/cgroup/cgroup.type", "domain\n");
  EXPECT_EQ(Text(FindCgroups(host)).substr(0, 44), "v2 /sys/fs/cgroup: memory cpuacct\nno cpu: no");
}

TEST(Cgroups, InsideAContainerTheMountMayShowAnotherPart) {
  FakeHost host;
  host.SetCaller(0, 0);
  host.AddFile("/proc/self/mountinfo",
               "39 31 0:36 /docker/a\\040b /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
               "35 31 0:32 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  host.AddFile("/proc/self/cgroup", "8:pids:/docker/a b/inner\n4:memory:/docker/abc\n");
  AddGroup(host, "/sys/fs/cgroup/pids/inner", 0);
  EXPECT_EQ(Text(FindCgroups(host)),
            "v1 /sys/fs/cgroup/pids/inner: pids\n"
            "no memory: the launcher's own control group lies outside of /sys/fs/cgroup/memory\n"
            "no cpu: this system has no control group controller for it\n"
            "no cpuacct: this system has no control group controller for it\n");
}

TEST(Cgroups, InsideASandboxThereAreNone) {
  FakeHost host;
  host.AddFile("/proc/self/mountinfo", "24 1 0:22 / / ro - tmpfs none ro\n")
      .AddFile("/proc/self/cgroup", "0::/\n");
  const std::string why = "no control group file system is mounted here\n";
  EXPECT_EQ(Text(FindCgroups(host)), "no memory: " + why + "no cpu: " + why + "no pids: " + why +  //
                                         "no cpuacct: " + why);
}

// ---- with systemd ----------------------------------------------------------------------------------------

const std::string kRoot = "/sys/fs/cgroup";
const std::string kManager = kRoot + "/user.slice/user-1000.slice/user@1000.service";
const std::string kOwnBus = " of unix:path=/run/user/1000/bus by /usr/bin/busctl\n";
const std::string kSystemBus = " of unix:path=/run/dbus/system_bus_socket by /usr/bin/busctl\n";

// With a manager of user 1000, and the launcher in the group `own`.
FakeHost& AddSystemd(FakeHost& host, const std::string& own, bool busctl = true) {
  host.AddDirectory("/run/systemd/system");
  if (busctl) host.AddTool("busctl", "/usr/bin/busctl");
  host.AddNode("/run/dbus/system_bus_socket", FileType::kSocket);
  host.AddDirectory("/run/user/1000", {.uid = 1000});
  host.AddNode("/run/user/1000/bus", FileType::kSocket, {.uid = 1000});
  host.AddFile("/proc/self/mountinfo", kUnifiedMount).AddFile("/proc/self/cgroup", "0::" + own + "\n");
  AddUnified(host, kRoot, 0, "cpu io memory pids", "cpu io memory pids");
  AddUnified(host, kRoot + "/system.slice", 0, "cpu memory pids", "cpu memory pids");
  AddUnified(host, kManager, 1000, "cpu memory pids", "cpu memory pids");
  host.AddAttribute(kManager, "user.delegate", "1");
  AddUnified(host, kManager + "/app.slice", 1000, "cpu memory pids", "cpu memory pids");
  return host;
}

TEST(SystemdGroups, ALoginSessionAsksItsOwnManager) {
  FakeHost host;
  AddSystemd(host, "/user.slice/user-1000.slice/session-3.scope");
  AddUnified(host, kRoot + "/user.slice/user-1000.slice/session-3.scope", 0, "memory pids", "");
  EXPECT_EQ(Text(FindCgroups(host)),
            "v2 " + kManager + "/app.slice: cpu memory pids cpuacct -cpu -memory -pids, app.slice" + kOwnBus);
}

// The manager writes in app.slice and nobody else, though it is the caller's by its owner.
TEST(SystemdGroups, AUnitOfTheManagerAsksForAScopeInItsSlice) {
  FakeHost host;
  const std::string below = "/app.slice/app-term.slice/term.scope";
  AddSystemd(host, kManager.substr(kRoot.size()) + below);
  AddUnified(host, kManager + below, 1000, "memory pids", "");
  EXPECT_EQ(Text(FindCgroups(host)),
            "v2 " + kManager +
                "/app.slice/app-term.slice: cpu memory pids cpuacct -cpu -memory -pids, app-term.slice" +
                kOwnBus);
}

TEST(SystemdGroups, RootAsksTheSystemManager) {
  FakeHost host;
  host.SetCaller(0, 0);
  const std::string what = ": cpu io memory pids cpuacct -cpu -io -memory -pids, ";
  EXPECT_EQ(Text(FindCgroups(AddSystemd(host, "/system.slice/job.service"))),
            "v2 " + kRoot + "/system.slice" + what + "system.slice" + kSystemBus);
  EXPECT_EQ(Text(FindCgroups(AddSystemd(host, "/user.slice/user-0.slice/session-1.scope"))),
            "v2 " + kRoot + "/user.slice/user-0.slice" + what + "user-0.slice" + kSystemBus);
  EXPECT_EQ(Text(FindCgroups(AddSystemd(host, "/init.scope"))),
            "v2 " + kRoot + "/system.slice" + what + "system.slice" + kSystemBus);
}

// The unit's own group hands controllers down when its processes are in a group below it.
TEST(SystemdGroups, ADelegatedUnitIsTheFirstChoice) {
  for (const char* attribute : {"user.delegate", "trusted.delegate"}) {
    FakeHost host;
    AddSystemd(host, "/system.slice/job.service/init").SetCaller(0, 0);
    const std::string unit = kRoot + "/system.slice/job.service";
    AddUnified(host, unit, 0, "cpu memory pids", "memory pids");
    AddUnified(host, unit + "/init", 0, "memory pids", "");
    host.AddAttribute(unit, attribute, "1");
    EXPECT_EQ(Text(FindCgroups(host)),
              "v2 " + unit + "/init: cpuacct\n" + "v2 " + unit + ": memory pids cpuacct\n" + "v2 " + kRoot +
                  "/system.slice: cpu io memory pids cpuacct -cpu -io -memory -pids, system.slice" +
                  kSystemBus);
  }
}

// Before version 251 no attribute says it to others than root.
TEST(SystemdGroups, AGroupThatWasGivenToAUserIsDelegated) {
  FakeHost host;
  AddSystemd(host, "/system.slice/alices.service/init");
  const std::string unit = kRoot + "/system.slice/alices.service";
  AddUnified(host, unit, 1000, "cpu memory pids", "cpu memory pids");
  AddUnified(host, unit + "/init", 1000, "cpu memory pids", "");
  host.Remove("/run/user/1000/bus");
  EXPECT_EQ(Text(FindCgroups(host)),
            "v2 " + unit + "/init: cpuacct\n" + "v2 " + unit + ": cpu memory pids cpuacct\n");
}

TEST(SystemdGroups, WithoutAManagerTheReasonSaysSo) {
  const std::string session = "/user.slice/user-1000.slice/session-3.scope";
  const auto reason = [&](const std::function<void(FakeHost&)>& change) {
    FakeHost host;
    change(AddSystemd(host, session));
    const std::string text = Text(FindCgroups(host));
    return text.substr(0, text.find('\n'));
  };
  const std::string missing = "no memory: systemd keeps the control groups here, ";
  const std::string dead = missing + "and the caller's manager does not run (/run/user/1000/bus)";
  EXPECT_EQ(reason([](FakeHost& host) { host.Remove("/run/user/1000/bus"); }), dead);
  EXPECT_EQ(reason([](FakeHost& host) { host.Remove(kManager); }), dead);
  EXPECT_EQ(reason([](FakeHost& host) { host.AddNode("/run/user/1000/bus", FileType::kSocket); }), dead);
  EXPECT_EQ(reason([](FakeHost& host) { host.SetCaller(0, 0).Remove("/run/dbus/system_bus_socket"); }),
            missing + "and the system bus does not run (/run/dbus/system_bus_socket)");
  FakeHost host;
  EXPECT_THAT(Text(FindCgroups(AddSystemd(host, session, false))),
              StartsWith(missing + "and there is no busctl to ask it for a scope\n"));
}

TEST(SystemdGroups, AControllerThatTheManagerHasNotGotIsAGap) {
  FakeHost host;
  AddSystemd(host, "/user.slice/user-1000.slice/session-3.scope");
  host.AddFile(kManager + "/cgroup.controllers", "memory pids\n");
  EXPECT_EQ(Text(FindCgroups(host)), "v2 " + kManager +
                                         "/app.slice: memory pids cpuacct -memory -pids, app.slice" +
                                         kOwnBus + "no cpu: systemd keeps the control groups here, and " +
                                         kManager + " has not got the controller\n");
}

TEST(Cgroups, LimitsThatNeedNoneAskForNone) {
  const auto needs = [](Resource resource) { return NeedsCgroup({{.resource = resource, .amount = 1}}); };
  EXPECT_TRUE(needs(Resource::kMemory) && needs(Resource::kCpus) && needs(Resource::kProcesses) &&
              needs(Resource::kCpuTime));
  EXPECT_FALSE(needs(Resource::kOpenFiles) || needs(Resource::kTmp) || needs(Resource::kFileSize));
  EXPECT_FALSE(NeedsCgroup({}));
}

TEST(CgroupMounts, BrokenLinesAreNoMounts) {
  EXPECT_TRUE(CgroupMountsIn("").empty());
  EXPECT_TRUE(CgroupMountsIn("1 2 3\n - cgroup cgroup rw,pids\n1 2 0:1 / /x rw - cgroup\n").empty());
  EXPECT_TRUE(MembershipsIn("no colons\n1:two\n").empty());
  EXPECT_EQ(OwnGroup({.directory = "/g", .root = "/", .unified = true}, {{.path = "/../above"}}),
            std::nullopt);
}

}  // namespace
}  // namespace mxc::cgroups_test
