// Protection presets: what becomes read-only inside read-write grants, and what is said about the rest.
#include "policy/protect.h"

#include <gmock/gmock.h>

#include "mxc/limits.h"
#include "mxc/plan.h"
#include "policy/protect_git.h"
#include "tests/unit/policy_text.h"

namespace mxc {
namespace {

class Protection : public testing::Test {
 protected:
  void SetUp() override { host_.AddDebian(); }
  void AddRepository(const std::string& git_directory) {
    host_.AddFile(git_directory + "/HEAD").AddDirectory(git_directory + "/objects");
    host_.AddDirectory(git_directory + "/refs").AddFile(git_directory + "/config");
    host_.AddDirectory(git_directory + "/hooks").AddDirectory(git_directory + "/info");
  }
  [[nodiscard]] Result<Policy> With(const Lists& lists, std::vector<Preset> presets = {Preset::kGit}) const {
    Config config = ConfigOf(lists);
    config.protect.clear();
    for (const Preset preset : presets) {
      config.protect.push_back({preset, "/filesystem/protect/" + std::to_string(config.protect.size())});
    }
    return Resolve(config, host_, {});
  }
  // "/srv/a/.git/config", "/srv/a/.git/commondir file", "/srv/a/.git/hooks directory", "/srv/a/refs
  // writable": a line each.
  [[nodiscard]] static std::string Protected(const Result<Policy>& policy) {
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      if (rule.origin != Origin::kProtection) continue;
      EXPECT_NE(rule.access, Access::kDenied);
      EXPECT_NE(rule.object.has_value(), rule.stand_in.has_value());
      text += rule.path;
      if (rule.access == Access::kReadWrite) text += " writable";
      if (rule.stand_in) text += rule.stand_in->type == FileType::kDirectory ? " directory" : " file";
      text += "\n";
    }
    return text;
  }
  [[nodiscard]] std::string Git(const Lists& lists) const { return Protected(With(lists)); }

  FakeHost host_;  // NOLINT: the tests fill it
};

std::string Usual(const std::string& git_directory) {
  return git_directory + "/commondir file\n" + git_directory + "/config\n" + git_directory +
         "/config.worktree file\n" + git_directory + "/hooks\n";
}

// One that is known by its shape.
std::string Shaped(const std::string& git_directory) {
  return Usual(git_directory) + git_directory + "/objects writable\n" + git_directory + "/refs writable\n";
}

TEST_F(Protection, EveryRepositoryUnderAReadWriteGrant) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/vendor/deep/b/.git");
  AddRepository("/srv/w/bare.git");
  AddRepository("/srv/other/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            Usual("/srv/w/a/.git") + Usual("/srv/w/a/vendor/deep/b/.git") + Shaped("/srv/w/bare.git"));
  EXPECT_EQ(Git({.rw = {"/srv/w/a/.git"}}), Usual("/srv/w/a/.git"));
}

TEST_F(Protection, NothingWhereTheCommandCannotWrite) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/b/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}, .ro = {"/srv/w/a"}, .denied = {"/srv/w/b/.git"}}), "");
  EXPECT_EQ(Git({.ro = {"/srv/w"}}), "");
}

TEST_F(Protection, ARepositoryWithAReadOnlyPartIsStillFound) {
  AddRepository("/srv/w/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}, .ro = {"/srv/w/.git/objects", "/srv/w/.git/config"}}),
            "/srv/w/.git/commondir file\n/srv/w/.git/config.worktree file\n/srv/w/.git/hooks\n");
}

TEST_F(Protection, TheNameAloneMakesARepository) {
  host_.AddDirectory("/srv/w/.git").AddDirectory("/srv/w/a/.GIT/hooks").AddFile("/srv/w/x/HEAD");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/.git/commondir file\n/srv/w/.git/config file\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks directory\n"
            "/srv/w/a/.GIT/commondir file\n/srv/w/a/.GIT/config file\n/srv/w/a/.GIT/config.worktree file\n"
            "/srv/w/a/.GIT/hooks\n");
}

TEST_F(Protection, ShapeEndsNoSearch) {
  AddRepository("/srv/w");
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/objects/b/.git");
  AddRepository("/srv/w/a/.git/modules/x/objects");
  AddRepository("/srv/w/a/.git/modules/x/objects/y");
  const std::string text = Git({.rw = {"/srv/w"}});
  for (const std::string& part : {Shaped("/srv/w"), Usual("/srv/w/a/.git"), Usual("/srv/w/objects/b/.git"),
                                  Shaped("/srv/w/a/.git/modules/x/objects/y")}) {
    for (const char* line : {"/config\n", "/hooks\n"}) {
      EXPECT_NE(text.find(part.substr(0, part.find("/commondir")) + line), std::string::npos) << part << text;
    }
  }
}

TEST_F(Protection, WithoutHeadItStaysOne) {
  AddRepository("/srv/w/bare");
  host_.Remove("/srv/w/bare/HEAD");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Shaped("/srv/w/bare"));
}

