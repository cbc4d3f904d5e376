#include "backends/bubblewrap/bubblewrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/bubblewrap/arguments.h"
#include "mxc/limits.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::bubblewrap {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Support Usable(std::vector<std::string> features = {"bind-fd", "size", "disable-userns"}) {
  return {
      .usable = true, .tier = Tier::kContainer, .program = "/usr/bin/bwrap", .features = std::move(features)};
}

const Exec& ExecOf(const Plan& plan) { return std::get<Exec>(plan.child); }

std::string Show(const Piece& piece) {
  if (const auto* text = std::get_if<std::string>(&piece)) return *text;
  if (std::holds_alternative<Secret>(piece)) return "<secret>";
  const auto& number = std::get<FileNumber>(piece);
  return (number.as_path ? "</proc/self/fd/" : "<") + std::to_string(number.file) + ">";
}

std::string ArgumentsOf(const Plan& plan) {
  std::string text;
  for (const Piece& piece : std::get<ArgumentFile>(ExecOf(plan).files.back()).arguments)
    text += Show(piece) + " ";
  return text;
}

Plan Planned(const Policy& policy, const Support& support = Usable()) {
  Result<Plan> plan = PlanBubblewrap(policy, support);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().message);
  return plan.ok() ? *plan : Plan{};
}

TEST(Bubblewrap, CommandLineHoldsNothingOfThePolicy) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.environment = {{"TOKEN", Secret{"marker"}}};
  const Plan plan = Planned(policy);
  std::vector<std::string> words;
  for (const Piece& piece : ExecOf(plan).argv) words.push_back(Show(piece));
  EXPECT_THAT(words, ElementsAre("bwrap", "--args", "<3>", "--", "/bin/sh", "-c", "true"));
  ASSERT_EQ(ExecOf(plan).environment.size(), 1U);
  EXPECT_EQ(ExecOf(plan).environment[0].name, "PATH");
  EXPECT_EQ(ExecOf(plan).program, "/usr/bin/bwrap");
  EXPECT_EQ(ExecOf(plan).reporting, Reporting::kStatusPipe);
  EXPECT_TRUE(ExecOf(plan).new_session);
}

std::string CommandOf(const Plan& plan) {
  std::string text;
  for (std::size_t i = 4; i < ExecOf(plan).argv.size(); ++i) text += Show(ExecOf(plan).argv[i]) + " ";
  return text;
}

TEST(Bubblewrap, ExecutesTheWordsWhereNoShellIsNeeded) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.without_shell = {"npm", "test"};
  EXPECT_EQ(CommandOf(Planned(policy)), "npm test ");
  EXPECT_THAT(Planned(policy).sandbox->argv, ElementsAre("npm", "test"));
}

// bwrap takes a number of arguments, and the line is one.
TEST(Bubblewrap, ExecutesTheLineWhereItsWordsAreTooMany) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.without_shell = std::vector<std::string>(kMaxArguments, "a");
  EXPECT_EQ(CommandOf(Planned(policy)), "/bin/sh -c true ");
  EXPECT_THAT(Planned(policy).sandbox->argv, ElementsAre("/bin/sh", "-c", "true"));
}

TEST(Bubblewrap, ASandboxThatStaysIsHeldByThisProgram) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.environment = {{"TOKEN", Secret{"marker"}}};
  policy.stays = true;
  policy.interactive = true;  // who provisions keeps the terminal
  const Plan plan = Planned(policy);
  const Exec& exec = ExecOf(plan);
  std::vector<std::string> words;
  for (const Piece& piece : exec.argv) words.push_back(Show(piece));
  EXPECT_THAT(words,
              ElementsAre("bwrap", "--args", "<5>", "--", "</proc/self/fd/3>", "--session-init", "<4>"));
  EXPECT_TRUE(std::holds_alternative<OwnProgram>(exec.files.at(3)));
  EXPECT_TRUE(std::holds_alternative<SessionSocket>(exec.files.at(4)));
  EXPECT_EQ(exec.terminal, Terminal::kInherit);
  EXPECT_TRUE(exec.new_session);
  EXPECT_THAT(ArgumentsOf(plan), HasSubstr(" --as-pid-1 "));
  EXPECT_THAT(ArgumentsOf(plan), Not(HasSubstr("--setenv")));
  EXPECT_EQ(plan.sandbox->environment.size(), 1U) << "for the commands";
}

