// git inside with the caller's identity, and configurations that a command may write: with the real git.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_safe_config_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// -1: it has none.
pid_t CleanupProcessOf(pid_t launcher) {
  const std::string id = std::to_string(launcher);
  std::istringstream children(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
  for (pid_t child = 0; children >> child;) {
    if (Contents("/proc/" + std::to_string(child) + "/comm") == "mxc-cleanup\n") return child;
  }
  return -1;
}

// A run that says that it is ready, with its cleanup process.
void KillBoth(Running& running) {
  ASSERT_TRUE(running.SaysOnStdout("ready"));
  const pid_t cleanup_process = CleanupProcessOf(running.Pid());
  ASSERT_GT(cleanup_process, 0);
  ::kill(cleanup_process, SIGKILL);
  running.Signal(SIGKILL);
  EXPECT_EQ(running.Wait().status, -SIGKILL);
  // It has the record of the run locked until it has ended.
  EXPECT_TRUE(Eventually([&] {
    const auto stat = Contents("/proc/" + std::to_string(cleanup_process) + "/stat");
    return !stat || stat->empty() || stat->find(") Z ") != std::string::npos;
  }));
}

class GitConfig : public GitOnTheHost {
 protected:
  void SetUp() override {
    GitOnTheHost::SetUp();
    if (IsSkipped()) return;
    config = root + "/work/.git/config";
    ASSERT_EQ(
        Shell(
            "git init -q work && git init -q --bare up.git && cd work && git config core.hooksPath .husky && "
            "git -c user.name=h -c user.email=h@h commit -q --allow-empty -m one")
            .status,
        0);
  }

  [[nodiscard]] Launch Prepared(const char* engine, const std::string& script,
                                const std::string& protect) const {
    Launch launch = PrepareConfig({.containment = engine,
                                   .command = "export GIT_CONFIG_NOSYSTEM=1; cd " + root + "/work; " + script,
                                   .read_write = {root},
                                   .filesystem = protect});
    launch.environment = Environment();
    return launch;
  }
  [[nodiscard]] Ended Inside(
      const char* engine, const std::string& script,
      const std::string& protect = R"("protect":{"git":{"config":"allow-safe"}})") const {
    return Execute(Prepared(engine, script, protect));
  }

  std::string config;
};
MXC_FOR_EACH_CALLER(GitConfig);

const std::vector<const char*> kConfigEngines = Engines();
constexpr const char* kByDefault = R"("protect":["git"])";
constexpr const char* kPutBack = "stands there again";

TEST_P(GitConfig, CommitsAreTheCallers) {
  workspace.File(".gitconfig", "[user]\n\tname = Me\n\temail = me@here\n[alias]\n\tst = status\n");
  std::vector<const char*> engines = kConfigEngines;
  engines.push_back("landlock");
  for (const char* engine : engines) {
    const Ended ended = Inside(engine,
                               "git commit -q --allow-empty -m x && git log -1 --format='%an <%ae>'; git st; "
                               "git config --global user.name You && git config user.name",
                               kByDefault);
    EXPECT_THAT(ended.out, HasSubstr("Me <me@here>\nYou\n")) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("'st' is not a git command"));
  }
  ASSERT_EQ(Shell("cd work && git config user.name Repo").status, 0);
  for (const char* engine : engines)
    EXPECT_EQ(Inside(engine, "git config user.name", kByDefault).out, "Repo\n") << engine;
  EXPECT_EQ(Contents(workspace.Root() + "/.gitconfig"),
            "[user]\n\tname = Me\n\temail = me@here\n[alias]\n\tst = status\n");
}

// Masks and stand-ins are no files of the work tree: git could not add them, or would commit them.
TEST_P(GitConfig, WhatIsHeldIsNoNewFile) {
  workspace.File("root/work/secret.pem", "x");
  workspace.File("root/work/one", "1");
  for (const char* engine : kConfigEngines) {
    const std::string held = R"("protect":["git","shell"],"deniedPaths":[")" + root + R"(/work/.env",")" +
                             root + R"(/work/secret.pem"])";
    const Ended ended = Inside(engine, "git add -A && git status --short", held);
    EXPECT_EQ(ended.out, "A  one\n") << engine << ended.err;
    EXPECT_EQ(Inside(engine, "git reset -q && git stash -uq && git stash pop -q >/dev/null && ls", held).out,
              "one\nsecret.pem\n")
        << engine;
    ASSERT_EQ(Shell("cd work && git reset -q").status, 0);
  }
}

