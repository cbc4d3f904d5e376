// Whether git would run something of a command's in a repository that the command has left.
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
  // `roots`: the command could turn links there. `known`: paths of existing repositories. `found`: git
  // directories of after.
  GitJudge(const Host& host, PathWalker& walker, const std::vector<std::string>& roots,
           const std::unordered_set<std::string>& known, const std::unordered_set<std::string>& found)
      : host_(host), walker_(walker), roots_(roots), known_(known), found_(found) {}

  // git there might run what it did not run before.
  [[nodiscard]] bool IsArmed(const std::string& place);
  // Files in its work tree that words of a configuration of before may mean.
  [[nodiscard]] std::set<std::string> WordsOf(const std::string& place);
  [[nodiscard]] std::vector<std::string> FilesOfWords(const std::string& place);

 private:
  [[nodiscard]] const Result<NamedInTrees>& NamedByCaller();
  [[nodiscard]] bool IsArmedByItself(const std::string& place);
  // The caller's configuration names something in its work tree, or in one that is somewhere else.
  [[nodiscard]] bool IsArmedByCaller(const std::string& place);
  [[nodiscard]] bool IsArmedDirectory(const std::string& directory);
  [[nodiscard]] bool IsArmedPointer(const std::string& file);
  // git there would write into a work tree that is another's, or that stands outside of the grants.
  [[nodiscard]] bool IsArmedTree(const std::string& directory);
  // git in its work tree stays in the directory where it is called.
  [[nodiscard]] bool IsArmedBare(const std::string& directory);
  // `place` leads to what is known.
  [[nodiscard]] bool IsArmedWay(const std::string& place, const std::string& common);
  [[nodiscard]] bool IsHarmlessFile(const std::string& file) const;
  template <typename Is>
  [[nodiscard]] bool Runs(const std::string& git_directory, std::span<const char* const> files, const Is& is);
  [[nodiscard]] bool RunsRelativePaths(const std::string& git_directory);
  // What that configuration names is there, in a work tree of the command's or a git directory.
  [[nodiscard]] bool RunsOf(const std::string& git_directory, const std::string& tree);
  [[nodiscard]] bool IsThere(const std::string& path) const;
  // None when that leads nowhere, or by a link that the command could turn later.
  [[nodiscard]] std::optional<std::string> Follow(const std::string& path);
  // More than files whose names end so; "": than nothing.
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
