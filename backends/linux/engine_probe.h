// Finds out whether our own engine can run here, whoever creates its namespaces.
#pragma once

#include "mxc/backend.h"

namespace mxc::linux_backend {

// Only reads the settings that forbid the engine on known systems.
[[nodiscard]] Support LookForEngine(const Host& host);

}  // namespace mxc::linux_backend
