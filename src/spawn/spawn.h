// Starts the child of a run. Everything is prepared before the process is created; between its creation and
// execve there are only system calls.
//
//   Result<ChildProcess> child = Spawn(request);
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

struct ChildProcess {
  pid_t id = -1;
  UniqueFd handle = {};  // pidfd: readable when the process has ended; waiting on it reaps the process
  UniqueFd report = {};  // if set: becomes readable when the command has ended, before `handle` does
  [[nodiscard]] const UniqueFd& End() const { return report ? report : handle; }
};

struct SpawnRequest {
  const Exec& exec;
  const std::vector<UniqueFd>& files;  // opened exec.files
  rlimit open_files = {};              // RLIMIT_NOFILE of the child
  // Borrowed descriptors that become 0, 1 and 2; -1: inherited as they are.
  std::array<int, 3> standard = {-1, -1, -1};
  int controlling_terminal = -1;  // borrowed; becomes the controlling terminal of a new session
  bool ignores_keys = false;  // ignores SIGINT, SIGQUIT and SIGTSTP: they are for the command, not its tool
  // Borrowed: the child writes its process group here if it leads a new session (ProcessGroupGuard::Group).
  std::atomic<pid_t>* group = nullptr;
  // Control groups: the child enters each (EnterGroup) before it executes anything; borrowed.
  std::vector<int> group_entrances = {};
  // Runs the child in a mount namespace without /sys/fs/cgroup, so that a tool creates no control groups. For
  // root only: an ordinary caller's tool can create none, or only in the caller's own.
  bool without_control_groups = false;
};

// A null-terminated array of pointers into `strings`, which must outlive it.
[[nodiscard]] std::vector<char*> Pointers(std::vector<std::string>& strings);

// The child has an empty signal mask, default dispositions, no descriptor but 0, 1, 2 and `files`, and dies
// with the calling thread. Errors: kSetupFailed, naming the step that failed.
[[nodiscard]] Result<ChildProcess> Spawn(const SpawnRequest& request);

}  // namespace mxc
