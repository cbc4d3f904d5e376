// What a command meets in a persistent sandbox: the same as in a run of its own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/lifecycle_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::lifecycle_command_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class LifecycleCommand : public LifecycleTest {
 protected:
  // What `command` prints on a terminal.
  [[nodiscard]] std::string InATerminal(const std::string& id, const std::string& command) const {
    const Terminal terminal(uid);
    Launch launch = ExecOf(id, command + "; echo END");
    launch.terminal = terminal.Fd();
    Running running(launch);
    const std::string seen = terminal.OutputUpTo("END");
    EXPECT_EQ(running.Wait().status, 0) << command;
    return seen.substr(0, seen.find("END"));
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleCommand);

TEST_P(LifecycleCommand, CommandsHaveTheirOwnEnvironmentDirectoryAndInput) {
  const std::string work = workspace.Directory("work");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  EXPECT_EQ(Exec(id, "/usr/bin/env", R"(,"env":["A=1","B=x y"])").out.find("HOME"), std::string::npos);
  EXPECT_THAT(Exec(id, "env").out, HasSubstr("PATH=/usr/local/sbin"));
  EXPECT_EQ(Exec(id, "pwd", ",\"cwd\":" + Quote(work)).out, work + "\n");
  const Ended nowhere = Exec(id, "pwd", R"(,"cwd":"/nowhere")");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(At(nowhere.out, "/error/message"), HasSubstr("/nowhere"));
  Launch fed = ExecOf(id, "cat");
  fed.input = "some input";
  EXPECT_EQ(Execute(fed).out, "some input");
  const Ended missing = Execute(Phase("exec", id, R"(,"process":{"argv":["no-such-program"]})"));
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(At(missing.out, "/error/message"), HasSubstr("no-such-program"));
  for (const std::size_t length : {5000U, 9000U, 100000U})
    EXPECT_EQ(Exec(id, "echo " + std::string(length, 'x') + " | wc -c").out,
              std::to_string(length + 1) + "\n");
  Launch apart = Phase("exec", id, R"(,"process":{"commandLine":"false"})");
  for (const char* word : {"--", "echo", "apart"}) apart.arguments.emplace_back(word);
  EXPECT_EQ(Execute(apart).out, "apart\n");
}

TEST_P(LifecycleCommand, AFullTmpIsTold) {
  if (GetParam().containment == "bubblewrap") GTEST_SKIP() << "bwrap does not tell how full it is";
  const std::string id = Started(R"("resources":{"tmpMb":2})");
  EXPECT_THAT(Exec(id, "head -c 4000000 /dev/zero >/tmp/f").err,
              HasSubstr("/tmp is full, which holds 2 MiB"));
  EXPECT_EQ(Exec(id, "rm /tmp/f").err, "");
}

TEST_P(LifecycleCommand, AMovedDirectoryIsTold) {
  const std::string work = workspace.Directory("work");
  const std::string here = workspace.Directory("work/a/b");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  Launch moves = ExecOf(id, "mv " + here + " " + work + "/b");
  moves.cwd = here;
  EXPECT_THAT(Execute(moves).err, HasSubstr("'" + here + "' was moved to '" + work + "/b'"));
}

TEST_P(LifecycleCommand, AHeldConfigurationIsExplained) {
  const std::string work = workspace.Directory("work");
  for (const char* name : {"config", "HEAD", "objects/x", "refs/x"})
    workspace.File("work/.git/" + std::string(name), "");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  const Ended tried =
      Exec(id, "cd " + work + "/.git; : >config.lock; mv -f config.lock config; rm -f config.lock");
  EXPECT_THAT(tried.err, HasSubstr("git could not write '" + work + "/.git/config': `protect` holds it"));
  EXPECT_THAT(tried.err,
              HasSubstr("run git outside of this sandbox, in a run with --protect git=allow-safe"));
  EXPECT_EQ(Exec(id, "cat " + work + "/.git/config").err, "");
  EXPECT_THAT(Exec(id, "rm -rf " + work + "/.git").err, HasSubstr("holds the rest: '" + work + "/.git'"));
}

