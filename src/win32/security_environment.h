// The base container of a plan as the bytes that processmodel.dll takes: FlatBuffers of two layouts.
//
// What is written here follows the published layouts of the reference (docs/backends/processcontainer.md); no
// Windows has read it yet.
#pragma once

#include <string>

#include "mxc/windows/app_container.h"

namespace mxc {

// For CreateProcessSecurityEnvironment: identifier "PSEC", version 1.0. Capabilities, window manager and
// limits on windows of `sandbox`, and what its `base` says of files and of the network; without a `base`: an
// environment that grants nothing.
[[nodiscard]] std::string SecurityEnvironmentBytes(const AppContainerSandbox& sandbox);

// For Experimental_CreateProcessInSandbox: identifier "SBOX", version 0.1.0. The same, and the least
// privilege; of the network only whether there is one.
[[nodiscard]] std::string SandboxSpecificationBytes(const AppContainerSandbox& sandbox);

}  // namespace mxc
