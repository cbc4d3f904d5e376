// What "process" means on hosts that forbid part of it, and what the probes say about known ones.
#include "isolation_fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/bubblewrap/bubblewrap.h"
#include "backends/linux/probing.h"
#include "backends/namespaces/namespaces.h"
#include "tests/support/fake_host.h"

namespace mxc::isolation_fallback_test {
namespace {

using linux_backend::Surroundings;
using ::testing::HasSubstr;

FakeHost& Modern(FakeHost& host) { return host.AddFile("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n"); }

FakeHost& WithBwrap(FakeHost& host) {
  std::string program = "ELF";
  for (const char* option : {"--clearenv", "--perms", "--json-status-fd", "--seccomp", "--bind-fd", "--size"})
    program += option + std::string(1, '\0');
  return host.AddTool("bwrap", "/usr/bin/bwrap").AddFile("/usr/bin/bwrap", program);
}

TEST(IsolationFallback, OurEngineWhereNothingForbidsIt) {
  FakeHost host;
  EXPECT_EQ(LinuxProcess(WithBwrap(Modern(host))).containment, Containment::kNamespaces);
}

TEST(IsolationFallback, BubblewrapWhereOnlyItIsPermitted) {
  FakeHost host;
  Modern(host)
      .AddFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")
      .AddFile("/proc/self/attr/apparmor/current", "unconfined\n");
  EXPECT_EQ(LinuxProcess(host).containment, Containment::kLandlock);
  EXPECT_EQ(LinuxProcess(WithBwrap(host)).containment, Containment::kBubblewrap);
}

TEST(IsolationFallback, LandlockWhereUserNamespacesAreOff) {
  for (const char* setting :
       {"/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/unprivileged_userns_clone"}) {
    FakeHost host;
    WithBwrap(Modern(host)).AddFile(setting, "0\n");
    EXPECT_EQ(LinuxProcess(host).containment, Containment::kLandlock) << setting;
    EXPECT_THAT(bubblewrap::ProbeBubblewrap(host, ProbeDepth::kQuick).remedy, HasSubstr("sysctl")) << setting;
  }
}

TEST(IsolationFallback, OurEnginesReasonWhereNothingWorks) {
  FakeHost host;
  Modern(host).AddFile("/proc/sys/user/max_user_namespaces", "0\n").SetLandlockAbi(0);
  EXPECT_EQ(LinuxProcess(host).containment, Containment::kNamespaces);
}

TEST(IsolationFallback, OneRungAtATimeAndLandlockOnlyForAnyProcess) {
  const std::optional<Fallback> second = NextFallback(IsolationLevel::kNamespaces, false);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->containment, Containment::kNamespaces);
  EXPECT_EQ(second->isolation_level, IsolationLevel::kNamespacesOuterProc);
  EXPECT_FALSE(NextFallback(IsolationLevel::kNamespacesOuterProc, false).has_value());
  const std::optional<Fallback> third = NextFallback(IsolationLevel::kNamespacesOuterProc, true);
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(third->containment, Containment::kLandlock);
  EXPECT_EQ(third->isolation_level, IsolationLevel::kLandlock);
  EXPECT_FALSE(NextFallback(IsolationLevel::kLandlock, true).has_value());
  EXPECT_FALSE(NextFallback(IsolationLevel::kNone, true).has_value());
}

struct Known {
  const char* file;
  const char* text;
  const char* reason;
  const char* remedy;
};

constexpr Known kKnown[] = {
    {"/proc/1/comm", "mxc-init\n", "inside a sandbox of mxc-exec", "containment 'process'"},
    {"/proc/1/comm", "bwrap\n", "inside a sandbox of bubblewrap", "--disable-userns"},
    {"/proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n", "gVisor", "runtime class"},
    {"/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", "WSL 1", "wsl --set-version"},
    {"/var/run/secrets/kubernetes.io", "", "Kubernetes pod", "seccompProfile"},
    {"/.dockerenv", "", "Docker", "seccomp=unconfined"},
    {"/run/.containerenv", "", "Podman", "unmask=ALL"},
    {"/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n", "filter of system calls",
     "unshare"},
};

TEST(Surroundings, OfKnownHostsAreNamed) {
  for (const Known& known : kKnown) {
    FakeHost host;
    host.AddFile(known.file, known.text);
    const linux_backend::Trouble trouble = Surroundings(host);
    EXPECT_THAT(trouble.reason, HasSubstr(known.reason)) << known.file;
    EXPECT_THAT(trouble.remedy, HasSubstr(known.remedy)) << known.file;
  }
  FakeHost nothing;
  EXPECT_THAT(Surroundings(nothing).remedy, HasSubstr("unshare -Ur true"));
}

TEST(Surroundings, OldKernelsThatAreNoneAreNamed) {
  FakeHost wsl;
  wsl.AddFile("/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
  EXPECT_THAT(namespaces::ProbeNamespaces(wsl, ProbeDepth::kQuick).reason, HasSubstr("WSL 1"));
}

TEST(NamespacesProbe, SaysWhichRungTheTrialReached) {
  FakeHost host;
  Modern(host).Answer(
      {"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
      {.started = true, .out = R"({"event":"backend","rung":"namespaces-outer-proc"})"});
  const Support support = namespaces::ProbeNamespaces(host, ProbeDepth::kLive);
  EXPECT_TRUE(support.usable) << support.reason;
  EXPECT_EQ(support.isolation_level, IsolationLevel::kNamespacesOuterProc);
}

}  // namespace
}  // namespace mxc::isolation_fallback_test
