// ProcessLimits as the kernel takes them.
#pragma once

#include <sys/resource.h>

#include <vector>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

struct LimitValue {
  decltype(RLIMIT_CORE) which = RLIMIT_CORE;
  rlimit value = {};
};

// To be set in the child. Never above what the caller has: only root could raise that, and nobody asked for
// it.
[[nodiscard]] std::vector<LimitValue> LimitsOf(const ProcessLimits& limits);

}  // namespace mxc
