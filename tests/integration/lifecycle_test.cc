// Persistent sandboxes, driven as a client does: one call per phase, one JSON document on standard output.
#include "tests/support/lifecycle_test.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mxc::test::lifecycle_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class Lifecycle : public LifecycleTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Lifecycle);

TEST_P(Lifecycle, GoesThroughAllPhases) {
  const std::string work = workspace.Directory("work");
  const std::string id = Provision(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  EXPECT_THAT(id, MatchesRegex(prefix + ":[0-9a-f]{32}"));
  EXPECT_EQ(CodeOf(Exec(id, "true")), "not_started");
  EXPECT_EQ(CodeOf(Execute(Phase("stop", id))), "not_started");
  EXPECT_EQ(Execute(Phase("start", id)).out, "{\"result\":{}}\n");
  EXPECT_EQ(CodeOf(Execute(Phase("start", id))), "already_started");

  const Ended first = Exec(id, "echo kept > /tmp/file; echo out; echo err >&2; exit 7");
  EXPECT_EQ(first.status, 7);
  EXPECT_EQ(first.out, "out\n");
  EXPECT_EQ(first.err, "err\n");
  EXPECT_EQ(Exec(id, "cat /tmp/file; echo x > " + work + "/made").out, "kept\n");
  EXPECT_EQ(Contents(work + "/made"), "x\n");

  EXPECT_EQ(Execute(Phase("stop", id)).out, "{\"result\":{}}\n");
  EXPECT_EQ(CodeOf(Execute(Phase("stop", id))), "already_stopped");
  EXPECT_EQ(CodeOf(Exec(id, "true")), "not_started");
  EXPECT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "cat /tmp/file 2>/dev/null || echo fresh").out, "fresh\n");
  EXPECT_EQ(Execute(Phase("deprovision", id)).out, "{\"result\":{}}\n");
  for (const char* phase : {"start", "stop", "deprovision"})
    EXPECT_EQ(CodeOf(Execute(Phase(phase, id))), "stale_id") << phase;
  const Ended gone = Exec(id, "true");
  EXPECT_EQ(CodeOf(gone), "stale_id");
  EXPECT_EQ(gone.status, 1);
}

TEST_P(Lifecycle, WhatCommandsHaveLeftForGitIsToldWhenItIsStopped) {
  const std::string work = workspace.Directory("work");
  for (const char* name : {"HEAD", "objects/x", "refs/x", "config"})
    workspace.File("work/.git/" + std::string(name), "");
  const std::string id = Provision(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  ASSERT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "cd " + work + "; mkdir -p a/.git b/.git; echo [core]pager=x > b/.git/config").err, "");
  const Ended stopped = Execute(Phase("stop", id));
  EXPECT_EQ(stopped.out, "{\"result\":{}}\n");
  EXPECT_THAT(stopped.err, HasSubstr("new repositories: '" + work + "/a/.git'; see"));
  EXPECT_THAT(stopped.err, HasSubstr("(now '" + work + "/b/.git.untrusted')"));
  EXPECT_EQ(Execute(Phase("deprovision", id)).err, "");
}

TEST_P(Lifecycle, EachStartJudgesWhatTheHostHasThen) {
  const std::string work = workspace.Directory("work");
  for (const char* name : {"HEAD", "objects/x", "refs/x", "config"})
    workspace.File("work/.git/" + std::string(name), "");
  workspace.File("work/denied", "");
  const std::string missing = workspace.Path("missing");
  // As `git config`, passwd and editors do it.
  const auto save = [&](const std::string& name, const std::string& text) {
    EXPECT_EQ(::rename(workspace.File("new", text).c_str(), workspace.Path(name).c_str()), 0);
  };
  const std::string id = Provision(R"("filesystem":{"readwritePaths":[)" + Quote(work) +
                                   R"(],"readonlyPaths":[)" + Quote(missing) + R"(],"deniedPaths":[)" +
                                   Quote(work + "/denied") + "," + Quote(work + "/*.env") + "]}");
  for (const std::string round : {"1", "2"}) {
    save("work/.git/config", "[core]\n");
    save("work/denied", "SECRET");
    workspace.File("work/" + round + ".env", "SECRET");
    workspace.File("missing", "found");
    const Ended start = Execute(Phase("start", id));
    ASSERT_EQ(start.status, 0) << start.err;
    EXPECT_EQ(start.err, "");
    const Ended ended =
        Exec(id, "cat denied " + round + ".env; echo x > .git/config; mv .git git; cat " + missing,
             ",\"cwd\":" + Quote(work));
    EXPECT_EQ(ended.out, "found") << ended.err;
    EXPECT_EQ(Contents(work + "/.git/config"), "[core]\n");
    EXPECT_EQ(Execute(Phase("stop", id)).status, 0);
  }
  ASSERT_EQ(std::remove(missing.c_str()), 0);
  const Ended without = Execute(Phase("start", id));
  EXPECT_EQ(without.out, "{\"result\":{}}\n");
  EXPECT_THAT(without.err, HasSubstr("mxc-exec: warning: '" + missing + "'"));
}

