// A Config on a Windows host: what stands written, and then a look at every path of it.
#pragma once

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"

namespace mxc {

// Fills in paths, command, environment and caller. Every path ends up in the spelling of the file system.
// Errors: kConflict for a path through a link, for what the caller may not give away, for a cwd that is not
// there.
[[nodiscard]] Status ResolveOnWindows(const Config& config, const Host& host, Policy& policy);

}  // namespace mxc
