// Whether git would execute something of a command's in a repository that the command has left.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/paths.h"
#include "policy/protect/protect_git.h"

namespace mxc {

class GitJudge {
 public:
  // `roots`: the command could replace links there. `known`: paths of repositories before the run. `found`:
  // git directories after it.
  GitJudge(const Host& host, PathWalker& walker, const std::vector<std::string>& roots,
           const std::unordered_set<std::string>& known, const std::unordered_set<std::string>& found)
      : host_(host), walker_(walker), roots_(roots), known_(known), found_(found) {}

  // Whether git there might execute something that it did not execute before.
  [[nodiscard]] bool IsArmed(const std::string& place);
  // Files in its work tree that words of an earlier configuration may name.
  [[nodiscard]] std::set<std::string> WordsOf(const std::string& place);
  [[nodiscard]] std::vector<std::string> FilesOfWords(const std::string& place);

 private:
  [[nodiscard]] const Result<NamedInTrees>& NamedByCaller();
  [[nodiscard]] bool IsArmedByItself(const std::string& place);
  // Whether the caller's configuration names a file in its work tree, or in another one.
  [[nodiscard]] bool IsArmedByCaller(const std::string& place);
  [[nodiscard]] bool IsArmedDirectory(const std::string& directory);
  [[nodiscard]] bool IsArmedPointer(const std::string& file);
  // Whether git there would write into the work tree of another repository, or outside the grants.
  [[nodiscard]] bool IsArmedTree(const std::string& directory);
  // Whether git in its work tree does not change to the top directory.
  [[nodiscard]] bool IsArmedBare(const std::string& directory);
  // `place` leads to a known repository.
  [[nodiscard]] bool IsArmedWay(const std::string& place, const std::string& common);
  [[nodiscard]] bool IsHarmlessFile(const std::string& file) const;
  template <typename Is>
  [[nodiscard]] bool Runs(const std::string& git_directory, std::span<const char* const> files, const Is& is);
  [[nodiscard]] bool RunsRelativePaths(const std::string& git_directory);
  // Whether a file that this configuration names exists in `tree`, a work tree of the command's or a git
  // directory.
  [[nodiscard]] bool RunsOf(const std::string& git_directory, const std::string& tree);
  [[nodiscard]] bool IsThere(const std::string& path) const;
  // Absent if it leads nowhere, or through a link that the command could replace later.
  [[nodiscard]] std::optional<std::string> Follow(const std::string& path);
  // Whether it holds other files than those with this suffix; "": any file.
  [[nodiscard]] bool HoldsOthers(const std::string& directory, std::string_view harmless = {}) const;
  [[nodiscard]] std::optional<std::string> CommonOf(const std::string& git_directory);

  const Host& host_;
  PathWalker& walker_;
  const std::vector<std::string>& roots_;
  const std::unordered_set<std::string>& known_;
  const std::unordered_set<std::string>& found_;
  std::optional<Result<NamedInTrees>> named_ = {};  // by the caller's configuration, everywhere
};

}  // namespace mxc
