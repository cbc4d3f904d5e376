// Read-only named pipes below a read-write grant. A read-only mount does not prevent opening a pipe for
// writing, and Landlock's rights for a directory hold for all mounts below it.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Denies each pipe at or below a read-only rule that is below a read-write one. Errors: kConflict for an
// entry of the policy that names a pipe, and for a search that exceeds its bounds.
[[nodiscard]] Status DenyPipes(const Host& host, PathWalker& walker, RuleSet& rules,
                               std::vector<Warning>& warnings);

}  // namespace mxc
