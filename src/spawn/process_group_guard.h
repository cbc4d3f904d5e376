// Kills a tool and its children when the launcher has been killed.
//
//   Result<ProcessGroupGuard> guard = ProcessGroupGuard::Start(cleanup_process.Pipe());
//   Spawn({..., .group = guard->Group()});
//   guard->Dismiss();                                   // once the whole group has ended
//
// A tool that dies with its launcher leaves behind children that have not yet set their parent-death signal:
// bwrap's child first waits for a message of bwrap's, and would wait for ever. It is in the tool's process
// group, but a signal that the kernel sends there does not kill process 1 of a namespace; a process must.
//
// The guard keeps the cleanup process from removing anything before: a tool that still lives would create
// missing files on the host.
#pragma once

#include <sys/types.h>

#include <atomic>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

class ProcessGroupGuard {
 public:
  // Before the tool is started. `held` is borrowed, or -1: a descriptor that stays open until the group is
  // gone. Errors: kSetupFailed.
  [[nodiscard]] static Result<ProcessGroupGuard> Start(int held);

  ProcessGroupGuard() = default;  // guards nothing
  ProcessGroupGuard(ProcessGroupGuard&& other) noexcept;
  ProcessGroupGuard& operator=(ProcessGroupGuard&& other) noexcept;
  ProcessGroupGuard(const ProcessGroupGuard&) = delete;
  ProcessGroupGuard& operator=(const ProcessGroupGuard&) = delete;
  ~ProcessGroupGuard() { Dismiss(); }

  // The tool's process writes its process group here before it starts anything. Borrowed; nullptr if nothing
  // is guarded.
  [[nodiscard]] std::atomic<pid_t>* Group() const;
  void Kill() const;  // the group, now
  // Both end the guard and let the group live. Release does not wait for the guard, and Kill can still be
  // called.
  void Release();
  void Dismiss();

 private:
  struct Shared;
  static int Main(void* argument);

  Shared* shared_ = nullptr;
  UniqueFd pipe_;  // the guard acts when this closes
  pid_t process_ = -1;
};

}  // namespace mxc
