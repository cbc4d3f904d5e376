// How much the review at the end of a run remembers does not grow with what the command has left.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mxc/limits.h"
#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc::git_data_bounds_test {
namespace {

constexpr std::size_t kLongName = 3000;

std::string Review(const FakeHost& host, const std::string& root) {
  GitSnapshot before{.roots = {root}, .places = {{.path = "/srv/w/.git", .part = "/srv/w/.git"}}};
  std::string gap;
  std::string text;
  for (const GitChange& change : ReviewGit(before, host, gap)) text += change.path + "\n";
  return text + gap;
}

void AddRepository(FakeHost& host, const std::string& git_directory) {
  host.AddFile(git_directory + "/HEAD").AddDirectory(git_directory + "/objects");
  host.AddDirectory(git_directory + "/refs");
}

// More of them than are remembered, by long names.
void AddLinks(FakeHost& host, const std::string& git_directory) {
  const std::string directory = git_directory + "/logs/" + std::string(kLongName, 'd');
  for (std::size_t i = 0; i <= kMaxGitDataBytes / kLongName; ++i)
    host.AddSymlink(directory + "/" + std::to_string(i), "x");
}

TEST(GitDataBounds, ARepositoryWithTooManyLinksGoesAsAWhole) {
  FakeHost host;
  AddRepository(host, "/srv/w/.git");
  AddLinks(host, "/srv/w/.git");
  AddRepository(host, "/srv/w/x/.git");
  host.AddFile("/srv/w/x/.git/config", "[core]\n\tfsmonitor = x\n");
  EXPECT_EQ(Review(host, "/srv/w"),
            "/srv/w/.git\n/srv/w/x/.git\n"
            "'/srv/w/.git' holds more links, lists and the like than git makes");
}

TEST(GitDataBounds, AGrantKeepsItsName) {
  FakeHost host;
  AddRepository(host, "/srv/w/.git");
  AddLinks(host, "/srv/w/.git");
  const std::string said = Review(host, "/srv/w/.git");
  EXPECT_TRUE(said.starts_with("/srv/w/.git/logs/")) << "the links one by one";
  EXPECT_TRUE(said.ends_with("\n'/srv/w/.git' holds more links, lists and the like than git makes"));
  EXPECT_EQ(said.find("\n/srv/w/.git\n"), std::string::npos);
}

// The names of branches are as long as the command wants them, and there is none to tell of.
TEST(GitDataBounds, RefsAreNotRemembered) {
  FakeHost host;
  AddRepository(host, "/srv/w/.git");
  const std::string directory = "/srv/w/.git/refs/" + std::string(kLongName, 'd');
  for (std::size_t i = 0; i <= kMaxGitDataBytes / kLongName; ++i)
    host.AddFile(directory + "/" + std::to_string(i), std::string(40, 'a') + "\n");
  EXPECT_EQ(Review(host, "/srv/w"), "");
}

}  // namespace
}  // namespace mxc::git_data_bounds_test
