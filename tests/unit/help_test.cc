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

}  // namespace
}  // namespace mxc::help_test
