// The few keys of a git configuration that name files which git executes or obeys.
//
//   GitConfig config = ReadGitConfig("[core]\n\thooksPath = .husky\n");
//   // config.hooks_path == ".husky"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct GitConfig {
  std::string hooks_path = {};             // core.hooksPath
  std::string fsmonitor = {};              // core.fsmonitor: a program, "true" or "false"
  std::string work_tree = {};              // core.worktree
  std::vector<std::string> includes = {};  // include.path and includeIf.*.path
};

// Takes what git would reject as far as it goes.
[[nodiscard]] GitConfig ReadGitConfig(std::string_view text);

}  // namespace mxc