TEST_P(GitConfig, WhatWasRefusedIsExplained) {
  for (const char* engine : kConfigEngines) {
    const Ended ended = Inside(engine, "git config x.y z", kByDefault);
    EXPECT_NE(ended.status, 0);
    EXPECT_THAT(ended.err, HasSubstr("could not write '" + config + "'")) << engine;
    EXPECT_THAT(ended.err, HasSubstr(R"("protect": {"git": {"config": "allow-safe"}})"));
    EXPECT_THAT(Inside(engine, "git status -s", kByDefault).err, Not(HasSubstr("could not write")));
  }
}

TEST_P(GitConfig, WhatIsLeftOfARemovedRepositoryIsExplained) {
  for (const char* engine : kConfigEngines) {
    ASSERT_EQ(Shell("git init -q work/old").status, 0);
    const Ended ended = Inside(engine, "rm -rf old", kByDefault);
    EXPECT_NE(ended.status, 0);
    EXPECT_THAT(ended.err, HasSubstr("`protect` holds the rest: '" + root + "/work/old/.git'")) << engine;
    EXPECT_THAT(Inside(engine, "true", kByDefault).err, Not(HasSubstr("holds the rest"))) << "told once";
    ASSERT_EQ(Shell("rm -rf work/old").status, 0);
  }
}

TEST_P(GitConfig, SafeKeysStay) {
  for (const char* engine : kConfigEngines) {
    const Ended ended = Inside(engine,
                               "git config user.name x && git config user.email x@x && "
                               "git remote add origin " +
                                   root +
                                   "/up.git && git push -qu origin HEAD:main && "
                                   "git remote set-url origin https://example.com/x.git");
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, Not(HasSubstr(kPutBack)));
    EXPECT_EQ(
        Shell("cd work && git config user.email; git config remote.origin.url; git remote remove origin; "
              "git config --remove-section user; git -C ../up.git log --format=%s main")
            .out,
        "x@x\nhttps://example.com/x.git\none\n");
  }
}

TEST_P(GitConfig, EverythingElseIsPutBack) {
  const auto before = Contents(config);
  for (const char* engine : kConfigEngines) {
    for (const char* trick :
         {"git config core.fsmonitor ./x", "git config alias.y '!x'", "git config --unset core.hooksPath",
          "git remote add o 'ext::sh -c x'", "git init -q e && git remote add o $PWD/e", "rm .git/config",
          "ln -sf /etc/passwd .git/config",
          "ln .git/config l; git config core.pager x; echo '[alias]' >> .git/config",
          "rm .git/config; mkdir -p .git/config/d", "rm .git/config; mkfifo .git/config",
          "head -c 5000000 /dev/zero | tr '\\0' '#' >> .git/config", "printf '[color]\\0\\n' >> .git/config",
          "printf '[core]\\n\\tabbrev = 7 \\\\\\n[core]\\n\\tpager = x\\n' >> .git/config",
          "printf '[core] pager = x\\n' >> .git/config",
          "printf '[color]\\r\\n\\tpager = x\\r\\n[core]\\r\\n\\teditor = x\\r\\n' >> .git/config",
          "chmod 0 .git/config; mv .git/config .git/c", "chmod 500 .git; echo '[alias]x=y' >> .git/config",
          "(exec 9>>.git/config; while :; do echo '[core] pager = x' >&9; done) & sleep 0.1",
          "touch .git/config.lock; git config -f .git/config core.pager x; echo '[core] pager = x' >> "
          ".git/config"}) {
      SCOPED_TRACE(std::string(engine) + " " + trick);
      const Ended ended = Inside(engine, std::string("ulimit -f unlimited; ") + trick);
      EXPECT_THAT(ended.err, HasSubstr(kPutBack));
      EXPECT_EQ(Contents(config), before);
      ASSERT_EQ(
          Shell(
              "chmod 700 work/.git; rm -rf work/.git/config.untrusted* work/.git/config.lock work/e* work/l; "
              "git -C work status -s")
              .status,
          0);
    }
  }
}

