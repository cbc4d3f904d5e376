#include "help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "flag_table.h"

namespace mxc::help_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t LongestLine(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Help, TheFirstPageFitsATerminal) {
  const std::string page = HelpText("", OperatingSystem::kLinux);
  EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 24);
  EXPECT_LE(LongestLine(page), 80U);
  EXPECT_THAT(page, HasSubstr("--rw PATH...            readable and writable\n"));
  EXPECT_THAT(page, Not(HasSubstr("--config-fd")));
}

// With a whole word: --audit is not shown by --audit-verify.
bool Shows(const std::string& pages, const std::string& name) {
  for (std::size_t at = pages.find(name); at != std::string::npos; at = pages.find(name, at + 1)) {
    const char next = at + name.size() < pages.size() ? pages[at + name.size()] : '\n';
    if (next == ' ' || next == '\n' || next == '[') return true;
  }
  return false;
}

TEST(Help, AllHasEveryFlagThatTheSystemCanUse) {
  const std::string linux_pages = HelpText("all", OperatingSystem::kLinux);
  const std::string windows_pages = HelpText("all", OperatingSystem::kWindows);
  EXPECT_LE(LongestLine(windows_pages), 80U);
  for (const Flag& flag : AllFlags()) {
    const std::string name = "--" + std::string(flag.name);
    const bool everywhere = flag.group != FlagGroup::kWindows;
    EXPECT_EQ(Shows(windows_pages, name), flag.page != HelpPage::kHidden) << name;
    EXPECT_EQ(Shows(linux_pages, name), flag.page != HelpPage::kHidden && everywhere) << name;
  }
}

TEST(Help, AVerbHasItsOwn) {
  for (const Verb verb : {Verb::kStart, Verb::kExec, Verb::kStop, Verb::kList}) {
    const std::string page = VerbHelp(verb);
    EXPECT_LE(LongestLine(page), 80U);
    EXPECT_TRUE(page.starts_with("mxc-exec ")) << page;
    EXPECT_THAT(page, Not(HasSubstr("reads, writes and reaches")));
  }
  EXPECT_TRUE(Shows(VerbHelp(Verb::kExec), "--background"));
  EXPECT_THAT(VerbHelp(Verb::kExec), HasSubstr("/dev/null"));
  EXPECT_FALSE(Shows(VerbHelp(Verb::kExec), "--rw"));
  EXPECT_TRUE(Shows(VerbHelp(Verb::kStart), "--rw"));
  EXPECT_TRUE(Shows(VerbHelp(Verb::kStart), "--foreground"));
  EXPECT_FALSE(Shows(VerbHelp(Verb::kStart), "--timeout"));
  EXPECT_FALSE(Shows(VerbHelp(Verb::kStop), "--env"));
  EXPECT_THAT(VerbHelp("profile"), HasSubstr("profile show"));
  EXPECT_THAT(VerbHelp("import"), HasSubstr("import FILE"));
}

}  // namespace
}  // namespace mxc::help_test
