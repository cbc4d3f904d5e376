// The last isolation level: what Landlock and seccomp alone must hold.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/runtime_places.h"
#include "tests/containment/containment.h"
#include "tests/support/listener.h"

namespace mxc::test::landlock_test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LandlockAlone : public ContainmentTest {
 protected:
  std::vector<std::string> TryAlone(Parts policy, const std::vector<Words>& operations) {
    policy.containment = "landlock";
    return Try(std::move(policy), operations);
  }
};
MXC_FOR_EACH_CALLER(LandlockAlone);

TEST_P(LandlockAlone, ReadsWhatIsGrantedAndNothingBesideIt) {
  const std::string file = workspace.File("ro/file", "READABLE");
  const std::string single = workspace.File("dir/one", "ONE");
  EXPECT_THAT(TryAlone({.read_only = {workspace.Path("ro"), single}}, {{"read", file},
                                                                       {"list", workspace.Path("ro")},
                                                                       {"read", single},
                                                                       {"read", Secret("unlisted/file")},
                                                                       {"list", workspace.Path("unlisted")},
                                                                       {"read", Secret("dir/two")}}),
              ElementsAre("READABLE", "file", "ONE", "EACCES", "EACCES", "EACCES"));
}

TEST_P(LandlockAlone, DeniedPartsOfAReadOnlyGrant) {
  const std::string ro = workspace.Path("ro");
  const std::string file = Secret("ro/a/file");
  const std::string inner = Secret("ro/a/dir/inner");
  const std::string open = workspace.File("ro/a/dir/open/file", "OPEN");
  workspace.File("ro/a/sibling", "OK");
  workspace.Link("ro/link", "a/file");
  EXPECT_THAT(TryAlone({.read_only = {ro, ro + "/a/dir/open"}, .denied = {file, ro + "/a/dir"}},
                       {{"read", file},
                        {"read", inner},
                        {"list", ro + "/a/dir"},
                        {"read", ro + "/link"},
                        {"read", ro + "/a/sibling"},
                        {"read", open}}),
              ElementsAre("EACCES", "EACCES", "EACCES", "EACCES", "OK", "OPEN"));
}

TEST_P(LandlockAlone, AReadWriteGrantReachesTheHost) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(TryAlone({.read_write = {rw}}, {{"write", rw + "/a", "text"},
                                              {"mkdir", rw + "/d"},
                                              {"rename", rw + "/a", rw + "/d/b"},
                                              {"symlink", "d/b", rw + "/l"}}),
              Each("ok"));
  EXPECT_EQ(Contents(rw + "/l"), "text");
}

TEST_P(LandlockAlone, NothingElseIsWritten) {
  const std::string ro = workspace.Directory("ro");
  const std::string file = workspace.File("ro/file", "KEEP");
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/evil", "EVIL");
  const std::string outside = workspace.File("outside/file", "KEEP", 0666);
  EXPECT_THAT(TryAlone({.read_only = {ro}, .read_write = {rw}}, {{"write", ro + "/new", "x"},
                                                                 {"write", file, "x"},
                                                                 {"truncate", file},
                                                                 {"opentrunc", file},
                                                                 {"reopen", file},
                                                                 {"map", file},
                                                                 {"unlink", file},
                                                                 {"mkdir", ro + "/d"},
                                                                 {"symlink", "x", ro + "/l"},
                                                                 {"rename", file, ro + "/other"},
                                                                 {"rename", file, rw + "/stolen"},
                                                                 {"link", file, rw + "/alias"},
                                                                 {"rename", rw + "/evil", file},
                                                                 {"exchange", rw + "/evil", file},
                                                                 {"write", outside, "x"},
                                                                 {"truncate", outside},
                                                                 {"opentrunc", outside},
                                                                 {"unlink", outside}}),
              Not(Contains("ok")));
  EXPECT_EQ(Contents(file), "KEEP");
  EXPECT_EQ(Contents(outside), "KEEP");
  EXPECT_THAT(Names(ro), ElementsAre("file"));
  EXPECT_THAT(Names(rw), ElementsAre("evil"));
}

