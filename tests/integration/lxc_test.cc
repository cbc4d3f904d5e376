// Containers of LXC, as a user meets them. What they hold is asked by the tests that run with every engine.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"
#include "tests/support/listener.h"
#include "tests/support/terminal.h"

namespace mxc::test::lxc_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Lxc : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    if (!IsSkipped() && !HasLxc()) GTEST_SKIP() << kNoLxc;
  }
  [[nodiscard]] Ended RunCommand(const std::string& command) const {
    return RunConfig({.containment = "lxc", .command = command});
  }
};
MXC_FOR_EACH_CALLER(Lxc);

// What LXC says of itself is not the command's.
TEST_P(Lxc, StreamsAndStatusAreTheCommands) {
  Launch launch = PrepareConfig({.containment = "lxc", .command = "cat; echo ERR >&2; exit 7"});
  launch.input = "in\n";
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(ended.out, "in\n");
  EXPECT_EQ(ended.err, "ERR\n");
  EXPECT_EQ(RunCommand("kill -SEGV $$").status, 139);
}

TEST_P(Lxc, NothingOfTheLaunchersIsOpen) {
  EXPECT_EQ(RunCommand("ls /proc/self/fd").out, "0\n1\n2\n3\n") << "3 is the directory itself";
  EXPECT_THAT(Lines(RunCommand("env").out), Not(testing::Contains(HasSubstr("container="))));
  const Ended ended = RunCommand("tr '\\0' ' ' < /proc/1/cmdline; echo; cat /proc/1/environ");
  EXPECT_THAT(ended.out, testing::StartsWith("mxc-init"));
  EXPECT_THAT(ended.out, Not(HasSubstr("/proc/self/fd")));
  EXPECT_THAT(ended.err, HasSubstr("Permission denied"));
}

TEST_P(Lxc, TheCallerStaysWhoItIs) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended = RunConfig(
      {.containment = "lxc", .command = "touch " + granted + "/made; id -u; id -g", .read_write = {granted}});
  EXPECT_EQ(ended.out, std::to_string(uid) + "\n" + std::to_string(uid) + "\n") << ended.err;
  struct stat made {};
  ASSERT_EQ(::stat((granted + "/made").c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, uid);
  EXPECT_EQ(made.st_gid, uid);
}

TEST_P(Lxc, TheLoopbackIsItsOnlyDevice) { EXPECT_EQ(RunCommand("grep -c : /proc/net/dev").out, "1\n"); }

TEST_P(Lxc, ASharedNetworkIsShared) {
  const std::string outside = std::filesystem::read_symlink("/proc/self/ns/net").string();
  const Ended ended = RunConfig({.version = "0.7.0-alpha",
                                 .containment = "lxc",
                                 .command = "readlink /proc/self/ns/net",
                                 .network = R"({"defaultPolicy":"allow","allowLocalNetwork":true})"});
  EXPECT_EQ(ended.out, outside + "\n") << ended.err;
}

