// A small process that creates the host resources of a run, and removes them when the launcher dismisses it
// or has been killed: the launcher's end of a pipe between them closes then.
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
#include "cleanup/put_back_record.h"
#include "mxc/error.h"
#include "mxc/git_snapshot.h"
#include "stdio/private_terminal.h"

namespace mxc {

// What a run creates and changes on the host.
struct HostChanges {
  std::vector<Placeholder> placeholders = {};  // placeholders.h
  std::vector<RunGroup> groups = {};           // control_groups.h
  std::optional<CallersModes> terminal = {};  // restored by the launcher, or by this process if it was killed
  std::vector<GuardedConfig> configs = {};    // guarded_configs.h
  std::vector<GuardedPath> paths = {};        // guarded_paths.h
  std::vector<Way> ways = {};  // way_rights.h; for this process only if the launcher has judged nothing
  [[nodiscard]] bool Empty() const {
    return placeholders.empty() && groups.empty() && !terminal && configs.empty() && paths.empty() &&
           ways.empty();
  }
};

// From which a later call restores, if the launcher and the cleanup process were killed.
struct RunRecords {
  ConfigRecord configs = {};
  PutBackRecord paths = {};
};

// Removes what a killed cleanup process has left, if it still has our modes and names and no other run uses
// it. To be called when every process of the sandbox has ended.
void ClearAway(const HostChanges& changes);

class CleanupProcess {
 public:
  // Creates everything in `changes`; starts no process if that is empty. Waits some seconds for a run that
  // has locked what HostChanges::paths names, and restores what a run that was killed meanwhile has left.
  // Errors: kSetupFailed, naming what could not be created, or what was restored, because the plan was made
  // before that; what was created by then is removed.
  [[nodiscard]] static Result<CleanupProcess> Start(const HostChanges& changes);

  CleanupProcess() = default;
  CleanupProcess(CleanupProcess&& other) noexcept;
  CleanupProcess& operator=(CleanupProcess&& other) noexcept;
  CleanupProcess(const CleanupProcess&) = delete;
  CleanupProcess& operator=(const CleanupProcess&) = delete;
  ~CleanupProcess() { Dismiss(); }

  // Removes nothing before `process` has ended: a process in the sandbox could otherwise create a path that
  // has just become free.
  void Watch(pid_t process) const;
  // Leaves HostChanges::configs as the command has left them.
  void KeepConfigs();
  // Restores HostChanges::paths; to be called when every process of the sandbox has ended. Reports all paths
  // that the command had changed, including those restored earlier.
  [[nodiscard]] PutBackReport PutBack();
  // Borrowed; -1 without a process. Nothing is removed as long as another process holds this open.
  [[nodiscard]] int Pipe() const { return pipe_.Get(); }
  // Borrowed: lets a process enter a control group in a scope (EnterGroup); -1: there is no scope.
  [[nodiscard]] int Admission() const { return admission_.Get(); }
  // Why a process could not enter the control group.
  [[nodiscard]] std::optional<Error> Refusal() const;
  // Waits until everything is removed; removes it itself if the cleanup process has been killed.
  void Dismiss();

 private:
  [[nodiscard]] static Result<CleanupProcess> StartOnce(const HostChanges& changes, bool& locked_out);
  // Once all is locked. Errors: kSetupFailed.
  [[nodiscard]] Status WriteRecords();

  HostChanges guarded_ = {};
  RunRecords records_ = {};
  GuardedPaths paths_ = {};
  bool restored_here_ = false;  // by the launcher
  UniqueFd pipe_;               // the cleanup process lives as long as this is open
  UniqueFd admission_;
  pid_t process_ = -1;
};

}  // namespace mxc
