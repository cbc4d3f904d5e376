// What machines read: --status-fd, --result, --log-file, --debug.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tests/support/launcher_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::reports_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Reports : public LauncherTest {
 protected:
  // Runs with a result file and returns the file's last event.
  std::string Outcome(const Parts& parts) const {
    const std::string file = workspace.Path("result.jsonl");
    last = Execute(PrepareConfig(parts, {"--result", file}));
    return LastLine(Contents(file).value_or(""));
  }
  mutable Ended last;
};
MXC_FOR_EACH_CALLER(Reports);

TEST_P(Reports, EventsComeInOrderOnTheStatusDescriptor) {
  const std::string file = workspace.File("status", "");
  const UniqueFd fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  Launch launch = PrepareConfig({.command = "exit 7"}, {"--status-fd", "5"});
  launch.files = {{.borrowed_fd = fd.Get(), .number = 5}};
  EXPECT_EQ(Execute(launch).status, 7);
  std::vector<std::string> events;
  for (const std::string& line : Lines(*Contents(file))) events.push_back(At(line, "/event"));
  EXPECT_THAT(events, testing::IsSupersetOf({"started", "outcome"}));
  EXPECT_EQ(events.back(), "outcome");
}

TEST_P(Reports, StatusOnStandardOutputOutlivesTheCommandsOutput) {
  const Ended ended =
      Execute(PrepareConfig({.command = "echo out; exec >&-; sleep 0.1"}, {"--status-fd", "1"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("out\n"));
  EXPECT_THAT(ended.out, HasSubstr(R"({"event":"outcome")"));
}

// As `copytruncate` of logrotate leaves it. ext4, xfs, btrfs and tmpfs all tell when a file was made.
TEST_P(Reports, AnEmptiedAuditLogTakesNoMoreRecords) {
  const std::string log = workspace.Directory("log") + "/audit";
  const Parts parts{.command = "echo ran", .more = R"("audit":{"path":)" + Quote(log) + "}"};
  ASSERT_EQ(RunConfig(parts).status, 0);
  EXPECT_THAT(Contents(log + ".head").value_or(""), MatchesRegex("[0-9a-f]+\n[0-9]+ [0-9]+\\.[0-9]+\n"));
  ASSERT_EQ(::truncate(log.c_str(), 0), 0);
  const Ended refused = RunConfig(parts);
  EXPECT_EQ(refused.status, 255);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(Contents(log), "");
}

// A client on a terminal (libuv) takes a short read after our end for the end of the output.
TEST_P(Reports, ARefusalIsOneWrite) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_DIRECT), 0);  // every write is read alone
  const UniqueFd read_end{ends[0]};
  UniqueFd write_end{ends[1]};
  Launch launch = PrepareConfig({.read_write = {"not/absolute"}});
  launch.files = {{.borrowed_fd = write_end.Get(), .number = 2}};
  EXPECT_EQ(Execute(launch).status, 1);
  write_end.Reset();
  std::string first(65536, ' ');
  const ssize_t size = ::read(read_end.Get(), first.data(), first.size());
  ASSERT_GT(size, 0);
  first.resize(static_cast<std::size_t>(size));
  EXPECT_THAT(first, AllOf(HasSubstr("Request error"), HasSubstr(R"({"error":{)")));
}

TEST_P(Reports, TheCommandDoesNotGetTheStatusDescriptor) {
  const std::string file = workspace.File("status", "");
  const UniqueFd fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  Launch launch = PrepareConfig({.command = "echo forged >&5"}, {"--status-fd", "5"});
  launch.files = {{.borrowed_fd = fd.Get(), .number = 5}};
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("Bad file descriptor"));
  EXPECT_THAT(*Contents(file), Not(HasSubstr("forged")));
}

TEST_P(Reports, OutcomeOfAnExit) {
  const std::string outcome = Outcome({.command = "exit 7"});
  EXPECT_EQ(At(outcome, "/event"), "outcome");
  EXPECT_EQ(At(outcome, "/exitCode"), "7");
  EXPECT_EQ(At(outcome, "/timedOut"), "false");
  EXPECT_EQ(At(outcome, "/backend"), "bubblewrap");
  EXPECT_EQ(At(outcome, "/tier"), "container");
  EXPECT_EQ(At(outcome, "/ledger/0/pointer"), "/network/egress/default");
}

