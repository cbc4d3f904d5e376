// mxc-sh: the program as a shell.
#include <gmock/gmock.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"
#include "tests/support/terminal.h"

namespace mxc::test::shell_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Shell : public LauncherTest {
 protected:
  // A call with the policy in the caller's configuration directory; the project is writable.
  [[nodiscard]] Launch Called(std::vector<std::string> words) const {
    return Called(std::move(words), {.read_write = {project_}});
  }
  [[nodiscard]] Launch Called(std::vector<std::string> words, const Parts& policy) const {
    Launch launch = Prepare(std::move(words));
    launch.program = Exists(workspace.Path("names/mxc-sh")) ? workspace.Path("names/mxc-sh")
                                                            : workspace.Link("names/mxc-sh", launch.program);
    launch.cwd = project_;
    launch.environment.push_back("XDG_CONFIG_HOME=" + workspace.Directory("config"));
    workspace.File("config/mxc-exec/policy.json", ConfigText(policy, GetParam().containment));
    return launch;
  }
  [[nodiscard]] Ended Sh(std::vector<std::string> words) const { return Execute(Called(std::move(words))); }

  std::string project_ = workspace.Directory("project");
};
INSTANTIATE_TEST_SUITE_P(As, Shell,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"}),
                         CallerOf);

TEST_P(Shell, TakesWhatAShellTakes) {
  workspace.File("project/script", "echo script $1 $2; exit 5\n");
  EXPECT_EQ(Sh({"-c", "echo $0 $1", "name", "a"}).out, "name a\n");
  EXPECT_EQ(Sh({"echo line; exit 3"}).out, "line\n");
  EXPECT_EQ(Sh({"echo line; exit 3"}).status, 3);
  EXPECT_EQ(Sh({"-lc", "shopt login_shell"}).out, "login_shell    \ton\n");
  EXPECT_EQ(Sh({"-euc", "false; echo no"}).out, "");
  EXPECT_EQ(Sh({"script", "a", "b"}).out, "script a b\n");
  EXPECT_EQ(Sh({"script", "a", "b"}).status, 5);
  EXPECT_EQ(Sh({"./script"}).out, "script\n");
  Launch read = Called({});
  read.input = "read x\nof the script\necho $x\n";
  EXPECT_EQ(Execute(read).out, "of the script\n");
  Launch fed = Called({"-c", "cat"});
  fed.input = "of the caller";
  EXPECT_EQ(Execute(fed).out, "of the caller");
}

TEST_P(Shell, NoWordOfOursIsOneOfAShell) {
  for (const char* word : {"--container-init", "--sandbox-entry", "--session-init", "--allow-unsandboxed"}) {
    const Ended ended = Sh({word, "0", "0", "0", "echo", "ran"});
    EXPECT_EQ(ended.out, "") << word;
    EXPECT_THAT(ended.err, HasSubstr(word)) << word;  // the shell's own complaint
  }
}

TEST_P(Shell, HasNothingBesideTheCommandsOutput) {
  const Ended ended = Sh({"-c", "pwd; echo wrong >&2; kill -TERM $$"});
  EXPECT_EQ(ended.out, project_ + "\n");
  EXPECT_EQ(ended.err, "wrong\n");
  EXPECT_EQ(ended.status, 128 + SIGTERM);
}

TEST_P(Shell, TellsWhatItEndsInTheBackground) {
  const Ended left = Sh({"-c", "sleep 60 & echo up"});
  EXPECT_EQ(left.out, "up\n");
  EXPECT_EQ(left.status, 0);
  EXPECT_EQ(
      left.err,
      "mxc-exec: warning: 'sleep' went on in the background and was ended with the command: in a sandbox of "
      "`mxc-exec start`, `mxc-exec exec --background ID -- CMD` is for what must keep running\n");
  EXPECT_EQ(Lines(Sh({"-c", "(sleep 60 | sleep 60) & sleep 60 & exit 3"}).err).size(), 1U);
  EXPECT_THAT(Sh({"-c", "cp /bin/sleep $'a\nb\033[2J' && $'./a\nb\033[2J' 60 &\nsleep 0.3"}).err,
              Not(HasSubstr("\033")));
  for (const char* quiet : {"true", "sleep 0.01 & wait", "sleep 60 & kill $!", "sleep 60 & kill -9 $!; echo",
                            "echo x > >(cat); wait $!", "yes | head -n 1", "setsid sleep 60 &\nsleep 0.2",
                            "(exec setsid -f sleep 60)"})
    EXPECT_EQ(Sh({"-c", quiet}).err, "") << quiet;
}

