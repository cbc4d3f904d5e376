// Lowers the rules of a policy to folders that the virtual machine shares with the host.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows/sandbox_run.h"

namespace mxc::windows_sandbox {

// A folder has the same path on both sides. Errors: kConflict for a file, for paths of the machine itself
// (the root of a drive, Windows), and for another drive than C:, the machine's only one. kUnenforceable for a
// folder in another one, and for a denied path in, at or above one, because a folder is shared as a whole.
[[nodiscard]] Result<std::vector<MappedFolder>> FoldersFor(const std::vector<PathRule>& rules);

}  // namespace mxc::windows_sandbox