// The run's identifier, and the hash of its policy: in every record the same.
TEST_P(Reports, NameTheRunAndItsPolicy) {
  const std::string work = workspace.Directory("work");
  const std::string log = workspace.Directory("log") + "/audit";
  const Parts parts{.read_only = {work}, .more = R"("audit":{"path":")" + log + "\"}"};
  const std::string outcome = Outcome(parts);
  EXPECT_THAT(At(outcome, "/run"), MatchesRegex("[0-9a-f]{16}"));
  EXPECT_THAT(At(outcome, "/policyHash"), MatchesRegex("sha256:[0-9a-f]{64}"));
  const std::vector<std::string> audit = Lines(Contents(log).value_or(""));
  ASSERT_EQ(audit.size(), 2U);
  EXPECT_EQ(At(audit[0], "/run"), At(outcome, "/run"));
  EXPECT_EQ(At(audit[0], "/policyHash"), At(outcome, "/policyHash"));
  const std::string again = Outcome({.command = "exit 1", .read_only = {work + "/."}, .more = parts.more});
  EXPECT_NE(At(again, "/run"), At(outcome, "/run"));
  EXPECT_EQ(At(again, "/policyHash"), At(outcome, "/policyHash"));
  EXPECT_NE(At(Outcome({.read_write = {work}, .more = parts.more}), "/policyHash"),
            At(outcome, "/policyHash"));
}

TEST_P(Reports, OutcomeOfASignal) {
  EXPECT_EQ(At(Outcome({.command = "kill -KILL $$"}), "/exitCode"), "137");
}

TEST_P(Reports, OutcomeOfATimeout) {
  const std::string outcome = Outcome({.command = "sleep 300", .timeout_ms = 500});
  EXPECT_EQ(At(outcome, "/timedOut"), "true");
  EXPECT_EQ(last.status, 255);
}

TEST_P(Reports, TruncationIsToldApart) {
  const std::string outcome = Outcome({.command = "echo 0123456789", .more = R"("output":{"maxBytes":4})"});
  EXPECT_EQ(At(outcome, "/limits/stdoutTruncated"), "true") << outcome;
  EXPECT_EQ(At(outcome, "/limits/stderrTruncated"), "false") << outcome;
  EXPECT_EQ(last.out, "0123");
}

TEST_P(Reports, ARefusalIsAnEventToo) {
  const std::string outcome = Outcome({.cwd = workspace.Directory("elsewhere")});
  EXPECT_EQ(last.status, 255);
  EXPECT_EQ(At(outcome, "/event"), "error") << outcome;
  EXPECT_EQ(At(outcome, "/error/pointer"), "/process/cwd") << outcome;
}

// The usual policy has no network, and the name that a command wanted is what its user needs.
TEST_P(Reports, WithoutANetworkWhatWasTriedIsTold) {
  const Ended ended =
      Execute(PrepareConfig({.command = "getent hosts registry.example.com || exit 7"}, {"--report"}));
  EXPECT_EQ(ended.status, 7);
  EXPECT_THAT(ended.err, HasSubstr("registry.example.com (looked up)"));
  EXPECT_THAT(ended.err,
              HasSubstr(R"(add {"to":[{"host":"registry.example.com"}]} to network.egress.allow)"));
}

