// The resource limits of a Policy as control groups, rlimits and sizes of tmpfs.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

struct LoweredLimits {
  ProcessLimits processes = {};
  std::vector<ControlGroup> groups = {};
  std::vector<Enforcement> ledger = {};
};

// Sizes the tmpfs of /tmp and /dev/shm among `mounts`. Errors: kUnenforceable, with the pointer of the limit,
// for what this host has no mechanism for.
[[nodiscard]] Result<LoweredLimits> LowerLimits(const Policy& policy, const Facts& facts,
                                                std::vector<MountNode>& mounts);

}  // namespace mxc::linux_backend
