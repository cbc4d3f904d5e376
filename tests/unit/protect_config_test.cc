// The preset `git`: what configurations of repositories and of the caller name, and their files.
#include <gmock/gmock.h>

#include "mxc/limits.h"
#include "policy/protect/protect.h"
#include "policy/protect/protect_git.h"
#include "tests/unit/protect_text.h"

namespace mxc::protect_config_test {
namespace {

using std::string_view_literals::operator""sv;

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
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), "/srv/w/a/.git/.husky directory\n" + Usual("/srv/w/a/.git") +
                                         "/srv/w/a/.git/modules/s/commondir file\n"
                                         "/srv/w/a/.git/modules/s/config\n"
                                         "/srv/w/a/.git/modules/s/config.worktree file\n"
                                         "/srv/w/a/.git/modules/s/h directory\n"
                                         "/srv/w/a/.git/modules/s/hooks\n"
                                         "/srv/w/a/.git/modules/s/objects writable\n"
                                         "/srv/w/a/.git/modules/s/refs writable\n"
                                         "/srv/w/a/.git/tools writable directory\n"
                                         "/srv/w/a/.git/tools/watch directory\n"
                                         "/srv/w/a/.gitconfig\n"
                                         "/srv/w/a/.husky\n"
                                         "/srv/w/a/more\n"
                                         "/srv/w/a/s/.git\n"
                                         "/srv/w/a/s/h\n"
                                         "/srv/w/a/tools/watch\n"
                                         "/srv/w/hooks\n");
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
  EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})),
            "/srv/w/a writable directory\n/srv/w/a/b writable directory\n"
            "/srv/w/a/b/hooks directory\n/srv/w/go directory\n"
            "/srv/w/local file\n/srv/w/tools/clean directory\n"
            "/srv/w/tools/watch directory\n");
}

// git takes the name for a lock of another git.
TEST_F(Protection, ALockThatAConfigurationNamesIsHeldAndTold) {
  AddRepository("/srv/w/.git");
  AddRepository("/srv/w/x");
  host_.AddFile("/srv/w/x/config", "[include]\n path = ../.git/index.lock\n");
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  EXPECT_THAT(Protected(policy), testing::HasSubstr("/srv/w/.git/index.lock file\n"));
  ASSERT_EQ(WarningsText(*policy), "git-lock-held /filesystem/protect/0\n");
  EXPECT_THAT(policy->warnings[0].message, testing::HasSubstr("because '/srv/w/x' has git"));
}

TEST_F(Protection, ProgramsAreFoundWhereACommandLineWouldFindThem) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/tools/p").AddFile("/srv/w/tools/q", "", {.mode = 0644});
  for (const char* value : {"!cd tools && ./p", "!$PWD/tools/p", "!${PWD}/tools/p", "!\\\"$PWD\\\"/tools/p",
                            "!ssh -o ProxyCommand=tools/p h", "!GIT_SSH_COMMAND=tools/p git fetch",
                            "!git -c core.editor=tools/p commit", "-c core.pager=tools/p log",
                            "!PATH=tools:$PATH p", "!f() { . tools/p; }; f", "!ext::tools/p"}) {
    host_.AddFile("/srv/w/.git/config", "[alias]\n z = " + std::string(value) + "\n");
    EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "/srv/w/tools/p\n") << value;
  }
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = !BASH_ENV=tools/q bash -c x\n");
  EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "/srv/w/tools/q\n");
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = log --format=x/y tools/p\n");
  EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "");
}

// What stands for an address is a transport, and so a program.
TEST_F(Protection, ProgramsThatASubsectionNames) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/tools/p");
  const auto with = [&](const std::string& base) {
    host_.AddFile("/srv/w/.git/config",
                  "[url \"" + base + "\"]\n\tinsteadOf = foo:\n\tpushInsteadOf = bar:\n");
    return InTree(Git({.rw = {"/srv/w"}}));
  };
  EXPECT_EQ(with("ext::./tools/p"), "/srv/w/tools/p\n");
  EXPECT_EQ(with("ext::sh -c ./tools/p %S"), "/srv/w/tools/p\n");
  EXPECT_EQ(with("https://example.org/"), "");
  EXPECT_EQ(with("/srv/w/mirror/"), "");
}