TEST(Bubblewrap, ArgumentsOfASmallPolicy) {
  Policy policy =
      PolicyOf({Baseline("/usr/bin"), ReadWrite("/w"), DeniedDirectory("/w/a/d"), DeniedFile("/w/f")});
  policy.links = {{"/bin", "usr/bin"}};
  policy.process.cwd = "/w";
  policy.process.environment = {{"A", Secret{"marker"}}};
  const Plan plan = Planned(policy);
  EXPECT_EQ(ArgumentsOf(plan),
            "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net "
            "--disable-userns --die-with-parent --cap-drop ALL --hostname mxc --seccomp <0> "
            "--json-status-fd <1> --symlink usr/bin /bin --dev /dev "
            "--perms 1777 --size 268435456 --tmpfs /dev/shm --proc /proc "
            "--perms 1777 --size 1073741824 --tmpfs /tmp --perms 0700 --dir /tmp/home "
            "--perms 0755 --dir /usr --ro-bind /usr/bin /usr/bin "
            "--bind-fd <2> /w --bind-fd <3> /w/a --perms 0000 --size 4096 --tmpfs /w/a/d "
            "--ro-bind /dev/null /w/f --remount-ro /dev --remount-ro /w/a/d --remount-ro / "
            "--chdir /w --clearenv --setenv A <secret> ");
  const auto& grant = std::get<PathFile>(ExecOf(plan).files[2]);
  EXPECT_EQ(grant.path, "/w");
  EXPECT_EQ(grant.object.inode, 2U);
  EXPECT_FALSE(grant.any_object);
  const auto& pin = std::get<PathFile>(ExecOf(plan).files[3]);
  EXPECT_EQ(pin.path, "/w/a");
  EXPECT_TRUE(pin.any_object);
}

TEST(Bubblewrap, OlderVersionsGetFewerOptions) {
  const std::string text = ArgumentsOf(Planned(PolicyOf({ReadOnly("/w")}), Usable({"setuid"})));
  EXPECT_THAT(text, HasSubstr("--ro-bind /w /w "));
  EXPECT_THAT(text, Not(HasSubstr("--size")));
  EXPECT_THAT(text, Not(HasSubstr("--disable-userns")));
}

TEST(Bubblewrap, RootCallerGetsAReadOnlyProc) {
  Policy policy = PolicyOf({});
  policy.identity = {};
  const Plan plan = Planned(policy);
  EXPECT_THAT(ArgumentsOf(plan), HasSubstr("--remount-ro /proc "));
  EXPECT_EQ(std::get<SeccompFile>(ExecOf(plan).files[0]).profile, SeccompProfile::kRootCaller);
}

// bwrap finds the place of a mask by name, so the launcher looks once more.
TEST(Bubblewrap, MaskedObjectsAreVerified) {
  PathRule file{.path = "/w/file", .access = Access::kDenied, .object = FileObject{.device = 1, .inode = 7}};
  PathRule directory{.path = "/w/sub", .access = Access::kDenied};
  directory.object = FileObject{.device = 1, .inode = 8, .type = FileType::kDirectory};
  const Plan plan = Planned(PolicyOf({ReadOnly("/w"), file, directory}));
  std::string text;
  for (const PathFile& path : ExecOf(plan).verified) {
    text += path.path + " " + std::to_string(path.object.inode) + "\n";
  }
  EXPECT_EQ(text, "/w/file 7\n/w/sub 8\n");
}

TEST(Bubblewrap, ManyMountsAreWarnedOf) {
  const auto warnings = [](std::size_t paths) {
    std::vector<PathRule> rules;
    for (std::size_t i = 0; i < paths; ++i) rules.push_back(ReadOnly("/w" + std::to_string(1000 + i)));
    return Planned(PolicyOf(rules)).warnings.size();
  };
  EXPECT_EQ(warnings(100), 0U);
  EXPECT_EQ(warnings(600), 1U);
}

TEST(Bubblewrap, TerminalIsPrivate) {
  Policy policy = PolicyOf({});
  EXPECT_EQ(ExecOf(Planned(policy)).terminal, Terminal::kInherit);
  policy.interactive = true;
  const Plan plan = Planned(policy);
  EXPECT_EQ(ExecOf(plan).terminal, Terminal::kPrivatePty);
}

