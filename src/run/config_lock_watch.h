// Finds out whether somebody tried to write a protected git configuration: git, and every library for it,
// first creates "config.lock" beside it, and fails at the rename. An inotify watch records the names that are
// created; it is read when the run has ended.
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
  // A directory for which the kernel has no watch left is skipped: nothing relies on the answer.
  [[nodiscard]] static ConfigLockWatch Start(const GitSnapshot& before);

  // Configurations that somebody tried to write since the last call, sorted.
  [[nodiscard]] std::vector<std::string> Tried();

 private:
  UniqueFd events_ = {};
  std::map<int, std::string> directories_ = {};  // by watch
};

}  // namespace mxc