// As clients of Microsoft's program for Windows name them.
TEST_P(LifecycleCommand, PhaseAndSandboxMayBeFlags) {
  const std::string id = Provision();
  const auto call = [&](const std::string& phase, const std::vector<std::string>& more = {}) {
    Launch launch = Phase(phase, id);
    launch.arguments = {"--operation", phase, "--container-id", id};
    launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
    return Execute(launch);
  };
  EXPECT_EQ(call("start").out, "{\"result\":{}}\n");
  EXPECT_EQ(call("exec", {"--", "echo", "a b"}).out, "a b\n");
  EXPECT_EQ(call("exec", {"--", "sh", "-c", "exit 7"}).status, 7);
  Launch mixed = ExecOf(id, "echo mixed");
  mixed.arguments.insert(mixed.arguments.begin(), {"--operation", "exec"});
  EXPECT_EQ(Execute(mixed).out, "mixed\n");
  mixed.arguments[1] = "stop";
  const Ended contradiction = Execute(mixed);
  EXPECT_EQ(contradiction.status, 2);
  EXPECT_THAT(contradiction.err, HasSubstr("another `phase` than the flag"));
  EXPECT_EQ(call("stop").out, "{\"result\":{}}\n");
  EXPECT_EQ(call("deprovision").out, "{\"result\":{}}\n");
}

// The connection to the daemon must not become one of the streams that are closed.
TEST_P(LifecycleCommand, CallersWithoutStandardStreamsGetTheStatus) {
  const std::string id = Started();
  Launch launch = ExecOf(id, "exit 5");
  launch.deadline = std::chrono::seconds(60);
  for (int closed = 1; closed < 8; ++closed) {
    launch.before_exec = [closed] {
      for (int fd = 0; fd < 3; ++fd) {
        if ((closed >> fd & 1) != 0) ::close(fd);
      }
    };
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Execute(launch).status, 5) << closed;
  }
}

TEST_P(LifecycleCommand, OutputMayBeOpenedAgain) {
  const std::string id = Started();
  const std::string file = workspace.File("out", "");
  const std::string request = ExecOf(id, "echo x > /dev/stdout; echo y > /dev/stderr").arguments.back();
  const std::string program = Prepare({}).program;
  const Ended ended =
      Execute({.program = "/bin/sh",
               .arguments = {"-c", "'" + program + "' --config " + request + " > " + file + " 2>&1"},
               .uid = uid});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(Contents(file), "x\ny\n");
}

TEST_P(LifecycleCommand, TheNullDeviceOfItsOwnerIsTheSandboxsOwn) {
  if (uid != 0) GTEST_SKIP() << "the caller does not own the device";
  const std::string id = Started();
  const UniqueFd null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  Launch launch = ExecOf(id, "exec 7<>/dev/null; cd /proc/self/fdinfo; grep -h mnt_id 0 7 | uniq | wc -l");
  launch.files = {{.borrowed_fd = null.Get(), .number = 0}};
  EXPECT_EQ(Execute(launch).out, "1\n");
}

TEST_P(LifecycleCommand, CommandsAreConfinedLikeThoseOfARun) {
  const std::string secret = workspace.File("secret", "SECRET");
  const std::string id = Started(R"("filesystem":{"deniedPaths":[)" + Quote(secret) + "]}");
  const std::string look =
      "grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status; cat "
      "/proc/self/uid_map"
      "; ls /proc/self/fd | wc -l; ls / /dev; cat " +
      secret +
      " 2>&1; ulimit -c; unshare -U true 2>&1; "
      "ip link 2>/dev/null | wc -l";
  const Ended once = RunConfig({.command = look, .denied = {secret}});
  const Ended inside = Exec(id, look);
  EXPECT_EQ(inside.out, once.out);
  EXPECT_EQ(Exec(id, look).out, once.out) << "under a supervisor that has had a command before";
  EXPECT_THAT(inside.out, HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(inside.out, HasSubstr("CapBnd:\t0000000000000000"));
  EXPECT_THAT(inside.out, testing::Not(HasSubstr("SECRET")));
}

TEST_P(LifecycleCommand, NothingOfTheHolderShowsInside) {
  const std::string id = Started();
  // Init and the supervisors have open what a command must not have.
  const Ended ended =
      Exec(id,
           "for p in 1 $PPID; do for n in 0 1 2 3 4 5 6 7 8; do readlink /proc/$p/fd/$n && echo OPEN; done; "
           "cat /proc/$p/environ /proc/$p/mem && echo OPEN; done; tr '\\0' ' ' < /proc/1/cmdline");
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("OPEN")));
  EXPECT_THAT(ended.out, HasSubstr("mxc-init"));
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("PATH=")));
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("request.json")));
}