TEST_P(Shell, TellsItOfEveryEngineThatKnows) {
  for (const char* containment : {"landlock", "lxc", "bubblewrap"}) {
    if (std::string(containment) == "lxc" && !HasLxc()) continue;
    Launch launch = Called({"-c", "sleep 60 & echo up"});
    launch.environment.push_back("MXC_POLICY=" + ConfigText({.read_write = {project_}}, containment));
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.out, "up\n") << containment;
    const bool told = ended.err.find("'sleep' went on in the background") != std::string::npos;
    EXPECT_EQ(told, std::string(containment) != "bubblewrap") << containment << ended.err;
  }
}

TEST_P(Shell, TellsWhatAnInteractiveOneLeaves) {
  const Terminal terminal(uid);
  Launch launch = Called({"-ic", "set -m; sleep 60 & echo up"});
  launch.terminal = terminal.Fd();
  Running running(launch);
  EXPECT_THAT(terminal.OutputUpTo("keep running"), HasSubstr("'sleep' went on in the background"));
  EXPECT_EQ(running.Wait().status, 0);
}

TEST_P(Shell, PassesOnWhatJobsAreTold) {
  Launch launch = Called({"-c", "echo $TERM:$API_TOKEN:$NAMED:$MXC_POLICY"});
  for (const char* variable : {"TERM=tmux-256color", "API_TOKEN=secret", "NAMED=yes", "MXC_ENV=NAMED"})
    launch.environment.emplace_back(variable);
  launch.environment.push_back("MXC_POLICY=" + workspace.Path("config/mxc-exec/policy.json"));
  EXPECT_EQ(Execute(launch).out, "tmux-256color::yes:\n");
}

TEST_P(Shell, TakesTheDocumentItself) {
  Launch launch = Called({"-c", "echo inside"});
  launch.environment.push_back("MXC_POLICY=" + ConfigText({.read_write = {project_}}, "namespaces"));
  EXPECT_EQ(Execute(launch).out, "inside\n");
}

TEST_P(Shell, ASettingNamesTheShell) {
  Launch launch = Called({"-c", "echo $0"});
  launch.environment.emplace_back("MXC_SHELL=/bin/sh");
  EXPECT_EQ(Execute(launch).out, "/bin/sh\n");
}

TEST_P(Shell, WhereTheCommandStandsIsTheCallersAffair) {
  const Ended elsewhere = Execute(Called({"-c", "pwd"}, {.cwd = "/usr"}));
  EXPECT_EQ(elsewhere.out, "/\n");
  EXPECT_THAT(elsewhere.err,
              AllOf(HasSubstr("'" + project_ + "' is not granted: add it to readwritePaths"),
                    EndsWith("to read, in '" + workspace.Path("config/mxc-exec/policy.json") + "'\n")));
  EXPECT_EQ(Lines(elsewhere.err).size(), 1U);
}

// ---- The policy -------------------------------------------------------------------------------------------

TEST_P(Shell, WithoutAPolicyALineSaysWhatToDo) {
  Launch launch = Called({"-c", "echo ran"});
  ::unlink(workspace.Path("config/mxc-exec/policy.json").c_str());
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(ended.out, "");
  const std::string own = workspace.Path("config/mxc-exec/policy.json");
  const std::string begin =
      "mxc-sh: there is no policy: write one to '" + own + "', or name a file in MXC_POLICY; a short one is ";
  ASSERT_THAT(ended.err, StartsWith(begin));
  workspace.File("config/mxc-exec/policy.json", ended.err.substr(begin.size()));
  EXPECT_EQ(Execute(Called({"-c", "echo ran"})).out, "ran\n") << "as advised";
}

