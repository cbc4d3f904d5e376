// Lowers the resource limits of a Policy to control groups, rlimits and sizes of tmpfs.
#pragma once

#include "backends/linux/lower.h"

namespace mxc::linux_backend {

struct LoweredLimits {
  ProcessLimits processes = {};
  std::vector<ControlGroup> groups = {};
  std::vector<Enforcement> ledger = {};
};

// Sets the sizes of the tmpfs of /tmp and /dev/shm in `mounts`. Errors: kUnenforceable, with the pointer of
// the limit, if this host has no mechanism for it.
[[nodiscard]] Result<LoweredLimits> LowerLimits(const Policy& policy, const Facts& facts,
                                                std::vector<MountNode>& mounts);

}  // namespace mxc::linux_backend