TEST_P(GitConfig, AKilledLauncherLeavesWhatWasThere) {
  const auto before = Contents(config);
  for (const char* engine : kConfigEngines) {
    Running running(Prepared(engine, "git config core.pager x; echo ready; sleep 60",
                             R"("protect":{"git":{"config":"allow-safe"}})"));
    ASSERT_TRUE(running.SaysOnStdout("ready")) << engine;
    EXPECT_NE(Contents(config), before);
    running.Signal(SIGKILL);
    EXPECT_EQ(running.Wait().status, -SIGKILL);
    EXPECT_TRUE(Eventually([&] { return Contents(config) == before; })) << engine;
  }
}

// Its cleanup process, too: whoever calls next finishes what they had to do.
TEST_P(GitConfig, WhatTwoKilledProcessesLeftIsPutBackByTheNextCall) {
  const auto before = Contents(config);
  for (const char* engine : kConfigEngines) {
    for (const bool asked : {true, false}) {
      Running running(Prepared(engine, "git config core.pager x; chmod 666 .git/config; echo ready; sleep 60",
                               R"("protect":{"git":{"config":"allow-safe"}})"));
      ASSERT_NO_FATAL_FAILURE(KillBoth(running)) << engine;
      EXPECT_NE(Contents(config), before);
      const Ended next = asked ? Execute(Prepare({"--recover"})) : Inside(engine, "git config core.pager");
      EXPECT_THAT(next.out + next.err, HasSubstr("configurations of git's put back: 1")) << engine;
      EXPECT_EQ(Contents(config), before);
      EXPECT_EQ(Shell("stat -c %a work/.git/config; rm work/.git/config.untrusted*").out, "644\n");
      EXPECT_THAT(Execute(Prepare({"--recover"})).err, HasSubstr("nothing to recover"));
    }
  }
}

// What that call cannot report, or put back, stays for the one after it.
TEST_P(GitConfig, WhatIsLeftIsReportedByACallThatCan) {
  const auto before = Contents(config);
  const auto put_back = HasSubstr("configurations of git's put back: 1");
  Running running(Prepared("namespaces", "git config core.pager x; echo ready; sleep 60",
                           R"("protect":{"git":{"config":"allow-safe"}})"));
  ASSERT_NO_FATAL_FAILURE(KillBoth(running));
  Launch small = Prepare({"--recover"});
  small.before_exec = [] {
    const rlimit none{};
    ::setrlimit(RLIMIT_FSIZE, &none);
  };
  EXPECT_EQ(Execute(small).status, 0);
  EXPECT_NE(Contents(config), before);
  EXPECT_EQ(Execute(Prepare({"--quiet", "--recover"})).err, "");
  EXPECT_EQ(Contents(config), before);
  EXPECT_THAT(Inside("namespaces", "true").err, put_back);
  EXPECT_THAT(Inside("namespaces", "true").err, Not(put_back));
}

// In a directory that was moved meanwhile: it may come back.
TEST_P(GitConfig, WhatTwoKilledProcessesLeftElsewhereIsToldUntilItIsPutBack) {
  const auto before = Contents(config);
  const auto recover = [&] { return Execute(Prepare({"--recover"})).err; };
  const std::string told = "'" + config + "' may say what";
  Running running(Prepared("namespaces", "git config core.pager x; echo ready; sleep 60",
                           R"("protect":{"git":{"config":"allow-safe"}})"));
  ASSERT_NO_FATAL_FAILURE(KillBoth(running));
  ASSERT_EQ(Shell("mv work moved").status, 0);
  const auto run = [&] {
    return RunConfig({.containment = "namespaces", .command = "true", .read_write = {root}}).err;
  };
  EXPECT_THAT(run(), HasSubstr(told));
  EXPECT_THAT(run(), Not(HasSubstr(told))) << "a run tells it once";
  EXPECT_THAT(recover(), testing::AllOf(HasSubstr(told), Not(HasSubstr("nothing to recover"))));
  ASSERT_EQ(Shell("git init -q work && git -C work config user.name Me").status, 0);
  EXPECT_THAT(recover(), HasSubstr("'" + config + "' is in another directory"));
  EXPECT_EQ(Shell("git -C work config user.name").out, "Me\n") << "another repository";
  EXPECT_THAT(recover(), HasSubstr("nothing to recover"));
}

