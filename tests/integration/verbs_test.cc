// A persistent sandbox without documents: start, exec, stop, list.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/lifecycle_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::verbs_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class Verbs : public LifecycleTest {
 protected:
  [[nodiscard]] Launch Called(std::vector<std::string> words) const {
    Launch launch = Phase("stop", "");  // with the environment of this test
    launch.arguments = std::move(words);
    return launch;
  }
  [[nodiscard]] Ended Call(std::vector<std::string> words) const { return Execute(Called(std::move(words))); }
  [[nodiscard]] Ended In(const std::string& id, const std::string& line) const {
    return Call({"exec", id, "--", "sh", "-c", line});
  }
  // Sandboxes below `directory`, of OwnDirectory; names of daemons that never were are left out.
  [[nodiscard]] std::vector<std::string> Living(const std::string& directory) const {
    std::vector<std::string> living;
    const std::string list = List();
    for (const std::string& name : Names(directory)) {
      const std::string id = prefix + ":" + name.substr(name.find('-') + 1);
      if (list.find("\"" + id + "\",\"state\"") == std::string::npos) continue;
      if (list.find("\"" + id + "\",\"state\":\"dead\"") == std::string::npos) living.push_back(id);
    }
    return living;
  }
  // The identifier.
  std::string Start(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"start", "--containment", containment});
    const Ended ended = Call(std::move(flags));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.out, MatchesRegex(prefix + ":[0-9a-f]+\n"));
    provisioned.push_back(ended.out.substr(0, ended.out.find('\n')));
    return provisioned.back();
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(Verbs);

TEST_P(Verbs, KeepASandboxForManyCommands) {
  const std::string work = workspace.Directory("work");
  const std::string id = Start({"--rw", work, "--env", "FROM=start"});
  EXPECT_EQ(In(id, "echo kept > /tmp/note; echo out > " + work + "/file").status, 0);
  EXPECT_EQ(In(id, "cat /tmp/note; echo $FROM; exit 7").out, "kept\nstart\n");
  EXPECT_EQ(In(id, "exit 7").status, 7);
  EXPECT_EQ(Contents(work + "/file"), "out\n");
  EXPECT_NE(In(id, "echo x > /etc/x").status, 0);
  EXPECT_EQ(Call({"exec", "--env", "FROM=exec", "--cwd", work, id, "--", "sh", "-c", "echo $FROM; pwd"}).out,
            "exec\n" + work + "\n");
  Launch fed = Called({"exec", id, "--", "cat"});
  fed.input = "some input";
  EXPECT_EQ(Execute(fed).out, "some input");
  const Ended quiet = Call({"exec", "--quiet", id, "--timeout", "10", "--", "sleep", "10"});
  EXPECT_EQ(quiet.status, 255);
  EXPECT_EQ(quiet.err, "");
  const Ended stopped = Call({"stop", id});
  EXPECT_EQ(stopped.status, 0);
  EXPECT_EQ(stopped.out + stopped.err, "");
  const Ended gone = In(id, "true");
  EXPECT_EQ(gone.status, 1);
  EXPECT_EQ(gone.out, "");
  EXPECT_EQ(EnvelopeCode(gone), "stale_id");
}

TEST_P(Verbs, OfADeadSandboxTheRemedyIsNamed) {
  const std::string id = Start({});
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  ASSERT_EQ(::kill(daemon, SIGKILL), 0);
  while (DaemonOf(id) > 0) ::usleep(10000);
  const Ended dead = In(id, "true");
  EXPECT_EQ(EnvelopeCode(dead), "stale_id");
  EXPECT_THAT(dead.err, HasSubstr("clear it away, and start another: mxc-exec stop " + id + "\n"));
  EXPECT_EQ(Call({"stop", id}).status, 0);
  EXPECT_THAT(In(id, "true").err, Not(HasSubstr(id.substr(0, 12) + " ")));
}

TEST_P(Verbs, AStartInTheForegroundStaysUntilTheSandboxEnds) {
  const std::string directory = OwnDirectory();
  Running held{Called({"start", "--foreground", "--containment", containment})};
  ASSERT_TRUE(held.SaysOnStdout("\n"));
  const std::vector<std::string> all = Living(directory);
  ASSERT_EQ(all.size(), 1U);
  const std::string id = all.front();
  EXPECT_EQ(In(id, "echo in").out, "in\n");
  EXPECT_EQ(Call({"stop", id}).status, 0);
  const Ended ended = held.Wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, id + "\n");
  EXPECT_FALSE(ended.overdue);
}

