// What our own engine needs of this machine, wherever its namespaces come from.
#pragma once

#include "mxc/backend.h"

namespace mxc::linux_backend {

// Looks only: what forbids the engine on known systems can be read.
[[nodiscard]] Support LookForEngine(const Host& host);

}  // namespace mxc::linux_backend
