// What exists on the host while a sandbox lives: placeholders and control groups, and the cleanup process
// that removes them.
#pragma once

#include <vector>

#include "cgroup/control_groups.h"
#include "cleanup/cleanup_process.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

struct HostResources {
  HostChanges changes = {};
  CleanupProcess cleanup_process = {};  // the destructor removes everything
  GroupHandles groups = {};
};

// Creates the OwnDirectories of `setup`, which stay after the run. Errors: kSetupFailed.
[[nodiscard]] Status MakeOwnDirectories(const std::vector<SetupAction>& setup);
// The placeholders and control groups of `setup`, under their final names; creates nothing. Errors:
// kSetupFailed.
[[nodiscard]] Result<HostChanges> NameGuarded(const std::vector<SetupAction>& setup);
// Creates them. Errors: kSetupFailed; nothing is left behind then.
[[nodiscard]] Result<HostResources> PrepareHostResources(HostChanges changes);

}  // namespace mxc
