// The base container of Windows (processmodel.dll): whether it holds a policy, and what it is told.
#pragma once

#include "mxc/app_container.h"
#include "mxc/policy.h"
#include "mxc/windows_host.h"

namespace mxc::appcontainer {

// It is taken where it is there and answers every path as the policy does. What is not known of it leaves the
// run to the AppContainer: which of two nested paths decides (but for a denial below a grant), a denial of
// what does not exist, paths of the network; nor has it a least privilege, or a profile that stays.
[[nodiscard]] bool BaseHolds(const Policy& policy, bool least_privilege, const WindowsFacts& facts);

[[nodiscard]] BaseContainer BaseContainerFor(const Policy& policy);

}  // namespace mxc::appcontainer