TEST_P(LandlockAlone, PlacesEverybodySharesStayAsTheyAre) {
  std::vector<Words> operations;
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/usr/bin", "/root", ""})
    operations.push_back({"write", directory + ("/mxc-" + token), "x"});
  EXPECT_THAT(TryAlone({}, operations), Not(Contains("ok")));
  for (const Words& words : operations) EXPECT_FALSE(Exists(words[1])) << words[1];
}

TEST_P(LandlockAlone, SecretsOfTheSystem) {
  EXPECT_THAT(TryAlone({}, {{"read", "/etc/shadow"}, {"list", "/root"}, {"read", "/etc/passwd"}}),
              ElementsAre("EACCES", "EACCES", HasSubstr("root:")));
}

TEST_P(LandlockAlone, OtherProcessesCannotBeRead) {
  const std::string own = "/proc/" + std::to_string(::getpid());
  EXPECT_THAT(TryAlone({}, {{"list", "/proc"},
                            {"read", own + "/cmdline"},
                            {"read", own + "/environ"},
                            {"read", own + "/status"},
                            {"list", own + "/fd"},
                            {"read", own + "/root/etc/hostname"},
                            {"read", "/proc/1/cmdline"}}),
              Each("EACCES"));
  EXPECT_THAT(TryAlone({}, {{"read", "/proc/meminfo"}}), ElementsAre(HasSubstr("MemTotal")));
}

TEST_P(LandlockAlone, SignalsAndLimitsDoNotReachTheHost) {
  Running neighbour({.program = "/bin/sh", .arguments = {"-c", "echo up; sleep 300"}, .uid = uid});
  ASSERT_TRUE(neighbour.SaysOnStdout("up"));
  const std::string pid = std::to_string(neighbour.Pid());
  EXPECT_THAT(TryAlone({}, {{"kill", pid, "15"},
                            {"syscall", std::to_string(SYS_prlimit64), pid, "7", "z:16", "0"},
                            {"syscall", std::to_string(SYS_ptrace), "16", pid, "0", "0"}}),
              Each("EPERM"));
  EXPECT_EQ(::kill(neighbour.Pid(), 0), 0);
}

TEST_P(LandlockAlone, NoSocketLeadsOut) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  const Listener udp = Listener::Udp("127.0.0.1");
  workspace.Directory("ro", 0777);
  const Listener socket = Listener::Unix(workspace.Path("ro/socket"));
  const std::string name = "mxc-" + Token();
  const Listener abstract = Listener::Abstract(name);
  EXPECT_THAT(TryAlone({.read_only = {workspace.Path("ro")}},
                       {{"connect", "tcp", "127.0.0.1", tcp.Port(), "x"},
                        {"connect", "udp", "127.0.0.1", udp.Port(), "x"},
                        {"connect", "unix", workspace.Path("ro/socket"), "0", "x"},
                        {"connect", "abstract", name, "0", "x"},
                        {"syscall", std::to_string(SYS_socket), "16", "3", "0"}}),
              Each("EAFNOSUPPORT"));
  EXPECT_FALSE(tcp.WasReached() || udp.WasReached() || socket.WasReached() || abstract.WasReached());
}

TEST_P(LandlockAlone, ASharedNetworkBringsNoUnixSockets) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  workspace.Directory("ro", 0777);
  const Listener socket = Listener::Unix(workspace.Path("ro/socket"));
  const auto answers = TryAlone({.version = "0.6.0-alpha",
                                 .read_only = {workspace.Path("ro")},
                                 .network = R"({"defaultPolicy":"allow","allowLocalNetwork":true})"},
                                {{"connect", "tcp", "127.0.0.1", tcp.Port(), "x"},
                                 {"connect", "unix", workspace.Path("ro/socket"), "0", "x"}});
  EXPECT_TRUE(tcp.WasReached());
  EXPECT_EQ(answers[1], "EAFNOSUPPORT");
}