TEST_F(Protection, TheRepositoryAroundAGrant) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config", "[core]\n hooksPath = src/hooks\n").AddDirectory("/srv/w/src/hooks");
  EXPECT_EQ(Git({.rw = {"/srv/w/src"}}), "/srv/w/src/hooks\n");
  EXPECT_EQ(Git({.rw = {"/srv/w/src"}, .ro = {"/srv/w/.git"}}), "/srv/w/src/hooks\n");
}

TEST_F(Protection, MissingPartsAreHeld) {
  host_.AddFile("/srv/w/.git/HEAD").AddDirectory("/srv/w/.git/objects").AddDirectory("/srv/w/.git/refs");
  host_.AddFile("/srv/w/.git/info/attributes");
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_EQ(Protected(policy),
            "/srv/w/.git/commondir file\n/srv/w/.git/config file\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks directory\n/srv/w/.git/info/attributes\n");
  for (const PathRule& rule : policy->paths) {
    if (!rule.stand_in) continue;
    EXPECT_EQ(rule.stand_in->text, rule.path.ends_with("/commondir") ? ".\n" : "");
  }
}

TEST_F(Protection, WhatAnotherRunHoldsIsHeldAgain) {
  AddRepository("/srv/w/.git");
  const FakeAttributes file{.mode = kStandInFileMode, .uid = 1000};
  host_.AddFile("/srv/w/.git/commondir", ".\n", file).AddFile("/srv/w/.git/config.worktree", "", file);
  host_.AddDirectory("/srv/w/.git/hooks", {.mode = kStandInDirectoryMode, .uid = 1000});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/.git/commondir file\n/srv/w/.git/config\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks directory\n");
  host_.AddFile("/srv/w/.git/commondir", "x\n", file).AddFile("/srv/w/.git/hooks/pre-commit");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/.git/commondir\n/srv/w/.git/config\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks\n");
}

TEST_F(Protection, NamesThatNobodyInsideCouldCreateAreNotHeld) {
  AddRepository("/srv/w/.git");
  host_.AddDirectory("/srv/w/.git", {.writable = false});
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_EQ(Protected(policy), "/srv/w/.git/config\n/srv/w/.git/hooks\n");
  EXPECT_EQ(WarningsText(*policy), "");
  host_.AddFile("/srv/w/.git/config", "[core]\n fsmonitor = .git/a/b/c\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/.git/config\n/srv/w/.git/hooks\n");
  // Its owner could create them after all.
  host_.AddDirectory("/srv/w/.git", {.uid = 1000, .writable = false});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/.git\n/srv/w/.git/config\n");
}

TEST_F(Protection, LinkedWorkTreesAndSubmodules) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/lib/core");
  host_.AddFile("/srv/w/a/.git/worktrees/b/HEAD").AddFile("/srv/w/a/.git/worktrees/b/commondir", "../..\n");
  host_.AddFile("/srv/w/a/.git/worktrees/b/gitdir", "/srv/w/b/.git\n");
  host_.AddFile("/srv/w/b/.git", "gitdir: /srv/w/a/.git/worktrees/b\n");
  host_.AddFile("/srv/w/a/sub/.git", "gitdir: ../.git/modules/lib/core\n");
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_EQ(Protected(policy), Usual("/srv/w/a/.git") + Shaped("/srv/w/a/.git/modules/lib/core") +
                                   "/srv/w/a/.git/worktrees/b/commondir\n"
                                   "/srv/w/a/.git/worktrees/b/config.worktree file\n"
                                   "/srv/w/a/.git/worktrees/b/gitdir\n"
                                   "/srv/w/a/sub/.git\n"
                                   "/srv/w/b/.git\n");
  EXPECT_EQ(WarningsText(*policy), "");
  EXPECT_EQ(WarningsText(*With({.rw = {"/srv/w/b"}})), "git-directory-hidden /filesystem/protect/0\n");
}

TEST_F(Protection, HooksAndIncludesInTheWorkTree) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/s");
  host_.AddFile("/srv/w/a/.git/config",
                "[core]\n hooksPath = .husky\n fsmonitor = tools/watch\n[include]\n path = ../.gitconfig\n");
  host_.AddFile("/srv/w/a/.husky/pre-commit").AddFile("/srv/w/a/tools/watch");
  host_.AddFile("/srv/w/a/.gitconfig", "[include] path = more\n[core] hooksPath = /srv/w/hooks");
  host_.AddFile("/srv/w/a/more").AddDirectory("/srv/w/hooks");
  host_.AddFile("/srv/w/a/.git/modules/s/config", "[core]\n worktree = ../../../s\n hooksPath = h\n");
  host_.AddFile("/srv/w/a/s/.git", "gitdir: ../.git/modules/s").AddDirectory("/srv/w/a/s/h");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/a/.git") + Shaped("/srv/w/a/.git/modules/s") +
                                         "/srv/w/a/.gitconfig\n"
                                         "/srv/w/a/.husky\n"
                                         "/srv/w/a/more\n"
                                         "/srv/w/a/s/.git\n"
                                         "/srv/w/a/s/h\n"
                                         "/srv/w/a/tools/watch\n"
                                         "/srv/w/hooks\n");
}

