// Named pipes that are to be read-only below a read-write grant. A read-only mount does not keep a pipe from
// being opened for writing, and what Landlock grants for a directory holds for all that is mounted below it.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Denies each that stands at or below a read-only rule that is itself below a read-write one. Errors:
// kConflict, for an entry of the policy that names one, and for a search that does not come to its end.
[[nodiscard]] Status DenyPipes(const Host& host, PathWalker& walker, RuleSet& rules,
                               std::vector<Warning>& warnings);

}  // namespace mxc
