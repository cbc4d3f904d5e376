// Refuses paths in the syntax of another operating system, with a hint: on Linux, an entry for "C:\secret"
// would find and deny nothing.
#pragma once

#include "config/config.h"
#include "mxc/containment.h"
#include "mxc/error.h"

namespace mxc {

// Why `entry` is no path on `system`, and how the same place would be written there.
[[nodiscard]] Error NoPathOn(OperatingSystem system, const PathEntry& entry);

// Checks every path of the configuration. `system` is Linux or macOS. Errors: kConflict.
[[nodiscard]] Status CheckSpellings(const Config& config, OperatingSystem system);

}  // namespace mxc