// A refusal of what the host has by then changes nothing.
TEST_P(Lifecycle, AStartThatIsRefusedMayBeTriedAgain) {
  const std::string work = workspace.Directory("work");
  const std::string id = Provision(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  ASSERT_EQ(::rename(work.c_str(), (work + "2").c_str()), 0);
  workspace.Link("work", work + "2");
  const Ended refused = Execute(Phase("start", id));
  EXPECT_EQ(CodeOf(refused), "policy_validation") << refused.out;
  EXPECT_EQ(At(refused.out, "/error/pointer"), "/filesystem/readwritePaths/0");
  EXPECT_EQ(CodeOf(Exec(id, "true")), "not_started");
  ASSERT_EQ(std::remove(work.c_str()), 0);
  ASSERT_EQ(::rename((work + "2").c_str(), work.c_str()), 0);
  EXPECT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "echo x > " + work + "/made").status, 0);
}

// Its directory and its environment are those of provision, wherever start is called.
TEST_P(Lifecycle, AStartIsOfTheCallerOfProvision) {
  const std::string home = workspace.Directory("home");
  workspace.File("home/.gitconfig", "[user]\n");
  Launch provision = ProvisionOf(R"(,"filesystem":{"readwritePaths":[)" + Quote(home) + "]}");
  provision.cwd = home;
  provision.environment.push_back("HOME=" + home);
  std::erase(provision.environment, "HOME=/nonexistent-home");
  const std::string id = At(Execute(provision).out, "/result/sandboxId");
  provisioned.push_back(id);
  ASSERT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "pwd; echo x 2>/dev/null >> .gitconfig || echo held").out, home + "\nheld\n");
}