// Versions of git differ in what they take for the name, and a NUL ends it.
TEST_F(Protection, NamesAreHeldHoweverGitReadsThem) {
  AddRepository("/srv/w/.git");
  const auto held = [&](std::string_view config) {
    host_.AddFile("/srv/w/.git/config", std::string(config));
    return InTree(Git({.rw = {"/srv/w"}}));
  };
  for (const std::string_view config :
       {"[core]\n\thooksPath = h\0k\n"sv, "[core \"hookspath\0x\"]\n\tfoo = h\n"sv,
        "[core]\n\thooksPath = \rh\r\n"sv})
    EXPECT_EQ(held(config), "/srv/w/h directory\n") << config;
  EXPECT_EQ(held("[core]\n\thooksPath = h\tk\n"), "/srv/w/h\tk directory\n/srv/w/h k directory\n");
  EXPECT_EQ(held("[core]\n\thooksPath = :(optional)h\n"),
            "/srv/w/:(optional)h directory\n/srv/w/h directory\n");
  for (const std::string_view config :
       {"[include]\n\tpath = ../x\0y\n"sv, "[include \"path\0x\"]\n\tfoo = ../x\n"sv,
        "[core]\n\tattributesFile = x\0y\n"sv})
    EXPECT_EQ(held(config), "/srv/w/x file\n") << config;
  EXPECT_EQ(held("[core]\n\tsshCommand = sh ./x\0y\n"sv), "/srv/w/x directory\n");
}

// Each costs a look, and a command can write many: the end of its run tells that the next would be refused.
TEST_F(Protection, CommandLinesHaveSoManyWordsAndNoMore) {
  AddRepository("/srv/w/.git");
  std::string words;
  for (std::size_t i = 0; i < kMaxGitWords; ++i) words += " " + std::to_string(i);
  host_.AddFile("/srv/w/.git/config", "[core]\n\tsshCommand = \"cd a; sh" + words + "\"\n");
  EXPECT_EQ(
      Git({.rw = {"/srv/w"}}),
      "policy_conflict /filesystem/protect/0: the command lines of '/srv/w/.git' bring the files that git "
      "may run to more than 131072, or what they may be called to more than 16777216 bytes");
}

// A command can leave a configuration of up to 4 MiB: what the next run makes of it has to end, and to fit.
TEST_F(Protection, LongValuesAreRefusedOrMeanNothing) {
  constexpr std::size_t kMany = 300'000;
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string refused =
      "policy_conflict /filesystem/protect/0: the command lines of '/srv/w/.git' bring the files that git "
      "may run to more than 131072, or what they may be called to more than 16777216 bytes";
  for (const auto& [value, expected] : {
           std::pair(repeated("/", 3 * kMany) + "x", std::string("x")),
           std::pair(repeated("a/", kMany) + "x", std::string()),
           std::pair(repeated("a=", kMany) + "x", refused),
           std::pair(repeated("cd a; ", kMany / 2) + "x", refused),
           std::pair("-" + repeated("/a", 2 * 1024 - 1) + " ", std::string()),
           std::pair(repeated("-" + repeated("/a", 1024) + " ", 1024), refused),
       }) {
    AddRepository("/srv/w/.git");
    host_.AddFile("/srv/w/.git/config", "[core]\n\tsshCommand = \"" + value + "\"\n");
    const std::string made = Git({.rw = {"/srv/w"}});
    if (expected == refused) {
      EXPECT_EQ(made, refused) << value.substr(0, 20);
    } else {
      EXPECT_THAT(made, testing::HasSubstr("/srv/w/.git/config")) << value.substr(0, 20);
      EXPECT_LT(made.size(), kMany) << value.substr(0, 20);
    }
  }
}

// Of a name far below the first that is missing nothing but that one is held.
TEST_F(Protection, NamesFarBelowWhatIsMissing) {
  AddRepository("/srv/w/.git");
  std::string far = "x";
  for (int i = 0; i < 1000; ++i) far += "/a";
  host_.AddFile("/srv/w/.git/config", "[core]\n\thooksPath = " + far + "\n");
  const std::string made = Git({.rw = {"/srv/w"}});
  EXPECT_THAT(made, testing::HasSubstr("/srv/w/x directory\n"));
  EXPECT_THAT(made, testing::Not(testing::HasSubstr("/srv/w/x/a")));
}

TEST_F(Protection, DirectoriesOfProgramsThatACommandLineNames) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/tools/git-x", "", {.mode = 0755, .uid = 1000});
  for (const char* value : {"--exec-path=tools x", "!git --exec-path=tools x", "!GIT_EXEC_PATH=tools git x",
                            "-c core.hooksPath=tools commit", "!git clone --config=core.hooksPath=tools u",
                            "!git -c init.templateDir=tools init", "!git init --template=tools",
                            "!GIT_TEMPLATE_DIR=$PWD/tools git init"}) {
    host_.AddFile("/srv/w/.git/config", "[alias]\n z = " + std::string(value) + "\n");
    EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "/srv/w/tools\n") << value;
  }
  host_.AddFile("/srv/w/.git/config", "[alias]\n z = log --relative=tools\n");
  EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "");
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
  EXPECT_EQ(InTree(Git({.rw = {"/srv/w"}})), "/srv/w/.husky\n/srv/w/.husky/_ directory\n");
}

