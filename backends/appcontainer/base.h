// The base container of Windows (processmodel.dll): whether it can enforce a policy, and its parameters.
#pragma once

#include <optional>

#include "backends/appcontainer/section.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// A security environment, if Windows creates them and it enforces every path of the policy. Its behaviour is
// not known for nested paths (except a denial below a grant), denied paths that do not exist, network paths
// and roots, and temporary files; it has no least privilege and no profile that stays; it may refuse a proxy
// that an exemption could reach. Such policies are left to the AppContainer.
//
// The older contract, on the same terms, if there is no AppContainer: Windows lacks it, or its lists may not
// be changed. It comes last because it guarantees neither that a job holds the command before it runs, nor
// that programs without a console get streams. It has a least privilege and names that stay, but no single
// destinations.
//
// Absent: neither exists, or neither can enforce the policy.
[[nodiscard]] std::optional<BaseContainer> BaseContainerFor(const Policy& policy, const Section& section,
                                                            const WindowsFacts& facts);

// Whether userenv.dll and kernelbase.dll have the functions for an AppContainer.
[[nodiscard]] bool HasAppContainer(const WindowsFacts& facts);

}  // namespace mxc::appcontainer
