// Which indexes a host's `git checkout` may be given. Text in: "100644 0 path" for each entry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mxc/limits.h"
#include "policy/protect/git/index.h"

namespace mxc::git_index_test {
namespace {

std::string Number(std::uint64_t number, int size) {
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8U * static_cast<unsigned>(i)));
  return bytes;
}

struct Entry {
  std::string path;
  std::uint32_t mode = 0100644;
  unsigned stage = 0;
};

struct Written {
  int version = 2;
  std::size_t hash_bytes = 20;
  std::string extensions = {};
};

// As git writes it; version 4 keeps what paths have in common.
std::string Index(const std::vector<Entry>& entries, const Written& as = {}) {
  std::string bytes = "DIRC" + Number(static_cast<std::uint64_t>(as.version), 4) + Number(entries.size(), 4);
  std::string before;
  for (const Entry& entry : entries) {
    const std::size_t start = bytes.size();
    bytes += std::string(24, '\0') + Number(entry.mode, 4) + std::string(12 + as.hash_bytes, '\1');
    bytes += Number(std::min<std::size_t>(entry.path.size(), 0xFFF) | entry.stage << 12U, 2);
    if (as.version == 4) {
      std::size_t common = 0;
      while (common < before.size() && common < entry.path.size() && before[common] == entry.path[common])
        ++common;
      bytes += static_cast<char>(before.size() - common) + entry.path.substr(common) + '\0';
    } else {
      bytes += entry.path;
      bytes += std::string(8 - (bytes.size() - start) % 8, '\0');
    }
    before = entry.path;
  }
  return bytes + as.extensions + std::string(as.hash_bytes, '\2');
}

std::string Extension(const std::string& name, const std::string& data) {
  return name + Number(data.size(), 4) + data;
}

bool Trusts(const std::vector<Entry>& entries, const Written& as = {}) {
  return IsTrustworthyIndex(Index(entries, as), {.hash_bytes = as.hash_bytes});
}

TEST(GitIndex, PathsThatStayInTheWorkTree) {
  for (const char* path : {"a", "a/b", ".gitignore", ".github/x", "a/.gitmodules", "git", "x.git/y", "...",
                           "..a", "a\\b", "a:b", ".gitx", "git~", "b.git", "\xE2\x80\x8C.x"})
    EXPECT_TRUE(StaysInWorkTree(path, 0100644)) << path;
  for (const char* path : {"",
                           "/a",
                           "a/",
                           "a//b",
                           ".",
                           "..",
                           "./a",
                           "../a",
                           "a/../b",
                           "a/.",
                           ".git",
                           ".git/config",
                           "a/.git/x",
                           ".GIT/x",
                           "a/.gIt",
                           "git~1",
                           "GIT~1/config",
                           ".git ",
                           ".git./x",
                           ".git . ",
                           ".git::$INDEX_ALLOCATION/x",
                           ".git:x",
                           "a\\.git\\config",
                           ".git\\config",
                           ".g\xE2\x80\x8Cit/config",
                           "\xEF\xBB\xBF.git",
                           ".git\xE2\x80\xAE/x"})
    EXPECT_FALSE(StaysInWorkTree(path, 0100644)) << path;
}

TEST(GitIndex, TypesOfEntries) {
  EXPECT_TRUE(StaysInWorkTree("a/", 0040000));  // of a sparse index
  EXPECT_FALSE(StaysInWorkTree("a//", 0040000));
  EXPECT_FALSE(StaysInWorkTree(".git/", 0040000));
  EXPECT_TRUE(StaysInWorkTree("sub", 0160000));
  EXPECT_TRUE(StaysInWorkTree(".gitmodules", 0100644));
  for (const char* path : {".gitmodules", ".GITMODULES", "gitmod~1", "gi7eba~1", ".gitmodules ."})
    EXPECT_FALSE(StaysInWorkTree(path, 0120000)) << path;
  EXPECT_TRUE(StaysInWorkTree("link", 0120000));
}

