// The Landlock layer of a sandbox that another tool has mounted, from the kernel's own list of its mounts.
#pragma once

#include "engine/landlock.h"

namespace mxc::engine {

// Reading below the root, and writing below each mount that is writable. `own`: our directory of a /proc.
// Returns -1 and sets errno when the list or the root cannot be read, or the kernel refuses a rule.
[[nodiscard]] int AllowMounted(const LandlockRules& rules, int own);

}  // namespace mxc::engine