TEST_F(Protection, LinksAreReportedAndTheirTargetsHeld) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/real");
  host_.Remove("/srv/w/a/.git/hooks").AddSymlink("/srv/w/a/.git/hooks", "../hooks");
  host_.AddDirectory("/srv/w/a/hooks").AddSymlink("/srv/w/b/.git", "../real");
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_EQ(Protected(policy),
            "/srv/w/a/.git/commondir file\n/srv/w/a/.git/config\n/srv/w/a/.git/config.worktree file\n"
            "/srv/w/a/hooks\n" +
                Shaped("/srv/w/real"));
  EXPECT_EQ(WarningsText(*policy),
            "link-replaceable /filesystem/protect/0\nlink-replaceable /filesystem/protect/0\n");
  EXPECT_THAT(policy->git.links,
              testing::UnorderedElementsAre(GitSnapshot::Text{"/srv/w/a/.git/hooks", "../hooks"},
                                            GitSnapshot::Text{"/srv/w/b/.git", "../real"}));
}

TEST_F(Protection, AnEntryForExactlySuchAPathDecides) {
  AddRepository("/srv/w/.git");
  const Result<Policy> policy = With({.rw = {"/srv/w", "/srv/w/.git/hooks"}});
  EXPECT_EQ(Protected(policy),
            "/srv/w/.git/commondir file\n/srv/w/.git/config\n/srv/w/.git/config.worktree file\n");
  EXPECT_EQ(WarningsText(*policy), "protection-overridden /filesystem/protect/0\n");
}

TEST_F(Protection, OtherNamesOfAProtectedFileAreProtected) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config", "", {.uid = 1000}).AddAlias("/srv/w/other", "/srv/w/.git/config");
  host_.AddFile("/srv/w/.git/hooks/pre-commit", "", {.uid = 1000, .links = 2});
  host_.AddAlias("/srv/w/a/check", "/srv/w/.git/hooks/pre-commit");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/a/check\n/srv/w/other\n");
}

TEST_F(Protection, OtherNamesOfWhatIsNamedOutsideTheGrants) {
  AddRepository("/srv/w/.git");
  AddRepository("/srv/w/bare");
  host_.AddFile("/srv/w/.git/config", "[core] fsmonitor = /opt/f\n[include] path = /opt/i\n");
  host_.AddFile("/opt/f", "", {.uid = 1000}).AddFile("/opt/i", "", {.mode = 0664});
  host_.AddAlias("/srv/w/bare/objects/f", "/opt/f").AddAlias("/srv/w/i", "/opt/i");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            Usual("/srv/w/.git") +
                "/srv/w/bare/commondir file\n"
                "/srv/w/bare/config\n/srv/w/bare/config.worktree file\n/srv/w/bare/hooks\n"
                "/srv/w/bare/objects writable\n/srv/w/bare/objects/f\n"
                "/srv/w/bare/refs writable\n/srv/w/i\n");
  // Nobody inside could write these.
  host_.AddFile("/opt/f").AddAlias("/srv/w/bare/objects/f", "/opt/f").AddFile("/opt/i");
  host_.AddAlias("/srv/w/i", "/opt/i");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + Shaped("/srv/w/bare"));
}

TEST_F(Protection, MountsThatShowWhatIsNamedOutsideTheGrants) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/opt/h/f").AddDirectory("/srv/w/m").AddFile("/opt/p/pre-commit").AddFile("/srv/w/hook");
  host_.AddBind("/srv/w/m", "/opt/h").AddBind("/srv/w/hook", "/opt/p/pre-commit");
  host_.AddFile("/srv/w/.git/config",
                "[core] fsmonitor = /opt/h/f\n hooksPath = /opt/p\n[include] path = /opt/h/new\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/hook\n/srv/w/m/f\n/srv/w/m/new file\n");
  host_.SetEnvironment("HOME", "/opt/h").AddFile("/opt/h/.gitconfig").Remove("/srv/w/.git/config");
  EXPECT_NE(Git({.rw = {"/srv/w"}}).find("/srv/w/m/.gitconfig\n"), std::string::npos);
}

TEST_F(Protection, MountsThatShowPartsOfAWorkTree) {
  AddRepository("/opt/r/.git");
  host_.AddFile("/opt/r/.git/config", "[core] hooksPath = tools/hooks\n").AddFile("/opt/r/tools/hooks/x");
  host_.AddDirectory("/srv/w/m").AddBind("/srv/w/m", "/opt/r/tools");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/m/hooks\n");
  EXPECT_EQ(Git({.rw = {"/srv/w/m"}}), "/srv/w/m/hooks\n");
}