// The number of a directory that was removed is given again.
TEST_P(GitConfig, NothingIsPutIntoARepositoryThatWasMadeSince) {
  Running running(Prepared("namespaces", "git config core.pager x; echo ready; sleep 60",
                           R"("protect":{"git":{"config":"allow-safe"}})"));
  ASSERT_NO_FATAL_FAILURE(KillBoth(running));
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(Shell("rm -rf work && git init -q work && git -C work config user.name Me").status, 0);
  // The record is the ended run's as long as a process of it is there.
  Ended next;
  EXPECT_TRUE(Eventually([&] {
    next = RunConfig({.containment = "namespaces", .command = "true", .read_write = {root}});
    return next.err.find("'" + config + "' is in another directory") != std::string::npos;
  })) << next.err;
  EXPECT_THAT(next.err, Not(HasSubstr("put back:")));
  EXPECT_EQ(Shell("git -C work config user.name; git -C work config core.pager").out, "Me\n");
  EXPECT_THAT(Execute(Prepare({"--recover"})).err, HasSubstr("nothing to recover"));
}

// What it would put back is not known any more.
TEST_P(GitConfig, ARecordThatCannotBeReadIsToldOnceAndMovedAside) {
  Running running(Prepared("namespaces", "git config core.pager x; echo ready; sleep 60",
                           R"("protect":{"git":{"config":"allow-safe"}})"));
  ASSERT_TRUE(running.SaysOnStdout("ready"));
  const pid_t cleanup_process = CleanupProcessOf(running.Pid());
  ASSERT_GT(cleanup_process, 0);
  std::vector<std::string> records;
  for (const std::string& fd : Names("/proc/" + std::to_string(running.Pid()) + "/fd")) {
    std::error_code ignored;
    const std::string path =
        std::filesystem::read_symlink("/proc/" + std::to_string(running.Pid()) + "/fd/" + fd, ignored);
    if (path.find("/.git-") != std::string::npos) records.push_back(path);
  }
  ASSERT_EQ(records.size(), 1U);
  const std::filesystem::path record = records.front();
  ::kill(cleanup_process, SIGKILL);
  running.Signal(SIGKILL);
  EXPECT_EQ(running.Wait().status, -SIGKILL);
  std::filesystem::resize_file(record, std::filesystem::file_size(record) / 2);
  const std::string aside = record.parent_path().string() + "/unreadable" + record.filename().string();
  EXPECT_THAT(Execute(Prepare({"--recover"})).err,
              testing::AllOf(HasSubstr("'" + aside + "'"), Not(HasSubstr("nothing to recover"))));
  EXPECT_FALSE(std::filesystem::exists(record));
  EXPECT_GT(std::filesystem::file_size(aside), 0U);
  EXPECT_THAT(Execute(Prepare({"--recover"})).err, Not(HasSubstr(aside)));
  std::filesystem::remove(aside);
}

TEST_P(GitConfig, GivesNobodyMoreThanBefore) {
  const auto before = Contents(config);
  for (const char* engine : kConfigEngines) {
    for (const char* mode : {"666", "777", "664"}) {
      const Ended ended =
          Inside(engine, "git config user.name x; chmod " + std::string(mode) + " .git/config");
      EXPECT_THAT(ended.err, HasSubstr("its mode gives more than it did")) << engine;
      EXPECT_EQ(Contents(config), before);
      EXPECT_EQ(Shell("stat -c %a work/.git/config; rm work/.git/config.untrusted*").out, "644\n");
    }
  }
}

