// The Landlock layer of a sandbox that another tool has mounted, built from the kernel's list of its mounts.
#pragma once

#include "engine/landlock.h"

namespace mxc::engine {

// Allows reading below the root, and writing below each writable mount. `own`: a descriptor of this process's
// directory in a /proc. Returns -1 and sets errno if the list or the root cannot be read, or the kernel
// refuses a rule.
[[nodiscard]] int AllowMounted(const LandlockRules& rules, int own);

}  // namespace mxc::engine