TEST_F(Protection, HooksThatLeadIntoTheWorkTree) {
  AddRepository("/srv/w/.git");
  host_.AddSymlink("/srv/w/.git/hooks/pre-commit", "../../tools/check").AddFile("/srv/w/tools/check");
  host_.AddSymlink("/srv/w/.git/hooks/pre-push", "../../tools/none");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            Usual("/srv/w/.git") + "/srv/w/tools/check\n/srv/w/tools/none directory\n");
}

TEST_F(Protection, WhatAConfigurationNamesIsHeldBeforeItExists) {
  AddRepository("/srv/w/.git");
  host_.AddDirectory("/srv/w/tools", {.uid = 1000});
  host_.AddFile("/srv/w/.git/config",
                "[core]\n hooksPath = a/b/hooks\n fsmonitor = tools/watch -v\n[include]\n path = ../local\n"
                "[filter \"f\"]\n clean = sh tools/clean %f\n[url \"git@h:x/\"]\n insteadOf = https://h/x\n"
                "[alias]\n st = status src/x\n run = !./go && vim\n[safe]\n directory = /srv/w/q\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") +
                                         "/srv/w/a writable directory\n/srv/w/a/b writable directory\n"
                                         "/srv/w/a/b/hooks directory\n/srv/w/go directory\n"
                                         "/srv/w/local file\n/srv/w/tools/clean directory\n"
                                         "/srv/w/tools/watch directory\n");
}

TEST_F(Protection, ProgramsAreFoundWhereACommandLineWouldFindThem) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/tools/p").AddFile("/srv/w/tools/q", "", {.mode = 0644});
  for (const char* value : {"!cd tools && ./p", "!$PWD/tools/p", "!${PWD}/tools/p", "!\\\"$PWD\\\"/tools/p",
                            "!ssh -o ProxyCommand=tools/p h", "!GIT_SSH_COMMAND=tools/p git fetch",
                            "!git -c core.editor=tools/p commit", "-c core.pager=tools/p log",
                            "!PATH=tools:$PATH p", "!f() { . tools/p; }; f", "!ext::tools/p"}) {
    host_.AddFile("/srv/w/.git/config", "[alias]\n z = " + std::string(value) + "\n");
    EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/tools/p\n") << value;
  }
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = !BASH_ENV=tools/q bash -c x\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/tools/q\n");
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = log --format=x/y tools/p\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git"));
}

TEST_F(Protection, DirectoriesOfProgramsThatACommandLineNames) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/tools/git-x", "", {.mode = 0755, .uid = 1000});
  for (const char* value : {"--exec-path=tools x", "!git --exec-path=tools x", "!GIT_EXEC_PATH=tools git x",
                            "-c core.hooksPath=tools commit", "!git clone --config=core.hooksPath=tools u",
                            "!git -c init.templateDir=tools init", "!git init --template=tools",
                            "!GIT_TEMPLATE_DIR=$PWD/tools git init"}) {
    host_.AddFile("/srv/w/.git/config", "[alias]\n z = " + std::string(value) + "\n");
    EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/tools\n") << value;
  }
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = log --relative=tools\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git"));
}

// /proc/self/cwd is wherever git is called, in any grant.
TEST_F(Protection, ProgramsBehindLinksOfTheKernelAreRefused) {
  AddRepository("/srv/w/.git");
  host_.SetEnvironment("HOME", "/home/ana")
      .AddSymlink("/proc/self", "1")
      .AddSymlink("/srv/cwd", "/proc/self/cwd");
  const auto with = [&](const std::string& variable) {
    host_.AddFile("/home/ana/.gitconfig", variable + "\n");
    const Result<Policy> policy = With({.rw = {"/srv/w"}});
    return RefusalOf(policy);
  };
  EXPECT_EQ(with("[core] fsmonitor = /proc/self/cwd/tools/x"),
            "policy_conflict /filesystem/protect/0: git's configuration names '/proc/self/cwd/tools/x', "
            "which leads "
            "through '/proc/self': each process finds something else there");
  for (const char* variable :
       {"[core] hooksPath = /proc/self/cwd/hooks", "[core] attributesFile = /proc/self/cwd/a",
        "[core] sshCommand = A=b /proc/self/root/srv/w/x", "[core] pager = sh /proc/self/cwd/x",
        "[core] pager = timeout 5 /proc/self/cwd/x", "[core] editor = /srv/cwd/x",
        "[core] editor = /proc/self/fd/9/x", "[init] templateDir = /proc/self/cwd/t",
        "[alias] a = !cd /proc/self/cwd && tools/x", "[alias] a = --exec-path=/proc/self/cwd x",
        "[alias] a = !PATH=/proc/self/cwd/bin:$PATH x",
        "[alias] a = -c core.hooksPath=/proc/self/cwd commit"}) {
    EXPECT_NE(with(variable).find("': each process finds something else there"), std::string::npos)
        << variable;
  }
  for (const char* variable : {"[alias] a = !cat /proc/self/status", "[alias] a = log --file=/dev/stdin",
                               "[core] editor = vim /proc/self/fd/0", "[alias] a = !x < /dev/tty"}) {
    EXPECT_EQ(with(variable), "") << variable;
  }
  host_.AddFile("/srv/w/.git/config", "[core] pager = /proc/self/cwd/x\n");
  EXPECT_NE(RefusalOf(With({.rw = {"/srv/w"}})).find("the configuration of '/srv/w/.git' names '/proc"),
            std::string::npos);
}

