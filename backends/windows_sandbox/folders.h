// The rules of a policy as folders that the machine shares with the host.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows/sandbox_run.h"

namespace mxc::windows_sandbox {

// A folder stands at the same path on both sides. Errors: kConflict for a file, for what the machine has of
// its own (the root of a drive, Windows) and for another drive than C:, the only one it has. kUnenforceable
// for a folder in another one, and for a denied path in, at or above one: a folder is shared as a whole.
[[nodiscard]] Result<std::vector<MappedFolder>> FoldersFor(const std::vector<PathRule>& rules);

}  // namespace mxc::windows_sandbox
