// The control groups of a run: the cleanup process makes and removes them, the child enters them, the
// launcher reads what they have counted.
//
//   Result<std::vector<RunGroup>> groups = NameGroups(plan.setup);
//   ... the cleanup process makes them ...
//   Result<GroupHandles> handles = GroupHandles::Open(*groups, admission);
//   ... the child writes "0" to each of handles->Entrances() ...
//   std::vector<Resource> reached = ReachedIn(*groups);
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cgroup/run_group.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/resource.h"

namespace mxc {

// One for each ControlGroup of `setup`, under a random name.
[[nodiscard]] Result<std::vector<RunGroup>> NameGroups(const std::vector<SetupAction>& setup);

// ---- the cleanup process's part: control_groups_linux.cc -----------------------------------------------

// A group with our lock on it. The lock tells everybody that the group is in use, also while it is empty.
struct MadeGroup {
  const RunGroup* group = nullptr;  // borrowed
  UniqueFd lock = {};
};

struct GroupFailure {
  static constexpr std::size_t kNoSetting = ~std::size_t{0};
  std::size_t group = 0;
  std::size_t setting = kNoSetting;  // of the plan; kNoSetting: the group itself could not be made
};

// All but those in a scope. Stops at the first thing that fails, and leaves errno.
[[nodiscard]] std::optional<GroupFailure> MakeGroups(const std::vector<RunGroup>& groups,
                                                     std::vector<MadeGroup>& made);
[[nodiscard]] Error GroupError(const std::vector<RunGroup>& groups, const GroupFailure& failure, int number);
// Moves a process into the group in a scope. An ordinary caller may move nobody out of the session it has
// logged in to: systemd does it, for a scope that begins with this process in it. So the first to come finds
// no scope yet; the calling process gets into it too, and keeps it alive. Errors: kSetupFailed.
[[nodiscard]] Status AdmitToScope(const std::vector<RunGroup>& groups, pid_t process,
                                  std::vector<MadeGroup>& made);
// Kills what is in them. A sandbox that was killed while it was being set up may not be tied together yet.
void EndGroups(const std::vector<MadeGroup>& made);
void RemoveGroups(const std::vector<MadeGroup>& made);
// Removes these, if they are groups of runs, empty and locked by nobody. Only their directories are looked
// at.
void RemoveLeftGroups(const std::vector<RunGroup>& groups);
// Removes groups of runs whose cleanup process was killed: empty, and locked by nobody.
void ReapStaleGroups(const std::vector<RunGroup>& groups);

// ---- the launcher's part: cgroup_handles_linux.cc --------------------------------------------------------

class GroupHandles {
 public:
  // `admission` is borrowed: CleanupProcess::Admission. Errors: kSetupFailed, naming the file.
  [[nodiscard]] static Result<GroupHandles> Open(const std::vector<RunGroup>& groups, int admission);

  // Borrowed, for EnterGroup.
  [[nodiscard]] std::vector<int> Entrances() const;
  // The same without the group that clone3 can create a process in, of version 2: its directory, or -1.
  [[nodiscard]] std::vector<int> OtherEntrances() const;
  [[nodiscard]] int UnifiedDirectory() const { return unified_directory_.Get(); }

 private:
  std::vector<UniqueFd> others_ = {};
  UniqueFd unified_ = {};
  UniqueFd unified_directory_ = {};
};

// How often each limit has taken effect so far, of those that the kernel counts.
using ReachCounts = std::vector<std::uint64_t>;
[[nodiscard]] ReachCounts CountReached(const std::vector<RunGroup>& groups);
// Limits that have taken effect since `before`; empty: at all.
[[nodiscard]] std::vector<Resource> ReachedIn(const std::vector<RunGroup>& groups,
                                              const ReachCounts& before = {});
// Processor time of everything that is or was in the groups; 0 when none of them counts it.
[[nodiscard]] std::uint64_t CpuTimeMs(const std::vector<RunGroup>& groups);

}  // namespace mxc