TEST_F(Protection, WhatHuskyMakesItsHooksFrom) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config", "[core]\n hooksPath = .husky/_\n").AddFile("/srv/w/.husky/pre-commit");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/.git") + "/srv/w/.husky\n/srv/w/.husky/_ directory\n");
}

TEST_F(Protection, ConfigurationsThatCannotBeReadWholeAreRefused) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config", std::string(kMaxGitConfigBytes + 1, '#'));
  EXPECT_EQ(Git({.rw = {"/srv/w"}}).substr(0, 39), "policy_conflict /filesystem/protect/0: ");
}

TEST_F(Protection, IncludesAreRelativeToNamesNotToWhatLinksLeadTo) {
  host_.SetEnvironment("HOME", "/home/ana").AddSymlink("/home/ana/.gitconfig", "dot/gitconfig");
  host_.AddFile("/home/ana/dot/gitconfig", "[include]\n path = extra\n path = ./.gitconfig\n");
  host_.AddFile("/home/ana/extra", "[include]\n path = /srv/w/inc\n").AddFile("/srv/w/inc");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/inc\n");
}

// Whatever the reason: what cannot be read is not empty.
TEST_F(Protection, FilesOfGitThatCannotBeReadAreRefused) {
  const auto refused = [&](const std::string& file) {
    const Result<Policy> policy = With({.rw = {"/srv/w"}});
    EXPECT_FALSE(policy.ok()) << file;
    if (policy.ok()) return;
    EXPECT_EQ(RefusalOf(policy).find("policy_conflict /filesystem/protect/0: git's file '" + file +
                                     "' cannot be read: "),
              0U)
        << RefusalOf(policy);
    EXPECT_NE(policy.error().hint.find("remove it"), std::string::npos);
  };
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/t/.git", "gitdir: ../.git/worktrees/t\n");
  host_.AddFile("/srv/w/.git/worktrees/t/commondir", "../..\n").AddFile("/srv/w/inc", "[core]\n");
  const std::string include = "[include]\n path = ../inc\n";
  host_.AddFile("/srv/w/.git/config", include).AddSymlink("/proc/self", "1");
  EXPECT_TRUE(With({.rw = {"/srv/w"}}).ok());
  for (const char* file : {"/srv/w/.git/config", "/srv/w/inc", "/srv/w/.git/config.worktree", "/srv/w/t/.git",
                           "/srv/w/.git/worktrees/t/commondir", "/srv/w/.git/worktrees/t/config.worktree",
                           "/srv/w/.git/commondir"}) {
    const Result<std::string> text = host_.ReadFile(file, kMaxPathBytes);
    host_.AddFile(file, text ? *text : "", {.uid = 1000, .readable = false});
    refused(file);
    host_.AddFile(file, std::string(kMaxGitConfigBytes + 1, '#'));
    refused(file);
    host_.Remove(file);
    if (!std::string_view(file).ends_with("/.git")) {
      host_.AddNode(file, FileType::kFifo);
      refused(file);
      host_.Remove(file).AddSymlink(file, "/proc/self/cwd/x");
      refused(file);
      host_.Remove(file).AddDirectory(file);
      EXPECT_TRUE(With({.rw = {"/srv/w"}}).ok()) << file;
      host_.Remove(file);
    }
    if (text) host_.AddFile(file, *text);
  }
  host_.AddNode("/dev/null", FileType::kCharacterDevice).SetEnvironment("GIT_CONFIG_GLOBAL", "/dev/null");
  EXPECT_TRUE(With({.rw = {"/srv/w"}}).ok());
  // Not the caller's at all: git asks nobody for it either.
  host_.SetEnvironment("HOME", "/root").AddDirectory("/root").AddUnreadable("/root/.gitconfig");
  EXPECT_TRUE(With({.rw = {"/srv/w"}}).ok());
}

