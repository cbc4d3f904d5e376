// Which grants below the caller's HOME are found in the private one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "policy/paths/homes.h"
#include "tests/support/fake_host.h"

namespace mxc::home_links_test {
namespace {

PathRule Grant(std::string path, Access access = Access::kReadOnly, Origin origin = Origin::kPolicy) {
  return {.path = std::move(path), .access = access, .object = FileObject{.inode = 1}, .origin = origin};
}

// "NAME -> PATH\n" of each link.
std::string Links(const std::vector<PathRule>& rules, const std::vector<PathLink>& links = {},
                  const std::vector<HomeFile>& files = {}) {
  FakeHost host;
  host.AddDebian().AddDirectory("/home/me").SetEnvironment("HOME", "/home/me");
  PathWalker walker(host);
  std::string text;
  for (const HomeFile& link : LinksToGrants(host, walker, RuleSet(rules), links, files))
    text += link.name + " -> " + link.link_to + "\n";
  return text;
}

TEST(HomeLinks, OfEachDotFileThatIsGranted) {
  EXPECT_EQ(Links({Grant("/home/me/.npmrc"), Grant("/home/me/.config/gh", Access::kReadWrite),
                   Grant("/home/me/.config/gh/hosts.yml"), Grant("/home/me/src/app"), Grant("/home/you/.x")}),
            ".config/gh -> /home/me/.config/gh\n.npmrc -> /home/me/.npmrc\n");
}

TEST(HomeLinks, OfLinksToGrants) {
  EXPECT_EQ(Links({Grant("/srv/npmrc")}, {{.path = "/home/me/.npmrc", .target = "/srv/npmrc"}}),
            ".npmrc -> /home/me/.npmrc\n");
}

TEST(HomeLinks, OfNothingElse) {
  PathRule missing = Grant("/home/me/.missing");
  missing.object.reset();
  EXPECT_EQ(Links({missing, Grant("/home/me/.ssh", Access::kDenied),
                   Grant("/home/me/.git-hooks", Access::kReadOnly, Origin::kProtection), Grant("/home/me")}),
            "");
}

TEST(HomeLinks, NoneInPlaceOfAFileOfTheRunsOwn) {
  const std::vector<HomeFile> files = {{.name = ".gitconfig"}, {.name = ".a/b"}};
  EXPECT_EQ(Links({Grant("/home/me/.gitconfig"), Grant("/home/me/.a"), Grant("/home/me/.a/b/c")}, {}, files),
            "");
}

TEST(HomeLinks, AreBounded) {
  std::vector<PathRule> rules;
  for (int i = 0; i < 100; ++i) rules.push_back(Grant("/home/me/.x" + std::to_string(i)));
  const std::string text = Links(rules);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 64);
}

}  // namespace
}  // namespace mxc::home_links_test
