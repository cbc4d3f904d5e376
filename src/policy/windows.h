// Resolves a Config on a Windows host: as written, then with each path looked up.
#pragma once

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Fills in paths, command, environment and caller. Every path ends up in the spelling of the file system.
// Errors: kConflict for a path through a link, for an object whose access the caller may not change, for a
// missing cwd.
[[nodiscard]] Status ResolveOnWindows(const Config& config, const Host& host, Policy& policy);

}  // namespace mxc