TEST_P(Verbs, ASandboxEndsWithItsStartInTheForeground) {
  const std::string directory = OwnDirectory();
  const std::vector<std::string> words = {"start", "--foreground", "--containment", containment};
  for (const int number : {SIGTERM, SIGKILL}) {
    Running held{Called(words)};
    ASSERT_TRUE(held.SaysOnStdout("\n"));
    EXPECT_EQ(Living(directory).size(), 1U);
    held.Signal(number);
    EXPECT_EQ(held.Wait().status, number == SIGKILL ? -SIGKILL : 128 + number);
    EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); }));
  }
  // Whoever reads its output has gone.
  Launch shell = Called({});
  shell.arguments = {"-c", "\"$0\" start --foreground --containment \"$1\" | head -n 1", shell.program,
                     containment};
  shell.program = "/bin/sh";
  const Ended ended = Execute(shell);
  EXPECT_FALSE(ended.overdue);
  EXPECT_THAT(ended.out, MatchesRegex(prefix + ":[0-9a-f]+\n"));
  EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); }));
}

// As a service manager ends it, a terminal that is closed, and Ctrl-C.
TEST_P(Verbs, ASignalToAStartInTheForegroundLetsItTellWhatIsLeft) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
    Running held{Called({"start", "--foreground", "--containment", containment, "--rw", work})};
    ASSERT_TRUE(held.SaysOnStdout("\n"));
    const std::vector<std::string> living = Living(directory);
    ASSERT_EQ(living.size(), 1U);
    const std::string made = work + "/new" + std::to_string(number);
    EXPECT_EQ(In(living.front(), "mkdir -p " + made + "/.git").status, 0);
    held.Signal(number);
    const Ended ended = held.Wait();
    EXPECT_FALSE(ended.overdue);
    EXPECT_EQ(ended.status, 128 + number);
    EXPECT_THAT(ended.err, HasSubstr("new repositories: '" + made + "/.git'"));
    EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); })) << "it has been told";
  }
}

// Processes of a service all get the signal.
TEST_P(Verbs, ASignalToTheDaemonAsWellChangesNothing) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  for (const bool daemon_first : {false, true}) {
    Running held{Called({"start", "--foreground", "--containment", containment, "--rw", work})};
    ASSERT_TRUE(held.SaysOnStdout("\n"));
    const std::vector<std::string> living = Living(directory);
    ASSERT_EQ(living.size(), 1U);
    const pid_t daemon = DaemonOf(living.front());
    const std::string made = work + (daemon_first ? "/first" : "/second");
    EXPECT_EQ(In(living.front(), "mkdir -p " + made + "/.git").status, 0);
    if (daemon_first) ::kill(daemon, SIGTERM);
    held.Signal(SIGTERM);
    if (!daemon_first) ::kill(daemon, SIGTERM);
    const Ended ended = held.Wait();
    EXPECT_EQ(ended.status, 128 + SIGTERM);
    EXPECT_THAT(ended.err, HasSubstr("new repositories: '" + made + "/.git'"));
    EXPECT_THAT(ended.err, Not(HasSubstr("interrupted")));
    EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); }));
  }
}

