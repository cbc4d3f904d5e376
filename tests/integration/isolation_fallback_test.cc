// Hosts that forbid part of what the engine needs: the run says how far down the isolation fallback it went.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/support/built.h"
#include "tests/support/launcher_test.h"

namespace mxc::test::isolation_fallback_test {
namespace {

using testing::HasSubstr;

// ---- hosts, made of the child before it becomes mxc-exec; 98 is a host that could not be made ----------

void Require(bool made) {
  if (!made) ::_exit(98);
}

void Install(std::span<const sock_filter> program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()),
                          const_cast<sock_filter*>(program.data())};
  Require(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  Require(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

// What the profiles of container engines do: no clone3, no namespaces, no mounts.
void RefuseNamespaces() {
  constexpr std::uint32_t kNewUser = 0x10000000;
  const sock_filter program[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone3},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SYS_unshare},
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_mount},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_fsopen},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_clone},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, 16},
      {BPF_JMP | BPF_JSET | BPF_K, 0, 1, kNewUser},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  Install(program);
}

// An old profile: namespaces, but not the newer call that makes them.
void RefuseClone3() {
  const sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                 {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clone3},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  Install(program);
}

// Podman's profile without CAP_SYS_ADMIN: namespaces and mounts, but no names.
void RefuseNames() {
  const sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                 {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_sethostname},
                                 {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_setdomainname},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  Install(program);
}

