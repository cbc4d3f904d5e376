#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/bubblewrap/bubblewrap.h"
#include "tests/support/fake_host.h"

namespace mxc::bubblewrap::bubblewrap_probe_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Program(const std::vector<std::string>& options) {
  std::string bytes = std::string("\177ELF\0", 5);
  for (const std::string& option : options) bytes += option + '\0';
  return bytes;
}

const std::vector<std::string> kOld = {"--clearenv", "--perms", "--json-status-fd", "--seccomp"};

// A machine with a bwrap that knows the old options and `more`.
class BwrapHost : public FakeHost {
 public:
  explicit BwrapHost(std::vector<std::string> more = {}, FakeAttributes attributes = {}) {
    more.insert(more.begin(), kOld.begin(), kOld.end());
    AddFile("/usr/bin/bwrap", Program(more), attributes).AddTool("bwrap", "/usr/bin/bwrap");
  }
};

TEST(BubblewrapProbe, QuickReadsTheOptionsAndStartsNothing) {
  const BwrapHost host{{"--bind-fd", "--size"}};
  const Support support = ProbeBubblewrap(host, ProbeDepth::kQuick);
  EXPECT_TRUE(support.usable);
  EXPECT_EQ(support.tier, Tier::kContainer);
  EXPECT_EQ(support.program, "/usr/bin/bwrap");
  EXPECT_THAT(support.features, ElementsAre("bind-fd", "size"));
  EXPECT_TRUE(support.warnings.empty());
  EXPECT_THAT(host.Questions(), Not(Contains(HasSubstr("run "))));
}

TEST(BubblewrapProbe, InsideASandboxOfOursThereIsNoOther) {
  BwrapHost host{{"--bind-fd", "--size"}};
  host.AddFile("/proc/1/comm", "mxc-init\n");
  for (const ProbeDepth depth : {ProbeDepth::kQuick, ProbeDepth::kLive}) {
    const Support support = ProbeBubblewrap(host, depth);
    EXPECT_FALSE(support.usable);
    EXPECT_EQ(support.reason, "this is inside a sandbox of mxc-exec, which hands out no namespaces");
    EXPECT_THAT(support.remedy, HasSubstr("containment 'process'"));
  }
}

TEST(BubblewrapProbe, OptionsAreWholeWords) {
  const Support support =
      ProbeBubblewrap(BwrapHost({"--bind-fd-x", "--size takes an argument"}), ProbeDepth::kQuick);
  EXPECT_TRUE(support.features.empty());
  EXPECT_EQ(support.warnings.size(), 2U);
}

// bwrap fails where the kernel has no queues.
TEST(BubblewrapProbe, MessageQueuesWhereTheKernelHasThem) {
  BwrapHost host{{"--mqueue"}};
  EXPECT_TRUE(ProbeBubblewrap(host, ProbeDepth::kQuick).features.empty());
  host.AddFile("/proc/filesystems", "nodev\tproc\nnodev\tmqueue\n\text4\n");
  EXPECT_THAT(ProbeBubblewrap(host, ProbeDepth::kQuick).features, ElementsAre("mqueue"));
}

TEST(BubblewrapProbe, SetUidProgram) {
  const Support support =
      ProbeBubblewrap(BwrapHost({"--bind-fd", "--size"}, {.mode = 04755}), ProbeDepth::kQuick);
  EXPECT_THAT(support.features, ElementsAre("bind-fd", "setuid"));
}

TEST(BubblewrapProbe, MissingAndTooOld) {
  const Support missing = ProbeBubblewrap(FakeHost{}, ProbeDepth::kQuick);
  EXPECT_FALSE(missing.usable);
  EXPECT_EQ(missing.code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.remedy, HasSubstr("apt-get install bubblewrap"));

  FakeHost host;
  host.AddFile("/usr/bin/bwrap", Program({"--perms"})).AddTool("bwrap", "/usr/bin/bwrap");
  const Support old = ProbeBubblewrap(host, ProbeDepth::kQuick);
  EXPECT_FALSE(old.usable);
  EXPECT_THAT(old.remedy, HasSubstr("0.5.0"));
}

