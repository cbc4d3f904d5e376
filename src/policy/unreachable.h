// Directories of other users that nobody else may enter. In the sandbox, root has no privileges over them:
// neither the command nor the set-up of the sandbox can traverse them, and nothing can be mounted below.
#pragma once

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Denies each such directory below a grant that has a rule or a mount in it, as a whole: what is denied,
// read-only or protected there stays out of reach even if its owner opens the directory to others meanwhile.
// `rules` must be complete. Only for root; does nothing without a mount namespace. `launcher_copies`: paths
// below such a directory can be granted. Errors: kConflict for a grant that is such a directory and holds
// rules, or is below one that cannot be traversed.
[[nodiscard]] Status DenyUnreachable(const Host& host, Containment containment, bool launcher_copies,
                                     const MountNames& names, PathWalker& walker, RuleSet& rules);

}  // namespace mxc
