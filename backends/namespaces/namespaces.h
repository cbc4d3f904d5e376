// The namespaces backend: a LinuxSandbox run by our own engine. "process" means this on Linux.
#pragma once

#include "mxc/backend.h"

namespace mxc::namespaces {

[[nodiscard]] const Backend& NamespacesBackend();

// The two functions of the backend. With IsolationLevel::kNamespacesOuterProc in the support, the sandbox
// gets the outer /proc.
[[nodiscard]] Support ProbeNamespaces(const Host& host, ProbeDepth depth);
[[nodiscard]] Result<Plan> PlanNamespaces(const Policy& policy, const Support& support);

}  // namespace mxc::namespaces
