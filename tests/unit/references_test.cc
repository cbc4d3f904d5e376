// Paths and decision records that documents and comments name exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/built.h"

namespace mxc::references_test {
namespace {

std::string TextOf(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> Documents() {
  const std::filesystem::path root = test::SourceDirectory();
  std::vector<std::filesystem::path> files = {root / "README.md"};
  for (const std::string folder : {"docs", "src", "include", "backends", "tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().string().find("/node_modules/") != std::string::npos) continue;  // not ours
      const std::string extension = entry.path().extension();
      if (extension == ".md" || extension == ".h" || extension == ".cc") files.push_back(entry.path());
    }
  }
  return files;
}

// The words of `text` that begin with `prefix`, which nothing of a path stands before.
std::vector<std::string> PathsIn(std::string_view text, std::string_view prefix) {
  constexpr std::string_view kOfAPath = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  std::vector<std::string> paths;
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    if (at > 0 && kOfAPath.find(text[at - 1]) != std::string_view::npos) continue;
    const std::size_t end = text.find_first_not_of(kOfAPath, at);
    paths.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return paths;
}

bool HasAnExtensionOfOurs(const std::string& path) {
  for (const std::string_view extension : {".h", ".cc", ".md", ".sh", ".py", ".cmake"})
    if (path.ends_with(extension)) return true;
  return false;
}

TEST(References, FilesThatAreNamedExist) {
  const std::filesystem::path root = test::SourceDirectory();
  std::size_t checked = 0;
  for (const std::filesystem::path& file : Documents()) {
    const std::string text = TextOf(file);
    for (const std::string_view prefix : {"src/", "include/mxc/", "docs/", "tests/"}) {
      for (const std::string& path : PathsIn(text, prefix)) {
        if (!HasAnExtensionOfOurs(path)) continue;
        ++checked;
        EXPECT_TRUE(std::filesystem::exists(root / path)) << file << " names " << path;
      }
    }
  }
  EXPECT_GT(checked, 200U);
}

TEST(References, EachDecisionHasItsNumber) {
  std::vector<std::string> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(test::SourceDirectory() + "/docs/adr")) {
    numbers.push_back(entry.path().filename().string().substr(0, 4));
    EXPECT_TRUE(TextOf(entry.path()).starts_with("# " + numbers.back() + " ")) << entry.path();
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end()) << "two have the same";
}

// [adr/0012](adr/0012-plain-commands-without-a-shell.md)
TEST(References, LinksToDecisionsNameTheirNumber) {
  constexpr std::string_view kText = "[adr/";
  std::size_t checked = 0;
  for (const std::filesystem::path& file : Documents()) {
    const std::string text = TextOf(file);
    for (std::size_t at = text.find(kText); at != std::string::npos; at = text.find(kText, at + 1)) {
      const std::string number = text.substr(at + kText.size(), 4);
      if (number.find_first_not_of("0123456789") != std::string::npos) continue;
      ++checked;
      const std::string link = text.substr(at, text.find(')', at) - at);
      EXPECT_NE(link.find("/" + number + "-"), std::string::npos) << file << " has " << link;
    }
  }
  EXPECT_GT(checked, 4U);
}

// "ADR 0012", "docs/adr/0012": the number of one decision.
TEST(References, DecisionsThatAreNamedExist) {
  const std::filesystem::path root = test::SourceDirectory();
  std::size_t checked = 0;
  std::vector<std::string> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs/adr"))
    numbers.push_back(entry.path().filename().string().substr(0, 4));
  for (const std::filesystem::path& file : Documents()) {
    const std::string text = TextOf(file);
    for (const std::string_view prefix : {"ADR ", "docs/adr/"}) {
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
        const std::string number = text.substr(at + prefix.size(), 4);
        if (number.find_first_not_of("0123456789") != std::string::npos) continue;
        ++checked;
        EXPECT_NE(std::find(numbers.begin(), numbers.end(), number), numbers.end())
            << file << " names " << prefix << number;
      }
    }
  }
  EXPECT_GT(checked, 4U);
}

std::string AnchorOf(std::string_view heading) {
  std::string anchor;
  for (const char letter : heading) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ')
      anchor += '-';
    else if (std::isalnum(byte) != 0 || letter == '-' || letter == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

// What stands outside of code, line by line.
std::vector<std::string> LinesOf(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream text(file);
  bool code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```"))
      code = !code;
    else if (!code)
      lines.push_back(line);
  }
  return lines;
}

std::set<std::string> AnchorsOf(const std::filesystem::path& file) {
  constexpr std::string_view kNamed = "<a name=\"";
  std::set<std::string> anchors;
  for (const std::string& line : LinesOf(file)) {
    if (line.starts_with('#'))
      anchors.insert(AnchorOf(line.substr(std::min(line.size(), line.find(' ') + 1))));
    if (line.starts_with(kNamed))
      anchors.insert(line.substr(kNamed.size(), line.find('"', kNamed.size()) - kNamed.size()));
  }
  return anchors;
}

// [words](file.md#heading) of documents
TEST(References, LinksLeadToFilesAndHeadings) {
  std::size_t checked = 0;
  for (const std::filesystem::path& file : Documents()) {
    if (file.extension() != ".md") continue;
    for (const std::string& line : LinesOf(file)) {
      for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
        const std::string link = line.substr(at + 2, line.find(')', at) - at - 2);
        if (link.find("://") != std::string::npos || link.find(' ') != std::string::npos) continue;
        ++checked;
        const std::size_t mark = std::min(link.find('#'), link.size());
        const std::filesystem::path target = mark == 0 ? file : file.parent_path() / link.substr(0, mark);
        ASSERT_TRUE(std::filesystem::exists(target)) << file << " has " << link;
        const bool found = mark == link.size() || AnchorsOf(target).contains(link.substr(mark + 1));
        EXPECT_TRUE(found) << file << " has " << link;
      }
    }
  }
  EXPECT_GT(checked, 300U);
}

}  // namespace
}  // namespace mxc::references_test
