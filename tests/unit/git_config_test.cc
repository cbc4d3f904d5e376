#include "policy/git_config.h"

#include <gtest/gtest.h>

namespace mxc {
namespace {

TEST(GitConfigText, KeysOfAnyCaseAndStyle) {
  const GitConfig config = ReadGitConfig(R"(# comment
[core]
	repositoryformatversion = 0
	HooksPath = .husky/_   ; what husky writes
	bare
[CORE] fsMonitor = "C:\\watch it" # quoted
[core]
	worktree = ../../../lib\
/sub
)");
  EXPECT_EQ(config.hooks_path, ".husky/_");
  EXPECT_EQ(config.fsmonitor, R"(C:\watch it)");
  EXPECT_EQ(config.work_tree, "../../../lib/sub");
  EXPECT_TRUE(config.includes.empty());
}

TEST(GitConfigText, IncludesWithAndWithoutCondition) {
  const GitConfig config = ReadGitConfig(
      "[include]\n path = a\n path = \"b c\"\n[includeIf \"gitdir:~/\\\"x]\\\"/\"] path=d\n[includes] "
      "path=e\n");
  EXPECT_EQ(config.includes, (std::vector<std::string>{"a", "b c", "d"}));
}

TEST(GitConfigText, OtherSectionsDoNotCount) {
  const GitConfig config =
      ReadGitConfig("[core \"x\"\n[remote \"core\"]\n hooksPath = no\n[a]\nhooksPath=no");
  EXPECT_EQ(config.hooks_path, "");
}

TEST(GitConfigText, TornTextEnds) {
  for (const char* text : {"[", "[core", "[core]\nhooksPath", "[core]\nhooksPath=\"x", "[core]\nhooksPath=\\",
                           "=", "\\", "[core]\nhooksPath = a\r\n"}) {
    const GitConfig config = ReadGitConfig(text);
    EXPECT_TRUE(config.hooks_path.size() <= 4) << text;
  }
  EXPECT_EQ(ReadGitConfig("[core]\nhooksPath = a\r\n").hooks_path, "a");
}

}  // namespace
}  // namespace mxc
