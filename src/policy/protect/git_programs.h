// Programs, hooks and templates that a configuration names, and their paths.
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

// Prefix of a path that need not exist.
inline constexpr std::string_view kOptionalPath = ":(optional)";
// Prefix of a path below git's installation directory.
inline constexpr std::string_view kPrefixOfGit = "%(prefix)/";

// The hooks, programs and templates of `variable` with paths relative to git's current directory: the top of
// the work tree, or the git directory if it is called there, as for a push. Absent: too many words.
[[nodiscard]] std::optional<std::set<std::string>> PathsInTrees(const GitVariable& variable,
                                                                PathWalker& walker);

// The contents of one or several configuration files.
struct GitSayings {
  std::vector<GitVariable> variables = {};   // that may execute something
  std::vector<std::string> hooks = {};       // core.hooksPath
  std::vector<std::string> work_trees = {};  // core.worktree
};

// Protects the named files. `base`: the work tree or git directory to which paths are relative; "" for none.
class GitPrograms {
 public:
  // `home`: the expansion of "~".
  GitPrograms(Protector& protector, std::string home) : protector_(protector), home_(std::move(home)) {}

  void SetHome(std::string home) { home_ = std::move(home); }
  [[nodiscard]] const std::string& Home() const { return home_; }

  // Errors: kConflict for files that cannot be determined.
  [[nodiscard]] Status Obey(const GitSayings& said, const std::string& base);
  [[nodiscard]] Status ProtectPrograms(const std::string& directory);
  [[nodiscard]] Status ProtectHooks(const std::string& base, std::string_view written);
  // A path of a configuration: relative to `base`, or to a home with "~".
  void ProtectNamed(const std::string& base, std::string_view written, WhenMissing missing);
  // "" if it is relative to an unknown directory.
  [[nodiscard]] std::string Expanded(const std::string& base, std::string_view written) const;
  // Directories in which git may be installed.
  [[nodiscard]] std::set<std::string> PrefixesOfGit() const;
  [[nodiscard]] Error TooManyWords() const;

  // Absolute paths of files that command lines may name.
  [[nodiscard]] const std::set<std::string>& NamedPaths() const { return named_; }
  // By work tree or git directory, names of files that a command line names in an unknown directory.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& CalledInTrees() const { return called_; }

 private:
  [[nodiscard]] Status ObeyVariable(const GitVariable& variable, const std::string& base);
  [[nodiscard]] Status ObeyWord(const ProgramWord& word, const std::string& base);
  [[nodiscard]] Status AddNamed(const std::set<std::string>& paths, const std::string& base);
  // Errors: kConflict if the target of the path depends on the process.
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