TEST_P(LifecycleCommand, OutputAndAuditAreThePolicys) {
  const std::string log = workspace.Path("audit.jsonl");
  const std::string id =
      Started(R"("output":{"maxBytes":10,"redact":["secrets"]},"audit":{"path":)" + Quote(log) + "}");
  EXPECT_EQ(Exec(id, "echo 123456789012345").out, "1234567890");
  EXPECT_EQ(Exec(id, "echo $TOKEN", R"(,"env":["TOKEN=hunter22hunter22"])").out.find("hunter22"),
            std::string::npos);
  const std::string audit = Contents(log).value_or("");
  EXPECT_EQ(Lines(audit).size(), 4U) << audit;
  EXPECT_EQ(audit.find("hunter22"), std::string::npos);
}

TEST_P(LifecycleCommand, ATerminalIsPrivate) {
  const std::string id = Started();
  const Terminal terminal(uid);
  Launch launch =
      ExecOf(id, "[ -t 0 ] && [ -t 1 ] && echo terminal; : > /dev/tty && echo controls; read x; echo got-$x");
  launch.terminal = terminal.Fd();
  Running running(launch);
  terminal.Type("word\n");
  const std::string seen = terminal.OutputUpTo("got-word");
  EXPECT_THAT(seen, HasSubstr("got-word"));
  EXPECT_THAT(seen, HasSubstr("terminal"));
  EXPECT_THAT(seen, HasSubstr("controls"));
  EXPECT_EQ(running.Wait().status, 0);
}

// Programs open their terminal again by its name: script, tmux, and prompts for passwords.
TEST_P(LifecycleCommand, ATerminalHasANameInside) {
  const std::string id = Started();
  EXPECT_EQ(InATerminal(id, "tty; echo again > $(tty); ps -o tty= -p $$"), "/dev/pts/0\nagain\npts/0\n");
  EXPECT_EQ(InATerminal(id, "script -qec tty /dev/null"), "/dev/pts/1\n");
  EXPECT_EQ(InATerminal(id, "ls -x /dev/pts"), "0  ptmx\n") << "the others have ended";
}

TEST_P(LifecycleCommand, ATerminalFollowsTheSizeOfTheCallers) {
  const std::string id = Started();
  const Terminal terminal(uid);
  const auto resize = [&](unsigned short rows) {
    const winsize size{.ws_row = rows, .ws_col = 101, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal.Fd(), TIOCSWINSZ, &size), 0);
  };
  resize(33);
  Launch launch = ExecOf(id, "trap 'stty size; exit' WINCH; stty size; while :; do sleep 0.1; done");
  launch.terminal = terminal.Fd();
  Running running(launch);
  EXPECT_THAT(terminal.OutputUpTo("101\n"), HasSubstr("33 101\n"));
  resize(44);
  EXPECT_THAT(terminal.OutputUpTo("101\n"), HasSubstr("44 101\n"));
  EXPECT_EQ(running.Wait().status, 0);
}

