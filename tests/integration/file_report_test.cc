// --report: which files the policy kept from the command, and which entry would allow each.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/unique_fd.h"
#include "tests/support/file_denials.h"
#include "tests/support/launcher_test.h"
#include "tests/support/listener.h"

namespace mxc::test::file_report_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FileReport : public LauncherTest {
 protected:
  Ended Report(Parts parts, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), "--report");
    return Execute(PrepareConfig(parts, std::move(flags)));
  }
};

// For everybody.
UniqueFd ListenAt(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  EXPECT_EQ(::bind(fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(fd.Get(), 8), 0);
  EXPECT_EQ(::chmod(path.c_str(), 0666), 0);
  return fd;
}

INSTANTIATE_TEST_SUITE_P(As, FileReport,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"}, Setting{Caller::kRoot, "lxc"},
                                         Setting{Caller::kUser, "lxc"}),
                         CallerAndContainmentOf);

TEST_P(FileReport, TellsOfAServerThatNobodyReaches) {
  const std::string serves =
      "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 3000)); s.listen()'";
  const std::string told = "reaches it: --publish 3000 lets";
  EXPECT_THAT(Report({.command = serves}).err, HasSubstr(told));
  EXPECT_THAT(Report({.command = serves, .network = ""}, {"--publish", "38123:3000"}).err,
              testing::Not(HasSubstr(told)));
  EXPECT_THAT(Execute(PrepareConfig({.command = serves})).err, testing::Not(HasSubstr(told)));
  const std::string tries = "python3 -c 'import socket; s = socket.socket(); s.listen()'";
  EXPECT_THAT(Report({.command = tries}).err, testing::Not(HasSubstr("--publish")));
}

TEST_P(FileReport, SaysWhatWasDeniedAndWhatWouldAllowIt) {
  const std::string rw = workspace.Directory("rw");
  const std::string denied = workspace.File("rw/.env", "x");
  const std::string ro = workspace.File("ro/file", "x");
  const std::string hidden = workspace.File("hidden/file", "x");
  const Ended ended =
      Report({.command = "cd " + rw + "; cat .env; cat " + hidden + "; echo > " + ro + "; true",
              .read_only = {workspace.Path("ro")},
              .read_write = {rw},
              .denied = {denied}});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, TellsThreeDenials(denied, hidden, ro));
}

// Nothing is guessed from what a command prints or how it ends.
TEST_P(FileReport, AFailureOfTheCommandIsNoDenial) {
  const Ended ended =
      Report({.command = "cat /nonexistent; ls /proc/1/nothing; echo Permission denied >&2; exit 3"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.err, HasSubstr("mxc-exec: files: 0 denied\n"));
}

TEST_P(FileReport, AFailureOfRootsIsNotOfFilesAlone) {
  constexpr const char* kTold =
      "mxc-exec: root has no privileges in the sandbox: chown, su, mount and package managers fail\n";
  const bool told = Report({.command = "chown 1 /tmp"}).err.find(kTold) != std::string::npos;
  EXPECT_EQ(told, uid == 0);
  EXPECT_THAT(Report({.command = "true"}).err, testing::Not(HasSubstr(kTold)));
}

TEST_P(FileReport, AFailureOfATracerIsTold) {
  constexpr const char* kTold = "no process in the sandbox may trace another (ptrace)";
  EXPECT_THAT(Report({.command = "gdb --nonsense"}).err, HasSubstr(kTold));
  EXPECT_THAT(Report({.command = "cat --nonsense"}).err, testing::Not(HasSubstr(kTold)));
}

TEST_P(FileReport, EachDenialIsAnEvent) {
  const std::string hidden = workspace.File("hidden/file", "x");
  const std::string result = workspace.Path("result.jsonl");
  const Ended ended = Report({.command = "cat " + hidden + " " + hidden}, {"--result", result});
  EXPECT_EQ(ended.status, 1);
  std::vector<std::string> uses;
  for (const std::string& line : Lines(*Contents(result))) {
    if (At(line, "/event") == "file" && At(line, "/path") == hidden) uses.push_back(At(line, "/use"));
  }
  EXPECT_THAT(uses, testing::ElementsAre("read"));
}

// A program of the desktop, a docker, an agent: "connection refused" says nothing about the sandbox.
TEST_P(FileReport, SaysWhichSocketsOfTheHostWereTried) {
  const std::string path = workspace.Path("agent.sock");
  const UniqueFd listening = ListenAt(path);
  // Without `-I -S` Python looks for the caller's own packages, which a sandbox denies.
  const std::string connect = "python3 -I -S -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"" +
                              path + "\")' 2>/dev/null || echo refused";
  const std::string told = "'" + path + "' (connect): a program outside listens there: whoever connects does";
  const Ended hidden = Report({.command = connect});
  EXPECT_EQ(hidden.out, "refused\n");
  EXPECT_THAT(hidden.err, HasSubstr(told));
  EXPECT_THAT(hidden.err, HasSubstr("to allow it, add '" + path + "' to filesystem.sockets\n"));
  const Ended masked = Report({.command = connect, .read_write = {workspace.Path("")}});
  EXPECT_EQ(masked.out, "refused\n");
  EXPECT_THAT(masked.err, HasSubstr(told));
  const Ended granted = Report({.command = connect, .filesystem = R"("sockets":[")" + path + "\"]"});
  EXPECT_EQ(granted.out, "") << granted.err;
  EXPECT_THAT(granted.err, HasSubstr("mxc-exec: files: 0 denied\n"));
}

