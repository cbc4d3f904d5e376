// The base container of a plan as the bytes that CreateProcessSecurityEnvironment of processmodel.dll takes:
// a FlatBuffer with the identifier "PSEC", version 1.0.
//
// What is written here follows the published layout of the reference (docs/backends/processcontainer.md); no
// Windows has read it yet.
#pragma once

#include <string>

#include "mxc/app_container.h"

namespace mxc {

// Capabilities, window manager and limits on windows of `sandbox`, and what its `base` says of files and of
// the network; without a `base`: an environment that grants nothing.
[[nodiscard]] std::string SecurityEnvironmentBytes(const AppContainerSandbox& sandbox);

}  // namespace mxc