// What container engines mount over parts of /proc.
void CoverProc() {
  Require(::unshare(CLONE_NEWNS) == 0);
  Require(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  Require(::mount("/dev/null", "/proc/timer_list", nullptr, MS_BIND, nullptr) == 0);
}

void Put(const char* file, const std::string& text) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  Require(fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(fd);
}

// A user namespace of the caller's.
void EnterUserNamespace(uid_t uid) {
  if (::geteuid() != uid) Require(::setresgid(uid, uid, uid) == 0 && ::setresuid(uid, uid, uid) == 0);
  Require(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
  const std::string id = std::to_string(uid);
  const std::string group = std::to_string(::getegid());  // afterwards it is nobody's
  Require(::unshare(CLONE_NEWUSER) == 0);
  Put("/proc/self/setgroups", "deny");
  Put("/proc/self/uid_map", id + " " + id + " 1");
  Put("/proc/self/gid_map", group + " " + group + " 1");
}

// ... in which no further one may be made.
void ForbidUserNamespaces(uid_t uid) {
  EnterUserNamespace(uid);
  Put("/proc/sys/user/max_user_namespaces", "0");
}

// ... in which only so many of the others can be at a time.
void LimitNamespaces(uid_t uid, const std::string& number) {
  EnterUserNamespace(uid);
  Put("/proc/sys/user/max_mnt_namespaces", number);
  Put("/proc/sys/user/max_net_namespaces", number);
  Put("/proc/sys/user/max_ipc_namespaces", number);
}

// ---- runs ----------------------------------------------------------------------------------------------

class IsolationFallback : public LauncherTest {
 protected:
  // The outcome line of a run on such a host.
  nlohmann::json RunOn(const std::function<void()>& host, Parts parts) {
    Launch launch = PrepareConfig(parts, {"--result", workspace.Path("result")});
    launch.before_exec = host;
    ended = Execute(launch);
    const std::string lines = Contents(workspace.Path("result")).value_or("");
    const std::string last = LastLine(lines);
    return last.empty() ? nlohmann::json::object() : nlohmann::json::parse(last);
  }
  // Refused where Landlock alone is left: it cannot hold that.
  void RunWithADenialInAGrant() {
    const std::string denied = workspace.File("rw/.env", "SECRET");
    RunOn(RefuseNamespaces, {.containment = "process",
                             .command = "echo ran",
                             .read_write = {workspace.Path("rw")},
                             .denied = {denied}});
    EXPECT_EQ(ended.status, 255);
    EXPECT_EQ(ended.out, "");
  }
  Ended ended;
};
MXC_FOR_EACH_CALLER(IsolationFallback);

TEST_P(IsolationFallback, WithoutClone3NothingIsLost) {
  const nlohmann::json outcome = RunOn(RefuseClone3, {.containment = "process", .command = "exit 3"});
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_EQ(outcome["rung"], "namespaces");
  EXPECT_EQ(outcome["notCovered"], nlohmann::json::array());
}

TEST_P(IsolationFallback, AHostNameThatCannotBeSetIsNoReasonForLess) {
  const nlohmann::json outcome = RunOn(RefuseNames, {.containment = "process", .command = "hostname"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(outcome["rung"], "namespaces");
}

TEST_P(IsolationFallback, InPodmanProtectionAndHostRulesHold) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can cover parts of /proc";
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/.git/HEAD", "ref: refs/heads/main\n");
  workspace.File("rw/.git/config", "");
  const auto podman = [] {
    CoverProc();
    RefuseNames();
  };
  const nlohmann::json outcome =
      RunOn(podman, {.containment = "process",
                     .command = "echo new > " + rw + "/file; echo x > " + rw + "/.git/config || echo held",
                     .read_write = {rw},
                     .network = R"({"egress":{"allow":[{"to":[{"cidr":"192.0.2.1/32"}]}]}})"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "held\n");
  EXPECT_EQ(outcome["rung"], "namespaces-outer-proc");
}

TEST_P(IsolationFallback, WithoutNamespacesLandlockHolds) {
  const std::string secret = workspace.File("unlisted", "SECRET");
  const std::string rw = workspace.Directory("rw");
  const nlohmann::json outcome =
      RunOn(RefuseNamespaces, {.containment = "process",
                               .command = "cat " + secret + " || echo inside > " + rw + "/file",
                               .read_write = {rw}});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("mxc-exec: warning: there are no namespaces here"));
  EXPECT_EQ(Contents(rw + "/file"), "inside\n");
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(outcome["rung"], "landlock");
  EXPECT_EQ(outcome["backend"], "landlock");
  EXPECT_EQ(outcome["tier"], "process");
  EXPECT_FALSE(outcome["notCovered"].empty());
  EXPECT_EQ(outcome["ledger"].size(), 4U) << outcome;
  for (const auto& entry : outcome["ledger"]) EXPECT_EQ(entry["strength"], "kernel");
}

TEST_P(IsolationFallback, ANamedContainmentIsNotLeft) {
  RunOn(RefuseNamespaces, {.containment = "namespaces", .command = "echo ran"});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(EnvelopeMessage(ended), "could not create the namespaces: Operation not permitted");
}

TEST_P(IsolationFallback, MinimumTierIsNotUndercut) {
  RunOn(RefuseNamespaces,
        {.containment = "process", .command = "echo ran", .more = R"("minimumTier":"container")"});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("below the 'container' that minimumTier asks for"));
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("could not create the namespaces"));
}

TEST_P(IsolationFallback, WhatLandlockCannotHoldIsRefused) {
  RunWithADenialInAGrant();
  EXPECT_THAT(ended.err, HasSubstr("/filesystem/deniedPaths/0"));
}

TEST_P(IsolationFallback, ARepositoryIsPutBackWhereLandlockAloneStands) {
  const std::string rw = workspace.Directory("rw");
  const std::string config = workspace.File("rw/.git/config", "[core]\n");
  RunOn(RefuseNamespaces,
        {.containment = "process",
         .command = "cd " + rw + " && mkdir new && echo x >.git/index && echo y >>.git/config",
         .read_write = {rw}});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Contents(config), "[core]\n");
  EXPECT_TRUE(Exists(rw + "/new"));
  EXPECT_TRUE(Exists(rw + "/.git/index"));
}

// One place decides why the kernel refused, for runs and for --probe.
TEST_P(IsolationFallback, ARefusalNamesWhatRefused) {
  RunWithADenialInAGrant();
  EXPECT_THAT(ended.err, HasSubstr("could not create the namespaces"));
  EXPECT_THAT(ended.err, HasSubstr("grant the directories beside it"));
  EXPECT_THAT(ended.err, HasSubstr("clone, unshare, mount"));
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("apparmor")));
}

TEST_P(IsolationFallback, UserNamespacesThatAreSwitchedOffAreSeenBefore) {
  const uid_t caller = uid;
  Launch launch = PrepareConfig({.containment = "process", .command = "echo ran"},
                                {"--result", workspace.Path("result")});
  launch.before_exec = [caller] { ForbidUserNamespaces(caller); };
  ended = Execute(launch);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "ran\n");
  const std::vector<std::string> events = Lines(Contents(workspace.Path("result")).value_or(""));
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(nlohmann::json::parse(events.front())["backend"], "landlock");
}

