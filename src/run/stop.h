// Signals to a running command, and ending a run before it ends by itself: a signal to everything the command
// started, a grace period, then SIGKILL of the whole tree.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "run/reporting.h"
#include "spawn/process_group_guard.h"
#include "spawn/spawn.h"

namespace mxc {

// The processes of a run. With a sandbox its process 1 holds them together: when it dies, the kernel kills
// the rest. Without one we are the subreaper, so that a daemon does not escape by losing its parent.
class RunTree {
 public:
  // Before the child is started, so that none of its orphans gets away.
  explicit RunTree(Reporting reporting);
  ~RunTree();
  RunTree(const RunTree&) = delete;
  RunTree& operator=(const RunTree&) = delete;

  // `child` is borrowed; `guard` is that of its process group, if it has one.
  void Follow(const ChildProcess& child, ProcessGroupGuard guard = {}) {
    child_ = &child;
    guard_ = std::move(guard);
  }
  // Process 1 of the sandbox, where it is the child's child; a number that is not the child's child is
  // ignored.
  void FoundSandbox(pid_t process);
  [[nodiscard]] int SandboxHandle() const { return sandbox_.Get(); }  // borrowed pidfd, or -1
  void SandboxEnded() { sandbox_.Reset(); }
  // The tool has said how the command ended: each of its children is tied to it by now.
  void CommandEnded() { guard_.Release(); }

  // Asks everything the command has started to end, by `number`. False when there is nothing to ask: the
  // sandbox has no command yet.
  [[nodiscard]] bool Terminate(int number) const;
  // Whether a terminal that signals our process group signals the command as well.
  [[nodiscard]] bool SharesProcessGroup() const { return reporting_ == Reporting::kExitStatus; }
  // To the command alone, if it runs.
  void SignalCommand(int number) const;
  void Kill() const;
  void Continue() const;  // the command, which is stopped; of our engine
  // After the child has ended: ends what is left, and waits for what has become ours.
  void Finish();

 private:
  // Without a pid namespace what loses its parent becomes ours.
  [[nodiscard]] bool Adopts() const {
    return reporting_ == Reporting::kExitStatus || reporting_ == Reporting::kSupervisor;
  }
  // Process 1 of the sandbox is the child's child.
  [[nodiscard]] bool HasSandboxBelow() const {
    return reporting_ == Reporting::kStatusPipe || reporting_ == Reporting::kContainer;
  }
  [[nodiscard]] std::vector<pid_t> Adopted() const;

  const ChildProcess* child_ = nullptr;
  Reporting reporting_;
  ProcessGroupGuard guard_;
  UniqueFd sandbox_;
  pid_t sandbox_id_ = -1;
  std::vector<pid_t> earlier_;  // our children from before the run
  int was_subreaper_ = 0;
};

}  // namespace mxc