TEST_P(Lifecycle, DeniedDestinationsAreRefusedAtConnect) {
  const std::string id = Provision(R"("network":{"egress":{"allow":[{"to":[{"host":"good.test"}]}]}})");
  ASSERT_EQ(Execute(Phase("start", id)).status, 0);
  const Ended ended = Exec(id, R"(python3 -c '
import errno, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(errno.errorcode[s.connect_ex(("203.0.113.9", 9))])')");
  EXPECT_EQ(ended.out, "EACCES\n") << ended.err;
}

TEST_P(Lifecycle, TakesTheOlderDialect) {
  const Ended answer = Execute(
      ProvisionOf(R"(,"network":{"defaultPolicy":"block"},"correlationVector":"a.1")", "0.8.0-alpha"));
  const std::string id = At(answer.out, "/result/sandboxId");
  ASSERT_THAT(id, MatchesRegex(prefix + ":[0-9a-f]+")) << answer.out << answer.err;
  const std::string name = R"("sandboxId":)" + Quote(id);
  EXPECT_EQ(Execute(Request(R"("phase":"start",)" + name, "0.8.0-alpha")).out, "{\"result\":{}}\n");
  const Ended ended = Execute(Request(
      R"("phase":"exec",)" + name + R"(,"process":{"commandLine":"cat","timeout":30000})", "0.8.0-alpha"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Execute(Request(R"("phase":"stop",)" + name, "0.8.0-alpha")).status, 0);
  EXPECT_EQ(Execute(Request(R"("phase":"deprovision",)" + name, "0.8.0-alpha")).status, 0);
}

TEST_P(Lifecycle, RefusesWhatIsNoRequest) {
  const std::string other = Provision();
  const std::string id = prefix + ":0123456789abcdef0123456789abcdef";
  EXPECT_EQ(CodeOf(Execute(Phase("start", "nonsense"))), "malformed_id");
  EXPECT_EQ(CodeOf(Execute(Phase("start", ":0123"))), "malformed_id");
  EXPECT_EQ(CodeOf(Execute(Phase("start", "ns:0123"))), "malformed_id");
  EXPECT_EQ(CodeOf(Execute(Phase("start", "ns:../../../../../../../../etc/passwd"))), "malformed_id");
  EXPECT_EQ(CodeOf(Execute(Phase("start", "wslc:0123456789abcdef0123456789abcdef"))),
            "unsupported_containment");
  EXPECT_EQ(CodeOf(Execute(Phase("start", id))), "stale_id");
  EXPECT_EQ(CodeOf(Execute(Request(R"("phase":"start")"))), "malformed_request");
  EXPECT_EQ(CodeOf(Execute(Request(R"("phase":"provision")"))), "malformed_request");
  EXPECT_EQ(CodeOf(Execute(Request(R"("phase":"provision","containment":"landlock")"))), "unsupported_phase");
  EXPECT_EQ(CodeOf(Execute(Phase("exec", id))), "malformed_request") << "without a command";
  EXPECT_EQ(CodeOf(Execute(Phase("start", id, R"(,"process":{"commandLine":"x"})"))), "malformed_request");
  const Ended policy =
      Execute(Phase("exec", id, R"(,"process":{"commandLine":"x"},"filesystem":{"readwritePaths":["/"]})"));
  EXPECT_EQ(CodeOf(policy), "malformed_request");
  EXPECT_EQ(At(policy.out, "/error/pointer"), "/filesystem");
  EXPECT_EQ(policy.status, 1);
  EXPECT_EQ(Lines(policy.out).size(), 1U);
}

// Who reads a file of status takes standard output for the command's alone.
TEST_P(Lifecycle, AQuietExecThatIsRefusedSaysSoInItsFile) {
  const std::string other = Provision();
  Launch exec =
      Phase("exec", prefix + ":0123456789abcdef0123456789abcdef", R"(,"process":{"commandLine":"x"})");
  const std::string result = workspace.Path("result");
  exec.arguments.insert(exec.arguments.begin(), {"--quiet", "--result", result});
  const Ended ended = Execute(exec);
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out + ended.err, "");
  EXPECT_THAT(Contents(result).value_or(""),
              testing::AllOf(HasSubstr(R"("event":"error")"), HasSubstr(R"("kind":"stale_id")")));
}

TEST_P(Lifecycle, FilesOfAnExecAreHeldAgainstThePolicy) {
  const std::string work = workspace.Directory("work");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  Launch launch = ExecOf(id, "touch " + work + "/ran");
  const std::vector<std::string> arguments = launch.arguments;
  launch.arguments.insert(launch.arguments.begin(), {"--result", work + "/result"});
  EXPECT_EQ(CodeOf(Execute(launch)), "policy_validation");
  EXPECT_FALSE(Exists(work + "/ran"));
  EXPECT_FALSE(Exists(work + "/result"));
  launch.arguments = arguments;
  launch.arguments.insert(launch.arguments.begin(), {"--log-file", work + "/log"});
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("no log is written"));
  EXPECT_TRUE(Exists(work + "/ran"));
  EXPECT_FALSE(Exists(work + "/log"));
}

// Without any directory of its own a caller cannot have provisioned anything.
TEST_P(Lifecycle, TellsWhoHasNeverProvisioned) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  Launch launch = Prepare({"-"});
  launch.input = R"({"phase":"start","sandboxId":")" + prefix + R"(:0123456789abcdef0123456789abcdef"})";
  launch.uid = 23457;  // nobody, and no test's
  // Whom the directories above the build may keep out.
  launch.program = workspace.CopyOf(launch.program, "bin/mxc-exec");
  const Ended ended = Execute(launch);
  EXPECT_EQ(CodeOf(ended), "not_provisioned") << ended.out << ended.err;
  EXPECT_EQ(ended.status, 1);
}