// Whoever asks for the sandbox next is told.
TEST_P(Verbs, WhatNobodyHasHeardOfIsToldToWhoAsksNext) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  const std::vector<std::string> words = {"start",     "--foreground", "--containment",
                                          containment, "--rw",         work};
  const auto use = [&](const std::string& name) {
    const std::vector<std::string> living = Living(directory);
    const std::string id = living.empty() ? "none" : living.front();
    EXPECT_EQ(In(id, "mkdir -p " + work + "/" + name + "/.git").status, 0);
    return id;
  };
  const auto is_told = [&](const std::string& id, const std::string& name) {
    EXPECT_TRUE(Eventually([&] { return Listed(id, "state") == "expired"; })) << name;
    const Ended told = In(id, "true");
    EXPECT_EQ(EnvelopeCode(told), "stale_id");
    EXPECT_THAT(told.err, AllOf(HasSubstr("it was ended"),
                                HasSubstr("new repositories: '" + work + "/" + name + "/.git'")));
    EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); }));
  };
  {
    Running held{Called(words)};
    ASSERT_TRUE(held.SaysOnStdout("\n"));
    const std::string id = use("killed");
    held.Signal(SIGKILL);
    EXPECT_EQ(held.Wait().status, -SIGKILL);
    is_told(id, "killed");
  }
  {
    Launch deaf = Called({});
    deaf.arguments = {"-c", "exec \"$0\" \"$@\" 2> /dev/full", deaf.program};
    deaf.arguments.insert(deaf.arguments.end(), words.begin(), words.end());
    deaf.program = "/bin/sh";
    Running held{deaf};
    ASSERT_TRUE(held.SaysOnStdout("\n"));
    const std::string id = use("full");
    held.Signal(SIGHUP);
    EXPECT_EQ(held.Wait().status, 128 + SIGHUP);
    is_told(id, "full");
  }
  const std::string id = Start({"--rw", work});
  use("alone");
  ASSERT_EQ(::kill(DaemonOf(id), SIGTERM), 0);
  is_told(id, "alone");
}

// It counts as told when it has been written.
TEST_P(Verbs, WhatAStopCannotWriteIsToldToWhoAsksNext) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  for (const std::string name : {"full", "closed"}) {
    const std::string id = Start({"--rw", work});
    EXPECT_EQ(In(id, "mkdir -p " + work + "/" + name + "/.git").status, 0);
    Launch deaf = Called({"stop", id});
    deaf.before_exec = [full = name == "full"] {
      full ? ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO) : ::close(STDERR_FILENO);
    };
    EXPECT_EQ(Execute(deaf).status, 255) << name;
    EXPECT_EQ(Listed(id, "state"), "expired") << name;
    const Ended told = Call({"stop", id});
    EXPECT_EQ(told.status, 0);
    EXPECT_THAT(told.err, HasSubstr("new repositories: '" + work + "/" + name + "/.git'"));
    EXPECT_TRUE(Living(directory).empty()) << name;
  }
}

// A daemon that does not answer is not waited for.
TEST_P(Verbs, ASecondSignalEndsAStartInTheForegroundAtOnce) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  Running held{Called({"start", "--foreground", "--containment", containment, "--rw", work})};
  ASSERT_TRUE(held.SaysOnStdout("\n"));
  const std::vector<std::string> living = Living(directory);
  ASSERT_EQ(living.size(), 1U);
  EXPECT_EQ(In(living.front(), "mkdir -p " + work + "/new/.git").status, 0);
  const pid_t daemon = DaemonOf(living.front());
  ASSERT_EQ(::kill(daemon, SIGSTOP), 0);
  held.Signal(SIGTERM);
  ::usleep(200000);
  EXPECT_EQ(::kill(held.Pid(), 0), 0);
  held.Signal(SIGTERM);
  EXPECT_EQ(held.Wait().status, 128 + SIGTERM);
  ASSERT_EQ(::kill(daemon, SIGCONT), 0);
  EXPECT_TRUE(Eventually([&] { return Listed(living.front(), "state") == "expired"; }));
  EXPECT_THAT(Call({"stop", living.front()}).err, HasSubstr("new repositories: '" + work + "/new/.git'"));
  EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); }));
}

TEST_P(Verbs, AStartInTheForegroundEndsWithItsTime) {
  const std::string directory = OwnDirectory();
  const std::string file = workspace.File(
      "limited.json", R"({"version": "1.1.0-alpha", "containment": ")" + containment +
                          R"(", "session": {"lifetimeMs": 1500}, "process": {"commandLine": ":"}})");
  const Ended ended = Execute(Called({"start", "--foreground", file}));
  EXPECT_FALSE(ended.overdue);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(Living(directory).empty());
}