// One of a pair of datagram sockets would send to any daemon's socket by its path.
TEST_P(LandlockAlone, PairsOfSocketsLeadNowhereElse) {
  const auto pair = [](const char* type) {
    return Words{"syscall", std::to_string(SYS_socketpair), "1", type, "0", "z:8"};
  };
  EXPECT_THAT(TryAlone({}, {pair("2"), pair("0x80002"), pair("3"), pair("1"), pair("5")}),
              ElementsAre("EPERM", "EPERM", "EPERM", "ok", "ok"));
}

TEST_P(LandlockAlone, SystemVObjectsAndQueuesAreShut) {
  EXPECT_THAT(TryAlone({}, {{"syscall", std::to_string(SYS_shmget), "0", "4096", "0x3ff"},
                            {"syscall", std::to_string(SYS_semget), "0", "1", "0x3ff"},
                            {"syscall", std::to_string(SYS_msgget), "0", "0x3ff"},
                            {"syscall", std::to_string(SYS_mq_open), "s:x", "0x42", "0x1ff", "0"}}),
              Each("ENOSYS"));
}

TEST_P(LandlockAlone, TheKernelsSurfaceIsThatOfTheOtherRungs) {
  EXPECT_THAT(
      TryAlone({}, {{"syscall", std::to_string(SYS_mount), "s:none", "s:/tmp", "s:no-such-fs", "0", "0"},
                    {"syscall", std::to_string(SYS_unshare), "0x10000000"},
                    {"syscall", std::to_string(SYS_bpf), "0", "z:72", "72"},
                    {"syscall", std::to_string(SYS_keyctl), "0", "-3", "0"},
                    {"syscall", std::to_string(SYS_chroot), "s:/tmp"}}),
      Each("EPERM"));
  // SIGSEGV: of a kernel without the 32-bit entry.
  EXPECT_THAT(TryAlone({}, {{"int80"}, {"x32"}}), ElementsAre(AnyOf("SIGSYS", "SIGSEGV"), "ENOSYS"));
}

// Capabilities would show at once: another user's file, another user's identity.
TEST_P(LandlockAlone, NoCapabilityIsLeft) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  const std::string file = workspace.File("ro/file", "PRIVATE", 0600);
  ASSERT_EQ(::chown(file.c_str(), 54321, 54321), 0);
  // Nobody but root could resolve a grant of the file itself; the directory is granted.
  EXPECT_THAT(TryAlone({.read_only = {workspace.Path("ro")}},
                       {{"read", file}, {"syscall", std::to_string(SYS_setuid), "12345"}}),
              ElementsAre("EACCES", "EPERM"));
}

TEST_P(LandlockAlone, ADaemonEndsWithTheCommand) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(TryAlone({.read_write = {rw}}, {{"daemon", rw + "/lock"}}), ElementsAre("ok"));
  EXPECT_FALSE(IsLocked(rw + "/lock"));
}

TEST_P(LandlockAlone, ADaemonEndsAtTheTimeout) {
  const std::string rw = workspace.Directory("rw");
  const Ended ended =
      Execute(PrepareGuest({.containment = "landlock", .read_write = {rw}, .timeout_ms = 1500},
                           {{"daemon", rw + "/lock"}, {"wait"}}));
  EXPECT_EQ(ended.status, 255) << ended.err;
  EXPECT_EQ(ended.out, "ok\n");
  EXPECT_FALSE(IsLocked(rw + "/lock"));
}

