// The preset `git`: which repositories are found, and what of them becomes read-only inside read-write
// grants.
#include "policy/protect/protect.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "mxc/plan.h"
#include "tests/unit/protect_text.h"

namespace mxc::protect_test {
namespace {

TEST_F(Protection, EveryRepositoryUnderAReadWriteGrant) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/vendor/deep/b/.git");
  AddRepository("/srv/w/bare.git");
  AddRepository("/srv/other/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            Usual("/srv/w/a/.git") + Usual("/srv/w/a/vendor/deep/b/.git") + Shaped("/srv/w/bare.git"));
  EXPECT_EQ(Git({.rw = {"/srv/w/a/.git"}}), Usual("/srv/w/a/.git"));
}

// With a grant of the root the sandbox still has a /tmp of its own: the host's is left alone at the end.
TEST_F(Protection, TheComparisonLeavesTheHostsOwnTemporaryFiles) {
  const Result<Policy> root = With({.rw = {"/"}});
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_THAT(root->git.skipped, ::testing::IsSupersetOf({"/dev", "/proc", "/sys", "/tmp"}));
  const Result<Policy> shared = With({.rw = {"/", "/tmp"}});
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_THAT(shared->git.roots, ::testing::Contains("/tmp"));
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
    if (!rule.placeholder_kind) continue;
    EXPECT_EQ(rule.placeholder_kind->text, rule.path.ends_with("/commondir") ? ".\n" : "");
  }
}

TEST_F(Protection, WhatAnotherRunHoldsIsHeldAgain) {
  AddRepository("/srv/w/.git");
  const FakeAttributes file{.mode = kPlaceholderFileMode, .uid = 1000};
  const FakeAttributes others{.mode = kPlaceholderFileMode, .uid = 0};
  host_.AddFile("/srv/w/.git/commondir", ".\n", file).AddFile("/srv/w/.git/config.worktree", "", others);
  host_.AddDirectory("/srv/w/.git/hooks", {.mode = kPlaceholderDirectoryMode, .uid = 0});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/.git/commondir file\n/srv/w/.git/config\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks directory\n");
  host_.AddFile("/srv/w/.git/commondir", "x\n", file).AddFile("/srv/w/.git/hooks/pre-commit");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}),
            "/srv/w/.git/commondir\n/srv/w/.git/config\n/srv/w/.git/config.worktree file\n"
            "/srv/w/.git/hooks\n");
}

// ... whatever it is held for, with the directories above it.
TEST_F(Protection, ProgramsAndDirectoriesThatAnotherRunHoldsAreHeldAgain) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config", "[core]\n fsmonitor = tools/fsm\n");
  const std::string alone = Git({.rw = {"/srv/w"}});
  EXPECT_THAT(alone, ::testing::HasSubstr("/srv/w/tools/fsm directory\n"));
  const std::string editors = Protected(With({.rw = {"/srv/w"}}, {Preset::kEditors}));
  EXPECT_THAT(editors, ::testing::HasSubstr("/srv/w/.vscode directory\n"));
  for (const char* const path : {"/srv/w/tools", "/srv/w/tools/fsm", "/srv/w/.vscode"})
    host_.AddDirectory(path, {.mode = kPlaceholderDirectoryMode, .uid = 0});
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), alone);
  EXPECT_EQ(Protected(With({.rw = {"/srv/w"}}, {Preset::kEditors})), editors);
  host_.AddFile("/srv/w/.vscode/tasks.json");
  EXPECT_THAT(Protected(With({.rw = {"/srv/w"}}, {Preset::kEditors})),
              ::testing::HasSubstr("/srv/w/.vscode\n"));
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
  const Policy hidden = *With({.rw = {"/srv/w/b"}});
  EXPECT_EQ(WarningsText(hidden), "git-directory-hidden /filesystem/protect/0\n");
  EXPECT_EQ(
      hidden.warnings.front().message,
      "'/srv/w/b/.git' leads to '/srv/w/a/.git/worktrees/b', which is not granted: git will not work there; "
      "to use it, add --rw /srv/w/a/.git, or --ro for `status` and `log` alone");
}

TEST_F(Protection, APartOfAWorkTreeSaysWhatGitNeeds) {
  AddRepository("/srv/w/a/.git");
  host_.AddDirectory("/srv/w/a/sub");
  Config config = ConfigOf({.rw = {"/srv/w/a/sub"}});
  config.process.command_line = "git status";
  config.process.cwd = "/";  // git works on something else
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "");
  config.process.cwd = "/srv/w/a/sub";
  for (const char* other : {"npm test", "digit x", "./git-x", "git.exe", "cat .git/x"}) {
    config.process.command_line = other;
    EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "") << other;
  }
  for (const char* git : {"git status", "make; /usr/bin/git log", "cd x && git diff|cat"}) {
    config.process.command_line = git;
    const Result<Policy> policy = Resolve(config, host_, {});
    ASSERT_EQ(WarningsText(*policy), "git-directory-hidden /filesystem/protect\n") << git;
    EXPECT_EQ(policy->warnings.front().message,
              "the grants are parts of the work tree '/srv/w/a': git will not work there; for `status` and "
              "`log` add "
              "--ro /srv/w/a, for `commit` --rw /srv/w/a/.git as well");
  }
  std::swap(config.read_write, config.read_only);
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "git-directory-hidden /filesystem/protect\n");
  config.process.command_line = "npm test";
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "");
  config.process.command_line = "git status";
  config.denied = ConfigOf({.denied = {"/srv/w/a/.git"}}).denied;
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "");
  std::swap(config.read_write, config.read_only);
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "");
}