// By descriptor too, the file is found out before anything closes that.
TEST_P(Verbs, TheFileOfThePolicyIsHeldHoweverItIsHandedIn) {
  const std::string work = workspace.Directory("work");
  const std::string members = R"("version": "1.1.0-alpha", "containment": ")" + containment +
                              R"(", "filesystem": {"readwritePaths": [)" + Quote(work) +
                              R"(]}, "process": {"commandLine": ":"}})";
  const std::string file = workspace.File("work/policy.json", "{" + members);
  const std::string phase = workspace.File("work/phase.json", R"({"phase": "provision", )" + members);
  const auto handed = [&](std::vector<std::string> words, const std::string& from, int number) {
    const UniqueFd opened{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    Launch launch = Called(std::move(words));
    launch.files = {{.borrowed_fd = opened.Get(), .number = number}};
    return Execute(launch).out;
  };
  const std::vector<std::pair<std::string, std::string>> started = {
      {file, handed({"start", file}, file, 9)},
      {file, handed({"start", "--config-fd", "7"}, file, 7)},
      {file, handed({"start", "/dev/fd/7"}, file, 7)},
      {phase, handed({"--config-fd", "7"}, phase, 7)},
      {phase, handed({phase}, phase, 9)}};
  for (const auto& [held, out] : started) {
    const std::size_t at = out.find(prefix + ":");
    ASSERT_NE(at, std::string::npos) << out;
    const std::string id = out.substr(at, prefix.size() + 33);
    provisioned.push_back(id);
    if (held == phase) {
      EXPECT_EQ(Execute(Phase("start", id)).status, 0);
    }
    EXPECT_THAT(In(id, "cd " + work + "; echo x > new && ! mv -f new " + held + " && echo held").out,
                testing::EndsWith("held\n"));
    EXPECT_EQ(Call({"stop", id}).status, 0);
  }
}

// The one who stops it does not know the sandbox's variables.
TEST_P(Verbs, StopHidesValuesOfTheSandboxsVariables) {
  const std::string work = workspace.Directory("work");
  const std::string id = Start({"--rw", work, "--env", "API_TOKEN=stopMARK-8d21aa"});
  EXPECT_EQ(In(id, "cd " + work +
                       "; mkdir -p $API_TOKEN/.git/objects $API_TOKEN/.git/refs; echo x > "
                       "$API_TOKEN/.git/HEAD")
                .status,
            0);
  const Ended stopped = Call({"stop", id});
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("new repositories: '" + work + "/[REDACTED]/.git'"),
                                 Not(HasSubstr("stopMARK"))));
}

// Nor does the one who runs a command in it, before the daemon has said.
TEST_P(Verbs, ExecHidesValuesOfTheSandboxsVariables) {
  const std::string marker = "execMARK-5c1e9a";
  const std::string work = workspace.Directory("work");
  const std::string inside = workspace.Directory("work/" + marker);
  const std::string outside = workspace.Directory("no-" + marker);
  const std::string id = Start({"--rw", work, "--env", "MY_TOKEN=" + marker});
  const std::string result = workspace.Path("result");
  const std::vector<std::vector<std::string>> flags = {{"--result", result},
                                                       {"--result", inside + "/r"},
                                                       {"--result", outside + "/none/r"},
                                                       {"--log-file", inside + "/l"},
                                                       {"--log-file", outside + "/none/l"},
                                                       {"--cwd", outside},
                                                       {"--env", "MY_TOKEN=other", "--result", inside + "/r"},
                                                       {"--timeout", marker},
                                                       {"--env", marker}};
  for (std::vector<std::string> words : flags) {
    words.insert(words.begin(), "exec");
    words.insert(words.end(), {id, "--", "true"});
    Launch launch = Called(words);
    launch.cwd = outside;
    const Ended ended = Execute(launch);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("[REDACTED]"), Not(HasSubstr(marker))))
        << testing::PrintToString(words);
  }
  EXPECT_THAT(Contents(result).value_or("none"), Not(HasSubstr(marker)));
  const std::string process = R"("process":{"commandLine":"true",)";
  for (const Launch& request : {Phase("exec", id, "," + process + R"("cwd":"below/)" + marker + "\"}"),
                                Phase("exec", id, "," + process + Quote(marker) + ":1}"),
                                Phase("stop", id, "," + Quote(marker) + ":1")}) {
    const Ended ended = Execute(request);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("[REDACTED]"), Not(HasSubstr(marker))));
    EXPECT_THAT(At(ended.out, "/error/message"), AllOf(HasSubstr("[REDACTED]"), Not(HasSubstr(marker))));
  }
  const Ended unread =
      Call({"--operation", "exec", "--container-id", id, workspace.Path(marker + ".json"), "--", "true"});
  EXPECT_THAT(unread.err, AllOf(HasSubstr("/[REDACTED].json"), Not(HasSubstr(marker))));
}

