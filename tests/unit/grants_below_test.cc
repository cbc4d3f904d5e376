// Grants below a directory that is held or compared, and of single files in one.
#include <gmock/gmock.h>

#include <algorithm>

#include "policy/protect/found_by_name.h"
#include "tests/unit/protect_text.h"

namespace mxc::grants_below_test {
namespace {

using testing::HasSubstr;

class GrantsBelow : public Protection {
 protected:
  void SetUp() override {
    Protection::SetUp();
    host_.SetEnvironment("HOME", "/home/ana").AddDirectory("/home/ana", {.uid = 1000});
  }
  void Write(const std::string& path) { host_.AddFile(path, "", {.uid = 1000, .changed = ++now_}); }
  // Messages of `protection-overridden`.
  [[nodiscard]] std::string Overridden(const Lists& lists,
                                       const std::vector<Preset>& presets = {Preset::kGit}) const {
    const Result<Policy> policy = With(lists, presets);
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const Warning& warning : policy->warnings) {
      if (warning.category == "protection-overridden") text += warning.message + "\n";
    }
    return text;
  }
  // What the comparison tells when `path` is written.
  [[nodiscard]] std::string Told(const std::string& path, const Lists& lists) {
    const Result<Policy> policy = With(lists);
    if (!policy) return RefusalOf(policy);
    EXPECT_TRUE(ReviewFoundByName(policy->git, host_).empty());
    Write(path);
    std::string text;
    for (const GitChange& each : ReviewFoundByName(policy->git, host_)) text += each.path + "\n";
    return text;
  }

