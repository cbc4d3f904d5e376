// HOME: a directory of the run's own in every policy, empty, writable, gone afterwards.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/launcher_test.h"

namespace mxc::test::home_test {
namespace {

using testing::HasSubstr;

// Nothing of git in /tmp is this test's business, and searching it would take long on a busy machine.
constexpr const char* kUnprotected = R"("protect":[])";

// Directories that nobody may list are masked, and come and go in the machine's /tmp. The program may itself
// stand below it: a copy runs.
void MountTmp(const std::string& directory) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount(directory.c_str(), "/tmp", nullptr, MS_BIND, nullptr) != 0)
    std::_Exit(124);
}

class Home : public LauncherTest {
 protected:
  // What other tests make and remove in /tmp meanwhile may be gone when bwrap mounts over it.
  Launch WithOwnTmp(Launch launch) {
    if (::getuid() != 0) return launch;
    const std::string tmp = workspace.Directory("tmp");
    EXPECT_EQ(::chmod(tmp.c_str(), 01777), 0);
    launch.program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
    launch.before_exec = [tmp] { MountTmp(tmp); };
    return launch;
  }
  // Empty before, written to, and with nothing of it where the host could find it.
  void ExpectOwnHome(const Parts& parts, const std::string& name) {
    const std::string token = Token();
    Parts run = parts;
    run.command =
        "cd ~ && pwd && ls -A -I .gitconfig -I .apt.conf && echo " + token + " >kept && mkdir d && cat kept";
    const Ended ended = Execute(WithOwnTmp(PrepareConfig(run)));
    EXPECT_EQ(ended.status, 0) << name << ": " << ended.err;
    const std::string home = ended.out.substr(0, ended.out.find('\n'));
    EXPECT_EQ(ended.out, home + "\n" + token + "\n") << name;
    EXPECT_NE(home, "/") << name;
    EXPECT_FALSE(Exists(home + "/kept")) << name;
  }
};
INSTANTIATE_TEST_SUITE_P(As, Home,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"},
                                         Setting{Caller::kRoot, "bubblewrap"},
                                         Setting{Caller::kUser, "bubblewrap"}, Setting{Caller::kRoot, "lxc"},
                                         Setting{Caller::kUser, "lxc"}, Setting{Caller::kRoot, "landlock"},
                                         Setting{Caller::kUser, "landlock"}),
                         CallerAndContainmentOf);

TEST_P(Home, IsTheRunsOwnInEveryPolicy) {
  const bool mounts = GetParam().containment != "landlock";
  const std::string work = workspace.Directory("work");
  ExpectOwnHome({}, "nothing granted");
  ExpectOwnHome({.read_write = {work}}, "a grant below /tmp");
  ExpectOwnHome({.read_only = {"/"}}, "read-only everything");
  ExpectOwnHome({.read_only = {"/tmp"}}, "/tmp read-only");
  ExpectOwnHome({.read_only = {"/", "/tmp"}}, "both read-only");
  if (!mounts) return;  // Landlock alone cannot hold what is denied below a read-write /tmp and /
  ExpectOwnHome({.read_write = {"/tmp"}, .filesystem = kUnprotected}, "/tmp read-write");
  ExpectOwnHome({.version = "0.8.0-alpha", .filesystem = R"("temp":"shared","protect":[])", .network = {}},
                "shared");
  ExpectOwnHome({.read_only = {"/usr"}, .denied = {"/tmp"}}, "/tmp denied");
  if (uid != 0) return;
  ExpectOwnHome({.read_write = {"/"}, .filesystem = kUnprotected}, "read-write everything");
  ExpectOwnHome({.read_write = {"/", "/tmp"}, .filesystem = kUnprotected}, "/ and /tmp read-write");
}

// Also where the policy grants the caller's own, or part of it: a name in the environment says otherwise.
TEST_P(Home, IsNotTheCallers) {
  const std::string home = workspace.Directory("home");
  const std::string project = workspace.Directory("home/app");
  workspace.File("home/.npmrc", "secret");
  for (const Parts& parts :
       {Parts{.read_write = {project}}, Parts{.read_only = {home}}, Parts{.read_write = {home}},
        Parts{.read_only = {home}, .read_write = {project}}}) {
    Parts run = parts;
    run.command = "ls -A ~; touch ~/x && echo $HOME";
    run.filesystem = kUnprotected;
    if (GetParam().containment == "landlock" && !run.read_only.empty() && !run.read_write.empty()) continue;
    Launch launch = PrepareConfig(run);
    launch.environment.push_back("HOME=" + home);
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out.find(home), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find(".npmrc"), std::string::npos) << ended.out;
    EXPECT_FALSE(Exists(home + "/x"));
  }
  const Ended named = RunConfig({.command = "cat ~/.npmrc",
                                 .read_only = {home},
                                 .environment = {{"HOME=" + home, "PATH=/usr/bin:/bin"}}});
  EXPECT_EQ(named.out, "secret") << named.err;
}