// Then the sandbox is what is wrong.
TEST_P(Verbs, WhereNobodySaysWhatToHideNothingIsQuoted) {
  const std::string marker = "deadMARK-77b2f0";
  const std::string id = Start({"--env", "MY_TOKEN=" + marker});
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  const auto said = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"exec", id};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "true"});
    return Call(words).err;
  };
  ASSERT_EQ(::kill(daemon, SIGSTOP), 0);
  EXPECT_THAT(said({"--timeout", marker}),
              AllOf(HasSubstr("the sandbox's daemon does not answer"), Not(HasSubstr(marker))));
  ASSERT_EQ(::kill(daemon, SIGCONT), 0);
  EXPECT_EQ(Execute(Phase("stop", id)).status, 0);
  EXPECT_THAT(said({"--timeout", marker}), HasSubstr("not '[REDACTED]'")) << "it is asked, and need not run";
  for (const char* flag : {"--result", "--log-file"})
    EXPECT_THAT(said({flag, "/none/" + marker}),
                AllOf(HasSubstr("the sandbox is stopped"), Not(HasSubstr(marker))));
  ASSERT_EQ(::kill(daemon, SIGKILL), 0);
  while (DaemonOf(id) > 0) ::usleep(10000);
  for (const char* flag : {"--result", "--log-file", "--timeout"}) {
    EXPECT_THAT(said({flag, "/none/" + marker}),
                AllOf(HasSubstr("its daemon was killed"), HasSubstr("mxc-exec stop"), Not(HasSubstr(marker))))
        << flag;
  }
}

TEST_P(Verbs, ADryRunOfStartSaysWhatStartWould) {
  EXPECT_EQ(Call({"start", "--dry-run", "--containment", containment}).status, 0);
  const Ended none = Call({"start", "--dry-run", "--containment", "landlock"});
  EXPECT_EQ(none.status, 1) << none.out;
  EXPECT_THAT(none.err, HasSubstr("has no persistent sandboxes"));
}

TEST_P(Verbs, ACommandStandsWhereItsCallerDoes) {
  const std::string work = workspace.Directory("work/below");
  const std::string id = Start({"--rw", workspace.Path("work")});
  Launch launch = Called({"exec", id, "--", "pwd"});
  launch.cwd = work;
  EXPECT_EQ(Execute(launch).out, work + "\n");
  launch.cwd = workspace.Directory("elsewhere");
  EXPECT_THAT(Execute(launch).out, Not(HasSubstr("elsewhere")));
}

// Wherever it was started: in / a command finds nothing of what its caller has before him.
TEST_P(Verbs, ACommandThatCannotStandWhereItsCallerDoesIsTold) {
  const std::string work = workspace.Directory("work");
  const std::string hidden = workspace.Directory("hidden");
  for (const std::string& from : {work, hidden}) {
    Launch start = Called({"start", "--containment", containment, "--rw", work});
    start.cwd = from;
    const std::string out = Execute(start).out;
    ASSERT_THAT(out, MatchesRegex(prefix + ":[0-9a-f]+\n"));
    const std::string id = provisioned.emplace_back(out.substr(0, out.find('\n')));
    Launch launch = Called({"exec", id, "--", "pwd"});
    launch.cwd = hidden;
    const Ended ended = Execute(launch);
    const std::string there = from == work ? work : "/";
    EXPECT_EQ(ended.out, there + "\n");
    EXPECT_THAT(ended.err, HasSubstr("the command starts in '" + there +
                                     "', because the sandbox does not show '" + hidden + "'; --cwd"));
    launch.arguments = {"exec", "--cwd", "/", id, "--", "pwd"};
    const Ended written = Execute(launch);
    EXPECT_EQ(written.out + written.err, "/\n");
    launch.arguments = {"-c", R"(rmdir "$PWD" && exec "$0" exec "$1" -- pwd)", launch.program, id};
    launch.program = "/bin/sh";
    launch.cwd = workspace.Directory("gone");
    EXPECT_THAT(Execute(launch).err,
                HasSubstr("the command starts in '" + there + "', because the caller's directory is gone"));
  }
}