TEST_P(FileReport, ManyProcessesAndThreadsGoOn) {
  const Ended ended = Report(
      {.command = "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do /bin/ls /usr/bin >/dev/null; done) & "
                  "done; wait; python3 -c 'import multiprocessing as m; print(sum(m.Pool(4).map(abs, "
                  "range(100))))'"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "4950\n");
}

TEST_P(FileReport, TheKernelsAnswerIsTheCommandsStill) {
  const std::string rw = workspace.Directory("rw");
  const Ended ended =
      Report({.command = "cd " + rw +
                         "; echo a > f; mv f g; ln -s g l; mkdir d; rmdir d; cat l; mount -t tmpfs x " + rw,
              .read_write = {rw}});
  EXPECT_EQ(ended.out, "a\n");
  EXPECT_NE(ended.status, 0);  // of mount
}

TEST_P(FileReport, ATimeoutEndsWhatIsWatched) {
  const Ended ended = Report({.command = "while :; do /bin/true; done", .timeout_ms = 700});
  EXPECT_EQ(ended.status, 255);
  EXPECT_FALSE(ended.overdue);
}

// A database of the host, which the command expects at its own loopback.
TEST_P(FileReport, TellsAServerOfTheHostsLoopback) {
  const Listener host = Listener::Tcp("127.0.0.1");
  const std::string tried = "bash -c ': < /dev/tcp/127.0.0.1/" + host.Port() + "' 2> /dev/null";
  const std::string file = workspace.Path("result.jsonl");
  const Ended ended = Report({.command = tried}, {"--result", file});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(
      ended.err,
      HasSubstr("  localhost port " + host.Port() +
                " (tcp): the sandbox has a loopback of its own, where nothing listens; at the "
                "host's, a program does\n    to reach the host's, add {\"port\": " +
                host.Port() + "} to network.ingress.hostLoopbackPorts and connect to host.mxc.internal:" +
                host.Port() + "\n"));
  EXPECT_THAT(Contents(file).value_or(""),
              HasSubstr(R"("kind":"connection","verdict":"deny","protocol":"tcp","name":"localhost")"));
  const std::string open = R"({"ingress":{"hostLoopbackPorts":[{"port":)" + host.Port() + "}]}}";
  EXPECT_THAT(Report({.command = tried, .network = open}).err,
              HasSubstr("    to reach the host's, connect to host.mxc.internal:" + host.Port() + "\n"));
  // What nobody has is no loss.
  EXPECT_THAT(Report({.command = "bash -c ': < /dev/tcp/127.0.0.1/2'"}).err,
              HasSubstr("0 destinations refused"));
}

TEST_P(FileReport, OthersSayThatTheyDoNotWatch) {
  const Ended ended = Report({.containment = "bubblewrap"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("mxc-exec: files: not watched"));
}

// The kernel gives one listener to a tree of processes; whoever is watched already learns that we are not
// told.
TEST_P(FileReport, WithoutAListenerTheRunSaysSo) {
  Launch launch = PrepareConfig({.command = "echo ran"}, {"--report"});
  launch.before_exec = [] {
    sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program{.len = 1, .filter = allow};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const auto listener = static_cast<int>(
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
    if (listener < 0 || ::fcntl(listener, F_SETFD, 0) != 0) std::_Exit(124);
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.out, "ran\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("what the command tried on files is not known"));
}

}  // namespace
}  // namespace mxc::test::file_report_test