// The configuration says how it is to be read: that is put back first.
TEST_P(GitConfig, AnIndexStaysWhereTheConfigurationIsPutBack) {
  ASSERT_EQ(Shell("cd work && echo a > staged && git add staged").status, 0);
  for (const char* engine : kConfigEngines) {
    for (const char* trick :
         {"rm .git/config; mkfifo .git/config", "chmod 0 .git/config; echo >> .git/config",
          "git add .; git config core.pager x"}) {
      EXPECT_THAT(Inside(engine, trick).err, Not(HasSubstr("indexes"))) << engine << trick;
      EXPECT_EQ(Shell("rm -f work/.git/config.untrusted*; git -C work status -s").out, "A  staged\n")
          << trick;
    }
  }
}

TEST_P(GitConfig, AFlagDoesNotLoosenWhatAFileSays) {
  const auto before = Contents(config);
  const auto with = [&](const std::string& value, const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--protect=git=allow-safe"};
    flags.insert(flags.end(), more.begin(), more.end());
    Launch launch = PrepareConfig({.version = "1.1.0-alpha",
                                   .command = "cd " + root + "/work; git config user.name x",
                                   .read_write = {root},
                                   .filesystem = R"("protect":{"git":{"config":")" + value + "\"}}"},
                                  flags);
    launch.environment = Environment();
    return Execute(launch);
  };
  EXPECT_THAT(with("read-only", {}).err, HasSubstr("--protect git=allow-safe: the file says"));
  EXPECT_EQ(Contents(config), before);
  EXPECT_EQ(with("wrong", {}).status, 1);
  EXPECT_THAT(with("allow-safe", {"--explain"}).out, HasSubstr("judged when it has ended"));
}

// As /tmp has them: the rest of the grant is of use.
TEST_P(GitConfig, AnotherUsersRepositoryThatCannotBeJudgedIsDenied) {
  if (uid == 0) GTEST_SKIP() << "root reads all of them";
  ASSERT_EQ(Shell("git init -q theirs && cd theirs && echo x > f && git add f").status, 0);
  const std::string theirs = root + "/theirs/.git/config";
  ASSERT_EQ(::chown(theirs.c_str(), 0, 0) + ::chmod(theirs.c_str(), 0600), 0);
  for (const char* engine : kConfigEngines) {
    const Ended ended = Inside(engine, "cat ../theirs/.git/HEAD; git status -s && echo fine", kByDefault);
    EXPECT_EQ(ended.out, "fine\n") << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("belongs to another user"));
    EXPECT_THAT(ended.err, Not(HasSubstr("untrusted"))) << "none of what is there is the command's";
    EXPECT_TRUE(Exists(root + "/theirs/.git/index"));
  }
}

// Each could take for what was there before what the other has written.
TEST_P(GitConfig, TwoRunsDoNotVouchForEachOther) {
  for (const char* engine : kConfigEngines) {
    Running running(Prepared(engine, "git config core.pager x; echo ready; sleep 60",
                             R"("protect":{"git":{"config":"allow-safe"}})"));
    ASSERT_TRUE(running.SaysOnStdout("ready")) << engine;
    EXPECT_THAT(EnvelopeMessage(Inside(engine, "true")), HasSubstr("another run may write")) << engine;
    running.Signal(SIGTERM);
    EXPECT_THAT(running.Wait().err, HasSubstr(kPutBack));
    EXPECT_EQ(Inside(engine, "git config core.pager").out, "");
  }
}

TEST_P(GitConfig, SubmodulesAndSeveralRuns) {
  ASSERT_EQ(
      Shell("git init -q m && cd m && git -c user.name=h -c user.email=h@h commit -q --allow-empty -m m && "
            "cd ../work && git -c protocol.file.allow=always submodule --quiet add ../m m")
          .status,
      0);
  const std::string module = root + "/work/.git/modules/m/config";
  const auto before = Contents(module);
  for (int run = 0; run < 2; ++run) {
    const Ended ended = Inside("namespaces", "git -C m config core.worktree /; git config user.name r");
    EXPECT_THAT(ended.err, HasSubstr("modules/m/config"));
    EXPECT_EQ(Contents(module), before);
    EXPECT_EQ(Shell("git -C work config user.name; rm -f work/.git/modules/m/config.untrusted*").out, "r\n");
  }
}

