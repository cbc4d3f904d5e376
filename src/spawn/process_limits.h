// ProcessLimits as arguments of setrlimit(2).
#pragma once

#include <sys/resource.h>

#include <vector>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

struct LimitValue {
  decltype(RLIMIT_CORE) which = RLIMIT_CORE;
  rlimit value = {};
};

// The limits to set in the child, never above the caller's own: only root could raise those.
[[nodiscard]] std::vector<LimitValue> LimitsOf(const ProcessLimits& limits);

}  // namespace mxc
