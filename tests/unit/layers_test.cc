// The dependency rules of the architecture, checked by reading every #include of the tree.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/built.h"

namespace mxc::layers_test {
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
  EXPECT_FALSE(includes.empty()) << "nothing is read below " << folder;
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

// A folder below src, and the folders whose headers it includes: its own, those named, mxc and base. Each
// stands behind those that it names, so no two folders can lean on each other.
struct Layer {
  std::string folder = {};
  std::set<std::string> below = {};
};

const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {"mxc", {}},
      {"win32", {}},
      {"base", {"win32"}},
      {"vocabulary", {}},
      {"hash", {}},
      {"ffi", {}},
      {"seccomp", {}},
      {"document", {"win32"}},
      {"unix_sockets", {}},
      {"host", {"unix_sockets", "win32"}},
      {"images", {}},
      {"report", {"hash"}},
      {"config", {"document"}},
      {"helpers", {"config", "hash"}},
      {"policy/paths", {"config"}},
      {"profiles", {"config", "document", "hash", "policy/paths"}},
      {"import", {"config", "document", "policy/paths", "profiles"}},
      {"review", {"hash", "policy/paths", "report"}},
      {"policy/protect/git", {"config", "policy/paths", "review"}},
      {"policy/protect", {"config", "policy/paths", "policy/protect/git", "review"}},
      {"gateway/rules", {}},
      {"ceiling", {"config", "document", "gateway/rules", "hash", "policy/paths", "report"}},
      {"policy", {"ceiling", "config", "policy/paths", "policy/protect", "policy/protect/git"}},
      {"plan", {"config", "hash", "policy/paths", "policy/protect", "report"}},
      {"shell", {"policy/paths"}},
      {"gateway/net", {"gateway/rules"}},
      {"gateway/dns", {"gateway/net", "gateway/rules"}},
      {"gateway/inspect", {"gateway/net", "gateway/rules"}},
      {"gateway/local_proxy", {"gateway/inspect", "gateway/net", "gateway/rules"}},
      {"gateway/setup", {"gateway/dns", "gateway/net", "gateway/rules"}},
      {"gateway/relay", {"gateway/dns", "gateway/inspect", "gateway/net", "gateway/rules", "gateway/setup"}},
      {"gateway", {"gateway/dns", "gateway/relay", "gateway/rules", "gateway/setup"}},
      {"access", {"win32"}},
      {"cgroup", {"hash", "host"}},
      {"spawn", {"hash", "seccomp"}},
      {"stdio", {"report"}},
      {"cleanup", {"cgroup", "stdio"}},
      {"engine", {"gateway/setup", "seccomp", "spawn"}},
      {"engine/persistent", {"engine"}},
      {"remote", {}},
      {"run",
       {"cgroup", "cleanup", "document", "engine", "gateway", "gateway/net", "gateway/rules", "gateway/setup",
        "remote", "report", "seccomp", "spawn", "stdio"}},
      {"macos", {"gateway/local_proxy", "run", "spawn", "stdio"}},
      {"windows", {"access", "cleanup", "report", "run", "stdio", "win32"}},
      {"persistent",
       {"cgroup", "cleanup", "engine", "engine/persistent", "gateway", "remote", "report", "run", "spawn",
        "unix_sockets", "win32", "windows"}},
      {"kubernetes", {"document", "hash", "spawn"}},
      {"kubernetes/remote",
       {"config", "kubernetes", "persistent", "plan", "policy", "policy/paths", "remote", "report", "run",
        "stdio"}},
  };
  return layers;
}

// The folder of a file as it is included: "policy/paths" of "policy/paths/glob.h". mxc/windows is mxc's, as
// mxc/kubernetes.
std::string FolderOf(const std::string& included) {
  if (included.starts_with("mxc/")) return "mxc";
  const std::size_t slash = included.rfind('/');
  return slash == std::string::npos ? "" : included.substr(0, slash);
}

std::string AsIncluded(const std::string& file) {
  for (const std::string base : {"include/", "src/"})
    if (file.starts_with(base)) return file.substr(base.size());
  return file;
}

std::vector<Include> IncludesOfTheProgram() {
  std::vector<Include> includes = IncludesBelow("src");
  const std::vector<Include> vocabulary = IncludesBelow("include");
  includes.insert(includes.end(), vocabulary.begin(), vocabulary.end());
  return includes;
}

TEST(Layers, AFolderIncludesItselfAndWhatItStandsOn) {
  std::map<std::string, std::set<std::string>> below;
  for (const Layer& layer : Layers()) below[layer.folder] = layer.below;
  for (const Include& include : IncludesOfTheProgram()) {
    const std::string from = FolderOf(AsIncluded(include.file));
    const std::string to = FolderOf(include.what);
    if (include.system || from.empty() || from == to || include.what.ends_with(".inc")) continue;
    ASSERT_TRUE(below.contains(from)) << "a folder without a layer: " << from;
    const bool common = to == "mxc" || (to == "base" && from != "mxc" && from != "win32");
    EXPECT_TRUE(common || below[from].contains(to)) << include.file << " includes " << include.what;
  }
}

TEST(Layers, StandOnEarlierOnes) {
  std::set<std::string> earlier;
  for (const Layer& layer : Layers()) {
    for (const std::string& folder : layer.below)
      EXPECT_TRUE(earlier.contains(folder)) << layer.folder << " stands on " << folder;
    earlier.insert(layer.folder);
  }
}

