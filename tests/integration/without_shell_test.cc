// bubblewrap runs a plain command line without a shell where that is certain to be the same; each line here
// is run as it stands, and with something behind it that makes the shell go about it.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/support/launcher_test.h"

namespace mxc::test::without_shell_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class WithoutShell : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    std::error_code error;
    if (std::filesystem::canonical("/bin/sh", error).filename() != "dash")
      GTEST_SKIP() << "/bin/sh is not dash here, and every command line goes through it";
    MakeFiles();
  }

  // What a project may hold, good and bad, in the directory `w`.
  void MakeFiles() const {
    workspace.File("w/script", "#!/bin/sh\necho \"$0\" \"$@\"\nexit 3\n", 0755);
    workspace.File("w/plain", "echo from a plain file\nexit 4\n", 0755);
    workspace.File("w/windows", "#!/bin/sh\r\necho no\r\n", 0755);
    workspace.File("w/lost", "#!/nosuch/interpreter\n", 0755);
    workspace.File("w/outer", "#!" + workspace.Path("w/script") + " outer\n", 0755);
    workspace.File("w/text", "text\n");
    workspace.File("w/empty", "", 0755);
    workspace.File("w/denied", "#!/bin/sh\necho denied\n", 0755);
    workspace.File("w/first/tool", "#!/bin/sh\necho first\n");  // not executable
    workspace.File("w/second/tool", "#!/bin/sh\necho second\n", 0755);
    workspace.File("elsewhere/tool", "#!/bin/sh\necho elsewhere\n", 0755);
    workspace.CopyOf("/usr/bin/id", "w/id");
    workspace.CopyOf("/usr/bin/id", "w/set-user-id", 04755);
    workspace.CopyOf("/usr/bin/id", "w/secret-id", 0100);
    workspace.Link("w/link", "script");
    workspace.Link("w/dangling", "nosuch");
    workspace.Link("w/out", workspace.Path("elsewhere/tool"));
    workspace.Link("w/sub/up", "../..");
  }

  [[nodiscard]] Parts PartsOf(const std::string& line,
                              const std::string& path = "/nosuch:/usr/bin:/bin") const {
    return {.command = line,
            .read_write = {workspace.Path("w")},
            .denied = {workspace.Path("w/denied")},
            .environment = {{"PATH=" + path, "LANG=C.UTF-8"}},
            .cwd = workspace.Path("w")};
  }
  [[nodiscard]] bool NeedsShell(const Parts& parts) const {
    const Ended ended = Execute(Moved(PrepareConfig(parts, {"--explain"})));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.out.find("'/bin/sh' '-c'") != std::string::npos;
  }
  // In a place of the test's making, if it has one.
  [[nodiscard]] Launch Moved(Launch launch) const {
    launch.before_exec = place_;
    return launch;
  }
  // `certain`: the line runs without the shell.
  void Compare(const std::string& line, bool certain,
               const std::string& path = "/nosuch:/usr/bin:/bin") const {
    EXPECT_EQ(NeedsShell(PartsOf(line, path)), !certain) << line;
    const Ended plain = Execute(Moved(PrepareConfig(PartsOf(line, path))));
    const Ended shell = Execute(Moved(PrepareConfig(PartsOf(line + "; exit $?", path))));
    EXPECT_EQ(plain.status, shell.status) << line;
    EXPECT_EQ(plain.err, shell.err) << line;
    const auto lines = [](const Ended& ended) {
      const std::vector<std::string> all = Lines(ended.out);
      return std::multiset<std::string>(all.begin(), all.end());
    };
    EXPECT_EQ(lines(plain), lines(shell)) << line;  // the shell sorts the environment its own way
  }

  std::function<void()> place_ = {};  // NOLINT: for the tests
};
MXC_FOR_EACH_CALLER(WithoutShell);

TEST_P(WithoutShell, ItsProcessIsTheFirstOfTheSandboxesOwn) {
  EXPECT_THAT(RunConfig({.command = "grep PPid: /proc/self/status"}).out, HasSubstr("\t1\n"));
  EXPECT_THAT(RunConfig({.command = "grep PPid: /proc/self/status; exit"}).out, Not(HasSubstr("\t1\n")));
}

TEST_P(WithoutShell, ResultsAreTheShells) {
  const std::string w = workspace.Path("w");
  for (const std::string line :
       {"/bin/echo a  b", "printenv PWD", "env", "ls /nowhere", "/bin/false", "dirname /a/b", "./script a b",
        "./link", "./id -u", "second/tool", "sub/up/w/script up"}) {
    Compare(line, true);
  }
  Compare(w + "/script absolute", true);
  Compare("../../../../../../usr/bin/id -u", true);
}

TEST_P(WithoutShell, WhatIsNotCertainItSays) {
  for (const char* line : {"no-such-program a",
                           "/no/such/program",
                           "/etc/passwd",
                           "/usr",
                           "/etc/passwd/x",
                           "true",
                           "./plain",
                           "./windows",
                           "./lost",
                           "./outer",
                           "./text",
                           "./empty",
                           "./denied",
                           "./set-user-id -u",
                           "./dangling",
                           "./out",
                           "first/tool",
                           "tool",
                           "/proc/self/exe",
                           "/dev/null",
                           "sub/up/elsewhere/tool"}) {
    Compare(line, false);
  }
}

TEST_P(WithoutShell, TheFirstOnThePath) {
  const std::string w = workspace.Path("w");
  Compare("tool", true, w + "/second:/usr/bin");
  Compare("tool", true, workspace.Path("elsewhere") + ":" + w + "/second");
  Compare("tool", true, w + "/denied:" + w + "/text:" + w + "/second/");
  Compare("tool", false, w + "/first:" + w + "/second");
  Compare("tool", false, "/proc/self/cwd:" + w + "/second");
  Compare("tool", true, w + "/sub/up/elsewhere:" + w + "/second");
}

// The caller may execute it here: root by its capabilities, which end at the sandbox.
TEST_P(WithoutShell, FilesThatOthersOwnOrOnlyMayBeExecuted) {
  Compare("./secret-id -u", uid == 0);
  if (uid != 0) GTEST_SKIP() << "the rest needs root: files of somebody else's";
  for (const char* name : {"w/script", "w/second"})
    ASSERT_EQ(::chown(workspace.Path(name).c_str(), 23456, 23456), 0);
  ASSERT_EQ(::chmod(workspace.Path("w/second").c_str(), 0700), 0);
  Compare("./script", false);
  Compare("second/tool", false);
}

TEST_P(WithoutShell, MountsWhereNothingIsExecuted) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, for a mount";
  place_ = [w = workspace.Path("w")] {
    const bool made = ::unshare(CLONE_NEWNS) == 0 &&
                      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      ::mount(w.c_str(), w.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
                      ::mount(nullptr, w.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_NOEXEC, nullptr) == 0;
    if (!made) ::_exit(99);
  };
  Compare("./script", false);
  Compare("./id -u", false);
  Compare("id -u", true);
}

}  // namespace
}  // namespace mxc::test::without_shell_test