TEST_P(Verbs, ACommandStandsWhereItsSandboxWasTold) {
  const std::string work = workspace.Directory("work");
  const std::string below = workspace.Directory("work/below");
  const std::string id = Start({"--rw", work, "--cwd", below});
  Launch launch = Called({"exec", id, "--", "pwd"});
  launch.cwd = work;
  EXPECT_EQ(Execute(launch).out, below + "\n");
  EXPECT_EQ(Call({"exec", "--cwd", work, id, "--", "pwd"}).out, work + "\n");
  launch.cwd = workspace.Directory("elsewhere");
  const Ended hidden = Execute(launch);
  EXPECT_EQ(hidden.out + hidden.err, below + "\n");
}

TEST_P(Verbs, TakeThePolicyOfAFile) {
  const std::string work = workspace.Directory("work");
  const std::string file =
      ConfigFile({.containment = containment, .command = "echo never run", .read_write = {work}});
  const std::string id = Start({file});
  EXPECT_EQ(In(id, "touch " + work + "/made").status, 0);
  EXPECT_TRUE(Exists(work + "/made"));
  const Ended phase = Call({"start", Phase("start", id).arguments.back()});
  EXPECT_EQ(phase.status, 2);
  EXPECT_THAT(phase.err, HasSubstr("the configuration has a phase"));
}

// The message names five; others may run beside this test.
testing::Matcher<std::string> Lists(const std::string& id) {
  return testing::AnyOf(HasSubstr(id), HasSubstr(" and others: mxc-exec list"));
}

TEST_P(Verbs, ABeginningIsEnoughAndAWrongOneNamesTheOthers) {
  const std::string id = Start({});
  const std::string digits = id.substr(id.find(':') + 1);
  EXPECT_EQ(In(id.substr(0, id.size() - 3), "echo in").out, "in\n");
  EXPECT_EQ(In(digits.substr(0, 12), "echo in").out, "in\n");
  const Ended wrong = In("zz", "true");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("there is no sandbox 'zz'\n"), HasSubstr("yours: "), Lists(id)));
  for (const std::string& none : {std::string(), prefix}) EXPECT_EQ(Call({"stop", none}).status, 1);
  const std::string other = Start({});
  const Ended several = In(prefix, "true");
  EXPECT_EQ(several.status, 1);
  EXPECT_THAT(several.err, AllOf(HasSubstr("several sandboxes begin with"), Lists(id), Lists(other)));
  EXPECT_EQ(In(other, "cat /tmp/note").status, 1) << "each has a /tmp of its own";
  EXPECT_THAT(Call({"list"}).out, AllOf(HasSubstr(id), HasSubstr(other), HasSubstr("\"state\":\"started\"")));
  EXPECT_EQ(Call({"stop", digits}).status, 0);
  EXPECT_EQ(DaemonOf(id), -1);
  EXPECT_NE(DaemonOf(other), -1);
  EXPECT_THAT(Call({"stop", id}).err, Lists(other));
}

