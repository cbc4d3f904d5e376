// The dependency rules of the architecture, checked by reading every #include of the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/built.h"

namespace mxc {
namespace {

using ::testing::IsEmpty;

struct Include {
  std::string file = {};  // relative to the root of the tree
  std::string what = {};  // between the quotes or brackets
  bool system = false;
};

std::vector<Include> IncludesOf(const std::filesystem::path& file, const std::string& name) {
  std::vector<Include> includes;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("#include ")) continue;
    const bool system = line.find('<') != std::string::npos;
    const std::size_t from = line.find_first_of("<\"") + 1;
    includes.push_back({name, line.substr(from, line.find_first_of(">\"", from) - from), system});
  }
  return includes;
}

std::vector<Include> IncludesBelow(const std::string& folder) {
  const std::filesystem::path root = test::SourceDirectory();
  std::vector<Include> includes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    const std::vector<Include> found = IncludesOf(entry.path(), entry.path().lexically_relative(root));
    includes.insert(includes.end(), found.begin(), found.end());
  }
  return includes;
}

bool StartsWithAny(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

// Includes in quotes below `folder` that begin with none of `allowed`.
std::vector<std::string> Strangers(const std::string& folder, const std::vector<std::string>& allowed) {
  std::vector<std::string> strangers;
  for (const Include& include : IncludesBelow(folder)) {
    if (!include.system && !StartsWithAny(include.what, allowed))
      strangers.push_back(include.file + " includes " + include.what);
  }
  return strangers;
}

bool IsOfAnOperatingSystem(const std::string& header) {
  return header.ends_with(".h") && !header.starts_with("fmt/") && !header.starts_with("spdlog/") &&
         !header.starts_with("nlohmann/");
}

TEST(Includes, TheVocabularyStandsAlone) { EXPECT_THAT(Strangers("include/mxc", {"mxc/"}), IsEmpty()); }

TEST(Includes, AStageSeesItselfAndTheStageBefore) {
  EXPECT_THAT(Strangers("src/base", {"mxc/", "base/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/host", {"mxc/", "base/", "host/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/document", {"mxc/", "base/", "document/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/config", {"mxc/", "base/", "document/", "config/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/policy", {"mxc/", "base/", "config/", "policy/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/plan", {"mxc/", "base/", "policy/", "plan/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/report", {"mxc/", "base/", "report/"}), IsEmpty());
  EXPECT_THAT(Strangers("src/images", {"mxc/", "base/", "images/", "base/remove_tree.h"}), IsEmpty());
  EXPECT_THAT(Strangers("src/egress", {"mxc/", "base/", "egress/"}), IsEmpty());
  // The audit log and redaction are reports that have to be made while a plan runs.
  EXPECT_THAT(
      Strangers("src/process", {"mxc/", "base/", "report/", "egress/", "process/", "seccomp_programs.inc"}),
      IsEmpty());
}

TEST(Includes, ASessionStandsOnTheMachineThatRunsPlans) {
  EXPECT_THAT(Strangers("src/session", {"mxc/", "base/", "report/", "process/", "session/"}), IsEmpty());
}

TEST(Includes, ABackendSeesTheVocabularyAndTheSharedPlanner) {
  for (const auto& entry : std::filesystem::directory_iterator(test::SourceDirectory() + "/backends")) {
    if (!entry.is_directory()) continue;
    const std::string folder = "backends/" + entry.path().filename().string();
    EXPECT_THAT(Strangers(folder, {"mxc/", folder + "/", "backends/linux/"}), IsEmpty());
  }
}

TEST(Includes, BackendsTouchNoMachine) {
  for (const Include& include : IncludesBelow("backends")) {
    if (!include.system) continue;
    EXPECT_FALSE(IsOfAnOperatingSystem(include.what)) << include.file << " includes " << include.what;
    EXPECT_NE(include.what, "filesystem") << include.file;
    EXPECT_FALSE(include.what.starts_with("spdlog/")) << include.file;
  }
}

TEST(Includes, OnlyDispatchSeesBackends) {
  for (const Include& include : IncludesBelow("src")) {
    if (include.file == "src/dispatch.cc") continue;
    EXPECT_FALSE(include.what.starts_with("backends/")) << include.file << " includes " << include.what;
  }
}

TEST(Includes, HeavyLibrariesStayOutOfHeaders) {
  for (const std::string folder : {"include/mxc", "src", "backends"}) {
    for (const Include& include : IncludesBelow(folder)) {
      if (!include.file.ends_with(".h")) continue;
      EXPECT_FALSE(StartsWithAny(include.what, {"nlohmann/", "CLI/", "spdlog/"})) << include.file;
    }
  }
}

// What compiles on every system includes nothing of one system.
TEST(Includes, SystemHeadersStandInFilesOfTheirSystem) {
  const std::vector<std::string> kStages = {"src/document", "src/config", "src/policy", "src/plan"};
  for (const std::string& stage : kStages) {
    for (const Include& include : IncludesBelow(stage)) {
      const bool named = include.file.find("_posix.") != std::string::npos ||
                         include.file.find("_windows.") != std::string::npos;
      if (!include.system || named) continue;
      EXPECT_FALSE(IsOfAnOperatingSystem(include.what)) << include.file << " includes " << include.what;
    }
  }
}

}  // namespace
}  // namespace mxc