// The sandbox has 256, and they are its commands'.
TEST_P(LifecycleCommand, ATerminalIsThereWhenTheSandboxHasNoneLeft) {
  if (GetParam().containment == "bubblewrap") GTEST_SKIP() << "bwrap sets no limit";
  const std::string id = Started();
  Running hog(ExecOf(id, R"(exec python3 -uc '
import os, time
taken = []
try:
    while True: taken.append(os.open("/dev/ptmx", os.O_RDWR))
except OSError: print("up", len(taken))
time.sleep(60)
')"));
  ASSERT_TRUE(hog.SaysOnStdout("up 256"));
  EXPECT_EQ(InATerminal(id, "[ -t 0 ] && : > /dev/tty && echo terminal"), "terminal\n");
  hog.Signal(SIGTERM);
}

// Whatever stands there by the time of a command: its terminal is of what was mounted with the sandbox.
TEST_P(LifecycleCommand, NothingInThePlaceOfTerminalsIsTakenForOne) {
  const std::string id = Started();
  const std::string tries =
      "for to in /dev/ptmx /dev/pts /dev/pts/ptmx; do mv -T $to /tmp/x || ln -sfnT /tmp $to || rm -r $to || "
      "mount --bind /tmp $to || umount $to || echo held; done 2>/dev/null; mknod /tmp/ptmx c 5 2 || echo "
      "held";
  EXPECT_EQ(Exec(id, tries).out, "held\nheld\nheld\nheld\n");
  EXPECT_EQ(InATerminal(id, "tty"), "/dev/pts/0\n");

  // As somebody would who has the privileges that commands lack.
  const Running waiting(ExecOf(id, "sleep 6040." + std::to_string(::getpid())));
  std::vector<pid_t> inside;
  ASSERT_TRUE(Eventually([&] {
    inside = Survivors("6040." + std::to_string(::getpid()));
    return !inside.empty();
  }));
  for (const char* prepared :
       {"mkfifo ptmx", "ln -s /dev/null ptmx", "mknod ptmx c 5 2", "mknod ptmx c 1 3", "true"}) {
    const std::string mount = "cd /dev/pts && mount -t tmpfs t . && cd /dev/pts && " + std::string(prepared);
    const Ended mounted = Execute({.program = "/usr/bin/nsenter",
                                   .arguments = {"-m", "-t", std::to_string(inside[0]), "sh", "-c", mount}});
    ASSERT_EQ(mounted.status, 0) << mounted.err;
    EXPECT_EQ(InATerminal(id, "[ -t 0 ] && : > /dev/tty && echo terminal; tty"), "terminal\nnot a tty\n")
        << prepared;
  }
}

TEST_P(LifecycleCommand, AProcessThatEndsWithACommandIsToldByItsReport) {
  const std::string id = Started();
  EXPECT_EQ(Exec(id, "sleep 60 & echo up").err, "");
  Launch reported = ExecOf(id, "sleep 60 & echo up");
  reported.arguments.emplace_back("--report=short");
  EXPECT_THAT(Execute(reported).err,
              HasSubstr("'sleep' went on in the background and was ended with the command: `mxc-exec exec "
                        "--background ID -- CMD` is for what must keep running\n"));
}

// One command serves, one connects, and so does the host: the network is the sandbox's, and lives from start
// to stop.
TEST_P(LifecycleCommand, CommandsShareANetworkAndPublishedPorts) {
  // Below the ports that the kernel gives to connections.
  const int port = 20000 + ::getpid() % 6000 + (GetParam().caller == Caller::kRoot ? 0 : 6000);
  const std::string id =
      Started(R"("network":{"ingress":{"publish":[{"host":)" + std::to_string(port) + R"(,"guest":8000}]}})");
  Running server(ExecOf(id, R"(exec python3 -uc '
import socket
s = socket.create_server(("127.0.0.1", 8000))
print("up")
for i in range(2):
    c = s.accept()[0]
    c.sendall(b"served")
    c.close()
')"));
  ASSERT_TRUE(server.SaysOnStdout("up"));
  const auto ask = [](int number) {
    return "python3 -c 'import socket; c = socket.create_connection((\"127.0.0.1\", " +
           std::to_string(number) + ")); print(c.recv(99).decode())'";
  };
  EXPECT_EQ(Exec(id, ask(8000)).out, "served\n");
  EXPECT_EQ(Execute({.program = "/bin/sh", .arguments = {"-c", ask(port)}}).out, "served\n");
  EXPECT_EQ(server.Wait().status, 0);
  EXPECT_EQ(Execute(Phase("stop", id)).status, 0);
  EXPECT_NE(Execute({.program = "/bin/sh", .arguments = {"-c", ask(port)}}).status, 0);
}

TEST_P(LifecycleCommand, LimitsHoldForAllCommandsTogether) {
  const std::string limits = R"("resources":{"openFiles":40,"processes":30,"cpuTimeMs":700})";
  const Ended provision = Execute(ProvisionOf("," + limits));
  if (provision.status != 0) GTEST_SKIP() << "no control group for this caller here: " << provision.out;
  provisioned.push_back(At(provision.out, "/result/sandboxId"));
  const std::string& id = provisioned.back();
  ASSERT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "ulimit -n").out, "40\n");
  EXPECT_THAT(Exec(id, "for i in $(seq 60); do sleep 1 & done; echo end").err,
              AllOf(HasSubstr("ork"), HasSubstr("the limit of 30 processes and threads was reached")));
  EXPECT_THAT(Exec(id, "echo end").err, IsEmpty());
  const Ended hog = Exec(id, "while :; do :; done");
  EXPECT_EQ(hog.status, 152);
  EXPECT_THAT(hog.err, HasSubstr("the run was ended; `cpuTimeMs` of `resources` sets it"));
  EXPECT_EQ(CodeOf(Exec(id, "true")), "not_started");
  EXPECT_EQ(Execute(Phase("start", id)).status, 0) << "and anew";
  EXPECT_EQ(Exec(id, "echo anew").out, "anew\n");
}

}  // namespace
}  // namespace mxc::test::lifecycle_command_test