TEST_P(Lifecycle, DryRunsChangeNothing) {
  const std::string directory = OwnDirectory();
  Launch launch = ProvisionOf();
  launch.arguments.insert(launch.arguments.begin(), "--dry-run");
  EXPECT_EQ(Execute(launch).out, "{\"result\":{}}\n");
  launch = Phase("start", "ns:0123456789abcdef0123456789abcdef");
  launch.arguments.insert(launch.arguments.begin(), "--dry-run");
  EXPECT_EQ(Execute(launch).out, "{\"result\":{}}\n");
  EXPECT_FALSE(Contents(directory).has_value());
}

TEST_P(Lifecycle, WhatACommandStartedEndsWithIt) {
  const std::string id = Started();
  const std::string marker = workspace.Root();
  const Ended ended = Exec(
      id, "setsid sh -c ': " + marker + "; sleep 300; :' & (setsid sleep 299; : " + marker + ") & echo up");
  EXPECT_EQ(ended.out, "up\n");
  EXPECT_FALSE(ended.overdue);
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
  EXPECT_EQ(Exec(id, "echo still").out, "still\n");
}

TEST_P(Lifecycle, TimeOutEndsOnlyItsCommand) {
  const std::string id = Started();
  const std::string marker = workspace.Root();
  Running other(ExecOf(id, "echo up; sleep 4; echo done"));
  ASSERT_TRUE(other.SaysOnStdout("up"));
  const Ended late =
      Exec(id, "trap '' TERM; : " + marker + "; setsid sleep 300 & echo began; while :; do sleep 1; done",
           R"(,"timeout":300)");
  EXPECT_EQ(late.status, 255);
  EXPECT_EQ(late.out, "began\n");
  EXPECT_EQ(EnvelopeMessage(late), "script timed out after 300ms");
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
  EXPECT_EQ(other.Wait().out, "up\ndone\n");
}

TEST_P(Lifecycle, SignalsAndDeathOfTheLauncherEndItsCommand) {
  const std::string id = Started();
  const std::string marker = workspace.Root();
  for (const int number : {SIGTERM, SIGKILL}) {
    Running running(ExecOf(id, ": " + marker + "; setsid sleep 300 & echo up; sleep 300"));
    ASSERT_TRUE(running.SaysOnStdout("up"));
    running.Signal(number);
    const Ended ended = running.Wait();
    EXPECT_FALSE(ended.overdue);
    EXPECT_EQ(ended.status, number == SIGTERM ? 143 : -SIGKILL);
    EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); })) << number;
  }
  EXPECT_EQ(Exec(id, "echo still").out, "still\n");
}

TEST_P(Lifecycle, StopEndsCommandsAndTheyAreToldSo) {
  const std::string id = Started();
  Running running(ExecOf(id, "echo up; sleep 300"));
  ASSERT_TRUE(running.SaysOnStdout("up"));
  EXPECT_EQ(Execute(Phase("stop", id)).status, 0);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("the sandbox ended"));
}

TEST_P(Lifecycle, ACommandThatKillsEverythingItCanLeavesNothing) {
  const std::string id = Started();
  const std::string marker = workspace.Root();
  const Ended ended = Exec(id, "setsid sh -c ': " + marker +
                                   "; trap \"\" TERM; sleep 300; :' & kill -9 -1; echo alive; sleep 300");
  EXPECT_EQ(ended.status, 255);
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
  // A signal that only supervisors from outside may send has no effect from inside.
  EXPECT_EQ(Exec(id, "kill -TERM $PPID; sleep 0.2; echo alive").out, "alive\n");
  EXPECT_EQ(Exec(id, "echo still").out, "still\n");
}

TEST_P(Lifecycle, ManyCommandsAtATime) {
  const std::string id = Started();
  std::vector<std::unique_ptr<Running>> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(std::make_unique<Running>(ExecOf(id, "sleep 0.2; echo " + std::to_string(i))));
  }
  for (int i = 0; i < 100; ++i) {
    const Ended ended = all.at(static_cast<std::size_t>(i))->Wait();
    EXPECT_EQ(ended.out, std::to_string(i) + "\n") << ended.err;
  }
}

