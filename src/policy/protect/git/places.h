// Where git keeps something, as a search of directories meets it.
//
// `.git` by name is always a repository, whatever it holds. Any other directory is one by parts that stay
// while it is protected: `objects` and `refs`, which keep their names, or `commondir`. HEAD counts for
// nothing: git replaces it, so anybody can.
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
  bool linked = false;                  // of a linked work tree: most of it stands elsewhere
  std::vector<std::string> shape = {};  // what makes it one, beside its name
};

class GitPlaces {
 public:
  // Of files: the names that Visit is about.
  [[nodiscard]] static bool Wants(std::string_view name);
  // The directory, or a name in it, is one that Visit takes note of.
  [[nodiscard]] static bool Concerns(std::string_view directory, const std::vector<DirectoryEntry>& entries);
  // Takes note of what stands in `directory`, and leaves in `entries` what may hold further repositories.
  // git's own data, of which there is much, is noted apart. A directory with casefold may find a name that is
  // spelled with other letters than git's (`.g<U+200C>it`): `entries` has git's from then on.
  void Visit(const std::string& directory, std::vector<DirectoryEntry>& entries, const Host& host);

  void Add(WorkTree tree);
  void Add(GitDirectory directory);
  void AddOther(std::string path) { others_.insert(std::move(path)); }

  [[nodiscard]] const std::vector<WorkTree>& WorkTrees() const { return trees_; }
  [[nodiscard]] const std::vector<GitDirectory>& Directories() const { return directories_; }
  // objects, refs and the like of each `.git`.
  [[nodiscard]] const std::vector<std::string>& Data() const { return data_; }
  // Of other version control (kOtherPlaces).
  [[nodiscard]] const std::set<std::string>& Others() const { return others_; }
  // What is called `hooks` where there is no repository, as far as is known by now: `git init --bare` makes
  // one there and keeps them.
  [[nodiscard]] std::vector<std::string> StrayHooks() const;
  // Every `.git`, every directory that is one by its shape, and the others; sorted. Each with what makes it
  // one: itself, or something in it.
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
  std::unordered_set<std::string> seen_trees_ = {};                // their `.git`
  std::set<std::pair<std::string, std::string>> seen_pairs_ = {};  // and their directory: one may have two
};

// Or it cannot be told.
[[nodiscard]] inline bool MayBeThere(const Lookup& lookup) {
  return lookup.status || lookup.failure != LookupFailure::kMissing;
}
// `is` says so of one of the links on the way.
template <typename Is>
[[nodiscard]] bool LeadsThrough(const Walked& walked, const Is& is) {
  return std::any_of(walked.links.begin(), walked.links.end(),
                     [&](const LinkMet& met) { return is(met.link.path); });
}
template <typename Value>
[[nodiscard]] bool Contains(const std::vector<Value>& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}
// It is one of them, or stands below one.
template <typename Paths>
[[nodiscard]] bool IsIn(std::string_view path, const Paths& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& each) { return IsAtOrBelow(path, each); });
}

// `path` as git finds it from the directory `base`.
[[nodiscard]] std::string Against(std::string_view base, std::string_view path);
// ".git", also as file systems without case would find it.
[[nodiscard]] bool IsGitName(std::string_view name);
// The last component of `path` is such a name.
[[nodiscard]] bool IsNamedGit(std::string_view path);
// The directory of a `.git`; the repository itself where it has another name.
[[nodiscard]] std::string WorkTreeOf(const std::string& place);
// Of other version control, by its name (kOtherPlaces).
[[nodiscard]] bool IsOtherPlace(std::string_view path);
// git takes it for a repository (is_git_directory, validate_headref). A file that leads to one is believed.
[[nodiscard]] bool IsGitDirectory(const std::string& path, const Host& host);
// A file as git finds it, whole; nothing where it finds none: nothing stands there, or a directory, or the
// caller cannot get there. Errors: kConflict, with the reason, for what is there and cannot be read, now or
// ever: a file with an owner, a lock or a length that forbid it, a pipe, a link through /proc, where each
// process finds something else.
[[nodiscard]] Result<std::optional<std::string>> ReadGitFile(const std::string& path, const Host& host,
                                                             PathWalker& walker);
// What such a configuration says. Errors: the same.
[[nodiscard]] Result<std::vector<GitVariable>> ReadGitConfigFile(const std::string& path, const Host& host,
                                                                 PathWalker& walker);
// What git uses where the caller has called: what $GIT_DIR names, else the nearest `.git`, which may be a
// file; "" where there is none.
[[nodiscard]] std::string GitDirectoryOfCaller(const Host& host);
// Where a file `.git` leads; none: git takes it for none, or it cannot be read.
[[nodiscard]] std::optional<std::string> ReadGitPointer(const std::string& path, const Host& host,
                                                        PathWalker& walker);
// The path in a file `.git`; "" when git takes it for none.
[[nodiscard]] std::string_view GitDirectoryIn(std::string_view text);
// The path in a file `commondir`.
[[nodiscard]] std::string_view CommonDirectoryIn(std::string_view text);

}  // namespace mxc