TEST(Bubblewrap, SharedNetworkIsNamed) {
  Policy policy = PolicyOf({});
  policy.network.share_host = true;
  policy.network.egress = Verdict::kAllow;
  policy.network.share_host_pointer = "/network/defaultPolicy";
  const Plan plan = Planned(policy);
  EXPECT_THAT(ArgumentsOf(plan), Not(HasSubstr("--unshare-net")));
  EXPECT_THAT(plan.relaxations, ElementsAre("shared-host-network"));
}

TEST(Bubblewrap, WaitsForTheGateway) {
  Policy policy = PolicyOf({});
  EXPECT_THAT(ArgumentsOf(Planned(policy)), Not(HasSubstr("--block-fd")));
  policy.network.allow = {{.to = {{.cidr = "10.0.0.0/8"}}, .pointer = "/network/egress/allow/0"}};
  const Plan plan = Planned(policy);
  const std::string arguments = ArgumentsOf(plan);
  EXPECT_THAT(arguments, HasSubstr("--unshare-net"));
  EXPECT_THAT(arguments, HasSubstr("--info-fd"));
  EXPECT_THAT(arguments, HasSubstr("--block-fd"));
  ASSERT_TRUE(plan.egress);
  EXPECT_EQ(plan.egress->allow.at(0).to.at(0).cidr, "10.0.0.0/8");
}

TEST(Bubblewrap, TooManyArgumentsAreRefused) {
  std::vector<PathRule> rules;
  for (int i = 0; i < 3100; ++i) rules.push_back(ReadOnly("/w/" + std::to_string(i)));
  const Result<Plan> paths = PlanBubblewrap(PolicyOf(rules), Usable());
  ASSERT_FALSE(paths.ok());
  EXPECT_EQ(paths.error().code, ErrorCode::kConflict);
  EXPECT_EQ(paths.error().pointer, "/filesystem");
  EXPECT_THAT(paths.error().message, HasSubstr("9000"));

  Policy policy = PolicyOf({});
  for (int i = 0; i < 3000; ++i) policy.process.environment.push_back({"V" + std::to_string(i), Secret{"x"}});
  const Result<Plan> environment = PlanBubblewrap(policy, Usable());
  ASSERT_FALSE(environment.ok());
  EXPECT_EQ(environment.error().pointer, "/process/env");
}

TEST(Bubblewrap, TooLongArgumentsAreRefused) {
  Policy policy = PolicyOf({});
  policy.process.argv = {"/bin/echo", std::string(kMaxArgumentBytes - 1, 'x')};
  EXPECT_TRUE(PlanBubblewrap(policy, Usable()).ok());
  policy.process.argv[1] += 'x';
  const Result<Plan> command = PlanBubblewrap(policy, Usable());
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().pointer, "/process");
  policy.process.argv = {"true"};
  policy.process.environment = {{"NAME", Secret{std::string(kMaxArgumentBytes - 5, 'x')}}};
  const Result<Plan> variable = PlanBubblewrap(policy, Usable());
  ASSERT_FALSE(variable.ok());
  EXPECT_EQ(variable.error().pointer, "/process/env");
  EXPECT_THAT(variable.error().message, HasSubstr("'NAME'"));
}

// ---- probe -----------------------------------------------------------------------------------------------

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
  const BwrapHost host{{"--bind-fd", "--size", "--disable-userns"}};
  const Support support = ProbeBubblewrap(host, ProbeDepth::kQuick);
  EXPECT_TRUE(support.usable);
  EXPECT_EQ(support.tier, Tier::kContainer);
  EXPECT_EQ(support.program, "/usr/bin/bwrap");
  EXPECT_THAT(support.features, ElementsAre("bind-fd", "size", "disable-userns"));
  EXPECT_TRUE(support.warnings.empty());
  EXPECT_THAT(host.Questions(), Not(Contains(HasSubstr("run "))));
}

TEST(BubblewrapProbe, OptionsAreWholeWords) {
  const Support support =
      ProbeBubblewrap(BwrapHost({"--bind-fd-x", "--size takes an argument"}), ProbeDepth::kQuick);
  EXPECT_TRUE(support.features.empty());
  EXPECT_EQ(support.warnings.size(), 2U);
}

TEST(BubblewrapProbe, SetUidProgram) {
  const Support support = ProbeBubblewrap(
      BwrapHost({"--bind-fd", "--size", "--disable-userns"}, {.mode = 04755}), ProbeDepth::kQuick);
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
}  // namespace mxc::bubblewrap