// A run does not wait until the kernel has taken its namespaces apart, and leaves none for good.
TEST_P(IsolationFallback, NamespacesAreGivenBack) {
  const uid_t caller = uid;
  Launch launch = PrepareConfig({.containment = "namespaces", .command = "true"});
  const std::string loop = "for run in $(seq 120); do \"$@\" || exit; done";
  launch.arguments.insert(launch.arguments.begin(), {"-c", loop, "sh", launch.program});
  launch.program = "/bin/sh";
  launch.before_exec = [caller] { LimitNamespaces(caller, "40"); };
  ended = Execute(launch);
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST_P(IsolationFallback, ACoveredProcLeavesTheOuterOne) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can cover parts of /proc";
  const std::string own = std::to_string(::getpid());
  const nlohmann::json outcome =
      RunOn(CoverProc, {.containment = "process",
                        .command = "cat /proc/" + own +
                                   "/cmdline /proc/self/status 2>/dev/null | wc -c; "
                                   "grep -c MemTotal /proc/meminfo; bash -c 'cat <(echo out)'; kill -0 " +
                                   own + " 2>/dev/null || echo gone; ls / >/dev/null && echo listed"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "0\n1\nout\ngone\nlisted\n");
  EXPECT_EQ(outcome["rung"], "namespaces-outer-proc");
  EXPECT_EQ(outcome["tier"], "container");
  EXPECT_EQ(outcome["notCovered"].size(), 1U);
  // Of its own process the command sees what there is.
  RunOn(CoverProc, {.containment = "process", .command = "exec grep -c CapEff /proc/self/status"});
  EXPECT_EQ(ended.out, "1\n") << ended.err;
}

// mxc-exec inside mxc-exec inside mxc-exec: each holds within what the one around it leaves.
TEST_P(IsolationFallback, ThreeDeep) {
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
  const std::string open = workspace.File("open", "OPEN");
  const std::string middle = workspace.File("middle", "MIDDLE");
  const auto config = [](const std::string& command, const std::vector<std::string>& paths) {
    return ConfigText({.containment = "process", .command = command, .read_only = paths});
  };
  const std::string third = workspace.File("3.json", config("cat " + open + "; cat " + middle, {open}));
  const std::string second = workspace.File(
      "2.json", config("cat " + middle + "; " + program + " " + third, {program, third, open, middle}));
  const Ended run = RunConfig({.containment = "process",
                               .command = program + " " + second,
                               .read_only = {program, second, third, open, middle}});
  EXPECT_EQ(run.out, "MIDDLEOPEN") << run.err;
  EXPECT_NE(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("middle: Permission denied"));
}

TEST_P(IsolationFallback, TheProbeSaysHowFarAndWhy) {
  Launch launch = Prepare({"--probe"});
  launch.before_exec = RefuseNamespaces;
  const Ended probe = Execute(launch);
  ASSERT_EQ(probe.status, 0) << probe.err;
  const nlohmann::json backends = nlohmann::json::parse(probe.out)["backends"];
  const auto named = [&](const char* name) {
    for (const auto& backend : backends) {
      if (backend["backend"] == name) return backend;
    }
    return nlohmann::json::object();
  };
  EXPECT_EQ(named("landlock")["rung"], "landlock") << backends;
  EXPECT_EQ(named("namespaces")["usable"], false) << backends;
  EXPECT_THAT(named("namespaces")["reason"], HasSubstr("could not create the namespaces"));
  EXPECT_THAT(named("namespaces")["remedy"], HasSubstr("a profile that allows clone, unshare, mount"));
}

TEST_P(IsolationFallback, AnExplanationIsOfThePlanThatWouldRun) {
  Launch launch = PrepareConfig({.containment = "process"}, {"--explain"});
  launch.before_exec = RefuseNamespaces;
  const Ended explained = Execute(launch);
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("containment   landlock (tier process)"));
  EXPECT_THAT(explained.out, HasSubstr("not covered\n"));
}

}  // namespace
}  // namespace mxc::test::isolation_fallback_test