TEST_P(LandlockAlone, NothingOutlivesTheLauncher) {
  const std::string rw = workspace.Directory("rw");
  for (const int number : {SIGTERM, SIGKILL}) {
    Running running(PrepareConfig(
        {.containment = "landlock",
         .command = "echo $TMPDIR >" + rw + "/named; exec " + guest + " daemon " + rw + "/lock ';' wait",
         .read_only = {guest},
         .read_write = {rw}}));
    ASSERT_TRUE(running.SaysOnStdout("ok\n"));
    ASSERT_TRUE(IsLocked(rw + "/lock"));
    const std::string temp = Lines(Contents(rw + "/named").value_or("")).at(0);
    EXPECT_TRUE(Exists(temp + "/home"));
    running.Signal(number);
    EXPECT_FALSE(running.Wait().overdue);
    EXPECT_TRUE(Eventually([&] { return !IsLocked(rw + "/lock"); })) << number;
    EXPECT_TRUE(Eventually([&] { return !Exists(temp); })) << number;
  }
}

// Init reaps no faster than they come: it must look at its orders all the same.
TEST_P(LandlockAlone, ProcessesThatForkAndExitForEverEndInTime) {
  if (uid == 0) GTEST_SKIP() << "no limit of processes holds for root";
  const std::string rw = workspace.Directory("rw");
  for (const bool killed : {false, true}) {
    Parts policy{.containment = "landlock", .read_write = {rw}};
    if (!killed) policy.timeout_ms = 1500;
    Launch launch =
        PrepareGuest(std::move(policy), {{"daemon", rw + "/lock"}, {"chains", "100", "200"}, {"wait"}});
    launch.deadline = std::chrono::seconds(120);
    Running running(launch);
    ASSERT_TRUE(running.SaysOnStdout("ok\nok\n"));
    if (killed) running.Signal(SIGKILL);
    EXPECT_FALSE(running.Wait().overdue) << (killed ? "killed" : "time-out");
    EXPECT_TRUE(Eventually([&] { return !IsLocked(rw + "/lock"); })) << (killed ? "killed" : "time-out");
  }
}

TEST_P(LandlockAlone, TheTemporaryDirectoryIsPrivateAndRemoved) {
  Launch launch = PrepareConfig({.containment = "landlock",
                                 .command = "stat -c %a $TMPDIR; cd && pwd; mktemp >/dev/null; "
                                            "mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a"});
  launch.environment.push_back("TMPDIR=" + workspace.Directory("temp"));
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::vector<std::string> lines = Lines(ended.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "700");
  EXPECT_THAT(lines[1], testing::StartsWith(TempPlaceIn("/var/tmp", uid) + "/mxc-"))
      << "whatever TMPDIR says";
  EXPECT_FALSE(Exists(lines[1]));
  EXPECT_FALSE(Exists(lines[1].substr(0, lines[1].rfind('/'))));
}

// It has no other directory to write to.
TEST_P(LandlockAlone, ARunInsideHasItsTemporaryDirectoryInThatOfTheRunAround) {
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
  const auto inside = [&](const std::string& granted, const std::string& command) {
    return R"(printf '{"version":"1.0.0","containment":"landlock","process":{"commandLine":")" + command +
           R"("},"filesystem":{"protect":[],"readwritePaths":[%s]}}' )" + granted + " | " + program + " -; ";
  };
  const Ended ended = RunConfig(
      {.containment = "landlock",
       .command = "echo $TMPDIR; mkdir w; " + inside("''", "echo $TMPDIR; echo x >$TMPDIR/x; cat ~/../x") +
                  inside(R"("\"$TMPDIR/w\"")", "cd ${TMPDIR%%/mxc-exec-temp-*}/w; echo y >y; cat y") +
                  inside(R"("\"$TMPDIR\"")", "true") + "ls",
       .read_only = {workspace.Path("bin")},
       .cwd = "/tmp"});
  const std::vector<std::string> lines = Lines(ended.out);
  ASSERT_EQ(lines.size(), 7U) << ended.out << ended.err;
  EXPECT_THAT(lines[1], testing::StartsWith(lines[0] + "/mxc-exec-temp-"));
  EXPECT_THAT(lines,
              ElementsAre(lines[0], lines[1], "x", "y", "home", "mxc-exec-temp-" + std::to_string(uid), "w"));
  EXPECT_THAT(ended.err,
              HasSubstr("/mxc-exec-temp-" + std::to_string(uid) + "' cannot be denied below the read-write"));
}

