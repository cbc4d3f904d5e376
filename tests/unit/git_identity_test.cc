// What a command learns of the caller's configuration of git.
#include "policy/protect/git_identity.h"

#include <gtest/gtest.h>

#include "tests/support/fake_host.h"

namespace mxc::git_identity_test {
namespace {

class GitIdentityText : public testing::Test {
 protected:
  void SetUp() override { host_.AddDebian().AddDirectory("/home/me").SetEnvironment("HOME", "/home/me"); }
  // "NAME:\nTEXT" of each file.
  [[nodiscard]] std::string Files() const {
    PathWalker walker(host_);
    std::string text;
    for (const HomeFile& file : GitIdentity(host_, walker, rules_, may_hand_in_))
      text += file.name + ":\n" + file.text;
    return text;
  }
  static std::string Only(const std::string& text) {
    return ".gitconfig:\n" + text + "[safe]\n\tdirectory = *\n";
  }

  FakeHost host_;  // NOLINT: the tests fill it
  RuleSet rules_;  // NOLINT: the same
  // NOLINTNEXTLINE: the same
  MayHandIn may_hand_in_ = [](const Walked&, bool) { return true; };
};

TEST_F(GitIdentityText, NobodyIsKnown) { EXPECT_EQ(Files(), Only("")); }

TEST_F(GitIdentityText, FourKeysAndNoneThatNamesAProgram) {
  host_.AddFile("/etc/gitconfig", "[user]\n\tname = System\n[credential]\n\thelper = store\n");
  host_.AddFile("/home/me/.config/git/config", "[init]\n\tdefaultBranch = main\n");
  host_.AddFile("/home/me/.gitconfig",
                "[user]\n\tname = Me \"\\\"x\\\"\"\n\temail = me@here\n\tsigningKey = K\n[alias]\n\tx = !sh\n"
                "[core]\n\tpager = less\n[user \"x\"]\n\tname = no\n[url \"ext::\"]\n\tinsteadOf = h:\n");
  EXPECT_EQ(Files(), Only("[user]\n\tname = \"System\"\n[init]\n\tdefaultBranch = \"main\"\n"
                          "[user]\n\tname = \"Me \\\"x\\\"\"\n[user]\n\temail = \"me@here\"\n"));
  host_.SetEnvironment("GIT_CONFIG_GLOBAL", "/dev/null").SetEnvironment("GIT_CONFIG_NOSYSTEM", "1");
  EXPECT_EQ(Files(), Only(""));
}

// git inside decides whether a condition holds.
TEST_F(GitIdentityText, IncludesAreReadForTheseKeysAlone) {
  host_.AddFile("/home/me/.gitconfig",
                "[include]\n\tpath = more\n[includeIf \"gitdir:~/work/\"]\n\tpath = ~/work.inc\n"
                "[includeIf \"onbranch:x\"]\n\tpath = empty\n");
  host_.AddFile("/home/me/more", "[user]\n\tname = More\n[include]\n\tpath = .gitconfig\n");
  host_.AddFile("/home/me/work.inc", "[user]\n\temail = me@work\n\t[core]\n\tsshCommand = x\n");
  host_.AddFile("/home/me/empty", "[core]\n\tpager = x\n");
  const std::string text = Files();
  EXPECT_EQ(text.find("pager"), std::string::npos);
  EXPECT_EQ(text.find("sshCommand"), std::string::npos);
  EXPECT_NE(text.find(".gitconfig-1:\n[user]\n\temail = \"me@work\"\n"), std::string::npos);
  EXPECT_NE(text.find("[includeIf \"gitdir:/home/me/work/\"]\n\tpath = .gitconfig-"), std::string::npos);
}

// With a ceiling: from which files the command may get anything.
TEST_F(GitIdentityText, NothingIsHandedInFromWhatIsNotGranted) {
  host_.AddFile("/home/me/.gitconfig",
                "[user]\n\tname = Me\n[include]\n\tpath = more\n[core]\n\texcludesFile = ~/my-ignore\n");
  host_.AddFile("/home/me/more", "[user]\n\temail = me@more\n").AddFile("/home/me/my-ignore", "SECRET\n");
  EXPECT_NE(Files().find("SECRET"), std::string::npos);
  may_hand_in_ = [](const Walked&, bool of_git) { return of_git; };
  EXPECT_EQ(Files(), Only("[user]\n\tname = \"Me\"\n"));
  host_.SetEnvironment("GIT_CONFIG_GLOBAL", "/home/me/.gitconfig");
  EXPECT_EQ(Files(), Only(""));
}

// Masks and stand-ins would be new files to git, which it cannot add.
TEST_F(GitIdentityText, WhatIsHeldIsIgnored) {
  host_.AddDirectory("/srv/w/.git").AddDirectory("/srv/w/in/.git").AddDirectory("/srv/other");
  rules_.Add({.path = "/srv", .access = Access::kReadWrite});
  for (const char* path :
       {"/srv/w/.env", "/srv/w/a b/[x]*", "/srv/w/in/key", "/srv/w/.git/x", "/srv/other/y"})
    rules_.Add({.path = path, .access = Access::kDenied});
  rules_.Add(
      {.path = "/srv/w/.bashrc", .placeholder_kind = PlaceholderKind{}, .origin = Origin::kProtection});
  rules_.Add({.path = "/srv/w/shown"});
  EXPECT_EQ(Files(), ".gitignore_held:\n/.env\n/a\\ b/\\[x\\]\\*\n/key\n/.bashrc\n" +
                         Only("[core]\n\texcludesFile = ~/.gitignore_held\n"));
}

TEST_F(GitIdentityText, TheCallersPatternsAreIgnored) {
  constexpr const char* kWith = "[core]\n\texcludesFile = ~/.gitignore_held\n";
  host_.AddFile("/home/me/.config/git/ignore", "*.swp", {.uid = 1000});
  EXPECT_EQ(Files(), ".gitignore_held:\n*.swp\n" + Only(kWith));
  host_.AddFile("/home/me/.gitconfig", "[core]\n\texcludesFile = ~/.gitignore_global\n", {.uid = 1000});
  EXPECT_EQ(Files(), Only(""));
  host_.AddFile("/home/me/dotfiles/gitignore", "/.idea\n", {.uid = 1000})
      .AddSymlink("/home/me/.gitignore_global", "dotfiles/gitignore");
  EXPECT_EQ(Files(), ".gitignore_held:\n/.idea\n" + Only(kWith));
  rules_.Add({.path = "/srv/w", .access = Access::kReadWrite});
  rules_.Add({.path = "/srv/w/.env", .access = Access::kDenied});
  host_.AddDirectory("/srv/w/.git");
  EXPECT_EQ(Files(), ".gitignore_held:\n/.idea\n/.env\n" + Only(kWith));
}

// A command that chose the file would be told what is in it.
TEST_F(GitIdentityText, NoOtherFileIsTakenForPatterns) {
  const auto with = [this](const std::string& path) {
    host_.AddFile("/home/me/.gitconfig", "[core]\n\texcludesFile = " + path + "\n", {.uid = 1000});
    return Files();
  };
  host_.AddFile("/home/me/.netrc", "secret\n", {.uid = 1000}).AddFile("/srv/ignore", "x\n", {.uid = 1000});
  host_.AddFile("/home/me/long-ignore", std::string(65537, 'x'), {.uid = 1000});
  host_.AddFile("/home/me/theirs-ignore", "x\n", {.uid = 1001});
  host_.AddSymlink("/home/me/ignore", ".netrc").AddSymlink("/srv/link-ignore", "/home/me/my-ignore");
  host_.AddFile("/home/me/my-ignore", "mine\n", {.uid = 1000}).AddDirectory("/home/me/d-ignore");
  ASSERT_NE(with("/home/me/my-ignore"), Only(""));
  rules_.Add({.path = "/srv", .access = Access::kReadWrite});
  for (const char* path :
       {"/home/me/.netrc", "~/ignore", "/srv/ignore", "/srv/link-ignore", "/home/me/long-ignore",
        "/home/me/theirs-ignore", "/home/me/d-ignore", "my-ignore", "/proc/self/ignore", "~other/my-ignore"})
    EXPECT_EQ(with(path), Only("")) << path;
  rules_.Add({.path = "/home/me/my-ignore", .access = Access::kDenied});
  EXPECT_EQ(with("/home/me/my-ignore"), Only(""));
}

TEST_F(GitIdentityText, AConfigurationThatACommandCanWriteChoosesNoFile) {
  host_.AddFile("/home/me/.gitconfig", "[core]\n\texcludesFile = /home/me/my-ignore\n", {.uid = 1000});
  host_.AddFile("/home/me/my-ignore", "mine\n", {.uid = 1000});
  rules_.Add({.path = "/home/me/my-ignore"});
  rules_.Add({.path = "/home/me", .access = Access::kReadWrite});
  EXPECT_EQ(Files(), Only(""));
  rules_.Add({.path = "/home/me/.gitconfig", .origin = Origin::kProtection});
  EXPECT_NE(Files(), Only(""));
}

TEST_F(GitIdentityText, FiltersAreThoseOfLfsWhereItIsThere) {
  host_.AddFile(
      "/home/me/.gitconfig",
      "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = evil\n"
      "\tprocess = git-lfs filter-process\n\trequired = true\n[filter \"x\"]\n\tclean = git-lfs clean -- "
      "%f\n");
  EXPECT_EQ(Files(), Only(""));
  host_.AddFile("/usr/bin/git-lfs");
  EXPECT_EQ(Files(), Only(""));
  rules_.Add({.path = "/usr"});
  EXPECT_EQ(Files(), Only("[filter \"lfs\"]\n\tclean = \"git-lfs clean -- %f\"\n"
                          "[filter \"lfs\"]\n\tprocess = \"git-lfs filter-process\"\n"
                          "[filter \"lfs\"]\n\trequired = \"true\"\n"));
}

}  // namespace
}  // namespace mxc::git_identity_test