// A module: a header and its sources of all systems.
std::string ModuleOf(const std::filesystem::path& file) {
  std::string name = file.stem();
  for (const std::string system : {"_linux", "_posix", "_macos", "_windows", "_elsewhere"})
    if (name.ends_with(system)) name.erase(name.size() - system.size());
  return name;
}

TEST(Layers, NoFolderHasMoreThan25Modules) {
  const std::filesystem::path root = test::SourceDirectory();
  std::map<std::string, std::set<std::string>> modules;
  for (const std::string folder : {"src", "include", "backends"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc")
        modules[entry.path().parent_path().lexically_relative(root)].insert(ModuleOf(entry.path()));
    }
  }
  EXPECT_FALSE(modules.empty());
  for (const auto& [folder, names] : modules) EXPECT_LE(names.size(), 25U) << folder;
}

using Headers = std::map<std::string, std::vector<std::string>>;

// The first header that leads back to itself, with the way; empty: none does.
std::string FindCircle(const Headers& headers, const std::string& header, std::vector<std::string>& way,
                       std::set<std::string>& cleared) {
  const bool again = std::find(way.begin(), way.end(), header) != way.end();
  way.push_back(header);
  if (again) return fmt::format("{}", fmt::join(way, " -> "));
  const auto found = headers.find(header);
  if (found != headers.end() && !cleared.contains(header)) {
    for (const std::string& next : found->second)
      if (std::string circle = FindCircle(headers, next, way, cleared); !circle.empty()) return circle;
  }
  way.pop_back();
  cleared.insert(header);
  return {};
}

TEST(Layers, NoHeaderIncludesItselfThroughOthers) {
  Headers headers;
  for (const Include& include : IncludesOfTheProgram())
    if (include.file.ends_with(".h") && !include.system)
      headers[AsIncluded(include.file)].push_back(include.what);
  std::set<std::string> cleared;
  for (const auto& [header, included] : headers) {
    std::vector<std::string> way;
    EXPECT_EQ(FindCircle(headers, header, way, cleared), "");
  }
}

TEST(Layers, ABackendSeesTheVocabularyAndTheSharedPlanner) {
  for (const auto& entry : std::filesystem::directory_iterator(test::SourceDirectory() + "/backends")) {
    if (!entry.is_directory()) continue;
    const std::string folder = "backends/" + entry.path().filename().string();
    EXPECT_THAT(Strangers(folder, {"mxc/", folder + "/", "backends/linux/", "base/path.h", "base/quoted.h"}),
                IsEmpty());
  }
}

TEST(Layers, BackendsTouchNoMachine) {
  for (const Include& include : IncludesBelow("backends")) {
    if (!include.system) continue;
    EXPECT_FALSE(IsOfAnOperatingSystem(include.what)) << include.file << " includes " << include.what;
    EXPECT_NE(include.what, "filesystem") << include.file;
    EXPECT_FALSE(include.what.starts_with("spdlog/")) << include.file;
  }
}

TEST(Layers, OnlyDispatchSeesBackends) {
  for (const Include& include : IncludesBelow("src")) {
    if (include.file == "src/dispatch.cc") continue;
    EXPECT_FALSE(include.what.starts_with("backends/")) << include.file << " includes " << include.what;
  }
}

TEST(Layers, HeavyLibrariesStayOutOfHeaders) {
  for (const std::string folder : {"include/mxc", "src", "backends"}) {
    for (const Include& include : IncludesBelow(folder)) {
      if (!include.file.ends_with(".h")) continue;
      EXPECT_FALSE(StartsWithAny(include.what, {"nlohmann/", "CLI/", "spdlog/"})) << include.file;
    }
  }
}

// What the stages have to know of a containment is a row of its traits (mxc/containment.h); what is left of
// comparisons is few, so that a new one is met everywhere.
TEST(Layers, StagesCompareContainmentsRarely) {
  const std::filesystem::path root = test::SourceDirectory();
  std::map<std::string, int> comparisons;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "src")) {
    const std::string file = entry.path().lexically_relative(root);
    if (file == "src/dispatch.cc" || file == "src/vocabulary/containment.cc") continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      for (const std::string words : {"== Containment::k", "!= Containment::k", "case Containment::k"})
        if (line.find(words) != std::string::npos) ++comparisons[file];
    }
  }
  int all = 0;
  for (const auto& [file, count] : comparisons) all += count;
  EXPECT_LE(all, 10);
  EXPECT_LE(comparisons.size(), 4U);
}

// The files of a folder of tests compile as one (preset ci), so each keeps its names to itself.
TEST(Layers, EachTestFileHasANamespaceOfItsOwn) {
  const std::filesystem::path root = test::SourceDirectory();
  for (const std::string folder : {"tests", "backends"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::filesystem::path file = entry.path().lexically_relative(root);
      if (!file.filename().string().ends_with("_test.cc") || *++file.begin() == "support" ||
          file.string().find("/node_modules/") != std::string::npos)
        continue;
      std::ifstream stream(entry.path());
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      EXPECT_NE(text.find("::" + file.stem().string() + " {\n"), std::string::npos)
          << file << " has no namespace mxc::" << file.stem().string();
    }
  }
}

// What compiles on every system includes nothing of one system.
TEST(Layers, SystemHeadersStandInFilesOfTheirSystem) {
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
}  // namespace mxc::layers_test
