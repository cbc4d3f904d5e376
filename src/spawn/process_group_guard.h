// Kills a tool and its children when the launcher has been killed.
//
//   Result<ProcessGroupGuard> guard = ProcessGroupGuard::Start(cleanup_process.Pipe());
//   Spawn({..., .group = guard->Group()});
//   guard->Dismiss();                                   // once the whole group has ended
//
// A tool that dies with its launcher leaves behind those of its children that have not yet tied themselves to
// it: bwrap's child first waits for a word of bwrap's, and would wait for ever. It shares the tool's process
// group, but the kernel lets no signal of its own kill process 1 of a namespace, so a process has to do it.
//
// It keeps the cleanup process from removing anything before: a tool that still lives makes what it misses,
// on the host.
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

  // Where the tool's process group is to be written, by the tool's process itself before it starts anything.
  // Borrowed; nullptr when nothing is guarded.
  [[nodiscard]] std::atomic<pid_t>* Group() const;
  void Kill() const;  // the group, now
  // The guard ends, and whatever is left of the group is let live. Release does not wait for that, and Kill
  // can still be called.
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