TEST_P(Shell, WhatIsWrongNamesThePolicy) {
  Launch launch = Called({"-c", "echo ran"});
  const std::string own = workspace.File("config/mxc-exec/policy.json", "{");
  EXPECT_THAT(Execute(launch).err, StartsWith("mxc-sh: the policy '" + own + "': Invalid JSON syntax: "));
  launch.environment.emplace_back(R"(MXC_POLICY={"version": "1.0.0", "filesystm": {}})");
  EXPECT_THAT(Execute(launch).err,
              StartsWith("mxc-sh: the policy MXC_POLICY: Invalid configuration at `filesystm`"));
}

TEST_P(Shell, NoCommandWritesItsPolicy) {
  const std::string own = workspace.Directory("config/mxc-exec");
  for (const auto& [granted, why] : std::map<std::string, std::string>{
           {workspace.Root(), "the command may write"},
           {workspace.Directory("config"), "the command may write"},
           {own, "what mxc-exec keeps in '" + own + "' is no command's to write"}}) {
    const Ended ended = Execute(Called({"-c", "echo ran"}, {.read_write = {granted, project_}}));
    EXPECT_EQ(ended.out, "") << granted;
    EXPECT_THAT(ended.err, AllOf(StartsWith("mxc-sh: "), HasSubstr(why)));
    EXPECT_EQ(Lines(ended.err).size(), 1U) << ended.err;
  }
  Launch launch = Called({"-c", "echo ran"});
  launch.environment.push_back("MXC_POLICY=" + project_ + "/link");
  workspace.Link("project/link", workspace.Path("config/mxc-exec/policy.json"));
  EXPECT_THAT(Execute(launch).err, HasSubstr("is where the command may write ('" + project_ + "/link')"));
}

TEST_P(Shell, NobodyElseWritesThePolicy) {
  Launch launch = Called({"-c", "echo ran"});
  ::chmod(workspace.Path("config/mxc-exec/policy.json").c_str(), 0666);
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("could have been written by another user"));
}

// Dotfiles: what the policy and the profiles are linked from is no command's to write, whatever grants it.
TEST_P(Shell, NoOtherPolicyWritesWhatItIsALinkTo) {
  const std::string dot = workspace.Directory("dot");
  const std::string policy = workspace.File("dot/a/policy", "{}");
  workspace.Link("config/mxc-exec/policy.json", policy);
  workspace.Link("config/mxc-exec/profiles/p1.json", workspace.File("dot/a/p1.json", "{}"));
  workspace.Link("config/mxc-exec/profiles/p2.json", dot + "/missing/p2.json");
  const std::string write =
      "cd " + dot +
      "; mv a b; for f in a/policy a/p1.json missing/p2.json; do rm -rf $f; mkdir -p ${f%/*}; " +
      "echo x >$f; done; echo x >other; echo tried";
  for (const std::string engine : {"namespaces", "bubblewrap", "lxc", "landlock"}) {
    Launch launch = PrepareConfig({.containment = engine, .command = write, .read_write = {dot}});
    launch.environment.push_back("XDG_CONFIG_HOME=" + workspace.Path("config"));
    const Ended ended = Execute(launch);
    if (engine == "landlock") {
      EXPECT_THAT(ended.err, HasSubstr("without a mount namespace"));
    } else {
      EXPECT_EQ(ended.out, "tried\n") << engine << ended.err;
    }
    EXPECT_EQ(Names(dot),
              engine == "landlock" ? std::vector<std::string>{"a"} : (std::vector<std::string>{"a", "other"}))
        << engine;
    EXPECT_EQ(Contents(policy), "{}") << engine;
    EXPECT_EQ(Contents(dot + "/a/p1.json"), "{}") << engine;
    std::remove((dot + "/other").c_str());
  }
}

TEST_P(Shell, APolicyIsNoRequest) {
  const Ended ended = Execute(Called({"-c", "true"}, {.more = R"("phase":"provision")"}));
  EXPECT_NE(ended.status, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("policy.json': it has a phase: it is a request of its own"));
}

// ---- The report -------------------------------------------------------------------------------------------

