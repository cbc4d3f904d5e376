#include "backends/bubblewrap/bubblewrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/bubblewrap/arguments.h"
#include "mxc/limits.h"
#include "tests/support/fake_host.h"
#include "tests/unit/linux_policies.h"

namespace mxc::bubblewrap::bubblewrap_test {
namespace {

using namespace testing_policies;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Support Usable(std::vector<std::string> features = {"bind-fd", "size"}) {
  return {
      .usable = true, .tier = Tier::kContainer, .program = "/usr/bin/bwrap", .features = std::move(features)};
}

const Exec& ExecOf(const Plan& plan) { return std::get<BubblewrapLaunch>(plan.launch).bwrap; }

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
  EXPECT_THAT(words, ElementsAre("bwrap", "--args", "<6>", "--", "</proc/self/fd/2>", "--sandbox-entry",
                                 "<3>", "0", "<5>", "<4>", "-1", "/bin/sh", "-c", "true"));
  ASSERT_EQ(ExecOf(plan).environment.size(), 1U);
  EXPECT_EQ(ExecOf(plan).environment[0].name, "PATH");
  EXPECT_EQ(ExecOf(plan).program, "/usr/bin/bwrap");
  EXPECT_TRUE(ExecOf(plan).new_session);
}

// Behind bwrap's arguments and those of this program inside.
std::string CommandOf(const Plan& plan) {
  std::string text;
  for (std::size_t i = 11; i < ExecOf(plan).argv.size(); ++i) text += Show(ExecOf(plan).argv[i]) + " ";
  return text;
}

TEST(Bubblewrap, ExecutesTheWordsWhereNoShellIsNeeded) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.without_shell = {"npm", "test"};
  EXPECT_EQ(CommandOf(Planned(policy)), "npm test ");
  EXPECT_THAT(LinuxSandboxOf(Planned(policy).launch)->argv, ElementsAre("npm", "test"));
}

// bwrap takes a number of arguments, and the line is one.
TEST(Bubblewrap, ExecutesTheLineWhereItsWordsAreTooMany) {
  Policy policy = PolicyOf({ReadWrite("/w")});
  policy.process.without_shell = std::vector<std::string>(kMaxArguments, "a");
  EXPECT_EQ(CommandOf(Planned(policy)), "/bin/sh -c true ");
  EXPECT_THAT(LinuxSandboxOf(Planned(policy).launch)->argv, ElementsAre("/bin/sh", "-c", "true"));
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
  EXPECT_THAT(words, ElementsAre("bwrap", "--args", "<6>", "--", "</proc/self/fd/2>", "--session-init", "<3>",
                                 "0", "<4>", "<5>"));
  EXPECT_TRUE(std::holds_alternative<OwnProgram>(exec.files.at(2)));
  EXPECT_TRUE(std::holds_alternative<HostProc>(exec.files.at(3)));
  EXPECT_TRUE(std::holds_alternative<SessionSocket>(exec.files.at(4)));
  EXPECT_TRUE(std::holds_alternative<SessionSocket>(exec.files.at(5)));
  EXPECT_EQ(TerminalOf(plan.launch), Terminal::kInherit);
  EXPECT_TRUE(exec.new_session);
  EXPECT_THAT(ArgumentsOf(plan), HasSubstr(" --as-pid-1 "));
  EXPECT_THAT(ArgumentsOf(plan), Not(HasSubstr("--setenv")));
  EXPECT_EQ(LinuxSandboxOf(plan.launch)->environment.size(), 1U) << "for the commands";
}