// A line for each name, at once; questions for a service are ones that programs do without.
TEST_P(Reports, ARefusedNameIsToldWhileTheCommandRuns) {
  if (!Exists("/usr/bin/dig")) GTEST_SKIP() << "dig is not installed";
  const Ended ended = Execute(PrepareConfig(
      {.command = "dig +tries=1 -t SRV _http._tcp.deb.example.com; getent hosts deb.example.com; "
                  "getent hosts deb.example.com; sleep 2; echo the end >&2"},
      {"--report"}));
  const std::string live = ended.err.substr(0, ended.err.find("the end\n"));
  EXPECT_EQ(live, "mxc-exec: network: the name deb.example.com is refused: no rule allows it\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("_http._tcp.deb.example.com (looked up)"));
}

// A full-screen program would not know of the line, and draw around it.
TEST_P(Reports, ARefusedNameIsToldOnceNobodyDrawsOnTheTerminal) {
  const Terminal terminal(uid);
  Launch launch =
      PrepareConfig({.command = "stty raw; getent hosts deb.example.com; sleep 2; echo drawn; stty sane",
                     .network = R"({"egress":{"allow":[{"to":[{"host":"other.example.com"}]}]}})"});
  launch.terminal = terminal.Fd();
  Running running(launch);
  const std::string all = terminal.OutputUpTo("no rule allows it");
  EXPECT_THAT(all, AllOf(HasSubstr("drawn"), HasSubstr("the name deb.example.com is refused")));
  EXPECT_LT(all.find("drawn"), all.find("deb.example.com")) << all;
  EXPECT_EQ(running.Wait().status, 0);
}

TEST_P(Reports, SharedHostNetworkIsAWarning) {
  const std::string file = workspace.Path("result.jsonl");
  const Ended ended = Execute(PrepareConfig(
      {.version = "0.6.0-alpha", .network = R"({"defaultPolicy":"allow","allowLocalNetwork":true})"},
      {"--result", file}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(*Contents(file), HasSubstr("network-unrestricted"));
}

TEST_P(Reports, LogFileHasWholeLinesWithATime) {
  const std::string log = workspace.Path("log");
  EXPECT_EQ(Execute(PrepareConfig({.command = "exit 3"}, {"--log-file", log})).status, 3);
  ASSERT_TRUE(Contents(log));
  for (const std::string& line : Lines(*Contents(log))) EXPECT_THAT(line, MatchesRegex("\\[[0-9]+\\] .+"));
  EXPECT_THAT(*Contents(log), HasSubstr("Exit code: 3 (0x00000003)"));
}

TEST_P(Reports, LogFileIsAppendedTo) {
  const std::string log = workspace.File("log", "first\n");
  EXPECT_EQ(Execute(PrepareConfig({}, {"--log-file", log})).status, 0);
  EXPECT_EQ(Lines(*Contents(log)).at(0), "first");
  EXPECT_GT(Lines(*Contents(log)).size(), 1U);
}

TEST_P(Reports, ALogFileThatCannotBeOpenedIsOnlyAWarning) {
  const Ended ended = Execute(PrepareConfig({.command = "exit 4"}, {"--log-file", "/nonexistent/log"}));
  EXPECT_EQ(ended.status, 4);
  EXPECT_THAT(ended.err, HasSubstr("/nonexistent/log"));
}

// What the command can write says nothing about the command.
TEST_P(Reports, AVerdictTheCommandCouldWriteIsRefused) {
  const std::string rw = workspace.Directory("rw");
  workspace.Link("link", rw);
  workspace.Link("rw/out", workspace.Root());
  const Parts parts = {.command = "touch " + rw + "/ran", .read_write = {rw}};
  for (const std::string& file : {rw + "/result", workspace.Path("link/result"), std::string("rw/result")}) {
    const Ended ended = Execute(PrepareConfig(parts, {"--result", file}));
    EXPECT_EQ(ended.status, 255) << file;
    EXPECT_EQ(EnvelopeCode(ended), "policy_validation");
    EXPECT_EQ(EnvelopeMessage(ended), "--result '" + (file[0] == '/' ? file : workspace.Path(file)) +
                                          "' is inside a read-write grant");
  }
  const UniqueFd fd{::open(workspace.File("rw/status", "", 0666).c_str(), O_WRONLY | O_CLOEXEC)};
  Launch launch = PrepareConfig(parts, {"--status-fd", "5"});
  launch.files = {{.borrowed_fd = fd.Get(), .number = 5}};
  EXPECT_EQ(EnvelopeMessage(Execute(launch)), "--status-fd '" + rw + "/status' is inside a read-write grant");
  EXPECT_THAT(Names(rw), testing::ElementsAre("out", "status")) << "nothing ran, nothing was written";
  EXPECT_FALSE(Exists(workspace.Path("result")));
  EXPECT_EQ(Contents(rw + "/status"), "");
}

// The caller's standard error is full, and nobody reads it: what we say there waits, the record does not.
TEST_P(Reports, TheOutcomeIsRecordedBeforeItIsTold) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  UniqueFd reading{ends[0]};
  UniqueFd writing{ends[1]};
  const std::string file = workspace.Path("result");
  Launch launch = PrepareConfig({.command = "head -c 3000000 /dev/zero >&2"},
                                {"--report", "--timeout", "300ms", "--result", file});
  launch.files = {{.borrowed_fd = writing.Get(), .number = 2}};
  Running running(launch);
  writing.Reset();
  EXPECT_TRUE(Eventually(
      [&] { return Contents(file).value_or("").find(R"("timedOut":true)") != std::string::npos; }));
  reading.Reset();
  static_cast<void>(running.Wait());
}

// Who reads the descriptor only when we have ended must not keep us from it.
TEST_P(Reports, AFullStatusPipeHoldsNobodyUp) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reading{ends[0]};
  UniqueFd writing{ends[1]};
  ASSERT_EQ(::fcntl(writing.Get(), F_SETPIPE_SZ, 8192), 8192);
  Launch launch = PrepareConfig({.command = "for i in $(seq 100); do getent hosts n$i.test; done; exit 7",
                                 .network = R"({"egress":{"allow":[{"to":[{"host":"a.test"}]}]}})"},
                                {"--status-fd", "5", "--result", workspace.Path("result")});
  launch.files = {{.borrowed_fd = writing.Get(), .number = 5}};
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 7) << ended.err;
  writing.Reset();
  std::string said(65536, '\0');
  said.resize(
      static_cast<std::size_t>(std::max<ssize_t>(::read(reading.Get(), said.data(), said.size()), 0)));
  EXPECT_THAT(said, HasSubstr(R"({"event":"lost","records":)"));
  EXPECT_THAT(said, HasSubstr(R"({"event":"outcome","exitStatus":7)"));
  EXPECT_THAT(Contents(workspace.Path("result")).value_or(""), HasSubstr("n100.test"));
}