TEST_F(Protection, TheCallersConfigurationAndWhatItNames) {
  AddRepository("/home/ana/p/.git");
  host_.SetEnvironment("HOME", "/home/ana").SetEnvironment("XDG_CONFIG_HOME", "/home/ana/cfg");
  host_.SetEnvironment("GIT_CONFIG_GLOBAL", "/home/ana/g")
      .AddFile("/home/ana/g", "[include] path = ~/more\n");
  host_.SetEnvironment("GIT_CONFIG_KEY_0", "core.hooksPath").SetEnvironment("GIT_CONFIG_VALUE_0", ".hooks");
  host_.AddFile("/home/ana/.gitconfig", "[core] hooksPath = ~/hooks\n[init] templateDir = ~/t\n");
  host_.AddFile("/home/ana/t/hooks/post-checkout")
      .AddFile("/home/ana/more")
      .AddFile("/home/ana/cfg/git/config");
  host_.AddFile("/etc/gitconfig", "[include]\n path = /home/ana/system\n").AddDirectory("/home/ana/.config");
  EXPECT_EQ(Git({.rw = {"/home/ana"}}),
            "/home/ana/.config/git directory\n/home/ana/.gitconfig\n/home/ana/cfg/git\n/home/ana/g\n"
            "/home/ana/hooks directory\n/home/ana/more\n" +
                Usual("/home/ana/p/.git") +
                "/home/ana/p/.hooks directory\n/home/ana/system file\n/home/ana/t\n");
}

// There are repositories outside the grants, and these are obeyed there.
TEST_F(Protection, TheCallersConfigurationNeedsNoRepositoryInTheGrant) {
  const auto held = [&](const std::string& config) {
    host_.AddFile("/home/ana/.gitconfig", config);
    return Git({.rw = {"/srv/g"}});
  };
  host_.SetEnvironment("HOME", "/home/ana").AddFile("/srv/g/x").AddDirectory("/srv/g/d/hooks");
  host_.AddFile("/etc/passwd", "root:x:0:0::/root:/bin/sh\nana:x:1:1::/srv/g:/bin/sh\n");
  for (const char* named :
       {"[core] fsmonitor = /srv/g/x", "[core] pager = cat | sh /srv/g/x", "[credential] helper = /srv/g/x",
        "[alias] z = !/srv/g/x", "[core] attributesFile = /srv/g/x", "[include] path = /srv/g/x",
        "[core] fsmonitor = ~ana/x", "[core] attributesFile = :(optional)/srv/g/x"})
    EXPECT_EQ(held(named), "/srv/g/x\n") << named;
  EXPECT_EQ(held("[core] hooksPath = /srv/g/d"), "/srv/g/d\n");
  EXPECT_EQ(held("[init] templateDir = /srv/g/d"), "/srv/g/d\n");
  EXPECT_EQ(held("[core] hooksPath = /srv/g/new"), "/srv/g/new directory\n");
  EXPECT_EQ(held("[core] fsmonitor = g/x\n hooksPath = g/d"), "");  // of no work tree
  host_.SetEnvironment("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='/srv/g/x'");
  EXPECT_EQ(held(""), "/srv/g/x\n");
}

TEST_F(Protection, TheCallersConfigurationMayBeLinks) {
  host_.SetEnvironment("HOME", "/home/ana").AddFile("/srv/g/x").AddDirectory("/home/ana/.config/git");
  host_.AddDirectory("/srv/g/t/hooks").AddFile("/srv/g/y");
  for (const char* link : {"/home/ana/.gitconfig", "/home/ana/.config/git/config",
                           "/home/ana/.config/git/attributes", "/etc/gitconfig"}) {
    host_.AddSymlink(link, "/srv/g/x");
    EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/x\n") << link;
    host_.AddSymlink(link, "/srv/g/new");
    EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/new file\n") << link;
    host_.Remove(link);
  }
  host_.AddFile("/home/ana/.gitconfig", "[init] templateDir = ~/t\n[core] hooksPath = ~/h\n");
  host_.AddSymlink("/home/ana/t/hooks/post-checkout", "/srv/g/x")
      .AddSymlink("/home/ana/h/pre-commit", "/srv/g/y");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/x\n/srv/g/y\n");
  host_.AddDirectory("/home/ana/h", {.readable = false});
  EXPECT_EQ(Git({.rw = {"/srv/g"}}).substr(0, 75),
            "policy_conflict /filesystem/protect/0: git's directory '/home/ana/h' cannot");
}

TEST_F(Protection, WhatLinksLeadToIsHeldFromWhereverTheyStand) {
  AddRepository("/srv/r/.git");
  host_.AddFile("/srv/g/x").AddDirectory("/srv/g/d").AddSymlink("/home/ana/.vscode", "/srv/g/d");
  host_.SetEnvironment("HOME", "/home/ana").Remove("/srv/r/.git/config").Remove("/srv/r/.git/info");
  host_.AddSymlink("/srv/r/.git/config", "/srv/g/x").AddSymlink("/srv/r/.git/info", "/srv/g/info");
  host_.AddFile("/srv/g/info/attributes");
  EXPECT_EQ(Git({.rw = {"/srv/g"}, .ro = {"/srv/r"}}), "/srv/g/info/attributes\n/srv/g/x\n");
  EXPECT_NE(Protected(With({.rw = {"/srv/g"}}, {Preset::kEditors})).find("/srv/g/d\n"), std::string::npos);
}

TEST_F(Protection, AHomeThatIsToBeMadeYet) {
  host_.SetEnvironment("HOME", "/srv/g/home").AddDirectory("/srv/g");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}),
            "/srv/g/home writable directory\n/srv/g/home/.config writable directory\n"
            "/srv/g/home/.config/git directory\n/srv/g/home/.gitconfig file\n");
}

