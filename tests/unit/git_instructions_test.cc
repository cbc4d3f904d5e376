// What of an operation that git has not ended may have it run something.
#include <gtest/gtest.h>

#include "policy/protect/git/instructions.h"

namespace mxc::git_instructions_test {
namespace {

TEST(GitInstructions, Lists) {
  EXPECT_FALSE(
      MayExecute("git-rebase-todo", "pick 1 exec\n# exec make\n\n\tp 2\nbreak\nnoop\nb\nmerge -C 1 x"));
  for (const char* list : {"pick 1 x\nexec make\n", "  x\tmake", "x\rmake", "execute\n", "call x", "\vx y"})
    EXPECT_TRUE(MayExecute("git-rebase-todo", list)) << list;
  EXPECT_TRUE(MayExecute("todo", std::string_view("noop\0\nx y", 9)));
}

TEST(GitInstructions, NamesOfRefsAreThoseThatGitAllows) {
  for (const char* name : {"refs/heads/main\n", "detached HEAD\n"})
    EXPECT_FALSE(MayExecute("head-name", name)) << name;
  for (const char* name : {"config\n", "refs/../config\n", "refs/heads/x\x1b]0;y\a\n", "refs/heads/x.lock\n"})
    EXPECT_TRUE(MayExecute("head-name", name)) << name;
  EXPECT_TRUE(MayExecute("git-rebase-todo", "update-ref refs/heads/x:y\n"));
}

TEST(GitInstructions, Strategies) {
  EXPECT_FALSE(MayExecute("strategy", "recursive\n"));
  for (const char* strategy : {"foo/evil", "../x\n", "evil\n", "ort\nx", "", "ort "})
    EXPECT_TRUE(MayExecute("strategy", strategy)) << strategy;
  EXPECT_FALSE(MayExecute("strategy_opts", " --ours --diff-algorithm=histogram\n"));
  EXPECT_TRUE(MayExecute("strategy_opts", " --x;$(y)\n"));
}

TEST(GitInstructions, OptionsOfPicks) {
  EXPECT_FALSE(
      MayExecute("opts", "[options]\n\tallow-ff = true\n\tmainline = 1\n\tstrategy-option = theirs\n"));
  for (const char* options :
       {"[options]\nstrategy = evil\n", "[options]\nstrategy = \"evil\"\n", "[options]\nstr\\\nategy = ort\n",
        "[include]\npath = x\n", "[options]\nunheard-of = 1\n", "[options \"x\"]\nedit = true\n"})
    EXPECT_TRUE(MayExecute("opts", options)) << options;
}

// Older versions of git have a shell read these.
TEST(GitInstructions, QuotedWords) {
  EXPECT_FALSE(MayExecute(
      "author-script", "GIT_AUTHOR_NAME='it'\\''s me'\nGIT_AUTHOR_EMAIL=''\nGIT_AUTHOR_DATE='@1 +0000'\n"));
  for (const char* script : {"PATH='x'\n", "GIT_AUTHOR_NAME=$(x)\n", "GIT_AUTHOR_NAME='x';y\n",
                             "GIT_AUTHOR_NAME='x' y\n", "GIT_AUTHOR_NAME='x\n", "y\n"})
    EXPECT_TRUE(MayExecute("author-script", script)) << script;
  EXPECT_TRUE(MayExecute("BISECT_NAMES", "'a' x"));
  EXPECT_TRUE(MayExecute("BISECT_NAMES", "'a';'x'"));
}

// git's prompt has the shell expand how far an operation has come.
TEST(GitInstructions, WhatPromptsShow) {
  for (const char* name : {"msgnum", "end", "next", "last"}) {
    EXPECT_FALSE(MayExecute(name, "12\n")) << name;
    for (const char* text : {"$(x)\n", "1\n$(x)\n", "`x`", "1 2", "a"})
      EXPECT_TRUE(MayExecute(name, text)) << name << text;
  }
  const std::string hash(40, 'a');
  for (const char* name : {"onto", "orig-head", "stopped-sha", "rewritten-list", "quiet", "signoff"}) {
    EXPECT_FALSE(MayExecute(name, hash + " " + hash + "\n--signoff\n")) << name;
    for (const char* text : {"$(x)", "a`x`", "a;x", "\\", "a'x'", "\033[0m"})
      EXPECT_TRUE(MayExecute(name, text)) << name << text;
  }
}

TEST(GitInstructions, WhatNoTableKnows) {
  EXPECT_FALSE(MayExecute("message", "$(exec)"));
  EXPECT_FALSE(MayExecute("0012", "exec"));
  EXPECT_TRUE(MayExecute("new-in-git-9", ""));
}

}  // namespace
}  // namespace mxc::git_instructions_test
