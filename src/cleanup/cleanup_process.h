// A small process that makes what a run needs on the host and takes it away again, when we dismiss it or when
// we have been killed: it sees the other end of its pipe close.
//
//   HostChanges changes{.placeholders = paths, .groups = NameGroups(plan.setup)};
//   Result<CleanupProcess> cleanup = CleanupProcess::Start(changes);
//   cleanup->Watch(child.id);
//   cleanup->Dismiss();
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cgroup/control_groups.h"
#include "cleanup/config_record.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_paths.h"
#include "mxc/error.h"
#include "stdio/private_terminal.h"

namespace mxc {

// What stands on the host for the time of a run, and what is changed.
struct HostChanges {
  std::vector<Placeholder> placeholders = {};  // placeholders.h
  std::vector<RunGroup> groups = {};           // control_groups.h
  std::optional<CallersModes> terminal = {};   // whose modes we take back ourselves while we live
  std::vector<GuardedConfig> configs = {};     // guarded_configs.h
  std::vector<GuardedPath> paths = {};         // guarded_paths.h
  [[nodiscard]] bool Empty() const {
    return placeholders.empty() && groups.empty() && !terminal && configs.empty() && paths.empty();
  }
};

// Takes away what a cleanup process that was killed has left, once nothing of the sandbox lives any more:
// what still bears our marks and is in no other run's use.
void ClearAway(const HostChanges& changes);

class CleanupProcess {
 public:
  // When this returns, everything stands; nothing guarded needs no process. Waits some seconds for a run that
  // has locked what HostChanges::paths names. Errors: kSetupFailed, naming what could not be made; nothing is
  // left behind then.
  [[nodiscard]] static Result<CleanupProcess> Start(const HostChanges& changes);

  CleanupProcess() = default;
  CleanupProcess(CleanupProcess&& other) noexcept;
  CleanupProcess& operator=(CleanupProcess&& other) noexcept;
  CleanupProcess(const CleanupProcess&) = delete;
  CleanupProcess& operator=(const CleanupProcess&) = delete;
  ~CleanupProcess() { Dismiss(); }

  // Nothing is removed before these have ended: a path must not become free while something in the sandbox
  // could still create it.
  void Watch(pid_t process) const;
  // What the command has left in HostChanges::configs stays as it is.
  void KeepConfigs();
  // When nothing of the sandbox lives any more: all HostChanges::paths are what they were. Those that the
  // command had changed, also before.
  [[nodiscard]] PutBackReport PutBack();
  // Borrowed; -1 when nothing is guarded. Nothing is removed either while somebody else holds this open.
  [[nodiscard]] int Pipe() const { return pipe_.Get(); }
  // Borrowed: for processes that want into a group in a scope (EnterGroup); -1 when there is none.
  [[nodiscard]] int Admission() const { return admission_.Get(); }
  // Why one was not let in.
  [[nodiscard]] std::optional<Error> Refusal() const;
  // Waits until everything is removed; does that itself where the cleanup process has been killed.
  void Dismiss();

 private:
  [[nodiscard]] static Result<CleanupProcess> StartOnce(const HostChanges& changes, bool& locked_out);

  HostChanges guarded_ = {};
  ConfigRecord record_ = {};
  GuardedPaths paths_ = {};
  UniqueFd pipe_;  // the cleanup process lives as long as this is open
  UniqueFd admission_;
  pid_t process_ = -1;
};

}  // namespace mxc
