// What stands on the host while a sandbox lives: placeholders and control groups, and the cleanup process
// that takes them away.
#pragma once

#include <vector>

#include "cgroup/control_groups.h"
#include "cleanup/cleanup_process.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

struct HostResources {
  HostChanges changes = {};
  CleanupProcess cleanup_process = {};  // its end takes everything away
  GroupHandles groups = {};
};

// What stays of `setup`. Errors: kSetupFailed.
[[nodiscard]] Status MakeOwnDirectories(const std::vector<SetupAction>& setup);
// What `setup` will make, under the names it will have; nothing is made yet. Errors: kSetupFailed.
[[nodiscard]] Result<HostChanges> NameGuarded(const std::vector<SetupAction>& setup);
// Errors: kSetupFailed; nothing is left behind then.
[[nodiscard]] Result<HostResources> PrepareHostResources(HostChanges changes);

}  // namespace mxc