// LXC's own bind mounts leave such a mount as it is: writable.
TEST_P(Lxc, AMountBelowAReadOnlyGrantIsReadOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount something there";
  const std::string granted = workspace.Directory("ro");
  const std::string below = workspace.Directory("ro/below");
  Launch launch = PrepareConfig({.containment = "lxc",
                                 .command = "ls -d " + below + "; touch " + below + "/x",
                                 .read_only = {granted}});
  launch.before_exec = [&] {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("tmpfs", below.c_str(), "tmpfs", 0, "mode=777") == 0;
    if (!mounted) ::_exit(99);
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.out, below + "\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("Read-only file system"));
}

TEST_P(Lxc, TimeoutAndSignalsEndTheWholeTree) {
  const std::string marker = Token();
  const std::string stubborn = ": " + marker + "; trap '' TERM INT HUP; echo up; while :; do sleep 1; done";
  const Ended ended =
      RunConfig({.containment = "lxc", .command = "(" + stubborn + ") & " + stubborn, .timeout_ms = 1500});
  EXPECT_EQ(ended.status, 255);
  EXPECT_FALSE(ended.overdue);
  EXPECT_EQ(EnvelopeMessage(ended), "script timed out after 1500ms");
  EXPECT_THAT(Survivors(marker), IsEmpty());
  Running running(PrepareConfig({.containment = "lxc", .command = stubborn}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  running.Signal(SIGTERM);
  EXPECT_EQ(running.Wait().status, 143);
  EXPECT_THAT(Survivors(marker), IsEmpty());
}

TEST_P(Lxc, TheCommandMayTidyUp) {
  const std::string granted = workspace.Directory("rw");
  const Ended ended =
      RunConfig({.containment = "lxc",
                 .command = "trap 'echo x >> " + granted + "/tidy; exit 0' TERM; while :; do sleep 0.1; done",
                 .read_write = {granted},
                 .timeout_ms = 1500});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(Contents(granted + "/tidy"), "x\n");
}

// A killed launcher takes the container along: LXC has nothing running that could outlive it.
TEST_P(Lxc, AKilledLauncherLeavesNothing) {
  const std::string marker = Token();
  Running running(PrepareConfig({.containment = "lxc",
                                 .command = ": " + marker + "; echo up; sleep 1000",
                                 .more = R"("containerId":")" + marker + '"'}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  EXPECT_THAT(Survivors(marker), Not(IsEmpty())) << "lxc-start and the command";
  running.Signal(SIGKILL);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, -SIGKILL);
  EXPECT_FALSE(ended.overdue) << "somebody still holds the streams";
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
}

TEST_P(Lxc, AKilledProcessOneIsSaid) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can look into process 1";
  const std::string marker = Token();
  Running running(PrepareConfig({.containment = "lxc", .command = ": " + marker + "; echo up; sleep 1000"}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  std::vector<pid_t> shell;  // and, until it has called execve, its child
  ASSERT_TRUE(Eventually([&] { return (shell = Survivors(marker)).size() == 1; }));
  const std::string status = Contents("/proc/" + std::to_string(shell[0]) + "/status").value_or("");
  const std::size_t parent = status.find("PPid:\t");
  ASSERT_NE(parent, std::string::npos);
  const std::string init = std::to_string(std::atoi(status.c_str() + parent + 6));
  // Once the command is reported, the pipe of that report is open there, and both ends of what is discarded.
  ASSERT_TRUE(Eventually([&] { return Names("/proc/" + init + "/fd").size() == 3; }));
  ASSERT_EQ(::kill(std::atoi(init.c_str()), SIGKILL), 0);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeMessage(ended), "the sandbox was killed by signal 9 before its command ended");
}

TEST_P(Lxc, AContainerIsOneOfItsName) {
  const std::string name = Token();
  const std::string more = R"("containerId":")" + name + '"';
  const Parts parts{.containment = "lxc", .command = "echo up; cat", .more = more};
  Launch launch = PrepareConfig(parts);
  launch.input = std::string(1 << 20U, 'x');  // more than the pipes hold: it stays until it is read
  Running first(launch);
  ASSERT_TRUE(first.SaysOnStdout("up\n"));
  const Ended second = RunConfig({.containment = "lxc", .more = more});
  EXPECT_EQ(second.status, 255);
  EXPECT_EQ(At(LastLine(second.err), "/error/pointer"), "/containerId") << second.err;
  EXPECT_EQ(EnvelopeMessage(second), "a container with the name '" + name + "' is running");
  EXPECT_EQ(first.Wait().status, 0);
  EXPECT_EQ(RunConfig({.containment = "lxc", .more = more}).status, 0) << "its name is free again";
}

// Abstract names are everybody's: who has this one is said, and that it is no container.
TEST_P(Lxc, ANameThatAnotherUserHasTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "another user's process needs root";
  const std::string name = Token();
  const std::string more = R"("containerId":")" + name + '"';
  std::string socket;
  {
    Running first(PrepareConfig({.containment = "lxc", .command = "echo up; sleep 1000", .more = more}));
    ASSERT_TRUE(first.SaysOnStdout("up\n"));
    for (const std::string& line : Lines(Contents("/proc/net/unix").value_or("")))
      if (line.find("/" + name + "/command") != std::string::npos) socket = line.substr(line.find('@') + 1);
    first.Signal(SIGTERM);
    (void)first.Wait();
  }
  ASSERT_NE(socket, "");
  ASSERT_TRUE(Eventually([&] {
    return Contents("/proc/net/unix").value_or(socket).find(socket) == std::string::npos;
  })) << "it is free again";
  ASSERT_EQ(::seteuid(4711), 0);
  const Listener taken = Listener::Abstract(socket);
  ASSERT_EQ(::seteuid(0), 0);
  const Ended ended = RunConfig({.containment = "lxc", .more = more});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(At(LastLine(ended.err), "/error/pointer"), "/containerId") << ended.err;
  EXPECT_EQ(EnvelopeMessage(ended), "the name '" + name +
                                        "' is taken: a process of uid 4711, which is no container of yours, "
                                        "has LXC's socket '@" +
                                        socket + "'");
  EXPECT_THAT(ended.err, HasSubstr("use another name, or none"));
}

TEST_P(Lxc, LxcSaysWhyItFailed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can take LXC's directories away";
  Launch launch = PrepareConfig({.containment = "lxc"});
  launch.before_exec = [] {
    const bool covered = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("tmpfs", "/usr/lib/x86_64-linux-gnu/lxc", "tmpfs", 0, nullptr) == 0;
    if (!covered) ::_exit(99);
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "backend_error");
  EXPECT_THAT(EnvelopeMessage(ended), testing::MatchesRegex("LXC could not make the container: .*rootfs.*"));
  EXPECT_THAT(ended.err, Not(HasSubstr("../src/lxc")));
}

// With another file in the place of lxc-start, for this run alone.
std::function<void()> ReplaceLxc(const std::string& file) {
  return [file] {
    const bool replaced = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          ::mount(file.c_str(), "/usr/bin/lxc-start", nullptr, MS_BIND, nullptr) == 0;
    if (!replaced) ::_exit(99);
  };
}

TEST_P(Lxc, WithoutItTheUserIsToldWhatToInstall) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can hide lxc-start";
  Launch launch = PrepareConfig({.containment = "lxc"});
  launch.before_exec = ReplaceLxc("/dev/null");
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "backend_unavailable");
  EXPECT_THAT(ended.err, HasSubstr("apt-get install lxc"));
}

