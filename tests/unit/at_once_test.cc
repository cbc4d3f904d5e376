#include "base/at_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/host.h"
#include "policy/paths/paths.h"
#include "policy/paths/search.h"

namespace mxc::at_once_test {
namespace {

TEST(AtOnce, CallsEachNumberOnce) {
  for (const std::size_t count : {0U, 1U, 63U, 64U, 1000U}) {
    std::vector<int> calls(count);
    AtOnce(count, [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(count, 1));
  }
}

TEST(AtOnce, PassesOnWhatWasThrown) {
  const auto fail = [](std::size_t i) {
    if (i == 500) throw std::runtime_error("at 500");
  };
  EXPECT_THROW(AtOnce(1000, fail), std::runtime_error);
}

class ManyDirectories : public testing::Test {
 protected:
  static constexpr int kSide = 24;

  void SetUp() override {
    char name[] = "/tmp/mxc-search-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    top_ = name;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) std::filesystem::create_directories(Below(i, j));
      std::ofstream(Below(i, i) + "/.git") << "gitdir: elsewhere\n";
      std::ofstream(Below(i, i) + "/other") << "x";
    }
  }
  void TearDown() override { std::filesystem::remove_all(top_); }

  [[nodiscard]] std::string Below(int i, int j) const {
    return top_ + "/" + std::to_string(i) + "/" + std::to_string(j);
  }

  std::string top_;  // NOLINT: for the tests
};

TEST_F(ManyDirectories, AreAllVisitedParentsFirst) {
  const auto host = ThisHost();
  TreeSearch search(*host, [](std::string_view name) { return name == ".git"; });
  std::vector<std::string> visited;
  std::vector<std::string> found;
  search.Run({top_}, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    if (directory != top_) {
      EXPECT_THAT(visited, testing::Contains(std::string(ParentOf(directory)))) << directory;
    }
    visited.push_back(directory);
    for (const DirectoryEntry& entry : entries) {
      if (entry.type != FileType::kDirectory) found.push_back(JoinPath(directory, entry.name));
    }
  });
  EXPECT_EQ(search.Gap(), "");
  EXPECT_EQ(visited.size(), 1U + kSide + kSide * kSide);
  std::vector<std::string> expected;
  for (int i = 0; i < kSide; ++i) expected.push_back(Below(i, i) + "/.git");
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected));
}

TEST_F(ManyDirectories, ThatAVisitTakesOutAreNotSearched) {
  const auto host = ThisHost();
  TreeSearch search(*host);
  std::size_t visited = 0;
  search.Run({top_}, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    ++visited;
    if (directory == top_) entries.resize(1);
  });
  EXPECT_EQ(visited, 2U + kSide);
}

}  // namespace
}  // namespace mxc::at_once_test