// ... but what is granted below /tmp is the host's, and the usual place of a checkout that a test makes.
TEST_P(LandlockAlone, AGrantBelowTmpStaysWhereItIs) {
  std::string granted = "/tmp/mxc-grant-XXXXXX";
  ASSERT_NE(::mkdtemp(granted.data()), nullptr);
  ASSERT_EQ(::chmod(granted.c_str(), 0777), 0);
  const Ended ended = Execute(PrepareConfig({.containment = "landlock",
                                             .command = "pwd; echo $PLACE; echo $TMPDIR; echo x >made",
                                             .read_write = {granted},
                                             .environment = {{"PLACE=" + granted + "/made"}},
                                             .cwd = granted}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(Lines(ended.out), ElementsAre(granted, granted + "/made", Not(HasSubstr("grant"))));
  EXPECT_EQ(Contents(granted + "/made"), "x\n");
  std::filesystem::remove_all(granted);
}

// What a run keeps in HOME and TMPDIR on the host's disk: every other run denies it, whatever is granted
// around.
class NeighboursOfLandlock : public LandlockAlone {
 protected:
  // A run that has a secret in its HOME, and stays.
  void SetUp() override {
    LandlockAlone::SetUp();
    if (IsSkipped()) return;
    const std::string rw = workspace.Directory("rw");
    const std::string secret = Secret("ro/secret");
    owner_.emplace(PrepareConfig({.containment = "landlock",
                                  .command = "cp " + secret + " ~/kept && cat ~/kept && echo $TMPDIR >" + rw +
                                             "/named && echo up && exec sleep 300",
                                  .read_only = {workspace.Path("ro")},
                                  .read_write = {rw}}));
    ASSERT_TRUE(owner_->SaysOnStdout("up"));
    temp_ = Lines(Contents(rw + "/named").value_or("")).at(0);
    ASSERT_EQ(Contents(temp_ + "/home/kept"), token);
  }

  [[nodiscard]] std::string Place() const { return TempPlaceIn("/var/tmp", uid); }
  [[nodiscard]] std::vector<Words> Attempts() const {
    const std::string place = Place();
    return {{"read", temp_ + "/home/kept"},  {"write", temp_ + "/home/kept", "EVIL"},
            {"write", temp_ + "/evil", "x"}, {"list", temp_ + "/home"},
            {"rename", temp_, place + "/x"}, {"rename", place, place + "-moved"},
            {"mkdir", place + "/mxc-made"},  {"unlink", temp_ + "/home/kept"}};
  }
  void ExpectUntouched() const {
    EXPECT_EQ(Contents(temp_ + "/home/kept"), token);
    EXPECT_THAT(Names(temp_), ElementsAre("home"));
  }

  std::string temp_ = {};
  std::optional<Running> owner_ = {};
};
MXC_FOR_EACH_CALLER(NeighboursOfLandlock);

TEST_P(NeighboursOfLandlock, ReachNothingWithMounts) {
  for (const char* containment : Engines()) {
    for (const char* granted : {"/tmp", "/var/tmp", "/var"}) {
      if (uid != 0 && granted == std::string("/var")) continue;
      EXPECT_THAT(Try({.containment = containment, .read_write = {granted}, .filesystem = R"("protect":[])"},
                      Attempts()),
                  Not(AnyOf(Contains("ok"), Contains(HasSubstr("kept")))))
          << containment << " " << granted;
      ExpectUntouched();
    }
  }
}

TEST_P(NeighboursOfLandlock, ReachNothingWithLandlockAlone) {
  for (const char* granted : {"/tmp", "/var/tmp", "/var", "/"}) {
    const auto answers =
        TryAlone({.read_only = {granted}}, {Attempts().front(), {"write", temp_ + "/evil", "x"}});
    EXPECT_THAT(answers, Each("EACCES")) << granted;
  }
  for (const char* granted : {"/var/tmp", "/var"}) {
    if (uid != 0 && granted == std::string("/var")) continue;
    const Ended ended =
        RunConfig({.containment = "landlock", .read_write = {granted}, .filesystem = R"("protect":[])"});
    EXPECT_EQ(EnvelopeMessage(ended),
              "'" + Place() + "' cannot be denied below the read-write '/var/tmp' without a mount namespace");
  }
  ExpectUntouched();
}

TEST_P(NeighboursOfLandlock, ADirectoryOfARunIsNoGrant) {
  for (const char* containment : {"namespaces", "bubblewrap", "landlock"}) {
    for (const bool writable : {false, true}) {
      Parts policy{.containment = containment};
      (writable ? policy.read_write : policy.read_only) = {temp_};
      const Ended ended = RunConfig(policy);
      EXPECT_EQ(EnvelopeMessage(ended), "'" + temp_ + "': what mxc-exec keeps of sandboxes in '" + Place() +
                                            "' never appears inside");
    }
  }
}

// Another run, and --reap, take away what a killed one left, and nothing of one that goes on, whatever mode
// its command gave the directory.
TEST_P(NeighboursOfLandlock, ARunThatGoesOnIsNotSwept) {
  for (const mode_t mode : {0700U, 0U}) {
    ASSERT_EQ(::chmod(temp_.c_str(), mode), 0);
    ASSERT_EQ(RunConfig({.containment = "landlock"}).status, 0);
    ASSERT_EQ(Execute(Prepare({"--reap"})).status, 0);
    struct stat status {};
    ASSERT_EQ(::stat(temp_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, mode);
  }
  ASSERT_EQ(::chmod(temp_.c_str(), 0700), 0);
  ExpectUntouched();
}

TEST_P(NeighboursOfLandlock, WhatAKilledRunLeftIsSwept) {
  const bool asked = uid == 0;
  const std::string id = std::to_string(owner_->Pid());
  pid_t init = 0;
  std::istringstream children(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
  for (pid_t child = 0; children >> child;) {
    if (Contents("/proc/" + std::to_string(child) + "/cmdline").value_or("").starts_with("mxc-init"))
      init = child;
  }
  ASSERT_GT(init, 0);
  const std::string init_id = std::to_string(init);
  pid_t command = 0;
  std::istringstream(Contents("/proc/" + init_id + "/task/" + init_id + "/children").value_or("")) >> command;
  ASSERT_GT(command, 0);
  ASSERT_EQ(::kill(init, SIGSTOP), 0);  // it would end the run
  owner_->Signal(SIGKILL);
  ASSERT_EQ(::kill(init, SIGKILL) + ::kill(command, SIGKILL), 0);
  EXPECT_EQ(owner_->Wait().status, -SIGKILL);
  ASSERT_EQ(Contents(temp_ + "/home/kept"), token);
  const Ended next = asked ? Execute(Prepare({"--reap"})) : RunConfig({.containment = "landlock"});
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_FALSE(std::filesystem::exists(temp_));
  if (asked) {
    EXPECT_THAT(next.err, HasSubstr("temporary directories of killed runs removed: "));
  }
}

TEST_P(LandlockAlone, NoFlagsThatOutlastTheRun) {
  const std::optional<int> flags = FlagsThatCanBeSet("landlock");
  if (!flags) GTEST_SKIP() << kNoFlags;
  EXPECT_EQ(flags, 0);
}

}  // namespace
}  // namespace mxc::test::landlock_test
