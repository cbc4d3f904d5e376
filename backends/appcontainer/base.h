// The base container of Windows (processmodel.dll): whether it holds a policy, and what it is told.
#pragma once

#include <optional>

#include "backends/appcontainer/section.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// A security environment, where Windows makes them and one answers every path as the policy does. What is not
// known of it leaves the run to the AppContainer: which of two nested paths decides (but for a denial below a
// grant), a denial of what does not exist, paths of the network and roots, where its temporary files go; nor
// has it a least privilege, or a profile that stays. A proxy that the policy lets an exemption reach is left
// as well where the environment would refuse it.
//
// The older contract, on the same terms, where there is no AppContainer to be had: Windows lacks it, or its
// lists may not be changed. It comes last because it promises neither to wait until a job holds the command
// nor to hand streams to programs without a console. It has a least privilege and names that stay, and no
// word for single destinations.
//
// Nothing: neither is there, or neither holds the policy.
[[nodiscard]] std::optional<BaseContainer> BaseContainerFor(const Policy& policy, const Section& section,
                                                            const WindowsFacts& facts);

// Userenv.dll and kernelbase.dll have what an AppContainer takes.
[[nodiscard]] bool HasAppContainer(const WindowsFacts& facts);

}  // namespace mxc::appcontainer