TEST(Bubblewrap, ArgumentsOfASmallPolicy) {
  Policy policy =
      PolicyOf({Baseline("/usr/bin"), ReadWrite("/w"), DeniedDirectory("/w/a/d"), DeniedFile("/w/f")});
  policy.links = {{"/bin", "usr/bin"}};
  policy.process.cwd = "/w";
  policy.process.environment = {{"A", Secret{"marker"}}};
  const Plan plan = Planned(policy);
  EXPECT_EQ(
      ArgumentsOf(plan),
      "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net "
      "--die-with-parent --cap-drop ALL --hostname localhost --json-status-fd <0> --symlink usr/bin /bin "
      "--dev "
      "/dev "
      "--perms 1777 --size 268435456 --tmpfs /dev/shm --proc /proc --perms 0000 --size 4096 --tmpfs /proc/1 "
      "--perms 1777 --size 1073741824 --tmpfs /tmp --perms 0700 --dir /tmp/home "
      "--perms 0755 --dir /usr --ro-bind /usr/bin /usr/bin "
      "--bind-fd <1> /w --bind-fd <2> /w/a --perms 0000 --size 4096 --tmpfs /w/a/d "
      "--ro-bind /dev/null /w/f --remount-ro /dev --remount-ro /proc/1 --remount-ro /w/a/d --remount-ro / "
      "--chdir /w --clearenv ");
  const auto& grant = std::get<PathFile>(ExecOf(plan).files[1]);
  EXPECT_EQ(grant.path, "/w");
  EXPECT_EQ(grant.object.inode, 2U);
  EXPECT_FALSE(grant.any_object);
  const auto& pin = std::get<PathFile>(ExecOf(plan).files[2]);
  EXPECT_EQ(pin.path, "/w/a");
  EXPECT_TRUE(pin.any_object);
}

TEST(Bubblewrap, OlderVersionsGetFewerOptions) {
  const std::string text = ArgumentsOf(Planned(PolicyOf({ReadOnly("/w")}), Usable({"setuid"})));
  EXPECT_THAT(text, HasSubstr("--ro-bind /w /w "));
  EXPECT_THAT(text, Not(HasSubstr("--size")));
}

TEST(Bubblewrap, RootCallerGetsAReadOnlyProc) {
  Policy policy = PolicyOf({});
  policy.identity = {};
  const Plan plan = Planned(policy);
  EXPECT_THAT(ArgumentsOf(plan), HasSubstr("--remount-ro /proc "));
  EXPECT_THAT(ArgumentsOf(plan), HasSubstr("--cap-drop ALL --cap-add CAP_SETFCAP "));
  EXPECT_EQ(Show(ExecOf(plan).argv.at(7)), "1") << "SeccompProfile::kRootCaller";
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
  EXPECT_EQ(TerminalOf(Planned(policy).launch), Terminal::kInherit);
  policy.interactive = true;
  const Plan plan = Planned(policy);
  EXPECT_EQ(TerminalOf(plan.launch), Terminal::kPrivatePty);
}

TEST(Bubblewrap, SharedNetworkIsNamed) {
  Policy policy = PolicyOf({});
  policy.network.share_host = true;
  policy.network.egress = RuleAction::kAllow;
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
}

TEST(Bubblewrap, TooManyRepositoriesAreNamed) {
  Policy policy = PolicyOf({});
  const auto rule = [&](const std::string& path, Access access, Origin origin) {
    PathRule made;
    made.path = path;
    made.access = access;
    made.origin = origin;
    made.object = FileObject{};
    if (origin == Origin::kProtection) made.pointer = "/filesystem/protect";
    policy.paths.push_back(std::move(made));
  };
  rule("/w", Access::kReadWrite, Origin::kPolicy);
  const auto add = [&](int i) {
    const std::string git = "/w/" + std::to_string(i) + "/.git";
    policy.git.places.push_back({.path = git, .part = git});
    for (const char* name : {"/config", "/hooks"}) rule(git + name, Access::kReadOnly, Origin::kProtection);
  };
  for (int i = 0; i < 100; ++i) add(i);
  const Result<Plan> fits = PlanBubblewrap(policy, Usable());
  ASSERT_TRUE(fits.ok()) << fits.error().message;
  ASSERT_TRUE(fits->git.more_mounts);
  const std::size_t more = *fits->git.more_mounts / 4;  // two directories, two files
  for (int i = 0; i < static_cast<int>(more); ++i) add(100 + i);
  EXPECT_TRUE(PlanBubblewrap(policy, Usable()).ok());
  add(9999);
  const Result<Plan> over = PlanBubblewrap(policy, Usable());
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().pointer, "/filesystem/protect");
  EXPECT_THAT(over.error().message,
              HasSubstr("'/w' has " + std::to_string(101 + more) +
                        " git repositories ('/w/0/.git', '/w/1/.git', '/w/2/.git' and "));
  EXPECT_THAT(over.error().hint, HasSubstr("`filesystem.repositories`"));
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

}  // namespace
}  // namespace mxc::bubblewrap::bubblewrap_test
