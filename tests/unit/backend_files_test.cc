// What docs/adding-a-backend.md says a backend costs: the files outside of its own folders that name it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dispatch.h"
#include "mxc/containment.h"
#include "tests/support/built.h"

namespace mxc::backend_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Texts = std::map<std::string, std::string>;  // by path, relative to the root of the tree

// By what a file names a backend, in lower case.
struct Naming {
  std::string_view containment;
  std::vector<std::string_view> parts;       // of words, wherever they stand
  std::vector<std::string_view> words = {};  // whole ones
  // Files that speak of it because the host has it. They would without the backend.
  std::vector<std::string> of_the_host = {};
};

const std::vector<Naming>& Namings() {
  static const std::vector<Naming> namings = {
      {"kubernetes",
       {"kubernetes", "k8s", "kubectl", "podrun", "inpod", "pod_"},
       {"pod", "pods"},
       {"backends/linux/probing.cc", "src/policy/paths/baseline_tables.cc",
        "src/review/destructive_table.cc"}},
      {"lxc", {"lxc"}},
      {"windows_sandbox", {"windows_sandbox", "windowssandbox"}},
      {"wslc", {"wsl"}},
  };
  return namings;
}

bool IsOfAWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsOfAWord(text[at - 1])) && (end == text.size() || !IsOfAWord(text[end]))) return true;
  }
  return false;
}

bool Names(const Naming& naming, std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  return std::any_of(naming.parts.begin(), naming.parts.end(), has) ||
         std::any_of(naming.words.begin(), naming.words.end(),
                     [&text](std::string_view word) { return HasWord(text, word); });
}

// A row of the document's table: | `containment` | `folder`, ... | `file`, ... |, or a number of files.
struct Row {
  std::vector<std::string> folders = {};
  std::vector<std::string> files = {};
  std::size_t most = 0;  // of files, where they are not listed
};

std::vector<std::string> Quoted(std::string_view cell) {
  std::vector<std::string> quoted;
  for (std::size_t at = cell.find('`'); at != std::string_view::npos; at = cell.find('`', at + 1)) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == std::string_view::npos) break;
    quoted.emplace_back(cell.substr(at + 1, end - at - 1));
    at = end;
  }
  return quoted;
}

std::optional<Row> RowOf(std::string_view document, std::string_view containment) {
  const std::string begin = fmt::format("\n| `{}` |", containment);
  const std::size_t at = document.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = document.substr(at + begin.size());
  rest = rest.substr(0, rest.find('\n'));
  const std::size_t bar = rest.find('|');
  if (bar == std::string_view::npos) return std::nullopt;
  const std::string_view files = rest.substr(bar + 2);
  Row row{.folders = Quoted(rest.substr(0, bar)), .files = Quoted(files)};
  std::sort(row.files.begin(), row.files.end());
  std::from_chars(files.data(), files.data() + files.size(), row.most);
  return row;
}

std::vector<std::string> Outside(const Texts& texts, const Naming& naming, const Row& row) {
  std::vector<std::string> files;
  for (const auto& [path, text] : texts) {
    const auto holds = [&path = path](const std::string& folder) { return path.starts_with(folder + "/"); };
    const bool own = std::any_of(row.folders.begin(), row.folders.end(), holds);
    const bool hosts =
        std::find(naming.of_the_host.begin(), naming.of_the_host.end(), path) != naming.of_the_host.end();
    if (!own && !hosts && Names(naming, text)) files.push_back(path);
  }
  return files;
}

// What is wrong with a row; empty: nothing.
std::string Wrong(const Texts& texts, const Naming& naming, const Row& row) {
  const std::vector<std::string> files = Outside(texts, naming, row);
  const bool right = row.files.empty() ? files.size() <= row.most : files == row.files;
  return right ? "" : fmt::format("{} files name it: {}", files.size(), fmt::join(files, " "));
}

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Texts ProductTexts() {
  const std::filesystem::path root = test::SourceDirectory();
  Texts texts;
  for (const std::string folder : {"src", "include", "backends"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) texts[entry.path().lexically_relative(root)] = TextOf(entry.path());
    }
  }
  EXPECT_GT(texts.size(), 500U);
  return texts;
}

