// Which changes of a configuration a command may leave.
#include <gtest/gtest.h>

#include "policy/protect/git/safe_config.h"

namespace mxc::git_safe_config_test {
namespace {

constexpr const char* kBefore =
    "[core]\n\tbare = false\n\thooksPath = .husky/_\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n"
    "[alias]\n\tx = \"!f() { :; }; f\"\n";

std::string Verdict(const std::string& after, const std::string& before = kBefore) {
  return UnsafeChange(before, after);
}
std::string Added(const std::string& text) { return Verdict(kBefore + text); }

TEST(GitSafeConfig, WhatGitWritesInDailyWork) {
  EXPECT_EQ(Verdict(kBefore), "");
  EXPECT_EQ(Added("[user]\n\tname = A; \"B\"\n"), "'name = A; \"B\"'");
  EXPECT_EQ(Added("[user]\n\tname = \"A; \\\"B\\\" #\"\n\temail = a@b\n"), "");
  EXPECT_EQ(
      Added("[remote \"origin\"]\n\turl = https://example.com/x.git\n"
            "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
            "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[push]\n\tdefault = simple\n"),
      "");
  EXPECT_EQ(Verdict(std::string("[user]\n\tname = x\n") + kBefore), "");
  EXPECT_EQ(Verdict("[core]\r\n\teol = lf\r\n", "[core]\r\n\tbare = false\r\n"), "");
  EXPECT_EQ(Verdict("[core]\n\tbare = false\n\teditor = x\n[user]\n\tname = y",
                    "[core]\n\tbare = false\n\teditor = x"),
            "");
}

// With it git looks for what relative paths name in the directory where it is called: in one of the
// command's.
TEST(GitSafeConfig, ABareOneStaysBareAndAnotherNeverBecomesIt) {
  const std::string bare = "[core]\n\tbare = true\n";
  const std::string plain = "[core]\n\tbare = false\n";
  for (const char* value : {"", " = true", " = yes", " = 1", " = False", " ="})
    EXPECT_EQ(Verdict(plain + "\tbare" + value + "\n", plain), "core.bare") << value;
  EXPECT_EQ(Verdict(plain, bare), "core.bare is gone");
  EXPECT_EQ(Verdict(bare + "\tbare = false\n", bare), "core.bare");
  EXPECT_EQ(Verdict(bare + "\teol = lf\n", bare), "");
}

TEST(GitSafeConfig, KeysThatMayExecuteOrLeadElsewhere) {
  for (const char* key : {"core.fsmonitor",
                          "core.pager",
                          "core.editor",
                          "core.sshCommand",
                          "core.hooksPath",
                          "core.worktree",
                          "core.attributesFile",
                          "core.excludesFile",
                          "core.gitProxy",
                          "core.sharedRepository",
                          "gpg.program",
                          "alias.y",
                          "pager.log",
                          "diff.external",
                          "diff.tool",
                          "merge.tool",
                          "sequence.editor",
                          "credential.helper",
                          "http.proxy",
                          "include.path",
                          "init.templateDir",
                          "commit.gpgSign",
                          "commit.template",
                          "submodule.recurse",
                          "uploadpack.packObjectsHook",
                          "remote.x",
                          "branch.remote",
                          "user.signingKey",
                          "extensions.partialClone",
                          "gc.recentObjectsHook",
                          "log.mailmap",
                          "unknown.key"}) {
    const std::string text = key;
    const std::size_t dot = text.find('.');
    EXPECT_NE(Added("[" + text.substr(0, dot) + "]\n\t" + text.substr(dot + 1) + " = x\n"), "") << key;
  }
  for (const char* section :
       {"remote \"o\"]\n\tuploadpack", "remote \"o\"]\n\treceivepack", "remote \"o\"]\n\tproxy",
        "remote \"o\"]\n\tvcs", "submodule \"s\"]\n\tupdate", "branch \"b\"]\n\tmergeOptions",
        "diff \"d\"]\n\ttextconv", "filter \"f\"]\n\tsmudge", "merge \"m\"]\n\tdriver",
        "url \"ext::x\"]\n\tinsteadOf", "includeIf \"gitdir:/\"]\n\tpath", "credential \"u\"]\n\thelper",
        "color \"c\"]\n\tpager"})
    EXPECT_NE(Added(std::string("[") + section + " = x\n"), "") << section;
}

TEST(GitSafeConfig, AddressesOfOrdinarySchemes) {
  const auto verdict = [](const std::string& url) { return Added("[remote \"o\"]\n\turl = " + url + "\n"); };
  for (const char* url : {"https://h/x", "http://h:8080/x", "ssh://git@h/x", "git://h/x", "git@h:x/y.git"})
    EXPECT_EQ(verdict(url), "") << url;
  for (const char* url : {"ext::sh -c x", "foo://h/x", "-x", "ssh://-oProxyCommand=x/y", "ssh://a@-o/y",
                          "-o:x", "a@-o:x", "h:-x", "/srv/up.git", "../up", "x", "file://h/x",
                          "file:///srv/up.git", "", "hg::https://h", "./a:b", ":x"})
    EXPECT_NE(verdict(url), "") << url;
  for (const char* name : {"--upload-pack=x", "../x", ".x", "-x", "a b", "x/y", "ext::x"})
    EXPECT_NE(Added(std::string("[remote \"") + name + "\"]\n\turl = https://h/x\n"), "") << name;
  EXPECT_NE(Added("[remote \"no-url\"]\n\tfetch = +refs/heads/*:refs/remotes/o/*\n"), "");
  for (const char* name : {"--x", "../x", "a/../b", "x;y"})
    EXPECT_NE(Added(std::string("[submodule \"") + name + "\"]\n\tactive = true\n"), "") << name;
  EXPECT_EQ(Added("[submodule \"lib/a b\"]\n\tactive = true\n\turl = https://h/x\n"), "");
  for (const char* remote : {"gone", "/srv/w/evil", "../x", "ext::x", "x/y"})
    EXPECT_NE(Added(std::string("[branch \"b\"]\n\tremote = ") + remote + "\n"), "") << remote;
}

// What stood there has to stay, where it stands and as it stands.
TEST(GitSafeConfig, WhatWasThereStays) {
  EXPECT_EQ(Verdict(""), "core.hookspath is gone");
  EXPECT_EQ(Verdict("[core]\n\thooksPath = .husky/_\n[filter \"lfs\"]\n\tclean = x\n"), "filter.lfs.clean");
  const std::string text = kBefore;
  EXPECT_NE(Verdict(text + text), "");
  EXPECT_NE(Verdict(text.substr(0, text.find("[alias]")) + "[color]" + text.substr(text.find("[alias]") + 7)),
            "");
  EXPECT_NE(Verdict(text + "\n[core]\n\thooksPath = .husky/_\n"), "");
}

// Whatever two readers could take for different things is no change that passes.
TEST(GitSafeConfig, TricksOfTheForm) {
  using namespace std::string_literals;
  for (const std::string& trick : {"[core] pager = x\n"s,
                                   "[core]\n\tabbrev = 7 \\\n[core]\n\tpager = x\n"s,
                                   "[color]\n\tui = \"a\n"s,
                                   "[color]\n\tui = a\\\\\n[alias]\n\tz = !x\n"s,
                                   "[color]\n\tui = a # \\\n[alias]\n\tz = !x\n"s,
                                   "[color]\rpager = x\n"s,
                                   "[color]\n\tui = a\rpager = x\n"s,
                                   "[color]\n\tui = a\0\n"s,
                                   "[core.x]\n\tpager = y\n"s,
                                   "[core \"a\\\"]\n\tpager = x\n"s,
                                   "[color \"]\"]\n[core]\n\tpager = x\n"s,
                                   "[color] # ]\n\tx = y\n"s,
                                   "[color\n\tx = y\n"s,
                                   "[ color ]\n\tpager = x\n"s,
                                   "[color]\n\tui a = b\n"s,
                                   "[color]\n\t1x = b\n"s,
                                   "[color]\n\tui = \x1b[0m\n"s,
                                   "\xEF\xBB\xBF[color]\n\tui = x\n"s,
                                   "[color]\n\tui = \"a\" \"b\"\n"s,
                                   "pager = x\n"s,
                                   "[color]\n\tui = \"\\n\"\n"s,
                                   "[a\"b\"]\n\tui = x\n"s})
    EXPECT_NE(Added(trick), "") << trick;
  // A backslash that another one makes a letter joins nothing: the section behind it is git's.
  const std::string before = "[color]\n\tui = a\\\\\n[core]\n\tbare = false\n";
  EXPECT_EQ(Verdict(before + "\tpager = x\n", before), "core.pager");
  const std::string comment = "[color]\n\tui = a # \\\n[core]\n\tbare = false\n";
  EXPECT_NE(Verdict(comment + "\tbare = true\n", comment), "");
}

TEST(GitSafeConfig, ACommandCouldHaveWrittenAll) {
  EXPECT_TRUE(
      IsAllSafe("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                "\tlogallrefupdates = true\n[remote \"o\"]\n\turl = https://h/x\n"));
  EXPECT_FALSE(IsAllSafe(kBefore));
  EXPECT_FALSE(IsAllSafe("[remote \"o\"]\n\turl = /srv/up.git\n"));
}

}  // namespace
}  // namespace mxc::git_safe_config_test