// For a push git stands in the git directory, and what it names means another file.
TEST_F(Protection, WhatAConfigurationNamesIsHeldInGitDirectories) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/.git/config",
                "[core]\n hooksPath = .githooks\n[gc]\n recentObjectsHook = tools/keep\n");
  host_.AddFile("/srv/w/.githooks/pre-commit").AddFile("/srv/w/.git/worktrees/t/HEAD");
  host_.AddFile("/srv/w/.git/worktrees/t/commondir", "../..\n").AddDirectory("/srv/w/.git/worktrees/t/tools");
  host_.AddFile("/srv/w/t/.git", "gitdir: ../.git/worktrees/t\n");
  const std::string held = Git({.rw = {"/srv/w"}});
  for (const char* line :
       {"/srv/w/.git/.githooks directory\n", "/srv/w/.git/tools/keep directory\n",
        "/srv/w/.git/worktrees/t/.githooks directory\n", "/srv/w/.git/worktrees/t/tools/keep directory\n",
        "/srv/w/.githooks\n", "/srv/w/t/.githooks directory\n"})
    EXPECT_THAT(held, testing::HasSubstr(line));
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

// Nobody would judge what its commands write: there is no end of a run.
TEST_F(Protection, NoConfigurationIsLeftToAPersistentSandbox) {
  AddRepository("/srv/w/.git");
  Config config = ConfigOf({.rw = {"/srv/w"}});
  config.protect = {{.preset = Preset::kGit, .pointer = "/filesystem/protect/git", .safe_config = true}};
  EXPECT_TRUE(Resolve(config, host_, {}).ok());
  config.phase = Phase::kProvision;
  EXPECT_EQ(RefusalOf(Resolve(config, host_, {})),
            "unenforceable /filesystem/protect/git: configurations of git's cannot be left to a persistent "
            "sandbox");
}

// It is put back with mode bits alone, which may let in whom the list shuts out.
TEST_F(Protection, NoConfigurationWithAnAccessControlListIsLeft) {
  AddRepository("/srv/w/.git");
  Config config = ConfigOf({.rw = {"/srv/w"}});
  config.protect = {{.preset = Preset::kGit, .pointer = "/filesystem/protect/git", .safe_config = true}};
  EXPECT_EQ(Protected(Resolve(config, host_, {})).find("/srv/w/.git/config\n"), std::string::npos);
  host_.AddAttribute("/srv/w/.git/config", kAccessAcl, "u:1001:---");
  EXPECT_NE(Protected(Resolve(config, host_, {})).find("/srv/w/.git/config\n"), std::string::npos);
}

// In /tmp, for instance.
TEST_F(Protection, WhatAnotherUserKeepsFromTheCallerIsDenied) {
  AddRepository("/srv/w/mine/.git");
  AddRepository("/srv/w/theirs/.git");
  host_.AddFile("/srv/w/theirs/.git/config", "[core]\n", {.mode = 0600, .uid = 1001, .readable = false});
  host_.AddFile("/srv/w/linked/.git", "gitdir: x\n", {.mode = 0600, .uid = 1001, .readable = false});
  const Result<Policy> policy = With({.rw = {"/srv/w"}});
  ASSERT_TRUE(policy.ok()) << RefusalOf(policy);
  std::string denied;
  for (const PathRule& rule : policy->paths) {
    if (rule.access == Access::kDenied && rule.origin == Origin::kPolicy) denied += rule.path + "\n";
  }
  EXPECT_EQ(denied, "/srv/w/linked/.git\n/srv/w/theirs/.git\n");
  EXPECT_THAT(WarningsText(*policy), testing::HasSubstr("git-directory-hidden"));
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
            "/home/ana/hooks directory\n/home/ana/more\n/home/ana/p/.git/.hooks directory\n" +
                Usual("/home/ana/p/.git") +
                "/home/ana/p/.hooks directory\n/home/ana/system file\n/home/ana/t\n");
}

// HOME is the caller's for one call; the next git on the host has the home of the list of users.
TEST_F(Protection, TheHomeOfTheListOfUsersIsProtectedWhateverHomeSays) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/home/ana/.gitconfig", "[core] hooksPath = ~/hooks\n").AddDirectory("/home/ana/.config");
  host_.AddDirectory("/srv/h").AddFile("/srv/w/.git/config", "[include]\n path = ~/more\n");
  for (const char* set : {"/srv/h", "", "/home/ana"}) {
    host_.SetEnvironment("HOME", set);
    EXPECT_EQ(Git({.rw = {"/home/ana"}}),
              "/home/ana/.config/git directory\n/home/ana/.gitconfig\n/home/ana/hooks directory\n")
        << set;
    EXPECT_THAT(Git({.rw = {"/home/ana", "/srv/w"}}), testing::HasSubstr("/home/ana/more file\n")) << set;
    EXPECT_THAT(Protected(With({.rw = {"/home/ana"}}, {Preset::kShell})),
                testing::HasSubstr("/home/ana/.ssh directory\n"))
        << set;
  }
  host_.SetEnvironment("HOME", "/srv/h");
  EXPECT_THAT(Git({.rw = {"/srv/h", "/srv/w"}}), testing::HasSubstr("/srv/h/more file\n"));
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