TEST_F(Protection, WhatTheCallersConfigurationNamesInEveryWorkTree) {
  host_.SetEnvironment("HOME", "/home/ana").AddFile("/opt/x");
  host_.AddFile(
      "/home/ana/.gitconfig",
      "[core] hooksPath = .githooks\n fsmonitor = ~/f\n editor = /opt/x\n pager = less\n"
      "[alias] a = !tools/a -v\n b = !$(git rev-parse --show-toplevel)/tools/b\n st = status x/y\n");
  PathWalker walker(host_);
  EXPECT_THAT(*NamedInEveryTree(host_, walker), testing::ElementsAre(".githooks", "tools/a", "tools/b"));
}

TEST_F(Protection, TheRepositoryThatTheEnvironmentNames) {
  host_.AddFile("/opt/dot/config", "[core] hooksPath = bin/hooks\n").AddDirectory("/srv/g/bin");
  host_.SetEnvironment("GIT_DIR", "/opt/dot").SetEnvironment("GIT_WORK_TREE", "/srv/g");
  host_.SetEnvironment("GIT_EXEC_PATH", "/srv/g/core");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/bin/hooks directory\n/srv/g/core directory\n");
  host_.SetEnvironment("GIT_DIR", "dot").SetWorkingDirectory("/srv/g");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/core directory\n/srv/g/dot directory\n");
}

TEST_F(Protection, ALinkedWorkTreeWhoseRepositoryIsElsewhere) {
  AddRepository("/srv/main/.git");
  host_.AddFile("/srv/main/.git/config", "[core]\n hooksPath = hk\n");
  host_.AddFile("/srv/main/.git/worktrees/t/HEAD").AddFile("/srv/main/.git/worktrees/t/commondir", "../..\n");
  host_.AddFile("/srv/t/.git", "gitdir: /srv/main/.git/worktrees/t\n").AddDirectory("/srv/t/hk");
  EXPECT_EQ(Git({.rw = {"/srv/t"}, .ro = {"/srv/main/.git"}}), "/srv/t/.git\n/srv/t/hk\n");
  EXPECT_EQ(Git({.rw = {"/srv/t"}}), "/srv/t/.git\n/srv/t/hk\n");
}

TEST_F(Protection, APointerToNothingYet) {
  host_.AddFile("/srv/w/a/.git", "gitdir: ../gits/a\n");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/a/.git\n/srv/w/gits writable directory\n/srv/w/gits/a directory\n");
}

TEST_F(Protection, OnlyTheRepositoriesThatAreNamed) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/m");
  AddRepository("/srv/w/b/.git");
  host_.AddDirectory("/srv/w/c");
  Config config = ConfigOf({.rw = {"/srv/w"}});
  config.protect = {{Preset::kGit, "/filesystem/protect/0"}};
  config.repositories_written = true;
  config.repositories = {{"/srv/w/a", "/filesystem/repositories/0"}};
  const Result<Policy> policy = Resolve(config, host_, {});
  EXPECT_EQ(Protected(policy), Usual("/srv/w/a/.git") + Shaped("/srv/w/a/.git/modules/m"));
  EXPECT_EQ(policy->relaxations, std::vector<std::string>{"repositories-named"});
  EXPECT_EQ(policy->git.roots, std::vector<std::string>{"/srv/w/a/.git"});
  host_.AddSymlink("/srv/w/link", "a");
  config.repositories = {{"/srv/w/link", "/filesystem/repositories/0"}};
  EXPECT_EQ(RefusalOf(Resolve(config, host_, {})),
            "policy_conflict /filesystem/repositories/0: the repository '/srv/w/a' leads through "
            "'/srv/w/link', a link in a read-write directory");
  config.repositories = {{"/srv/w/c", "/filesystem/repositories/0"}};
  EXPECT_EQ(RefusalOf(Resolve(config, host_, {})),
            "policy_conflict /filesystem/repositories/0: '/srv/w/c' is no git repository");
}

TEST_F(Protection, ConfigurationOfGitInAWritableHome) {
  host_.AddDirectory("/home/ana/.config").SetEnvironment("HOME", "/home/ana");
  EXPECT_EQ(Git({.rw = {"/home/ana"}}), "/home/ana/.config/git directory\n/home/ana/.gitconfig file\n");
  EXPECT_EQ(Git({.rw = {"/srv"}}), "");
}

TEST_F(Protection, EachPresetIsOneClause) {
  AddRepository("/srv/w/.git");
  host_.AddDirectory("/srv/w/.vscode");
  const Result<Policy> policy = With({.rw = {"/srv/w"}}, {Preset::kGit, Preset::kEditors});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(ClausesText(*policy),
            "/filesystem/readwritePaths/0: read-write '/srv/w'\n"
            "/filesystem/protect/0: `git` stays unwritable in read-write grants: 4 paths\n"
            "/filesystem/protect/1: `editors` stays unwritable in read-write grants: 7 paths\n"
            "/network: no network\n");
  EXPECT_TRUE(policy->relaxations.empty());
}