// In a sandbox of ours the owner of the system's files is nobody.
TEST(BubblewrapProbe, ThereAndNotTrusted) {
  FakeHost nested;
  nested.AddFile("/usr/bin/bwrap", Program(kOld), {.uid = 65534});
  const Support unmapped = ProbeBubblewrap(nested, ProbeDepth::kQuick);
  EXPECT_FALSE(unmapped.usable);
  EXPECT_EQ(unmapped.code, ErrorCode::kUnavailable);
  EXPECT_THAT(unmapped.reason, HasSubstr("'/usr/bin/bwrap' is not trusted: its owner is not known here"));
  EXPECT_THAT(unmapped.remedy, HasSubstr("containment 'process'"));

  FakeHost host;
  host.AddFile("/usr/local/bin/bwrap", Program(kOld), {.mode = 0777});
  const Support open = ProbeBubblewrap(host, ProbeDepth::kQuick);
  EXPECT_FALSE(open.usable);
  EXPECT_THAT(open.reason, HasSubstr("'/usr/local/bin/bwrap' is not trusted: others than root can"));
}

TEST(BubblewrapProbe, OtherSystems) {
  BwrapHost host;
  host.SetSystem(OperatingSystem::kMacos);
  EXPECT_EQ(ProbeBubblewrap(host, ProbeDepth::kQuick).code, ErrorCode::kUnsupported);
}

Support LiveWith(FakeHost& host, ToolRun run) {
  host.Answer({"/usr/bin/bwrap",
               "--unshare-user",
               "--unshare-pid",
               "--unshare-ipc",
               "--unshare-uts",
               "--unshare-net",
               "--unshare-cgroup-try",
               "--die-with-parent",
               "--new-session",
               "--cap-drop",
               "ALL",
               "--ro-bind",
               "/",
               "/",
               "--proc",
               "/proc",
               "--dev",
               "/dev",
               "--tmpfs",
               "/tmp",
               "--",
               "true"},
              std::move(run));
  host.Answer({"/usr/bin/bwrap", "--version"}, {.started = true, .out = "bubblewrap 0.8.0\n"});
  return ProbeBubblewrap(host, ProbeDepth::kLive);
}

TEST(BubblewrapProbe, LiveRunsTheNamespaces) {
  BwrapHost host;
  const Support support = LiveWith(host, {.started = true});
  EXPECT_TRUE(support.usable);
  EXPECT_EQ(support.version, "0.8.0");
  EXPECT_FALSE(support.Has("network-gateway"));
}

struct LiveCase {
  const char* err;
  const char* setting;
  const char* reason;
};

TEST(BubblewrapProbe, LiveExplainsFailures) {
  const LiveCase kCases[] = {
      {"bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n",
       "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "AppArmor"},
      {"bwrap: setting up uid map: Permission denied\n",
       "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "AppArmor"},
      {"bwrap: setting up uid map: Permission denied\n", nullptr, "user map"},
      {"bwrap: No permissions to create new namespace\n", nullptr, "system call filter"},
      {"bwrap: Creating new namespace failed: No space left on device\n", nullptr,
       "limit of user namespaces"},
      {"bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n", nullptr,
       "/proc cannot be mounted"},
      {"bwrap: something else\n", nullptr, "bwrap: something else"},
  };
  for (const LiveCase& row : kCases) {
    BwrapHost host;
    if (row.setting != nullptr) host.AddFile(row.setting, "1\n");
    const Support support = LiveWith(host, {.started = true, .exit_code = 1, .err = row.err});
    EXPECT_FALSE(support.usable);
    EXPECT_EQ(support.code, ErrorCode::kUnavailable);
    EXPECT_THAT(support.reason, HasSubstr(row.reason)) << row.err;
    EXPECT_FALSE(support.remedy.empty());
    EXPECT_EQ(support.version, "0.8.0");
  }
}

TEST(BubblewrapProbe, LiveExplainsSwitchedOffNamespaces) {
  BwrapHost host;
  host.AddFile("/proc/sys/kernel/unprivileged_userns_clone", "0\n");
  const Support clone =
      LiveWith(host, {.started = true, .exit_code = 1, .err = "bwrap: No permissions to create\n"});
  EXPECT_THAT(clone.remedy, HasSubstr("unprivileged_userns_clone=1"));
  BwrapHost limited;
  limited.AddFile("/proc/sys/user/max_user_namespaces", "0\n");
  EXPECT_THAT(LiveWith(limited, {.started = true, .exit_code = 1, .err = "bwrap: x\n"}).remedy,
              HasSubstr("max_user_namespaces"));
  BwrapHost slow;
  EXPECT_THAT(LiveWith(slow, {.started = true, .timed_out = true}).reason, HasSubstr("2000 ms"));
}

}  // namespace
}  // namespace mxc::bubblewrap::bubblewrap_probe_test
