// The other presets, and the bounds of all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "mxc/limits.h"
#include "policy/protect/found_by_name.h"
#include "policy/protect/protect.h"
#include "tests/unit/protect_text.h"

namespace mxc::protect_presets_test {
namespace {

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

// zsh runs these instead, also where the file itself is missing.
TEST_F(Protection, WhatZshHasCompiled) {
  host_.SetEnvironment("HOME", "/home/ana").SetEnvironment("ZDOTDIR", "/home/ana/z");
  host_.AddDirectory("/home/ana/z").AddFile("/home/ana/z/.zlogin.zwc");
  host_.AddFile("/home/ana/z/.zshrc", ". ~/dot/z.zsh\n").AddFile("/home/ana/dot/z.zsh");
  host_.AddFile("/home/ana/.zshrc",
                "source ~/dot/a.zsh\nsource ~/dot/missing\nfor f in ~/dot/rc/*.zsh; do source $f; done\n");
  host_.AddFile("/home/ana/.bashrc", "source ~/dot/b.sh\n").AddFile("/home/ana/dot/b.sh");
  host_.AddFile("/home/ana/dot/a.zsh").AddFile("/home/ana/dot/rc/x.zsh");
  const Result<Policy> policy = With({.rw = {"/home/ana"}}, {Preset::kGit, Preset::kShell});
  const std::string text = "\n" + Protected(policy);
  for (const char* held :
       {"/home/ana/.zshenv.zwc file", "/home/ana/.zshrc.zwc file", "/home/ana/z/.zprofile.zwc file",
        "/home/ana/z/.zlogin.zwc", "/home/ana/dot/a.zsh", "/home/ana/dot/a.zsh.zwc file",
        "/home/ana/dot/z.zsh", "/home/ana/dot/z.zsh.zwc file", "/home/ana/dot/rc/x.zsh.zwc file"})
    EXPECT_NE(text.find("\n" + std::string(held) + "\n"), std::string::npos) << held << text;
  EXPECT_EQ(text.find("b.sh.zwc"), std::string::npos);
  host_.AddFile("/home/ana/dot/missing.zwc")
      .AddFile("/home/ana/dot/rc/y.zsh.zwc")
      .AddFile("/home/ana/.zsh.zwc");
  std::vector<std::string> told;
  for (const GitChange& change : ReviewFoundByName(policy->git, host_)) told.push_back(change.path);
  EXPECT_THAT(told, testing::UnorderedElementsAre("/home/ana/.zsh.zwc", "/home/ana/dot/missing.zwc",
                                                  "/home/ana/dot/rc/y.zsh.zwc"));
}

TEST_F(Protection, ShellFilesWhereVariablesPutThem) {
  AddRepository("/srv/w/.git");
  host_.AddDirectory("/srv/w/z").AddDirectory("/srv/w/c").AddFile("/srv/w/env").AddFile("/srv/w/b");
  host_.SetEnvironment("ZDOTDIR", "/srv/w/z").SetEnvironment("XDG_CONFIG_HOME", "/srv/w/c/");
  host_.SetEnvironment("ENV", "/srv/w/env").SetEnvironment("BASH_ENV", "/srv/w/b");
  host_.SetEnvironment("INPUTRC", "/srv/w/none");
  const Result<Policy> policy = With({.rw = {"/srv/w"}}, {Preset::kGit, Preset::kShell});
  const std::string text = "\n" + Protected(policy);
  for (const char* held : {"/srv/w/z/.zshrc file", "/srv/w/c/fish directory", "/srv/w/c/systemd directory",
                           "/srv/w/env", "/srv/w/b"})
    EXPECT_NE(text.find("\n" + std::string(held) + "\n"), std::string::npos) << held << text;
  const std::vector<GitSnapshot::Text>& named = policy->git.named;
  EXPECT_TRUE(std::any_of(named.begin(), named.end(),
                          [](const GitSnapshot::Text& file) { return file.path == "/srv/w/none"; }));
}

// A new account has none of them, and its PATH begins with ~/.local/bin once that is there.
TEST_F(Protection, MissingDirectoriesOfHomeAreHeldAndThoseOfProjectsAreNot) {
  host_.AddDirectory("/home/ana/src/.git").SetEnvironment("HOME", "/home/ana");
  const std::string text = Protected(With({.rw = {"/home/ana"}}, {Preset::kShell, Preset::kEditors}));
  EXPECT_NE(text.find("/home/ana/.local/bin directory\n"), std::string::npos) << text;
  EXPECT_NE(text.find("/home/ana/.config/systemd directory\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("/home/ana/src/.config"), std::string::npos) << text;
}

// Debian's ~/.profile puts it on the PATH once it is there. A project's is nobody's.
TEST_F(Protection, ProgramsOfHomeAreHeldAlsoWhereTheDirectoryIsMissing) {
  host_.AddDirectory("/home/ana/src/.git").SetEnvironment("HOME", "/home/ana");
  const Result<Policy> policy = With({.rw = {"/home/ana", "/srv/w"}}, {Preset::kGit, Preset::kShell});
  const std::string text = Protected(policy);
  EXPECT_NE(text.find("/home/ana/bin directory\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("/home/ana/src/bin"), std::string::npos) << text;
  for (const GitSnapshot::Text& named : policy->git.named) EXPECT_NE(named.path, "/srv/w/bin");
}

// Of what nothing holds, a new one is told at the end.
TEST_F(Protection, MissingNamesThatNothingHoldsAreCompared) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/srv/w/CLAUDE.md");
  const Result<Policy> policy = With({.rw = {"/srv/w"}}, {Preset::kGit, Preset::kShell, Preset::kAgents});
  std::string text;
  for (const GitSnapshot::Text& named : policy->git.named) text += named.path + "=" + named.text + ";";
  for (const char* name : {".mcp.json", "AGENTS.md", ".envrc", ".github/workflows", ".gitlab-ci.yml"})
    EXPECT_NE(text.find("/srv/w/" + std::string(name) + "=;"), std::string::npos) << name << "\n" << text;
  EXPECT_EQ(text.find("/srv/w/CLAUDE.md"), std::string::npos) << text;
}

TEST_F(Protection, GrantsInsideANameOfSeveralComponents) {
  host_.AddFile("/srv/w/.github/workflows/ci.yml").AddFile("/srv/w/sub/.cargo/config.toml");
  host_.AddFile("/srv/w/x.github/workflows/ci.yml");
  const std::string text = Protected(With({.rw = {"/srv/w/.github", "/srv/w/sub/.cargo", "/srv/w/x.github"}},
                                          {Preset::kShell, Preset::kAgents}));
  EXPECT_NE(text.find("/srv/w/.github/workflows\n"), std::string::npos) << text;
  EXPECT_NE(text.find("/srv/w/sub/.cargo/config.toml\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("/srv/w/x.github/workflows"), std::string::npos) << text;
}

TEST_F(Protection, FilesThatStartUpFilesOfAShellSource) {
  host_.SetEnvironment("HOME", "/home/ana");
  host_.AddFile("/home/ana/.bashrc", R"(
if [ -d ~/.rc.d ]; then for rc in ~/.rc.d/*; do [ -f "$rc" ] && . "$rc"; done; fi
export NVM_DIR="$HOME/.n"
[ -s "$NVM_DIR/nvm.sh" ] && \. "$NVM_DIR/nvm.sh"
builtin source ~/src/env.sh # and more
. "$UNKNOWN/x"; source <(kubectl completion bash); . relative; . /srv/w/env
test -f ~/none && . ~/none
)");
  host_.AddFile("/home/ana/.n/nvm.sh", ". ~/second").AddFile("/home/ana/.n/other");
  for (const char* file : {"/home/ana/.rc.d/a", "/home/ana/src/env.sh", "/home/ana/second", "/srv/w/env",
                           "/home/ana/relative", "/x"})
    host_.AddFile(file);
  const Result<Policy> policy = With({.rw = {"/home/ana", "/srv/w"}}, {Preset::kGit, Preset::kShell});
  const std::string text = "\n" + Protected(policy);
  for (const char* held :
       {"/home/ana/.n/nvm.sh", "/home/ana/.rc.d/a", "/home/ana/src/env.sh", "/home/ana/second", "/srv/w/env"})
    EXPECT_NE(text.find("\n" + std::string(held) + "\n"), std::string::npos) << held << text;
  EXPECT_EQ(text.find("/home/ana/.n/other"), std::string::npos) << text;
  EXPECT_EQ(text.find("/home/ana/relative"), std::string::npos) << text;
  const std::vector<std::string>& patterns = policy->git.patterns;
  EXPECT_NE(std::find(patterns.begin(), patterns.end(), "/home/ana/.rc.d/*"), patterns.end());
  const std::vector<GitSnapshot::Text>& named = policy->git.named;
  EXPECT_TRUE(std::any_of(named.begin(), named.end(),
                          [](const GitSnapshot::Text& file) { return file.path == "/home/ana/none"; }));
}

TEST_F(Protection, FilesThatTheyNameInPart) {
  host_.SetEnvironment("HOME", "/home/ana").SetEnvironment("USER", "ana");
  host_.AddFile(
      "/home/ana/.bashrc",
      "cd ~ && . ./cd\ntime . ~/time\n. \"$HOME/x-$USER\"\n. ~/env.$HOSTNAME\n. ${HOME%/}/trim\n. ~/$X\n");
  host_.AddFile("/home/ana/.zshrc", R"(
for f (~/.z.d/*.zsh(N) ~/more/x) source $f
if [[ -r "${XDG_CACHE_HOME:-$HOME/.cache}/p10k-${(%):-%n}.zsh" ]]; then
  source "${XDG_CACHE_HOME:-$HOME/.cache}/p10k-${(%):-%n}.zsh"
fi
)");
  const char* const held[] = {"cd",   "time",       "x-ana",  "env.host",
                              "trim", ".z.d/a.zsh", "more/x", ".cache/p10k-ana.zsh"};
  for (const char* file : held) host_.AddFile("/home/ana/" + std::string(file));
  host_.AddFile("/home/ana/other");
  const std::string text = "\n" + Protected(With({.rw = {"/home/ana"}}, {Preset::kShell}));
  for (const char* file : held)
    EXPECT_NE(text.find("\n/home/ana/" + std::string(file) + "\n"), std::string::npos) << file << text;
  EXPECT_EQ(text.find("/home/ana/other\n"), std::string::npos) << text;
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

TEST_F(Protection, FilesOfEditorsByTheirEnd) {
  host_.AddFile("/srv/w/a/x.code-workspace").AddFile("/srv/w/node_modules/a.code-workspace");
  const std::string text = Protected(With({.rw = {"/srv/w"}}, {Preset::kEditors}));
  EXPECT_NE(text.find("/srv/w/a/x.code-workspace\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("*"), std::string::npos) << text;
  EXPECT_EQ(text.find("node_modules"), std::string::npos) << text;
}

TEST_F(Protection, NewFilesOfEditorsByTheirEndAreTold) {
  AddRepository("/srv/w[1]/.git");
  const Result<Policy> policy = With({.rw = {"/srv/w[1]"}}, {Preset::kGit, Preset::kEditors});
  host_.AddFile("/srv/w[1]/x.code-workspace").AddFile("/srv/w[1]/y.sublime-project").AddFile("/srv/w[1]/z");
  std::string text;
  for (const GitChange& each : ReviewFoundByName(policy->git, host_)) text += each.path + "\n";
  EXPECT_EQ(text, "/srv/w[1]/x.code-workspace\n/srv/w[1]/y.sublime-project\n");
}

// Each is read by what stands beside it in the table.
TEST_F(Protection, OtherNamesOfTheSameFiles) {
  host_.SetEnvironment("HOME", "/home/ana");
  for (const char* file :
       {".cargo/config", ".config/go/env", ".docker/cli-plugins/docker-x", ".kube/config", ".aws/config",
        ".local/lib/python3.11/site-packages/usercustomize.py", ".local/share/dbus-1/services/x.service",
        ".gradle/init.gradle", ".bunfig.toml", "CLAUDE.local.md", "AGENTS.override.md",
        ".github/instructions/x.md", ".lvimrc", ".vs/tasks.vs.json"}) {
    const std::string path = "/home/ana/" + std::string(file);
    host_.AddFile(path);
    const Result<Policy> policy =
        With({.rw = {"/home/ana"}}, {Preset::kShell, Preset::kEditors, Preset::kAgents});
    ASSERT_TRUE(policy.ok());
    EXPECT_TRUE(std::any_of(policy->paths.begin(), policy->paths.end(), [&](const PathRule& rule) {
      return rule.object && rule.access == Access::kReadOnly && IsAtOrBelow(path, rule.path);
    })) << file;
  }
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

TEST_F(Protection, SoDoesOneThatIsTooDeepToBeSearched) {
  std::string deep = "/srv/w";
  for (int i = 0; i < 15; ++i) deep += "/" + std::string(199, 'd');
  host_.AddFile(deep + "/" + std::string(199, 'd') + "/x");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), deep + "\n");
}

TEST_F(Protection, MoreThanTheBoundIsRefused) {
  const std::size_t repositories = kMaxProtectedPaths / 6 + 1;
  for (std::size_t i = 0; i < repositories; ++i) AddRepository("/srv/w/" + std::to_string(i));
  EXPECT_THAT(Git({.rw = {"/srv/w"}}),
              testing::AllOf(
                  testing::StartsWith("policy_conflict /filesystem/protect/0: the read-write grants hold " +
                                      std::to_string(6 * repositories) +
                                      " protected paths, more than the 20000 there may be, '/srv/w/"),
                  testing::EndsWith("' for instance")));
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
  EXPECT_NE(policy.error().message.find("'/srv/w/b/.git' causes 40002"), std::string::npos)
      << policy.error().message;
  EXPECT_NE(policy.error().hint.find("remove"), std::string::npos);
}

TEST_F(Protection, EveryRowSaysWhy) {
  for (const auto rows : {GitDirectoryRows(), LinkedWorkTreeRows(), GitHomeRows(), GitConfigHomeRows(),
                          GpgHomeRows(), ShellRows(), EditorRows(), AgentRows()}) {
    for (const ProtectedRow& row : rows) {
      EXPECT_FALSE(row.why.empty()) << row.path;
      EXPECT_FALSE(row.path.starts_with('/')) << row.path;
    }
  }
}

}  // namespace
}  // namespace mxc::protect_presets_test