// What leads to a configuration is opened before it is put back.
TEST_P(GitConfig, BehindADirectoryThatIsClosed) {
  ASSERT_EQ(Shell("mkdir a && git init -q a/repo").status, 0);
  const std::string below = root + "/a/repo/.git/config";
  const auto before = Contents(below);
  for (const char* engine : kConfigEngines) {
    for (const char* closed : {"0 a", "400 a", "0 a/repo", "100 a/repo/.git a"}) {
      const Ended ended =
          Inside(engine, std::string("cd ..; git -C a/repo config core.fsmonitor evil; chmod ") + closed);
      EXPECT_THAT(ended.err, HasSubstr(kPutBack)) << engine << closed;
      EXPECT_THAT(ended.err, Not(HasSubstr("still stands"))) << engine << closed;
      EXPECT_EQ(Contents(below), before) << engine << closed;
      ASSERT_EQ(Shell("chmod -R u+rwX a; rm -f a/repo/.git/config.untrusted*").status, 0);
    }
  }
}

// Neither room nor inodes are left for what was there before: what the command wrote is out of git's way all
// the same.
TEST_P(GitConfig, OnAFileSystemThatIsFull) {
  if (::geteuid() != 0) GTEST_SKIP() << "a file system of its own needs root";
  const std::string small = workspace.Directory("root/small");
  struct Full {
    const char* options;
    const char* fill;
  };
  for (const char* engine : kConfigEngines) {
    for (const Full& full : {Full{"size=600k,mode=777", "cat /dev/zero >fill"},
                             Full{"nr_inodes=100,mode=777", "i=0; while : >fill$i; do i=$((i+1)); done"}}) {
      Launch launch = PrepareConfig({.containment = engine,
                                     .command = std::string("git config core.fsmonitor evil; ") + full.fill,
                                     .read_write = {small},
                                     .filesystem = R"("protect":{"git":{"config":"allow-safe"}})",
                                     .cwd = small});
      launch.arguments = {
          "-c", "\"$0\" \"$1\"; grep -c evil .git/config; rm -f fill*; \"$0\" --recover; cat .git/config",
          launch.program, launch.arguments.back()};
      launch.program = "/bin/sh";
      launch.cwd = small;
      launch.environment = Environment();
      launch.before_exec = [&] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
          std::_Exit(124);
        const std::string owner = std::to_string(uid);
        // Another test's run would lock the record while it looks for this file system, which it does not
        // see.
        const std::string records = uid == 0 ? "/run/mxc-exec" : "/tmp/mxc-exec-" + owner;
        const bool known =
            ::mkdir(records.c_str(), 0700) == 0 ? ::chown(records.c_str(), uid, uid) == 0 : errno == EEXIST;
        const std::string options = "mode=700,uid=" + owner;
        if (!known || ::mount("none", records.c_str(), "tmpfs", 0, options.c_str()) != 0) std::_Exit(124);
        if (::mount("none", small.c_str(), "tmpfs", 0, full.options) != 0 || ::chdir(small.c_str()) != 0 ||
            std::system(("git init -q --template= . && chown -R " + owner + " .").c_str()) != 0)
          std::_Exit(124);
      };
      const Ended ended = Execute(launch);
      EXPECT_THAT(ended.out, HasSubstr("0\n")) << engine << full.fill << ended.err;
      EXPECT_THAT(ended.out, HasSubstr("repositoryformatversion")) << engine << full.fill << ended.err;
      EXPECT_THAT(ended.out, Not(HasSubstr("evil"))) << engine << full.fill << ended.err;
      const bool again = ended.err.find(kPutBack) != std::string::npos;
      const bool missing = ended.err.find("are missing now") != std::string::npos;
      EXPECT_NE(again, missing) << engine << full.fill << ended.err;
    }
  }
}

}  // namespace
}  // namespace mxc::test::git_safe_config_test