TEST_F(Protection, AReadOnlyWorkTreeSaysWhatGitNeeds) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile("/srv/w/a/.git/worktrees/b/HEAD").AddFile("/srv/w/a/.git/worktrees/b/commondir", "../..\n");
  host_.AddFile("/srv/w/b/.git", "gitdir: /srv/w/a/.git/worktrees/b\n");
  Config config = ConfigOf({.ro = {"/srv/w/b"}});
  config.process.command_line = "git log";
  config.process.cwd = "/srv/w/b";
  const Result<Policy> hidden = Resolve(config, host_, {});
  ASSERT_EQ(WarningsText(*hidden), "git-directory-hidden /filesystem/protect\n");
  EXPECT_THAT(hidden->warnings.front().message,
              ::testing::HasSubstr("which is not granted: git will not work there; to use it, add --rw "
                                   "/srv/w/a/.git, or --ro for `status` and `log` alone"));
  EXPECT_EQ(Protected(hidden), "");
  config.read_only = ConfigOf({.ro = {"/srv/w/a/.git", "/srv/w/b"}}).read_only;
  EXPECT_EQ(WarningsText(*Resolve(config, host_, {})), "");
}

TEST_F(Protection, SafeConfigsAreLeftToTheComparison) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/m");
  AddRepository("/srv/w/b/.git");
  host_.Remove("/srv/w/b/.git/config").AddSymlink("/srv/w/b/.git/config", "../c").AddFile("/srv/w/b/c");
  Config config = ConfigOf({.rw = {"/srv/w"}});
  config.protect = {{.preset = Preset::kGit, .pointer = "/filesystem/protect/git", .safe_config = true}};
  const Result<Policy> policy = Resolve(config, host_, {});
  const std::string text = Protected(policy);
  EXPECT_EQ(text.find("/srv/w/a/.git/config\n"), std::string::npos);
  EXPECT_NE(text.find("/srv/w/a/.git/config.worktree file\n/srv/w/a/.git/hooks\n"), std::string::npos);
  EXPECT_NE(text.find("/srv/w/b/c\n"), std::string::npos);
  std::string configs;
  for (const GitSnapshot::Text& each : policy->git.configs) configs += each.path + "\n";
  EXPECT_EQ(configs, "/srv/w/a/.git/config\n/srv/w/a/.git/modules/m/config\n");
  config.phase = Phase::kProvision;
  EXPECT_EQ(RefusalOf(Resolve(config, host_, {})).substr(0, 13), "unenforceable");
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

TEST_F(Protection, LinksOfEveryPresetAreReported) {
  host_.AddFile("/srv/w/AGENTS.md").AddSymlink("/srv/w/CLAUDE.md", "AGENTS.md");
  for (const std::vector<Preset>& presets : {std::vector{Preset::kAgents}, {Preset::kGit, Preset::kAgents}}) {
    const Result<Policy> policy = With({.rw = {"/srv/w"}}, presets);
    EXPECT_THAT(policy->git.links, testing::ElementsAre(GitSnapshot::Text{"/srv/w/CLAUDE.md", "AGENTS.md"}));
  }
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

TEST_F(Protection, TheRepositoryThatIsNamedMayBeTheGrant) {
  AddRepository("/srv/w/.git");
  Config config = ConfigOf({.rw = {"/srv/w"}});
  config.protect = {{Preset::kGit, "/filesystem/protect/0"}};
  config.repositories_written = true;
  for (const char* named : {"/srv/w", "/srv/w/.git"}) {
    config.repositories = {{named, "/filesystem/repositories/0"}};
    EXPECT_EQ(Protected(Resolve(config, host_, {})), Usual("/srv/w/.git")) << named;
  }
}

// Root's command has no capabilities: it cannot enter what the mode closes, unless a list names it.
TEST_F(Protection, WhatAListOpensToRootIsSearched) {
  host_.SetCaller(0, 0).AddFile("/proc/self/status", "Name:\tx\nGroups:\t0 \n");
  host_.AddDirectory("/srv/w/u", {.mode = 0770, .uid = 1000, .gid = 1000});
  AddRepository("/srv/w/u/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "");
  host_.AddAttribute("/srv/w/u", kAccessAcl, "u:root:rwx");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/u/.git"));
}

// The kernel writes 50 lines for the one that is wanted.
TEST_F(Protection, RootsGroupsAreAskedForOnceAndWhereAnotherUserClosesADirectory) {
  const auto asked = [&] {
    return std::count(host_.Questions().begin(), host_.Questions().end(), "read /proc/self/status");
  };
  host_.SetCaller(0, 0).AddFile("/proc/self/status", "Name:\tx\nGroups:\t0 \n");
  AddRepository("/srv/w/a/.git");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/a/.git"));
  EXPECT_EQ(asked(), 0);
  for (const char* user : {"/srv/w/u", "/srv/w/v"}) {
    host_.AddDirectory(user, {.mode = 0770, .uid = 1000, .gid = 1000});
    AddRepository(std::string(user) + "/.git");
  }
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/a/.git"));
  EXPECT_EQ(asked(), 1);
}

}  // namespace
}  // namespace mxc::protect_test
