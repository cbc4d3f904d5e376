// What is compared before a run and after it where nothing can be held: the files of a directory, or some of
// them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Of a directory that was not searched to its end: it differs from itself.
inline constexpr std::string_view kNotSearched = "not searched";

// What tells the file from another; `walked`: of `path`.
[[nodiscard]] GitSnapshot::Text DescribeFound(const std::string& path, const Result<Walked>& walked);

// One directory of which files are compared, and those.
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
  // Whether `path`, which stands below the directory, is compared with it.
  [[nodiscard]] bool Takes(const GitSnapshot::Compared& compared, std::string_view path) const;

 private:
  [[nodiscard]] bool Has(const std::string& directory, std::string_view name) const;
  // A repository, or a work tree: what is new there is told as one.
  [[nodiscard]] bool IsRepository(const std::string& directory) const;
  [[nodiscard]] std::vector<ComparedFiles> AtTop(const std::string& directory);
  // Of an entry of PYTHONPATH, which may be a file, or lead into one: an archive of modules (zipimport).
  [[nodiscard]] ComparedFiles OfPython(const std::string& entry);
  // Returns what else stands there.
  std::vector<DirectoryEntry> AddModules(const std::string& directory, std::string_view modules,
                                         bool in_cache, ComparedFiles& all);
  // Of more than kMost files, only how many there are and when the last one was made or changed.
  [[nodiscard]] ComparedFiles Below(const std::string& directory, NameFilter wanted);

  std::unordered_set<std::string> skipped_;
  const Host& host_;
  PathWalker& walker_;
};

}  // namespace mxc