// An earlier run with another grant has made them.
TEST_P(Reports, AVerdictBehindALinkOrWithASecondNameIsRefused) {
  const std::string victim = workspace.File("victim", "kept\n");
  const std::string other = workspace.Directory("other");
  workspace.Link("other/link", victim);
  workspace.Link("other/way", workspace.Root());
  ASSERT_EQ(::link(victim.c_str(), (other + "/second").c_str()), 0);
  for (const std::string& file : {other + "/link", other + "/way/victim", other + "/second", victim}) {
    for (const std::string& flag : {std::string("--result"), std::string("--log-file")}) {
      const Ended ended = Execute(PrepareConfig({.command = "echo ran"}, {flag, file}));
      const bool behind_link = file != victim && file != other + "/second";
      const bool left_out = flag == "--log-file" && behind_link;
      EXPECT_EQ(ended.status, left_out ? 0 : 255) << file;
      EXPECT_EQ(ended.out, left_out ? "ran\n" : "") << file;
    }
    const Ended audited =
        Execute(PrepareConfig({.command = "echo ran", .more = R"("audit":{"path":)" + Quote(file) + "}"}));
    EXPECT_EQ(audited.status, 255) << file;
    EXPECT_EQ(audited.out, "") << file;
  }
  const UniqueFd fd{::open(victim.c_str(), O_WRONLY | O_CLOEXEC)};
  Launch launch = PrepareConfig({.command = "true"}, {"--status-fd", "5"});
  launch.files = {{.borrowed_fd = fd.Get(), .number = 5}};
  EXPECT_EQ(EnvelopeMessage(Execute(launch)), "the file behind --status-fd 5 has more than one name");
  EXPECT_EQ(Contents(victim), "kept\n");
}

