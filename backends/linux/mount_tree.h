// The mount tree of a sandbox, built from the rules of a policy in one pass over the sorted paths.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

// Fills `lowered.sandbox.mounts`, `root_read_only`, `setup`, `ledger` and `warnings`.
[[nodiscard]] Status BuildMountTree(const Policy& policy, const Facts& facts, Lowered& lowered);

}  // namespace mxc::linux_backend