TEST_P(Lifecycle, ADeadHolderTakesEverythingAlong) {
  const std::string work = workspace.Directory("work");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) +
                                 R"(],"deniedPaths":[)" + Quote(work + "/missing") + "]}");
  EXPECT_TRUE(Contents(work + "/missing").has_value()) << "a placeholder holds the name";
  const std::string marker = workspace.Root();
  Running running(ExecOf(id, ": " + marker + "; echo up; sleep 300"));
  ASSERT_TRUE(running.SaysOnStdout("up"));
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  ::kill(daemon, SIGKILL);
  EXPECT_EQ(running.Wait().status, 255);
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
  EXPECT_TRUE(Eventually([&] { return !Contents(work + "/missing"); }));
  // The kernel closes what the daemon had open one after the other: its socket may be the last.
  EXPECT_TRUE(Eventually([&] { return Listed(id, "state") == "dead"; }));
  const Ended exec = Exec(id, "true");
  EXPECT_EQ(CodeOf(exec), "stale_id");
  EXPECT_THAT(At(exec.out, "/error/message"), HasSubstr("was killed"));
  EXPECT_EQ(Execute(Phase("deprovision", id)).out, "{\"result\":{}}\n");
  EXPECT_EQ(CodeOf(Execute(Phase("deprovision", id))), "stale_id");
}

TEST_P(Lifecycle, TimeLimits) {
  const std::string idle = Started(R"("session":{"idleTimeoutMs":1500})");
  EXPECT_EQ(Exec(idle, "sleep 2; echo used").out, "used\n") << "a sandbox in use is not idle";
  EXPECT_TRUE(Eventually([&] { return DaemonOf(idle) < 0; }));
  EXPECT_EQ(CodeOf(Exec(idle, "true")), "stale_id");
  const std::string old = Started(R"("session":{"lifetimeMs":1500})");
  const Ended cut = Exec(old, "sleep 300");
  EXPECT_EQ(cut.status, 255);
  EXPECT_EQ(CodeOf(Exec(old, "true")), "stale_id");
}

// Nobody has asked for its end: whoever asks for anything next is told.
TEST_P(Lifecycle, WhatIsLeftWhenItsTimeIsOverIsTold) {
  const std::string work = workspace.Directory("work");
  const std::string grant =
      R"("session":{"idleTimeoutMs":2000},"filesystem":{"readwritePaths":[)" + Quote(work) + "]}";
  for (const char* const phase : {"exec", "deprovision"}) {
    const std::string id = Started(grant);
    EXPECT_EQ(Exec(id, "mkdir -p " + work + "/" + phase + "/.git").err, "");
    EXPECT_TRUE(Eventually([&] { return Listed(id, "state") == "expired"; }));
    const bool over = std::string(phase) == "deprovision";
    const Ended told = over ? Execute(Phase(phase, id)) : Exec(id, "true");
    EXPECT_THAT(told.err, HasSubstr("new repositories: '" + work + "/" + phase + "/.git'"));
    EXPECT_EQ(CodeOf(told), over ? "absent" : "stale_id");
    EXPECT_TRUE(Eventually([&] { return DaemonOf(id) < 0; }));
    EXPECT_EQ(CodeOf(Exec(id, "true")), "stale_id");
  }
}

// Whatever its answer on standard output says: that is for programs.
TEST_P(Lifecycle, WhatAPhaseCannotWriteIsToldByTheNext) {
  const std::string work = workspace.Directory("work");
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  EXPECT_EQ(Exec(id, "mkdir -p " + work + "/new/.git").err, "");
  const auto deaf = [&](const char* phase) {
    Launch launch = Phase(phase, id);
    launch.before_exec = [] { ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO); };
    return Execute(launch);
  };
  EXPECT_EQ(deaf("stop").out, "{\"result\":{}}\n");
  EXPECT_THAT(At(deaf("deprovision").out, "/error/message"), HasSubstr("could not be written"));
  EXPECT_EQ(Listed(id, "state"), "expired");
  const Ended told = Execute(Phase("deprovision", id));
  EXPECT_EQ(told.out, "{\"result\":{}}\n");
  EXPECT_THAT(told.err, HasSubstr("new repositories: '" + work + "/new/.git'"));
  EXPECT_LT(DaemonOf(id), 0);
}