TEST_P(Reports, TwoRecordsInOneFileAreRefused) {
  const std::string file = workspace.Path("record");
  const std::string there = workspace.Root() + "/./nowhere/../record";
  workspace.Directory("nowhere");
  const std::string audit = R"("audit":{"path":)" + Quote(file) + "}";
  for (const bool exists : {false, true}) {
    if (exists) workspace.File("record", "kept\n");
    for (const std::string& again : {file, there}) {
      Ended ended = Execute(PrepareConfig({.command = "echo ran"}, {"--result", file, "--log-file", again}));
      EXPECT_EQ(EnvelopeMessage(ended),
                "--result '" + file + "' and --log-file '" + again + "' are one file");
      EXPECT_EQ(ended.out, "");
      ended = Execute(PrepareConfig({.command = "echo ran", .more = audit}, {"--log-file", again}));
      EXPECT_EQ(EnvelopeMessage(ended),
                "--log-file '" + again + "' and audit.path '" + file + "' are one file");
      EXPECT_EQ(ended.out, "");
    }
    EXPECT_EQ(Contents(file).value_or("none"), exists ? "kept\n" : "none");
  }
  const Ended nowhere =
      Execute(PrepareConfig({.command = "exit 4"}, {"--result", "/dev/null", "--log-file", "/dev/null"}));
  EXPECT_EQ(nowhere.status, 4);
}

TEST_P(Reports, ALogTheCommandCouldWriteIsLeftOut) {
  const std::string rw = workspace.Directory("rw");
  const Ended ended =
      Execute(PrepareConfig({.command = "exit 4", .read_write = {rw}}, {"--log-file", rw + "/log"}));
  EXPECT_EQ(ended.status, 4);
  EXPECT_THAT(ended.err,
              HasSubstr("log file '" + rw + "/log' is inside a read-write grant; no log is written"));
  EXPECT_FALSE(Exists(rw + "/log"));
}

// What is opened first would have the number of a stream that the caller has closed.
TEST_P(Reports, AreNoStreamsOfACallerWithoutStreams) {
  for (int closed = 1; closed < 8; ++closed) {
    const std::string name = std::to_string(closed);
    Launch launch = PrepareConfig(
        {.command = "cat; echo forged; echo forged >&2",
         .more = R"("audit":{"path":)" + Quote(workspace.Path("audit" + name)) + "}"},
        {"--result", workspace.Path("result" + name), "--log-file", workspace.Path("log" + name)});
    launch.before_exec = [closed] {
      for (int fd = 0; fd < 3; ++fd) {
        if ((closed >> fd & 1) != 0) ::close(fd);
      }
    };
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.out, (closed & 2) != 0 ? "" : "forged\n");
    for (const char* file : {"audit", "result", "log"})
      EXPECT_THAT(Contents(workspace.Path(file + name)).value_or("forged"), Not(HasSubstr("forged")))
          << file << name;
    EXPECT_THAT(Contents(workspace.Path("result" + name)).value_or(""), HasSubstr(R"("event":"outcome")"));
  }
}

TEST_P(Reports, VerdictsBesideAGrantAreWritten) {
  const std::string rw = workspace.Directory("rw");
  const std::string ro = workspace.Directory("ro");
  EXPECT_THAT(Outcome({.command = "exit 5", .read_only = {ro}, .read_write = {rw}}),
              HasSubstr(R"("exitCode":5)"));
}

TEST_P(Reports, VerdictsInWhatIsDeniedBelowAGrantAreWritten) {
  const std::string denied = workspace.Directory("denied");
  const Parts parts = {.command = "exit 5", .read_only = {workspace.Root()}, .denied = {denied}};
  EXPECT_EQ(Execute(PrepareConfig(parts, {"--result", denied + "/result"})).status, 5);
  EXPECT_THAT(Contents(denied + "/result").value_or(""), HasSubstr(R"("exitCode":5)"));
}