TEST(BackendFiles, AreTheOnesThatTheDocumentLists) {
  const std::string document = TextOf(test::SourceDirectory() + "/docs/adding-a-backend.md");
  const Texts texts = ProductTexts();
  for (const Naming& naming : Namings()) {
    const std::optional<Row> row = RowOf(document, naming.containment);
    ASSERT_TRUE(row.has_value()) << naming.containment << " has no row";
    EXPECT_EQ(Wrong(texts, naming, *row), "") << naming.containment;
    for (const std::string& folder : row->folders)
      EXPECT_TRUE(std::filesystem::is_directory(test::SourceDirectory() + "/" + folder)) << folder;
    for (const std::string& file : naming.of_the_host)
      EXPECT_TRUE(texts.contains(file) && Names(naming, texts.at(file))) << file << " does not name it";
  }
}

// The enumerator with its case, the traits, the schema's four; and at most two more.
TEST(BackendFiles, OfKubernetesAreFew) {
  const std::optional<Row> row =
      RowOf(TextOf(test::SourceDirectory() + "/docs/adding-a-backend.md"), "kubernetes");
  ASSERT_TRUE(row.has_value());
  EXPECT_LE(row->files.size(), 9U);
}

TEST(BackendFiles, AFurtherOneIsFound) {
  const Naming& naming = Namings().front();
  const std::optional<Row> row = RowOf("\n| `kubernetes` | `own` | `a.cc` |\n", "kubernetes");
  ASSERT_TRUE(row.has_value());
  EXPECT_THAT(row->folders, ElementsAre("own"));
  Texts texts = {{"a.cc", "case kKubernetes:"}, {"own/b.cc", "PodRun"}, {"c.cc", "tripod"}};
  EXPECT_EQ(Wrong(texts, naming, *row), "");
  for (const char* text : {"KubernetesLaunch", "// of a pod", "RunInPod()", "pod_uid", "\"k8s\"", "pods"}) {
    texts["c.cc"] = text;
    EXPECT_EQ(Wrong(texts, naming, *row), "2 files name it: a.cc c.cc") << text;
  }
  texts.erase("a.cc");
  EXPECT_NE(Wrong(texts, naming, *row), "");
  EXPECT_FALSE(RowOf("\n| `lxc` | `backends/lxc` | 7 |\n", "kubernetes").has_value());
  const std::optional<Row> counted = RowOf("\n| `lxc` | `backends/lxc` | 7 |\n", "lxc");
  ASSERT_TRUE(counted.has_value());
  EXPECT_THAT(counted->files, IsEmpty());
  EXPECT_EQ(counted->most, 7U);
}

// A stage that asks a trait gets what the trait promises.
TEST(BackendFiles, TraitsAreKeptByTheTables) {
  for (const ContainmentTraits& traits : AllContainments()) {
    const Remote* const remote = RemoteOf(traits.containment);
    EXPECT_EQ(remote != nullptr, traits.remote) << traits.name;
    EXPECT_EQ(!traits.id_prefix.empty(), traits.remote && traits.persistent) << traits.name;
    const AutoPlace& place = Dispatch(traits.containment).place;
    EXPECT_EQ(place.here != nullptr, traits.auto_in_place) << traits.name;
    EXPECT_EQ(place.inside.empty() || place.outside.empty() || place.stays.message.empty(),
              !traits.auto_in_place)
        << traits.name;
    if (remote == nullptr) continue;
    EXPECT_TRUE(remote->run != nullptr && remote->run_there != nullptr && remote->reap != nullptr);
    const RemoteSandboxes& its = remote->sandboxes;
    EXPECT_EQ(its.check != nullptr && its.provision != nullptr && its.start != nullptr &&
                  its.stop != nullptr && its.deprovision != nullptr && its.enter != nullptr &&
                  its.with_command != nullptr && its.start_in_background != nullptr && its.look != nullptr &&
                  its.remove_dead != nullptr,
              traits.persistent)
        << traits.name;
  }
}

}  // namespace
}  // namespace mxc::backend_files_test