TEST_P(Lifecycle, ADirectoryOfSomebodyElsesIsRefused) {
  const std::string directory = OwnDirectory();
  EXPECT_EQ(Execute(Phase("deprovision", Provision())).status, 0);
  ASSERT_EQ(::chown(directory.c_str(), 1, 1), 0);
  const Ended ended = Execute(ProvisionOf());
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(At(ended.out, "/error/message"), HasSubstr("only its user can use"));
  EXPECT_TRUE(Names(directory).empty());
  EXPECT_EQ(::rmdir(directory.c_str()), 0);
}

// Whatever stands in its place, people are told what to do.
TEST_P(Lifecycle, WhatStandsInThePlaceOfTheDirectoryIsRefused) {
  const std::string directory = OwnDirectory();
  EXPECT_EQ(Execute(Phase("deprovision", Provision())).status, 0);
  ASSERT_EQ(::rmdir(directory.c_str()), 0);
  const auto refused = [&] {
    const Ended ended = Execute(ProvisionOf());
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(At(ended.out, "/error/hint"), HasSubstr("somebody else may have made it"));
    EXPECT_EQ(std::remove(directory.c_str()), 0);
  };
  std::ofstream(directory).close();
  refused();
  std::filesystem::create_symlink(workspace.Directory("elsewhere"), directory);
  refused();
  std::filesystem::create_symlink("/nonexistent", directory);
  refused();
  EXPECT_TRUE(Names(workspace.Path("elsewhere")).empty());
}

// Another run's command could write below the runtime directory: what it left there is no record of ours.
TEST_P(Lifecycle, NothingIsReadInTheRuntimeDirectory) {
  OwnDirectory();
  const std::string planted = workspace.Directory("runtime/mxc-exec");
  ASSERT_EQ(::chmod(workspace.Path("runtime").c_str(), 0700) + ::chmod(planted.c_str(), 0700), 0);
  const std::string record = workspace.File("runtime/mxc-exec/.git-eeaf663ab8783930", "planted");
  ASSERT_EQ(::chmod(record.c_str(), 0600), 0);
  const std::string id = Provision();
  Launch recover = Prepare({"--recover"});
  recover.environment.push_back("XDG_RUNTIME_DIR=" + workspace.Path("runtime"));
  EXPECT_EQ(Execute(recover).status, 0);
  EXPECT_THAT(List(), HasSubstr(id));
  EXPECT_THAT(Names(planted), testing::ElementsAre(".git-eeaf663ab8783930"));
}

// A command under Landlock alone can change the modes of what its caller's other sandboxes are found by.
TEST_P(Lifecycle, ModesHideNoSandbox) {
  const std::string directory = OwnDirectory();
  const std::string id = Provision();
  std::string socket;
  for (const std::string& name : Names(directory))
    if (name.ends_with(id.substr(id.find(':') + 1))) socket = directory + "/" + name;
  ASSERT_NE(socket, "");
  for (const char* mode : {"0", "777"}) {
    for (const std::string& path : {socket, directory, workspace.Path("runtime")}) {
      ASSERT_EQ(Execute({.program = "/bin/chmod", .arguments = {mode, path}, .uid = uid}).status, 0);
      EXPECT_THAT(List(), HasSubstr(id)) << mode << " " << path;
    }
  }
}

