// Whose a path is, by everything that leads to it.
#pragma once

#include <string>

#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Nobody but the caller and root can change what stands at `path`, a canonical path, or put something in its
// place.
[[nodiscard]] bool IsCallersOwn(const Host& host, PathWalker& walker, const std::string& path);

}  // namespace mxc