TEST_P(Lxc, ARunningOneIsDeletedByItsName) {
  const std::string name = Token();
  EXPECT_EQ(Execute(Prepare({"--delete", "--containername", name})).out,
            "Container '" + name + "' does not exist.\n");
  Running running(PrepareConfig({.containment = "lxc",
                                 .command = "trap '' TERM; echo up; while :; do sleep 1; done",
                                 .more = R"("containerId":")" + name + '"'}));
  ASSERT_TRUE(running.SaysOnStdout("up\n"));
  const Ended deleted = Execute(Prepare({"--delete", "--containername", name}));
  EXPECT_EQ(deleted.status, 0) << deleted.err;
  EXPECT_EQ(deleted.out, "Container '" + name + "' deleted.\n");
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, 255);
  EXPECT_FALSE(ended.overdue);
  EXPECT_EQ(Execute(Prepare({"--delete", "--containername", name})).status, 1);
}

// Whatever LXC is told elsewhere, what the plan claims is looked at in the container.
TEST_P(Lxc, ASharedNamespaceIsNoticed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can put another lxc-start in place";
  const std::string real = workspace.CopyOf("/usr/bin/lxc-start", "lxc-real");
  const std::string configuration = workspace.File("configuration", "");
  const std::string wrapper = workspace.File(
      "lxc-start",
      "#!/bin/sh\nname=$3 place=$5 file=$7\nshift 7\n/bin/sed '/flags/d; s/empty/none/' $file > " +
          configuration + "\nexec " + real + " -F -n $name -P $place -f " + configuration + " \"$@\"\n",
      0755);
  ASSERT_EQ(::chown(wrapper.c_str(), 0, 0), 0);  // a helper that others could replace is passed over
  Launch launch = PrepareConfig({.containment = "lxc", .command = "echo ran"});
  launch.before_exec = ReplaceLxc(wrapper);
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("find every namespace of the container to be new"));
}

// As LXC does by itself now and then (lxc/lxc issue 4670), before it has made anything.
TEST_P(Lxc, AnAbortOfItsOwnIsNotTheUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can put another lxc-start in place";
  const std::string real = workspace.CopyOf("/usr/bin/lxc-start", "lxc-real");
  const std::string first = workspace.Directory("mark", 0777) + "/first";
  const std::string wrapper = workspace.File(
      "lxc-start",
      "#!/bin/sh\n[ -e " + first + " ] && exec " + real + " \"$@\"\n: > " + first +
          "\necho 'free(): invalid pointer' >&2\n"
          "echo 'lxc-start: NAME: ../src/lxc/sync.c: sync_wait: 34 An error occurred' >&2\nexit 1\n",
      0755);
  ASSERT_EQ(::chown(wrapper.c_str(), 0, 0), 0);  // a helper that others could replace is passed over
  Launch launch = PrepareConfig({.containment = "lxc", .command = "echo ran"});
  launch.before_exec = ReplaceLxc(wrapper);
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "ran\n");
  EXPECT_TRUE(std::filesystem::exists(first));
}

TEST_P(Lxc, WhatFailsInsideIsSaidAsElsewhere) {
  const std::string program = workspace.File("program", "\177ELF, and no more", 0755);
  const auto message = [&](const std::string& containment) {
    const Ended ended = Execute(Prepare({"--containment", containment, "--ro", program, "--", program}));
    EXPECT_EQ(ended.status, 255);
    return EnvelopeMessage(ended);
  };
  EXPECT_THAT(message("lxc"), HasSubstr("could not execute '" + program + "'"));
  EXPECT_EQ(message("lxc"), message("namespaces"));
}

TEST_P(Lxc, ATerminalIsPrivate) {
  const Terminal terminal(uid);
  Launch launch = PrepareConfig(
      {.containment = "lxc",
       .command =
           "[ -t 0 ] && [ -t 1 ] && echo terminal; : > /dev/tty && echo controls; tty; read x; echo got-$x"});
  launch.terminal = terminal.Fd();
  Running running(launch);
  terminal.Type("word\n");
  const std::string seen = terminal.OutputUpTo("got-word");
  EXPECT_THAT(seen, HasSubstr("got-word"));
  EXPECT_THAT(seen, HasSubstr("terminal"));
  EXPECT_THAT(seen, HasSubstr("controls"));
  EXPECT_THAT(seen, HasSubstr("/dev/console"));
  EXPECT_EQ(running.Wait().status, 0);
}

}  // namespace
}  // namespace mxc::test::lxc_test