TEST(GitIndex, EveryEntryCounts) {
  for (const int version : {2, 3, 4}) {
    for (const std::size_t hash_bytes : {20U, 32U}) {
      const Written as = {.version = version, .hash_bytes = hash_bytes};
      EXPECT_TRUE(Trusts({}, as));
      EXPECT_TRUE(Trusts({{"a"}, {"a-b"}, {"a/b"}, {"a/bcd"}, {"a/bce", 0120000}, {"z", 0160000}}, as));
      EXPECT_TRUE(Trusts({{"a", 0100644, 1}, {"a", 0100644, 2}, {"a", 0100644, 3}, {"b"}}, as));
      EXPECT_FALSE(Trusts({{".git/hooks/pre-commit"}, {"a"}}, as));
      EXPECT_FALSE(Trusts({{"a"}, {"a/.git/config"}}, as));
      EXPECT_FALSE(Trusts({{"../a"}}, as));
    }
  }
  EXPECT_TRUE(Trusts({{std::string(kMaxPathBytes, 'a')}}));
  EXPECT_FALSE(Trusts({{std::string(kMaxPathBytes + 1, 'a')}}));
}

// Readers that search an index could find other entries than those that go through it.
TEST(GitIndex, EntriesAreInOrder) {
  EXPECT_FALSE(Trusts({{"b"}, {"a"}}));
  EXPECT_FALSE(Trusts({{"a"}, {"a"}}));
  EXPECT_FALSE(Trusts({{"a", 0100644, 2}, {"a", 0100644, 1}}));
}

// git refuses it: nothing is written by its names.
TEST(GitIndex, WhatIsNoIndexDoesNoHarm) {
  for (const char* bytes : {"", "x", "DIR", "dIRC and more than a header has, and the checksum"})
    EXPECT_TRUE(IsTrustworthyIndex(bytes, {})) << bytes;
}

TEST(GitIndex, WhatIsNotWholeIsNotTrusted) {
  const std::string extension = Extension("TREE", "x");
  const std::string whole = Index({{"a"}, {"b/c"}}, {.extensions = extension});
  EXPECT_TRUE(IsTrustworthyIndex(whole, {}));
  // git does not look at the checksum.
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_EQ(size == whole.size() - extension.size(), IsTrustworthyIndex(whole.substr(0, size), {})) << size;
  const auto with = [&](std::size_t at, char byte) {
    std::string bytes = whole;
    bytes[at] = byte;
    return IsTrustworthyIndex(bytes, {});
  };
  EXPECT_FALSE(with(7, 1));
  EXPECT_FALSE(with(7, 5));
  EXPECT_FALSE(with(11, 3));  // entries
  EXPECT_FALSE(with(8, '\xFF'));
  EXPECT_FALSE(with(73, 2));     // the length of "a"
  EXPECT_FALSE(with(72, 0x40));  // bits that only version 3 knows
  EXPECT_FALSE(IsTrustworthyIndex(whole, {.hash_bytes = 32}));
}

TEST(GitIndex, Extensions) {
  const auto with = [](const std::string& extensions) { return Trusts({{"a"}}, {.extensions = extensions}); };
  EXPECT_TRUE(with(Extension("TREE", "") + Extension("UNTR", "xy") + Extension("ZZZZ", "z")));
  EXPECT_TRUE(with(Extension("sdir", "")));
  EXPECT_FALSE(with(Extension("abcd", "")));
  EXPECT_FALSE(with("TREE" + Number(1000, 4)));
  EXPECT_FALSE(with("TRE"));
}

// git starts several threads where these say.
TEST(GitIndex, OffsetsLeadToWhatWasRead) {
  const std::vector<Entry> entries = {{"a"}, {"b"}, {"c"}};
  const std::size_t kEnd = 12 + 3 * 64;
  const auto end = [](std::size_t at) { return Extension("EOIE", Number(at, 4) + std::string(20, 'h')); };
  const auto trusts = [&](const std::string& extensions) {
    return Trusts(entries, {.extensions = extensions});
  };
  EXPECT_TRUE(trusts(end(kEnd)));
  EXPECT_FALSE(trusts(end(kEnd - 8)));
  EXPECT_FALSE(trusts(Extension("ZZZZ", "pad" + end(12))));  // where git looks for it
  const auto blocks = [](const std::vector<std::pair<std::size_t, std::size_t>>& list) {
    std::string data = Number(1, 4);
    for (const auto& [at, count] : list) data += Number(at, 4) + Number(count, 4);
    return Extension("IEOT", data);
  };
  EXPECT_TRUE(trusts(blocks({{12, 2}, {12 + 2 * 64, 1}}) + end(kEnd)));
  EXPECT_FALSE(trusts(blocks({{12, 2}}) + end(kEnd)));
  EXPECT_FALSE(trusts(blocks({{12, 2}, {12 + 64, 1}}) + end(kEnd)));
  EXPECT_FALSE(trusts(blocks({{20, 3}}) + end(kEnd)));
  EXPECT_FALSE(trusts(blocks({{12, 2}, {12 + 2 * 64, 9}}) + end(kEnd)));
}