TEST_P(Home, ShowsTheDotFilesThatAreGranted) {
  if (GetParam().containment == "landlock") GTEST_SKIP() << "its HOME is a directory on the disk";
  const std::string home = workspace.Directory("home");
  workspace.File("home/.npmrc", "registry=here\n");
  workspace.Directory("home/.config/tool");
  Launch launch = PrepareConfig({.command = "cat ~/.npmrc && echo x >~/.config/tool/state",
                                 .read_only = {home + "/.npmrc"},
                                 .read_write = {home + "/.config/tool"},
                                 .filesystem = kUnprotected});
  launch.environment = {"HOME=" + home, "PATH=/usr/bin:/bin"};
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.out, "registry=here\n") << ended.err;
  EXPECT_EQ(Contents(home + "/.config/tool/state"), "x\n");
}

TEST_P(Home, IsBoundedLikeTmp) {
  if (GetParam().containment == "landlock") GTEST_SKIP() << "Landlock alone bounds no directory";
  const std::string fill = "cd ~ && head -c 4000000 /dev/zero >f; test $(wc -c <f) -le 2097152 && echo held";
  const Ended own = RunConfig({.command = fill, .more = R"("resources":{"tmpMb":2})"});
  EXPECT_EQ(own.out, "held\n") << own.err;
  const Ended shared = RunConfig(
      {.command = "df -B1 --output=size ~ | tail -1", .read_write = {"/tmp"}, .filesystem = kUnprotected});
  EXPECT_THAT(shared.out, HasSubstr("1073741824")) << shared.err;
}

TEST_P(Home, TellsAptToGiveUpSooner) {
  if (!Exists("/usr/bin/apt-get")) GTEST_SKIP() << "there is no apt here";
  const Ended ended = RunConfig({.command = "apt-config dump Acquire::Retries"});
  EXPECT_EQ(ended.out, "Acquire::Retries \"1\";\n") << ended.err;
}

TEST_P(Home, LetsNobodyElseIn) {
  const Ended ended = Execute(WithOwnTmp(PrepareConfig({.command = "stat -c %a ~", .read_only = {"/tmp"}})));
  EXPECT_EQ(ended.out, "700\n") << ended.err;
}

// Another user's directory that nobody may list is read-only or masked, and may be gone when it is to be. In
// a /tmp of the test's own.
TEST_P(Home, DirectoriesThatComeAndGoInTheCommonTmpStopNoRun) {
  if (::getuid() != 0 || uid == 0) GTEST_SKIP() << "needs root, and another caller";
  if (GetParam().containment == "landlock") GTEST_SKIP() << "it cannot grant /tmp";
  Launch launch =
      WithOwnTmp(PrepareConfig({.command = "echo ran", .read_write = {"/tmp"}, .filesystem = kUnprotected}));
  const std::string tmp = workspace.Directory("tmp");
  std::atomic<bool> done = false;
  std::thread others([&] {
    for (int i = 0; !done; ++i) {
      const std::string place = tmp + "/closed-" + std::to_string(i);
      ::mkdir(place.c_str(), 0711);
      ::usleep(2000);
      ::rmdir(place.c_str());
    }
  });
  for (int i = 0; i < 30; ++i) {
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.out, "ran\n") << ended.err;
  }
  done = true;
  others.join();
}

TEST_P(Home, ToolsThatKeepStateThereWork) {
  const std::string package = workspace.Directory("package");
  workspace.File("package/package.json", R"({"name":"p","version":"1.0.0"})");
  const bool landlock = GetParam().containment == "landlock";
  for (const std::string& more : {package, std::string("/tmp")}) {
    if (landlock && more != package) continue;
    const auto run = [&](const std::string& command) {
      return RunConfig(
          {.command = command, .read_write = {package, more}, .filesystem = kUnprotected, .cwd = package});
    };
    const Ended git = run("git config --global user.name Ana && git config --global user.name");
    EXPECT_EQ(git.out, "Ana\n") << git.err;
    const Ended npm = run("! command -v npm || npm pack --silent");
    EXPECT_EQ(npm.status, 0) << npm.err;
    const Ended pip = run("python3 -c 'import os,site; os.makedirs(site.getusersitepackages())'");
    EXPECT_EQ(pip.status, 0) << pip.err;
  }
}

}  // namespace
}  // namespace mxc::test::home_test