// No command reads what is said of it.
TEST_P(Reports, AVerdictTheCommandCouldReadIsRefused) {
  const std::string ro = workspace.Directory("ro");
  const Parts parts = {.command = "echo ran", .read_only = {ro}};
  for (const std::string& file : {ro + "/result", std::string("/etc/mxc-result"), std::string("/usr/x")}) {
    const Ended ended = Execute(PrepareConfig(parts, {"--result", file}));
    EXPECT_EQ(ended.status, 255) << file;
    EXPECT_EQ(EnvelopeMessage(ended), "--result '" + file + "' is where the command can read it");
    EXPECT_FALSE(Exists(file));
  }
  const Ended logged = Execute(PrepareConfig(parts, {"--log-file", ro + "/log"}));
  EXPECT_EQ(logged.out, "ran\n");
  EXPECT_THAT(logged.err,
              HasSubstr("log file '" + ro + "/log' is where the command can read it; no log is written"));
  const Ended audited = RunConfig(
      {.command = "echo ran", .read_only = {ro}, .more = R"("audit":{"path":)" + Quote(ro + "/audit") + "}"});
  EXPECT_EQ(EnvelopeMessage(audited), "audit path '" + ro + "/audit' is where the command can read it");
  EXPECT_THAT(Names(ro), testing::IsEmpty());
}

// The command would write over them, or between their lines.
TEST_P(Reports, AVerdictInTheFileOfAStandardStreamIsRefused) {
  const std::string names[] = {"standard input", "standard output", "standard error"};
  for (int stream = 0; stream < 3; ++stream) {
    const std::string file = workspace.File("stream" + std::to_string(stream), "kept\n");
    const UniqueFd fd{::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC)};
    const auto run = [&](const Parts& parts, const std::vector<std::string>& flags) {
      Launch launch = PrepareConfig(parts, flags);
      launch.files = {{.borrowed_fd = fd.Get(), .number = 5}};
      launch.before_exec = [stream] { ::dup2(5, stream); };
      return Execute(launch);
    };
    const std::string is = " is the command's " + names[stream];
    const std::string audit = R"("audit":{"path":)" + Quote(file) + "}";
    std::vector<Ended> all = {run({.command = "echo ran"}, {"--result", file}),
                              run({.command = "echo ran", .more = audit}, {}),
                              run({.command = "echo ran"}, {"--status-fd", "5"})};
    for (const Ended& ended : all) EXPECT_EQ(ended.status, 255) << stream;
    const std::string text = Contents(file).value_or("");
    EXPECT_THAT(text, Not(HasSubstr("ran\n")));
    EXPECT_EQ(text.substr(0, 5), "kept\n");
    const std::string said = stream == STDERR_FILENO ? text : all[0].err + all[1].err + all[2].err;
    for (const std::string& record :
         {"--result '" + file + "'", "audit.path '" + file + "'", std::string("behind --status-fd 5")})
      EXPECT_THAT(said, HasSubstr(record + is));
  }
}

TEST_P(Reports, ALogInTheFileOfAStandardStreamIsLeftOut) {
  const std::string file = workspace.File("out", "");
  const UniqueFd fd{::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  Launch launch = PrepareConfig({.command = "echo ran"}, {"--log-file", file});
  launch.files = {{.borrowed_fd = fd.Get(), .number = STDOUT_FILENO}};
  const Ended ended = Execute(launch);
  EXPECT_THAT(ended.err,
              HasSubstr("log file '" + file + "' is the command's standard output; no log is written"));
  EXPECT_EQ(Contents(file), "ran\n");
}

TEST_P(Reports, ALogBehindALinkOfTheSystemIsLeftOut) {
  for (const std::string file : {"/dev/stderr", "/proc/self/fd/2"}) {
    const Ended ended = Execute(PrepareConfig({.command = "echo ran"}, {"--log-file", file}));
    EXPECT_EQ(ended.out, "ran\n");
    EXPECT_THAT(ended.err, HasSubstr("log file '" + file + "' leads through the symbolic link '"));
  }
}

TEST_P(Reports, DebugPrintsTheLogOnStandardOutput) {
  const Ended ended = Execute(PrepareConfig({.command = "exit 3"}, {"--debug"}));
  EXPECT_THAT(ended.out, HasSubstr("Exit code: 3 (0x00000003)"));
  EXPECT_THAT(ended.out, HasSubstr("Script code length: 6"));
}

}  // namespace
}  // namespace mxc::test::reports_test