// Each runtime directory has a place of its own, which nobody misses when that is gone.
TEST_P(Lifecycle, PlacesThatNobodyUsesAreRemoved) {
  const std::string fixed = uid == 0 ? "/run/mxc-exec" : "/tmp/mxc-exec-" + std::to_string(uid);
  const auto place = [&](const std::string& name, const std::string& holds) {
    const std::string path = fixed + "/.place-of-a-test-" + name + test::Token();
    const Ended made = Execute(
        {.program = "/bin/sh",
         .arguments = {"-c", "umask 077; mkdir -p " + path + "/.approvals " + path + "/.lxc && cd " + path +
                                 " && : > .approvals/old && " + holds + " touch -d '2 days ago' ."},
         .uid = uid});
    EXPECT_EQ(made.status, 0) << made.err;
    return path;
  };
  const std::string first = Provision();  // makes the fixed directory
  const std::string unused = place("unused", "");
  const std::string used = place("used", "touch . ; true ||");
  const std::string holds = place("holds", ": > .git-0011223344556677;");
  OwnDirectory();
  const std::string second = Provision();
  EXPECT_NE(first, second);
  EXPECT_FALSE(Exists(unused));
  EXPECT_TRUE(Exists(used));
  EXPECT_TRUE(Exists(holds + "/.git-0011223344556677"));
  for (const std::string& path : {used, holds}) std::filesystem::remove_all(path);
}

TEST_P(Lifecycle, TheDirectoryOfSandboxesIsNoGrants) {
  if (GetParam().caller == Caller::kRoot) GTEST_SKIP() << "the directory below belongs to an ordinary user";
  const std::string directory = OwnDirectory();
  const std::string grant =
      R"("filesystem":{"protect":[],"readwritePaths":[)" + Quote(workspace.Root()) + "]}";
  // Made by the first start, not by a command: it is not there yet.
  const std::string id = Started(grant);
  const Ended inside = Exec(id, "ls -A " + directory + "; mv " + directory + " x; rmdir " + directory +
                                    "; mkdir -p " + directory + "; echo > " + directory + "/x; echo tried");
  EXPECT_EQ(inside.out, "tried\n") << inside.err;
  EXPECT_THAT(List(), HasSubstr(id));
  EXPECT_EQ(CodeOf(Execute(ProvisionOf(R"(,"filesystem":{"readonlyPaths":[)" + Quote(directory) + "]}"))),
            "policy_validation");
}

TEST_P(Lifecycle, NobodyElseAndNothingInsideGetsIn) {
  if (GetParam().caller == Caller::kRoot) GTEST_SKIP() << "the directory below belongs to an ordinary user";
  const std::string directory = OwnDirectory();
  const std::string id = Started(R"("filesystem":{"readwritePaths":[)" + Quote(workspace.Root()) + "]}");
  const std::string name = prefix + "-" + id.substr(prefix.size() + 1);
  // The socket shows inside under a name that somebody outside has given it.
  const std::string socket = workspace.Path("socket");
  const int linked = ::link((directory + "/" + name).c_str(), socket.c_str());
  if (linked != 0 && errno == EXDEV) GTEST_SKIP() << "/tmp is another file system than the workspace";
  ASSERT_EQ(linked, 0);
  const auto knock = [&](const std::string& called) {
    return "python3 -c 'import socket,struct\n"
           "h=socket.socket(socket.AF_UNIX,socket.SOCK_SEQPACKET)\n"
           "h.connect(\"" +
           socket +
           "\")\n"
           "try:\n"
           " h.send(struct.pack(\"II64s\",0x3563786d,4,b\"" +
           called +
           "\"))\n"
           " print(len(h.recv(65536)))\n"
           "except ConnectionError: print(0)'";
  };
  // A call in the right form, from inside: the daemon hangs up.
  EXPECT_EQ(Execute(ExecOf(id, knock(name))).out, "0\n");
  // The same from outside is answered, but not one for another sandbox.
  Launch outside{.program = "/bin/sh", .arguments = {"-c", knock(name)}, .uid = uid};
  EXPECT_GT(std::atoi(Execute(outside).out.c_str()), 0);
  const Launch other{
      .program = "/bin/sh", .arguments = {"-c", knock("ns-" + std::string(32, 'a'))}, .uid = uid};
  EXPECT_EQ(Execute(other).out, "0\n");
  // Nor is another user heard whom the permissions let through.
  if (::geteuid() != 0) GTEST_SKIP() << "the rest needs another user, whom only root can be";
  for (const std::string& path : {workspace.Root(), socket}) ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  outside.uid = 23457;
  EXPECT_EQ(Execute(outside).out, "0\n");
}

}  // namespace
}  // namespace mxc::test::lifecycle_test