TEST_F(Protection, WhatTheCallersConfigurationNamesInEveryWorkTree) {
  host_.SetEnvironment("HOME", "/home/ana").AddFile("/opt/x");
  host_.AddFile(
      "/home/ana/.gitconfig",
      "[core] hooksPath = .githooks\n fsmonitor = ~/f\n editor = /opt/x\n pager = less\n"
      "[alias] a = !tools/a -v\n b = !$(git rev-parse --show-toplevel)/tools/b\n st = status x/y\n");
  PathWalker walker(host_);
  EXPECT_THAT(NamedInEveryTree(host_, walker)->paths,
              testing::ElementsAre(".githooks", "tools/a", "tools/b"));
  host_.AddFile("/home/ana/.gitconfig", "[filter \"x\"] clean = bash -euo pipefail clean.sh %f\n");
  EXPECT_THAT(NamedInEveryTree(host_, walker)->words, testing::ElementsAre("clean.sh", "pipefail", "uo"));
}

TEST_F(Protection, TheRepositoryThatTheEnvironmentNames) {
  host_.AddFile("/opt/dot/config", "[core] hooksPath = bin/hooks\n").AddDirectory("/srv/g/bin");
  host_.SetEnvironment("GIT_DIR", "/opt/dot").SetEnvironment("GIT_WORK_TREE", "/srv/g");
  host_.SetEnvironment("GIT_EXEC_PATH", "/srv/g/core");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/bin/hooks directory\n/srv/g/core directory\n");
  host_.SetEnvironment("GIT_DIR", "dot").SetWorkingDirectory("/srv/g");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/core directory\n/srv/g/dot directory\n");
}

// The search finds the repository, too, and takes the directory around it for its work tree.
// git and the like take them from the directory where they are called.
TEST_F(Protection, RelativePathsInVariablesAreRefused) {
  AddRepository("/srv/w/.git");
  for (const char* variable : {"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "HGRCPATH", "GNUPGHOME"}) {
    host_.SetEnvironment(variable, "sub");
    EXPECT_EQ(Git({.rw = {"/srv/w"}}),
              "policy_conflict /filesystem/protect/0: " + std::string(variable) +
                  " names 'sub', a relative path: programs of the host find something "
                  "else in each directory");
    host_.SetEnvironment(variable, "/srv/x");
    EXPECT_EQ(Git({.rw = {"/srv/w"}}).find("relative"), std::string::npos);
    host_.SetEnvironment(variable, "");
  }
  host_.SetEnvironment("HGRCPATH", "/srv/x:y");
  EXPECT_THAT(Git({.rw = {"/srv/w"}}), testing::HasSubstr("HGRCPATH names 'y'"));
  EXPECT_EQ(Protected(With({.ro = {"/srv/w"}})).find("HGRCPATH"), std::string::npos)
      << "nothing can be written";
}

TEST_F(Protection, AnotherWorkTreeOfTheEnvironment) {
  host_.AddFile("/srv/g/meta/.git/config", "[core] fsmonitor = ./tl/fsm\n").AddDirectory("/srv/g/tree/tl");
  host_.SetEnvironment("GIT_WORK_TREE", "/srv/g/tree");
  EXPECT_THAT(Git({.rw = {"/srv/g"}}), testing::Not(testing::HasSubstr("/srv/g/tree/tl/fsm")));
  host_.SetEnvironment("GIT_DIR", "/srv/g/meta/.git");
  EXPECT_THAT(Git({.rw = {"/srv/g"}}), testing::HasSubstr("/srv/g/tree/tl/fsm"));
  host_.SetEnvironment("GIT_DIR", "").SetWorkingDirectory("/srv/g/meta/src");
  EXPECT_THAT(Git({.rw = {"/srv/g"}}), testing::HasSubstr("/srv/g/tree/tl/fsm"));
}

TEST_F(Protection, ConfigurationOfGitInAWritableHome) {
  host_.AddDirectory("/home/ana/.config").SetEnvironment("HOME", "/home/ana");
  EXPECT_EQ(Git({.rw = {"/home/ana"}}), "/home/ana/.config/git directory\n/home/ana/.gitconfig file\n");
  EXPECT_EQ(Git({.rw = {"/srv"}}), "");
}

}  // namespace
}  // namespace mxc::protect_config_test
