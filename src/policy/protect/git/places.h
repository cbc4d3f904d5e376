// Collects git's places during a search of directories.
//
// A `.git` always counts as a repository, whatever it contains. Any other directory counts by parts that
// protection can hold: `objects` and `refs`, which keep their names, or `commondir`. HEAD does not count: git
// replaces it, so the command can as well.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/layout.h"

namespace mxc {

struct WorkTree {
  std::string directory = {};
  std::string git = {};  // its .git
  FileType type = FileType::kDirectory;
};

struct GitDirectory {
  std::string path = {};
  bool linked = false;                  // of a linked work tree, most of whose data is elsewhere
  std::vector<std::string> shape = {};  // the parts that make it one, apart from its name
};

class GitPlaces {
 public:
  // Whether Visit needs files of this name.
  [[nodiscard]] static bool Wants(std::string_view name);
  // Whether Visit would note the directory, or a name in it.
  [[nodiscard]] static bool Concerns(std::string_view directory, const std::vector<DirectoryEntry>& entries);
  // Notes git's places in `directory`, and leaves in `entries` the directories that may contain further
  // repositories. git's own data, which is large, is noted separately. A casefolding directory may find git's
  // names by other spellings (`.g<U+200C>it`): Visit changes them in `entries` to git's.
  void Visit(const std::string& directory, std::vector<DirectoryEntry>& entries, const Host& host);

  void Add(WorkTree tree);
  void Add(GitDirectory directory);
  void AddOther(std::string path) { others_.insert(std::move(path)); }

  [[nodiscard]] const std::vector<WorkTree>& WorkTrees() const { return trees_; }
  [[nodiscard]] const std::vector<GitDirectory>& Directories() const { return directories_; }
  // The directories objects, refs and the like of each `.git`.
  [[nodiscard]] const std::vector<std::string>& Data() const { return data_; }
  // Places of other version control (kOtherPlaces).
  [[nodiscard]] const std::set<std::string>& Others() const { return others_; }
  // Directories named `hooks` outside the repositories noted so far: `git init --bare` creates one there and
  // keeps them.
  [[nodiscard]] std::vector<std::string> StrayHooks() const;
  // Every `.git`, every directory that is one by its parts, and the others; sorted. Each with the part that
  // makes it one: itself, or a file in it.
  struct Named {
    std::string path = {};
    std::string part = {};
  };
  [[nodiscard]] std::vector<Named> All() const;

 private:
  std::vector<WorkTree> trees_ = {};
  std::vector<GitDirectory> directories_ = {};
  std::vector<std::string> data_ = {};
  std::vector<std::string> hooks_ = {};
  std::set<std::string> others_ = {};
  std::unordered_set<std::string> seen_ = {};
  std::unordered_set<std::string> seen_trees_ = {};  // their `.git`
  std::set<std::pair<std::string, std::string>> seen_pairs_ =
      {};  // and their work trees: a `.git` may have two
};

// True also if it cannot be determined.
[[nodiscard]] inline bool MayBeThere(const Lookup& lookup) {
  return lookup.status || lookup.failure != LookupFailure::kMissing;
}
// Whether `is` holds for one of the links on the way.
template <typename Is>
[[nodiscard]] bool LeadsThrough(const Walked& walked, const Is& is) {
  return std::any_of(walked.links.begin(), walked.links.end(),
                     [&](const LinkMet& met) { return is(met.link.path); });
}
template <typename Value>
[[nodiscard]] bool Contains(const std::vector<Value>& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}
// Whether it is one of them, or below one.
template <typename Paths>
[[nodiscard]] bool IsIn(std::string_view path, const Paths& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& each) { return IsAtOrBelow(path, each); });
}

// `path`, resolved from the directory `base`.
[[nodiscard]] std::string Against(std::string_view base, std::string_view path);
// Whether it is ".git", also in the spellings of case-insensitive file systems.
[[nodiscard]] bool IsGitName(std::string_view name);
// Whether the last component of `path` is such a name.
[[nodiscard]] bool IsNamedGit(std::string_view path);
// The parent of a `.git`; a repository with another name itself.
[[nodiscard]] std::string WorkTreeOf(const std::string& place);
// Whether it is a place of other version control, by its name (kOtherPlaces).
[[nodiscard]] bool IsOtherPlace(std::string_view path);
// Whether git takes it for a repository (is_git_directory, validate_headref). A regular file counts without
// a check.
[[nodiscard]] bool IsGitDirectory(const std::string& path, const Host& host);
// The whole text of a file; absent if git would find none: it is missing, a directory, or out of the caller's
// reach. Errors: kConflict, with the reason, for an existing file that cannot be read: because of its owner,
// a lock or its length, a pipe, or a link through /proc, whose target depends on the process.
[[nodiscard]] Result<std::optional<std::string>> ReadGitFile(const std::string& path, const Host& host,
                                                             PathWalker& walker);
// The variables of such a configuration. Errors: the same.
[[nodiscard]] Result<std::vector<GitVariable>> ReadGitConfigFile(const std::string& path, const Host& host,
                                                                 PathWalker& walker);
// The git directory for the caller's working directory: $GIT_DIR, else the nearest `.git`, which may be a
// file; "" if there is none.
[[nodiscard]] std::string GitDirectoryOfCaller(const Host& host);
// The target of a file `.git`; absent: git ignores it, or it cannot be read.
[[nodiscard]] std::optional<std::string> ReadGitPointer(const std::string& path, const Host& host,
                                                        PathWalker& walker);
// The path in a file `.git`; "" if git ignores it.
[[nodiscard]] std::string_view GitDirectoryIn(std::string_view text);
// The path in a file `commondir`.
[[nodiscard]] std::string_view CommonDirectoryIn(std::string_view text);

}  // namespace mxc
