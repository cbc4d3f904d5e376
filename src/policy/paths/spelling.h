// Paths that are written as another operating system writes them: refused with what to write instead. To look
// for "C:\secret" on Linux would find nothing, and deny nothing.
#pragma once

#include "config/config.h"
#include "mxc/containment.h"
#include "mxc/error.h"

namespace mxc {

// Why `entry` is no path on `system`, and how the same place would be written there.
[[nodiscard]] Error NoPathOn(OperatingSystem system, const PathEntry& entry);

// Every path of the configuration. `system` is Linux or macOS. Errors: kConflict.
[[nodiscard]] Status CheckSpellings(const Config& config, OperatingSystem system);

}  // namespace mxc
