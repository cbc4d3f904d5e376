#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "policy/protect/git/config.h"
#include "tests/support/workspace.h"

namespace mxc::git_config_test {
namespace {

using std::string_view_literals::operator""sv;

// "core.hookspath=.husky", a line each.
std::string Text(const std::vector<GitVariable>& variables) {
  std::string text;
  for (const GitVariable& variable : variables) {
    text += variable.section + "." + (variable.subsection.empty() ? "" : variable.subsection + ".");
    text += variable.name + "=" + variable.value + "\n";
  }
  return text;
}

TEST(GitConfigText, KeysOfAnyCaseAndStyle) {
  EXPECT_EQ(Text(ReadGitConfig(R"(# comment
[core]
	repositoryformatversion = 0
	HooksPath = .husky/_   ; what husky writes
	bare
[CORE] fsMonitor = "C:\\watch it" # quoted
[core]
	worktree = ../../../lib\
/sub
)")),
            "core.repositoryformatversion=0\ncore.hookspath=.husky/_\ncore.bare=true\n"
            "core.fsmonitor=C:\\watch it\ncore.worktree=../../../lib/sub\n");
}

TEST(GitConfigText, Subsections) {
  EXPECT_EQ(Text(ReadGitConfig("[include]\n path = a\n path = \"b c\"\n[includeIf \"gitdir:~/\\\"x]\\\"/\"] "
                               "path=d\n[Remote.Origin] url=e\n")),
            "include.path=a\ninclude.path=b c\nincludeif.gitdir:~/\"x]\"/.path=d\nremote.origin.url=e\n");
}

TEST(GitConfigText, MarksAndLineEndsOfWindows) {
  EXPECT_EQ(Text(ReadGitConfig("\xEF\xBB\xBF[core]\r\n\thooksPath = a\\\r\nb\r\n")), "core.hookspath=ab\n");
}

TEST(GitConfigText, TornTextEnds) {
  for (const char* text : {"[", "[core", "[a \"\\"}) EXPECT_EQ(Text(ReadGitConfig(text)), "") << text;
  EXPECT_EQ(Text(ReadGitConfig("[core]\nhooksPath")), "core.hookspath=true\n");
  EXPECT_EQ(Text(ReadGitConfig("[core]\nhooksPath=\"x")), "core.hookspath=x\n");
  EXPECT_EQ(Text(ReadGitConfig("[core]\nhooksPath=\\")), "core.hookspath=\n");
  EXPECT_EQ(Text(ReadGitConfig("[core]\nhooksPath = a\r\n")), "core.hookspath=a\n");
  EXPECT_EQ(Text(ReadGitConfig("=")), ".=\n");
  EXPECT_EQ(Text(ReadGitConfig("\\")), ".\\=true\n");
}

struct Reading {
  std::string_view text;
  std::string_view read;  // by ReadGitConfig
};

// What git reads in some other way than it looks. Where versions differ, both.
constexpr Reading kReadings[] = {
    {"[core]\n\thooksPath = h\tk\n", "core.hookspath=h\tk\ncore.hookspath=h k\n"},
    {"[core]\n\thooksPath = h \t\r k\n", "core.hookspath=h \t\r k\ncore.hookspath=h    k\n"},
    {"[core]\n\thooksPath = \"h\tk\"\n", "core.hookspath=h\tk\n"},
    {"[core]\n\thooksPath = h \\\n\tk\n", "core.hookspath=h \tk\ncore.hookspath=h  k\n"},
    {"[core]\n\thooksPath = h\\\r\nk\n", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = \"h\\\nk\"\n", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = h \\\n\n", "core.hookspath=h \n"},
    {"[core]\n\thooksPath = \"\" hk \"\" \n", "core.hookspath=hk \n"},
    {"[core]\n\thooksPath = \rhk\r\n", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = hk\r", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = h\\bk\\t\\n\\\\\\\"\n", "core.hookspath=h\bk\t\n\\\"\n"},
    {"[core]\n\thooksPath = h\vk\f\n", "core.hookspath=h\vk\f\n"},
    {"[core]\n\thooksPath = hk ;c\n", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = hk#c\\\n", "core.hookspath=hk\n"},
    {"[core]\n\thooksPath = \"h;k\" # \"c\n", "core.hookspath=h;k\n"},
    {"[core]\n\thooksPath = \\", "core.hookspath=\n"},
    {"[core]\r\n\thooksPath\t \r\n\tpager = x", "core.hookspath=true\ncore.pager=x\n"},
    {"[core]\r\thooksPath\t=hk", "core.hookspath=hk\n"},
    {"[core]hooksPath=hk", "core.hookspath=hk\n"},
    {"[core] # [a]\nhooksPath=hk", "core.hookspath=hk\n"},
    {"[Core \r\t\"X\"]\n\thooksPath = hk\n", "core.X.hookspath=hk\n"},
    {"[Core.X]\n\thooksPath = hk\n", "core.x.hookspath=hk\n"},
    {"[a.B \"C.d\\\"\\e\"]\n\tf = g\n", "a.b.C.d\"e.f=g\n"},
    {"[.core]\n\tx = y\n", ".core.x=y\n"},
    {"[core]\n\thooksPath = a\0b\n"sv, "core.hookspath=a\n"},
    {"[core]\n\thooksPath = a\tb\0c\n"sv, "core.hookspath=a\tb\ncore.hookspath=a b\n"},
    {"[core \"hookspath\0x\"]\n\tfoo = hk\n"sv, "core.hookspath=hk\n"},
    {"[core \"HooksPath\0\"]foo=hk"sv, "core.HooksPath=hk\n"},
    {"[include \"path\0x\"]\n\tfoo = ../x\n"sv, "include.path=../x\n"},
    {"[includeIf \"gitdir:**.path\0\"]\n\tfoo = ../x\n"sv, "includeif.gitdir:**.path=../x\n"},
    {"[filter \"x.clean\0\"]\n\tfoo = sh p\n"sv, "filter.x.clean=sh p\n"},
};

TEST(GitConfigText, AsGitReadsIt) {
  for (const Reading& reading : kReadings)
    EXPECT_EQ(Text(ReadGitConfig(reading.text)), reading.read) << reading.text;
}

// "core.hookspath\n.husky", NUL behind each.
std::string Listed(const std::string& file) {
  const std::unique_ptr<FILE, int (*)(FILE*)> git(
      popen(("git config -f '" + file + "' --list -z 2>&1").c_str(), "r"), pclose);
  std::string text;
  for (int c = std::fgetc(git.get()); c != EOF; c = std::fgetc(git.get())) text += static_cast<char>(c);
  return text;
}

TEST(GitConfigText, IsWhatTheGitThatIsInstalledReads) {
  if (access("/usr/bin/git", X_OK) != 0) GTEST_SKIP() << "git is not installed";
  const test::Workspace workspace(getuid());
  for (const Reading& reading : kReadings) {
    std::string listed = Listed(workspace.File("config", reading.text));
    std::size_t count = 0;
    for (const GitVariable& variable : ReadGitConfig(reading.text)) {
      const std::string key = variable.section + "." +
                              (variable.subsection.empty() ? "" : variable.subsection + ".") + variable.name;
      std::string item = key + "\n" + variable.value + '\0';
      if (listed.find(key + '\0') == 0) item = key + '\0';  // without "="
      if (!listed.starts_with(item)) continue;
      listed.erase(0, item.size());
      ++count;
    }
    EXPECT_EQ(listed, "") << reading.text;
    EXPECT_GE(count, 1U) << reading.text;
  }
}

TEST(GitConfigKeys, WhatIsNotKnownMayExecute) {
  const auto first = [](const char* text) { return MayExecute(ReadGitConfig(text).front()); };
  for (const char* text : {"[core] bare=true", "[core] fsmonitor=true", "[remote \"o\"] url=../up",
                           "[branch \"a\"] merge=refs/x", "[user] name=x", "[diff] algorithm=patience",
                           "[submodule \"s\"] update=rebase"}) {
    EXPECT_FALSE(first(text)) << text;
  }
  for (const char* text : {"[core] fsmonitor=x",
                           "[core] hooksPath=x",
                           "[core] sshCommand=x",
                           "[core] pager=x",
                           "[core] editor=x",
                           "[core] askPass=x",
                           "[core] gitProxy=x",
                           "[core] alternateRefsCommand=x",
                           "[filter \"f\"] clean=x",
                           "[diff \"d\"] textconv=x",
                           "[diff \"d\"] command=x",
                           "[diff] external=x",
                           "[rebase] instructionFormat=%s%nexec x",
                           "[merge \"m\"] driver=x",
                           "[gpg] program=x",
                           "[gpg \"ssh\"] program=x",
                           "[alias] st=!x",
                           "[include] path=x",
                           "[pager] log=x",
                           "[includeIf \"onbranch:x\"] path=x",
                           "[credential] helper=x",
                           "[credential \"https://a\"] helper=x",
                           "[uploadpack] packObjectsHook=x",
                           "[mergetool \"m\"] cmd=x",
                           "[difftool \"d\"] path=x",
                           "[interactive] diffFilter=x",
                           "[sequence] editor=x",
                           "[remote \"o\"] vcs=x",
                           "[remote \"o\"] uploadpack=x",
                           "[remote \"o\"] url=ext::sh",
                           "[submodule \"s\"] update=!x",
                           "[trailer \"t\"] command=x",
                           "[init] templateDir=x",
                           "[url \"ext::\"] insteadOf=x",
                           "[protocol] allow=always",
                           "[branch \"a\"] "
                           "mergeOptions=-sx",
                           "[hook \"h\"] command=x",
                           "[new] key=x",
                           "[core] whatever=x"}) {
    EXPECT_TRUE(first(text)) << text;
  }
}

TEST(GitConfigKeys, OnlyThePlainestTextIsHarmless) {
  EXPECT_TRUE(IsHarmlessGitConfig(""));
  EXPECT_TRUE(
      IsHarmlessGitConfig("[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n"
                          "\turl = /a\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n# x\n"));
  for (const char* text :
       {"bare = true\n", "[core] bare = true\n", "[core]\n\tbare = \"true\"\n", "[core]\n\tbare = tr\\\nue\n",
        "[core]\n\tbare = true ; x\n", "[core]\r\n\tbare = true\r\n", "[remote \"a\\\"b\"]\n\turl = x\n",
        "[remote \"a\" ]x\n", "[core\n", "[core]\n\tpager = x\n", "[remote.origin]\n\turl = x\n",
        "\xEF\xBB\xBF[core]\n", "[include]\n\tpath = x\n"}) {
    EXPECT_FALSE(IsHarmlessGitConfig(text)) << text;
  }
  EXPECT_FALSE(IsHarmlessGitConfig(std::string_view("[core]\n\tbare = \0\n", 16)));
}

// Where git hands a name on as an argument, `git fetch --all` for instance, it must be no option.
TEST(GitConfigKeys, NamesOfRemotesAndSubmodulesArePlain) {
  const auto harmless = [](const std::string& section, const std::string& line) {
    return IsHarmlessGitConfig("[" + section + "]\n\t" + line + "\n");
  };
  for (const char* name : {"origin", "me/fork", "a.b_c-1"}) {
    EXPECT_TRUE(harmless("remote \"" + std::string(name) + "\"", "url = /x")) << name;
    EXPECT_TRUE(harmless("submodule \"" + std::string(name) + "\"", "active = true")) << name;
    EXPECT_TRUE(harmless("branch \"x\"", "remote = " + std::string(name))) << name;
  }
  EXPECT_TRUE(harmless("submodule \"lib/a b\"", "active = true"));
  EXPECT_TRUE(harmless("branch \"x\"", "remote = ."));
  for (const char* name :
       {"--upload-pack=touch /x", "--upload-pack=x", "-x", "a b", "a;b", "ext::x", "a\tb"}) {
    const std::string quoted = " \"" + std::string(name) + "\"";
    EXPECT_FALSE(harmless("remote" + quoted, "url = /x")) << name;
    EXPECT_FALSE(harmless("branch \"x\"", "remote = " + std::string(name))) << name;
    EXPECT_FALSE(harmless("branch \"x\"", "pushRemote = " + std::string(name))) << name;
    EXPECT_FALSE(harmless("remote", "pushDefault = " + std::string(name))) << name;
    EXPECT_FALSE(harmless("checkout", "defaultRemote = " + std::string(name))) << name;
    EXPECT_FALSE(harmless("clone", "defaultRemoteName = " + std::string(name))) << name;
  }
  for (const char* name : {"--x", "a;b", "a/../b"})
    EXPECT_FALSE(harmless("submodule \"" + std::string(name) + "\"", "active = true")) << name;
  EXPECT_FALSE(harmless("branch \"-x\"", "rebase = true"));
}

// `git status` itself fetches an object that is missing.
TEST(GitConfigKeys, WhatFetchesUnaskedOrIsNotKnownIsNotHarmless) {
  const auto first = [](const std::string& text) { return ReadGitConfig(text).front(); };
  for (const char* text :
       {"[remote \"o\"]\n\tpromisor = true\n", "[remote \"o\"]\n\tpartialclonefilter = blob:none\n",
        "[extensions]\n\tpartialClone = origin\n", "[extensions]\n\tnew = true\n",
        "[fetch]\n\tbundleURI = https://h/x\n", "[gc]\n\tnew = true\n", "[user]\n\tnew = x\n"}) {
    EXPECT_FALSE(IsHarmlessGitConfig(text)) << text;
    EXPECT_FALSE(MayExecute(first(text))) << text << "names no program";
  }
  for (const char* text :
       {"[extensions]\n\tobjectFormat = sha256\n", "[extensions]\n\trefStorage = reftable\n",
        "[extensions]\n\tworktreeConfig = true\n", "[gc]\n\tauto = 0\n", "[commit]\n\tgpgSign = true\n"})
    EXPECT_TRUE(IsHarmlessGitConfig(text)) << text;
  EXPECT_FALSE(IsHarmlessGitConfig("[extensions]\n\trefStorage = files:///x\n"));
}

// "+word": run; "*word": a script of an interpreter.
std::string Words(std::string_view command) {
  std::string text;
  const auto words = ProgramWords(command);
  for (const ProgramWord& word : *words) {
    text +=
        (text.empty() ? "" : " ") + std::string(word.run ? "+" : "") + (word.script ? "*" : "") + word.text;
  }
  return text;
}

TEST(GitConfigKeys, WordsOfCommandLines) {
  EXPECT_EQ(Words("tools/clean --all %f"), "+tools/clean --all %f");
  EXPECT_EQ(Words("!./run \"$1\" | sh -e y.sh z; env A=b perl q"),
            "+./run 1 +sh +*-e +*y.sh z +env +*A=b *b +*perl +*q");
  EXPECT_EQ(Words("!\"$(git rev-parse --show-toplevel)/tools/x\""),
            "+git rev-parse --show-toplevel /tools/x");
  EXPECT_EQ(Words(""), "");
}

TEST(GitConfigKeys, WhereProgramsOfACommandLineStand) {
  EXPECT_EQ(Words("!cd x && ./run"), "+cd x *./run +x/./run");
  EXPECT_EQ(Words("sh -c \"cd a; cd b; sh y\""), "+sh +*-c +*cd a *cd b *sh *y *a/y *a/b/y");
  EXPECT_EQ(Words("cd \"$(git rev-parse --show-toplevel)\" && a/p"),
            "+cd +git rev-parse --show-toplevel +a/p");
  EXPECT_EQ(Words("env -C x ./run"), "+env +*-C x *./run +*x/./run");
  EXPECT_EQ(Words("env --chdir=x ./run"), "+env +*--chdir=x *x *./run +*x/./run");
  EXPECT_EQ(Words("env -Cx sh y"), "+env +*-Cx *sh *x/sh *y *x/y");
  EXPECT_EQ(Words("\"$HOME\"/a ${PWD}/b"), "+~/a ./b");
  EXPECT_EQ(Words("$PWD/b; $X/c; \"$X\" d"), "+./b +/c d");
  EXPECT_EQ(Words("'a'\\ab/\"c\""), "+aab/c");
  EXPECT_EQ(Words("A=a/b ssh -o Proxy=c/d --x=e/f"), "+A=a/b *a/b +ssh -o Proxy=c/d *c/d --x=e/f *e/f");
  EXPECT_EQ(Words("PATH=a:$PWD/b:$PATH p q"), "+PATH=a:./b: +p *a/p *./b/p q");
  EXPECT_EQ(Words("f() { . a/b; }; f"), "+f +{ +*. +*a/b +} +f");
  EXPECT_EQ(Words("ext::a/b %S"), "+ext::a/b +a/b %S");
}

}  // namespace
}  // namespace mxc::git_config_test