  std::uint64_t now_ = 1;
};

TEST_F(GrantsBelow, OfADirectoryThatIsHeldWithAllThatIsInIt) {
  AddRepository("/srv/w/.git");
  host_.AddFile("/home/ana/.gitconfig", "[init]\n templateDir = /srv/t\n[core]\n hooksPath = /srv/h\n");
  host_.SetEnvironment("VIMRUNTIME", "/srv/vim").SetEnvironment("GIT_EXEC_PATH", "/srv/core");
  for (const std::string path :
       {"/srv/t/hooks", "/srv/h/sub/deeper", "/srv/vim/plugin", "/srv/core/mergetools",
        "/srv/w/.git/hooks/sub", "/home/ana/.config/git/x"}) {
    host_.AddDirectory(path);
    const std::string told =
        "'" + path + "' is read-write by an entry of its own, although `git` would protect it\n";
    EXPECT_EQ(Overridden({.rw = {path}}), told);
    EXPECT_THAT(Overridden({.rw = {path, std::string(ParentOf(ParentOf(path)))}}), HasSubstr(told))
        << "below a grant";
  }
  host_.AddFile("/srv/vim/plugin/x.vim").AddDirectory("/srv/vimx");
  EXPECT_THAT(Overridden({.rw = {"/srv/vim/plugin/x.vim"}}), HasSubstr("'/srv/vim/plugin/x.vim'"));
  EXPECT_EQ(Overridden({.rw = {"/srv/vimx", "/srv/w/.git/objects"}}), "");
}

TEST_F(GrantsBelow, OfWhatOtherPresetsHold) {
  for (const std::string path : {"/home/ana/.local/bin/sub", "/home/ana/.config/fish/functions"}) {
    host_.AddDirectory(path);
    EXPECT_THAT(Overridden({.rw = {path}}, {Preset::kShell}), HasSubstr("'" + path + "'"));
  }
  // These count at any depth.
  for (const std::string path :
       {"/srv/a/.vscode/sub", "/srv/a/.vscode", "/srv/a/.github/workflows/sub", "/srv/a/x.code-workspace"}) {
    host_.AddDirectory(path);
    EXPECT_THAT(Overridden({.rw = {path}}, {Preset::kEditors, Preset::kAgents}), HasSubstr("'" + path + "'"));
  }
  host_.AddDirectory("/srv/a/x.vscode/sub").AddDirectory("/srv/a/.github/sub");
  EXPECT_EQ(
      Overridden({.rw = {"/srv/a/x.vscode/sub", "/srv/a/.github/sub"}}, {Preset::kEditors, Preset::kAgents}),
      "");
}

TEST_F(GrantsBelow, ThroughAMount) {
  host_.SetEnvironment("VIMRUNTIME", "/srv/vim").AddDirectory("/srv/vim/plugin/sub");
  host_.AddDirectory("/mnt/vim").AddDirectory("/mnt/plugin");
  host_.AddBind("/mnt/vim", "/srv/vim").AddBind("/mnt/plugin", "/srv/vim/plugin");
  EXPECT_THAT(Overridden({.rw = {"/mnt/vim/plugin"}}), HasSubstr("'/mnt/vim/plugin'"));
  EXPECT_THAT(Overridden({.rw = {"/mnt/plugin/sub"}}), HasSubstr("'/mnt/plugin/sub'"));
}

TEST_F(GrantsBelow, ByAnotherHardLink) {
  host_.AddFile("/home/ana/.gitconfig", "", {.uid = 1000, .links = 2});
  host_.AddAlias("/srv/x", "/home/ana/.gitconfig");
  EXPECT_THAT(Overridden({.rw = {"/srv/x"}}), HasSubstr("'/srv/x'"));
}

TEST_F(GrantsBelow, OfADirectoryThatIsCompared) {
  Write("/home/ana/.vim/plugin/old.vim");
  Write("/home/ana/.vim/vimrc");
  AddRepository("/srv/w/.git");
  Write("/srv/w/.git/crypt/keys/k");
  host_.AddFile("/srv/w/.git/config", "[filter \"x\"]\n clean = \"\\\"$(x)\\\"/deep clean\"\n");
  host_.AddDirectory("/srv/w/a/b").AddDirectory("/srv/w/.git/refs/sub");
  EXPECT_EQ(Told("/home/ana/.vim/plugin/new.vim", {.rw = {"/home/ana/.vim/plugin"}}),
            "/home/ana/.vim/plugin/new.vim\n");
  EXPECT_EQ(Told("/home/ana/.vim/plugin/old.vim", {.rw = {"/home/ana/.vim", "/home/ana/.vim/plugin"}}),
            "/home/ana/.vim/plugin/old.vim\n")
      << "below a grant";
  EXPECT_EQ(Told("/home/ana/.vim/plugin/old.vim",
                 {.rw = {"/home/ana", "/home/ana/.vim/plugin"}, .ro = {"/home/ana/.vim"}}),
            "/home/ana/.vim/plugin/old.vim\n");
  EXPECT_EQ(Told("/home/ana/.vim/vimrc", {.rw = {"/home/ana/.vim/vimrc"}}), "/home/ana/.vim/vimrc\n");
  EXPECT_EQ(Told("/home/ana/.vim/vimrc", {.rw = {"/home/ana", "/home/ana/.vim/vimrc"}}),
            "/home/ana/.vim/vimrc\n");
  for (const char* grant : {"/srv/w/.git/crypt", "/srv/w/.git/crypt/keys", "/srv/w/.git/crypt/keys/k"}) {
    EXPECT_EQ(Told("/srv/w/.git/crypt/keys/k", {.rw = {grant}}), "/srv/w/.git/crypt/keys/k\n") << grant;
    EXPECT_EQ(Told("/srv/w/.git/crypt/keys/k", {.rw = {"/srv/w", grant}}), "/srv/w/.git/crypt/keys/k\n")
        << grant;
  }
  EXPECT_EQ(Told("/srv/w/.git/refs/x", {.rw = {"/srv/w/.git/refs"}}), "");
  EXPECT_EQ(Told("/srv/w/.git/refs/deep", {.rw = {"/srv/w/.git/refs/sub"}}), "");
  EXPECT_EQ(Told("/srv/w/a/b/deep", {.rw = {"/srv/w", "/srv/w/a"}}), "/srv/w/a/b/deep\n");
  Write("/srv/w/a/b/deep");
  EXPECT_EQ(Told("/srv/w/a/b/deep", {.rw = {"/srv/w/a/b/deep"}}), "/srv/w/a/b/deep\n");
  EXPECT_EQ(Told("/srv/w/a/b/other", {.rw = {"/srv/w/a/b/deep"}}), "");
}

TEST_F(GrantsBelow, OfAPatternBehindALink) {
  host_.SetEnvironment("LD_LIBRARY_PATH", "/srv/lib").AddSymlink("/srv/lib", "/srv/real");
  host_.AddDirectory("/srv/real/tls");
  EXPECT_EQ(Told("/srv/real/tls/x.so", {.rw = {"/srv/real/tls"}}), "/srv/lib/tls/x.so\n");
}

TEST_F(GrantsBelow, OfAProgramOnThePath) {
  host_.SetEnvironment("PATH", "/srv/bin:/usr/bin");
  Write("/srv/bin/tool");
  host_.AddFile("/srv/bin/data", "", {.mode = 0644}).AddFile("/srv/bin/more", "", {.mode = 0644});
  host_.AddSymlink("/srv/bin/led", "sub/led");
  Write("/srv/bin/sub/led");
  EXPECT_EQ(Told("/srv/bin/tool", {.rw = {"/srv/bin/tool"}}), "/srv/bin/tool\n");
  EXPECT_EQ(Told("/srv/bin/tool", {.rw = {"/srv/bin", "/srv/bin/tool"}}), "/srv/bin/tool\n");
  EXPECT_EQ(Told("/srv/bin/data", {.rw = {"/srv/bin/data"}}), "/srv/bin/data\n") << "a program by now";
  EXPECT_EQ(Told("/srv/bin/sub/led", {.rw = {"/srv/bin/sub"}}), "/srv/bin/led\n");
  const Result<Policy> policy = With({.rw = {"/srv/bin/more"}});
  host_.AddFile("/srv/bin/more", "x", {.mode = 0644, .changed = ++now_});
  EXPECT_TRUE(ReviewFoundByName(policy->git, host_).empty()) << "no program";
}

// A repository that is named, and a grant of a part of it.
TEST_F(GrantsBelow, OfAGitDirectoryThatIsNamed) {
  AddRepository("/srv/w/.git");
  Write("/srv/w/.git/crypt/k");
  Config config = ConfigOf({.rw = {"/srv/w/.git/crypt", "/srv/w/src"}});
  host_.AddDirectory("/srv/w/src");
  config.protect = {{Preset::kGit, "/filesystem/protect/0"}};
  config.repositories_written = true;
  config.repositories = {{"/srv/w", "/filesystem/repositories/0"}};
  const Result<Policy> policy = Resolve(config, host_, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->git.roots, std::vector<std::string>{"/srv/w/.git/crypt"});
  EXPECT_EQ(policy->git.directories, std::vector<std::string>{"/srv/w/.git"});
}

}  // namespace
}  // namespace mxc::grants_below_test