TEST(GitIndex, SplitIndexesTakeNamesFromTheirBase) {
  const std::string link = Extension("link", std::string(20, 'b') + "bitmaps");
  EXPECT_TRUE(Trusts({{""}, {"z"}, {"a"}}, {.extensions = link}));
  EXPECT_FALSE(Trusts({{""}, {".git/x"}}, {.extensions = link}));
  EXPECT_FALSE(Trusts({{""}}));
  EXPECT_FALSE(Trusts({{""}}, {.extensions = Extension("link", std::string(20, '\0'))}));
  EXPECT_FALSE(IsTrustworthyIndex(Index({{"a"}}, {.extensions = link}), {.shared = true}));
  EXPECT_TRUE(IsTrustworthyIndex(Index({{"a"}}), {.shared = true}));
}

std::vector<std::string> RepositoriesIn(const std::vector<Entry>& entries, const Written& as = {}) {
  GitPartsInIndex parts;
  EXPECT_TRUE(IsTrustworthyIndex(Index(entries, as), {.hash_bytes = as.hash_bytes},
                                 [&](std::string_view path, std::uint32_t mode) { parts.Note(path, mode); }));
  EXPECT_FALSE(parts.Crowded());
  std::vector<std::string> found;
  for (const auto& [directory, each] : parts.Directories()) {
    if (each.MakeRepository()) found.push_back(directory);
  }
  return found;
}

// As git's is_git_directory takes them, once they are checked out.
TEST(GitIndex, RepositoriesAmongTheEntries) {
  using Found = std::vector<std::string>;
  for (const int version : {2, 4}) {
    const Written as = {.version = version};
    EXPECT_EQ(RepositoriesIn({{"a/x/HEAD"}, {"a/x/config"}, {"a/x/objects/k"}, {"a/x/refs/k"}}, as),
              Found{"a/x"});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD"}, {"a/commondir"}}, as), Found{"a"});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD", 0120000}, {"a/objects", 0120000}, {"a/refs", 0160000}}, as),
              Found{"a"});
    EXPECT_EQ(RepositoriesIn({{"a/Objects/k"}, {"a/REFS/k"}, {"a/head"}}, as), Found{"a"});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD"}, {"a/objects/", 0040000}, {"a/refs/", 0040000}}, as), Found{"a"});
    EXPECT_EQ(RepositoriesIn({{"a/objects/HEAD"}, {"a/objects/objects/k"}, {"a/objects/refs/k"}, {"b"}}, as),
              Found{"a/objects"});
    EXPECT_EQ(RepositoriesIn({{"HEAD"}, {"objects/k"}, {"refs/k"}}, as), Found{""});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD"}, {"a/objects/k"}}, as), Found{});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD/k"}, {"a/objects/k"}, {"a/refs/k"}}, as), Found{});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD", 0160000}, {"a/objects/k"}, {"a/refs/k"}}, as), Found{});
    EXPECT_EQ(RepositoriesIn({{"a/objects/k"}, {"a/refs/k"}}, as), Found{});
    EXPECT_EQ(RepositoriesIn({{"a/HEAD"}, {"b/objects/k"}, {"b/refs/k"}}, as), Found{});
  }
}

TEST(GitIndex, WhatIsRememberedOfItsEntriesIsBounded) {
  GitPartsInIndex parts;
  const std::string deep(2000, 'd');
  for (int i = 0; i < 40000 && !parts.Crowded(); ++i) parts.Note(deep + std::to_string(i) + "/HEAD", 0100644);
  EXPECT_TRUE(parts.Crowded());
  EXPECT_LT(parts.Directories().size() * deep.size(), kMaxGitDataBytes);
}

}  // namespace
}  // namespace mxc::git_index_test