TEST_F(Protection, WithoutGitIsARelaxation) {
  AddRepository("/srv/w/.git");
  const Result<Policy> policy = With({.rw = {"/srv/w"}}, {});
  EXPECT_EQ(Protected(policy), "");
  EXPECT_EQ(policy->relaxations, std::vector<std::string>{"git-unprotected"});
}

TEST_F(Protection, ShellFilesInHomeAndAtTheTopOfGrants) {
  host_.AddFile("/home/ana/.bashrc").AddFile("/home/ana/src/.bashrc").SetEnvironment("HOME", "/home/ana");
  const Result<Policy> policy = With({.rw = {"/home/ana"}}, {Preset::kShell});
  const std::string text = Protected(policy);
  EXPECT_NE(text.find("/home/ana/.bashrc\n"), std::string::npos);
  EXPECT_NE(text.find("/home/ana/.zshrc file\n"), std::string::npos);
  EXPECT_NE(text.find("/home/ana/.ssh directory\n"), std::string::npos);
  EXPECT_EQ(text.find("/home/ana/src/.bashrc"), std::string::npos);
  EXPECT_EQ(WarningsText(*policy), "protection-open /filesystem/protect/0\n");
}

TEST_F(Protection, EditorsAndAgentsAtAnyDepthButInPackages) {
  host_.AddFile("/srv/w/a/.vscode/tasks.json").AddFile("/srv/w/a/b/c/.mcp.json");
  host_.AddFile("/srv/w/a/node_modules/x/.vscode/tasks.json").AddFile("/srv/w/.github/workflows/ci.yml");
  const std::string text = Protected(With({.rw = {"/srv/w"}}, {Preset::kEditors, Preset::kAgents}));
  EXPECT_NE(text.find("/srv/w/a/.vscode\n"), std::string::npos);
  EXPECT_NE(text.find("/srv/w/.vscode directory\n"), std::string::npos);
  EXPECT_NE(text.find("/srv/w/a/b/c/.mcp.json\n"), std::string::npos);
  EXPECT_NE(text.find("/srv/w/.github/workflows\n"), std::string::npos);
  EXPECT_EQ(text.find("node_modules"), std::string::npos);
  // A file that holds a name would get into the next commit.
  EXPECT_EQ(text.find(" file\n"), std::string::npos);
}

TEST_F(Protection, ASearchThatDoesNotEndIsRefused) {
  AddRepository("/srv/w/a/.git");
  host_.SetClockStep(kMaxSearchMs / 4);
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_EQ(
      Protected(policy),
      "policy_conflict /filesystem/protect/0: the search for protected files did not come to its end: it "
      "took longer than 30000 ms");
  EXPECT_NE(policy.error().hint.find("filesystem.repositories"), std::string::npos);
}

TEST_F(Protection, ADirectoryThatCannotBeListedStaysAsItIs) {
  host_.AddDirectory("/srv/w/closed", {.mode = 0300, .uid = 1000, .readable = false});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/closed\n");
  host_.AddDirectory("/srv/w/closed", {.mode = 0711, .readable = false});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/closed\n");
  host_.AddDirectory("/srv/w/closed", {.mode = 0700, .readable = false});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "");
}

TEST_F(Protection, MoreThanTheBoundIsRefused) {
  const std::size_t repositories = kMaxProtectedPaths / 6 + 1;
  for (std::size_t i = 0; i < repositories; ++i) AddRepository("/srv/w/" + std::to_string(i));
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "policy_conflict /filesystem/protect/0: the read-write grants hold " +
                                         std::to_string(6 * repositories) +
                                         " protected paths, more than the 20000 there may be");
}

// One file that an earlier run has left is enough for that.
TEST_F(Protection, TheRepositoryWithMostProtectedPathsIsNamed) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/b/.git");
  std::string config = "[alias]\n";
  for (std::size_t i = 0; i <= kMaxProtectedPaths; ++i) config += " x = !./" + std::to_string(i) + "\n";
  host_.AddFile("/srv/w/b/.git/config", config);
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.error().message.find("'/srv/w/b/.git' causes 20001"), std::string::npos)
      << policy.error().message;
  EXPECT_NE(policy.error().hint.find("remove"), std::string::npos);
}

TEST_F(Protection, EveryRowSaysWhy) {
  for (const auto rows : {GitDirectoryRows(), LinkedWorkTreeRows(), GitHomeRows(), GitConfigHomeRows(),
                          ShellRows(), EditorRows(), AgentRows()}) {
    for (const ProtectedRow& row : rows) {
      EXPECT_FALSE(row.why.empty()) << row.path;
      EXPECT_FALSE(row.path.starts_with('/')) << row.path;
    }
  }
}

}  // namespace
}  // namespace mxc
