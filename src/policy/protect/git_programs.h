// What a configuration names and git runs or obeys: programs, hooks, templates, and where they stand.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/protect/git/config.h"
#include "policy/protect/protector.h"

namespace mxc {

// Before a path that need not exist.
inline constexpr std::string_view kOptionalPath = ":(optional)";
// Before a path below the directory that git was built for.
inline constexpr std::string_view kPrefixOfGit = "%(prefix)/";

// Of hooks, programs and templates that `variable` names, those relative to wherever git is: the top of the
// work tree, or the git directory where it is called in there, as for a push. None: too many words.
[[nodiscard]] std::optional<std::set<std::string>> PathsInTrees(const GitVariable& variable,
                                                                PathWalker& walker);

// What one or several files of configuration say.
struct GitSayings {
  std::vector<GitVariable> variables = {};   // that may execute something
  std::vector<std::string> hooks = {};       // core.hooksPath
  std::vector<std::string> work_trees = {};  // core.worktree
};

// Holds what is named. `base`: the work tree or git directory that it is relative to; "" for none.
class GitPrograms {
 public:
  // `home`: what "~" stands for.
  GitPrograms(Protector& protector, std::string home) : protector_(protector), home_(std::move(home)) {}

  void SetHome(std::string home) { home_ = std::move(home); }
  [[nodiscard]] const std::string& Home() const { return home_; }

  // Errors: kConflict, for what cannot be told.
  [[nodiscard]] Status Obey(const GitSayings& said, const std::string& base);
  [[nodiscard]] Status ProtectPrograms(const std::string& directory);
  [[nodiscard]] Status ProtectHooks(const std::string& base, std::string_view written);
  // A path of a configuration: relative to `base`, or to a home with "~".
  void ProtectNamed(const std::string& base, std::string_view written, WhenMissing missing);
  // "" for what is relative to nothing that is known.
  [[nodiscard]] std::string Expanded(const std::string& base, std::string_view written) const;
  // Directories that git may have been built for.
  [[nodiscard]] std::set<std::string> PrefixesOfGit() const;
  [[nodiscard]] Error TooManyWords() const;

  // Absolute paths of files that a command line of theirs may name.
  [[nodiscard]] const std::set<std::string>& NamedPaths() const { return named_; }
  // By work tree or git directory, what files are called that a command line names where nobody can tell.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& CalledInTrees() const { return called_; }

 private:
  [[nodiscard]] Status ObeyVariable(const GitVariable& variable, const std::string& base);
  [[nodiscard]] Status ObeyWord(const ProgramWord& word, const std::string& base);
  [[nodiscard]] Status AddNamed(const std::set<std::string>& paths, const std::string& base);
  // It is found by a path that each process may follow to something else. Errors: kConflict.
  [[nodiscard]] Status CheckPlace(const std::string& path) const;
  void ProtectProgram(const ProgramWord& word, const std::string& base, bool hold);
  [[nodiscard]] Status ProtectTemplate(const std::string& base, std::string_view written);
  [[nodiscard]] Status ProtectContents(const std::string& directory, int depth);

  Protector& protector_;
  std::string home_;
  std::set<std::string> named_ = {};
  std::size_t named_bytes_ = 0;
  std::map<std::string, std::set<std::string>> called_ = {};
};

}  // namespace mxc