TEST_P(Shell, AFailureEndsWithWhatWasRefused) {
  const std::string outside = workspace.Directory("outside");
  const Ended ended = Sh({"-c", "echo x > " + outside + "/file"});
  EXPECT_NE(ended.status, 0);
  EXPECT_EQ(LastLine(ended.err), "mxc-exec: refused: '" + outside +
                                     "/file' (write): nothing of the policy grants it; to allow it, add '" +
                                     outside + "' to filesystem.readwritePaths");
  EXPECT_THAT(Sh({"-c", "exec 2>&-; (echo x > " + outside + "/file); exit 0"}).err, "");
}

TEST_P(Shell, AFailureOfTheCommandsOwnIsNotExplained) {
  const Ended ended = Sh({"-c", "ls missing; cat /nonexistent; exit 9"});
  EXPECT_EQ(ended.status, 9);
  EXPECT_THAT(ended.err, Not(HasSubstr("mxc-exec")));
}

TEST_P(Shell, ThreeLinesAreEnough) {
  std::string line;
  for (const char* name : {"a", "b", "c", "d", "e"}) line += "cat " + workspace.File(name, "x") + "; ";
  const Ended ended = Sh({"-c", line + "exit 1"});
  const std::vector<std::string> lines = Lines(ended.err);
  ASSERT_GE(lines.size(), 3U);
  EXPECT_THAT(lines[lines.size() - 4], Not(HasSubstr("mxc-exec")));
  EXPECT_THAT(lines[lines.size() - 3], HasSubstr("'" + workspace.Path("e") + "' (read)"));
  EXPECT_EQ(lines.back(), "mxc-exec: refused: 3 more; mxc-exec --report lists them");
}

TEST_P(Shell, WhatIsDeniedByNameIsNotTold) {
  const std::string denied = workspace.File("project/.env", "x");
  const std::string token = "supersecretvalue";
  const std::string hidden = workspace.File("out-" + token, "x");
  const Ended ended = Execute(Called({"-c", "cat .env " + denied + ".local; cat " + hidden + "; exit 1"},
                                     {.read_write = {project_},
                                      .denied = {denied, denied + ".local"},
                                      .environment = {{"MY_TOKEN=" + token}}}));
  EXPECT_THAT(ended.err, Not(HasSubstr("mxc-exec: refused")));
}

TEST_P(Shell, AnotherCallMayAskForItToo) {
  const Ended ended =
      Execute(PrepareConfig({.command = "cat " + workspace.File("outside/file", "x")}, {"--report=short"}));
  EXPECT_THAT(LastLine(ended.err), HasSubstr("add '" + workspace.Path("outside/file") + "' to filesystem.r"));
}

// ---- A terminal -------------------------------------------------------------------------------------------

TEST_P(Shell, HasATerminalWithJobsAndItsSize) {
  const Terminal terminal(uid);
  termios modes{};
  ASSERT_EQ(::tcgetattr(terminal.Fd(), &modes), 0);
  modes.c_lflag |= ICANON | ECHO | ISIG;
  ASSERT_EQ(::tcsetattr(terminal.Fd(), TCSANOW, &modes), 0);
  Launch launch = Called({"--norc", "-i"});
  launch.environment.emplace_back("TERM=xterm");
  launch.terminal = terminal.Fd();
  Running running(launch);
  terminal.Type("echo up-$((1+1))\n");
  EXPECT_THAT(terminal.OutputUpTo("up-2"), HasSubstr("up-2"));
  winsize size{.ws_row = 33, .ws_col = 77, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(terminal.Fd(), TIOCSWINSZ, &size), 0);
  terminal.Type("until [ \"$(stty size)\" = '33 77' ]; do sleep 0.1; done; echo size-$((2+3))\n");
  EXPECT_THAT(terminal.OutputUpTo("size-5"), HasSubstr("size-5"));
  // The job starts no process: dash starts them by vfork(), and a stop before the exec reaches the child
  // alone.
  terminal.Type("sh -c 'echo job-$((40+2)); read x'\n");
  EXPECT_THAT(terminal.OutputUpTo("job-42"), HasSubstr("job-42"));
  terminal.Type("\x1a");
  EXPECT_THAT(terminal.OutputUpTo("Stopped"), HasSubstr("Stopped"));
  terminal.Type("kill -KILL %1\nexit 7\nexit 7\n");  // the first warns when the job has not been reaped
  EXPECT_EQ(running.Wait().status, 7);
}

}  // namespace
}  // namespace mxc::test::shell_test
