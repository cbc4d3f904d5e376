// Compares files of a directory before and after a run where they cannot be held.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Text of a directory whose search was incomplete; it always counts as changed.
inline constexpr std::string_view kNotSearched = "not searched";

// Describes the file so that a change is recognised; `walked`: of `path`.
[[nodiscard]] GitSnapshot::Text DescribeFound(const std::string& path, const Result<Walked>& walked);

// A directory and its compared files.
struct ComparedFiles {
  std::string directory = {};
  std::vector<GitSnapshot::Text> files = {};
};

class ComparedSearch {
 public:
  // `skipped`: paths with an entry of their own. Borrows `host` and `walker`.
  ComparedSearch(const std::vector<std::string>& skipped, const Host& host, PathWalker& walker)
      : skipped_(skipped.begin(), skipped.end()), host_(host), walker_(walker) {}

  [[nodiscard]] std::vector<ComparedFiles> Of(const GitSnapshot::Compared& compared);
  // Whether `path`, below the directory, is among its compared files.
  [[nodiscard]] bool Takes(const GitSnapshot::Compared& compared, std::string_view path) const;

 private:
  [[nodiscard]] bool Has(const std::string& directory, std::string_view name) const;
  // A repository, or a work tree, which is reported as such if it is new.
  [[nodiscard]] bool IsRepository(const std::string& directory) const;
  [[nodiscard]] std::vector<ComparedFiles> AtTop(const std::string& directory);
  // The files of an entry of PYTHONPATH, which may be an archive of modules, or a path into one (zipimport).
  [[nodiscard]] ComparedFiles OfPython(const std::string& entry);
  // Returns all entries of `directory`.
  std::vector<DirectoryEntry> AddModules(const std::string& directory, std::string_view modules,
                                         bool in_cache, ComparedFiles& all);
  // For more than kMost files, only their number and the time of the last change.
  [[nodiscard]] ComparedFiles Below(const std::string& directory, NameFilter wanted);

  std::unordered_set<std::string> skipped_;
  const Host& host_;
  PathWalker& walker_;
};

}  // namespace mxc