TEST_P(Verbs, AMisspeltOneIsTold) {
  const Ended ended = Call({"strat"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("did you mean the verb, mxc-exec start?"));
}

TEST_P(Verbs, AStartThatFailsLeavesNothing) {
  const std::string directory = OwnDirectory();
  const Ended refused = Call({"start", "--containment", containment, "--cwd", "/nowhere"});
  EXPECT_EQ(refused.status, 255);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(Living(directory), testing::IsEmpty());
  // Nobody learns the identifier.
  const Launch start = Called({"start", "--containment", containment});
  const Ended lost = Execute({.program = "/bin/sh",
                              .arguments = {"-c", "\"$@\" > /dev/full", "sh", start.program,
                                            start.arguments[0], start.arguments[1], start.arguments[2]},
                              .environment = start.environment,
                              .cwd = workspace.Root(),
                              .uid = uid});
  EXPECT_EQ(lost.status, 255) << lost.err;
  EXPECT_EQ(EnvelopeCode(lost), "backend_error");
  EXPECT_THAT(Living(directory), testing::IsEmpty());
}

// Killed at any moment, it has told the identifier or left nothing.
TEST_P(Verbs, AStartThatIsKilledLeavesNothing) {
  const std::string directory = OwnDirectory();
  for (int i = 0; i < 12; ++i) {
    Running running(Called({"start", "--containment", containment}));
    ::usleep(static_cast<useconds_t>(i) * 4000);
    running.Signal(SIGKILL);
    const std::string told = running.Wait().out;
    if (!told.empty()) provisioned.push_back(told.substr(0, told.find('\n')));
  }
  for (const std::string& id : provisioned) [[maybe_unused]] const Ended stopped = Call({"stop", id});
  EXPECT_TRUE(Eventually([&] { return Living(directory).empty(); })) << List();
}

TEST_P(Verbs, AKilledCallerEndsItsCommand) {
  const std::string id = Start({});
  const std::string marker = Token();
  Running running(Called({"exec", id, "--", "sh", "-c", "echo up; exec sleep 1000 " + marker}));
  ASSERT_TRUE(running.SaysOnStdout("up"));
  running.Signal(SIGKILL);
  EXPECT_TRUE(Eventually([&] { return In(id, "ps ax | grep -c '[s]leep 1000'").out == "0\n"; }));
}

TEST_P(Verbs, BackgroundOutlivesItsCallAndEndsWithTheSandbox) {
  const std::string work = workspace.Directory("work");
  const std::string id = Start({"--rw", work, "--cwd", work});
  const std::string marker = Token();
  const std::string line = "echo lost; echo lost >&2; touch " + work + "/up; exec sleep 1000 # " + marker;
  const Ended begun = Call({"exec", "--background", id, "--", "sh", "-c", "sh -c '" + line + "'"});
  EXPECT_EQ(begun.status, 0) << begun.err;
  EXPECT_EQ(begun.out + begun.err, "");
  EXPECT_TRUE(Eventually([&] { return Exists(work + "/up"); }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(In(id, "true").status, 0);
  // The daemon hears of an end after the caller.
  EXPECT_TRUE(Eventually([&] {
    return List().find("\"" + id + "\",\"state\":\"started\",\"commands\":1,") != std::string::npos;
  })) << List();
  EXPECT_THAT(In(id, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").out, HasSubstr(marker));
  EXPECT_EQ(Call({"stop", id}).status, 0);
  EXPECT_TRUE(Eventually([&] { return Survivors(marker).empty(); }));
}

TEST_P(Verbs, BackgroundSaysThatOutputIsLost) {
  const std::string id = Start({"--cwd", "/"});
  const auto said = [&](const std::string& line) {
    return Call({"exec", "--background", id, "--", "sh", "-c", line}).err;
  };
  EXPECT_THAT(said("echo lost"), HasSubstr("what the command writes is lost"));
  EXPECT_EQ(said("echo kept >/tmp/log 2>&1"), "");
  EXPECT_TRUE(Eventually([&] { return In(id, "cat /tmp/log").out == "kept\n"; }));
}

TEST_P(Verbs, BackgroundSaysWhatCannotBeExecuted) {
  const std::string id = Start({});
  const Ended ended = Call({"exec", "--background", id, "--", "no-such-program"});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr("no-such-program"));
}

TEST_P(Verbs, ATerminalIsTheCommandsAndSaysWhatToDo) {
  const Terminal terminal(uid);
  Launch start = Called({"start", "--containment", containment});
  start.terminal = terminal.Fd();
  EXPECT_EQ(Execute(start).status, 0);
  const std::string said = terminal.OutputUpTo("ends it");
  provisioned.push_back(said.substr(0, said.find('\n')));
  EXPECT_THAT(said, MatchesRegex(prefix + ":[0-9a-f]+\n  mxc-exec exec " + prefix +
                                 ":.*\n  mxc-exec stop .*ends it\n"));
  Launch launch = Called({"exec", provisioned.back(), "--", "sh", "-c",
                          "[ -t 0 ] && : > /dev/tty && echo controls; read x; echo got-$x; exit 3"});
  launch.terminal = terminal.Fd();
  Running running(launch);
  terminal.Type("word\n");
  EXPECT_THAT(terminal.OutputUpTo("is listed"),
              AllOf(HasSubstr("controls"), HasSubstr("got-word"),
                    HasSubstr("the command failed; with --report, what the sandbox refused it is listed")));
  EXPECT_EQ(running.Wait().status, 3);
}

}  // namespace
}  // namespace mxc::test::verbs_test
