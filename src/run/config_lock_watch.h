// Whether somebody has begun to write a configuration of git's that is held: git, and every library for it,
// makes "config.lock" beside it first, and fails when it renames that. The kernel notes the names that are
// made, and is asked when the run has ended.
//
//   ConfigLockWatch watch = ConfigLockWatch::Start(plan.git);
//   ... the run ...
//   for (const std::string& config : watch.Tried()) ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/git_snapshot.h"

namespace mxc {

class ConfigLockWatch {
 public:
  // What the kernel has no watch for is not told of: nothing relies on it.
  [[nodiscard]] static ConfigLockWatch Start(const GitSnapshot& before);

  // Configurations that were to be written since, sorted. Once.
  [[nodiscard]] std::vector<std::string> Tried();

 private:
  UniqueFd events_ = {};
  std::map<int, std::string> directories_ = {};  // by watch
};

}  // namespace mxc
