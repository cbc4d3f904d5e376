// Finds out whether somebody tried to write a protected git configuration, or to remove a repository. git,
// and every library for it, first creates "config.lock" beside a configuration, and fails at the rename. Of a
// git directory all can be removed but what is held; HEAD, which git only ever replaces, is gone then. An
// inotify watch records the names that are created and removed; it is read when the run has ended.
//
//   ConfigLockWatch watch = ConfigLockWatch::Start(plan.git);
//   ... the run ...
//   for (const std::string& path : watch.Tried()) ...
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

  // Configurations that somebody tried to write since the last call, and each HEAD that was removed, sorted.
  [[nodiscard]] std::vector<std::string> Tried();

 private:
  UniqueFd events_ = {};
  std::map<int, std::string> directories_ = {};  // by watch
};

}  // namespace mxc
