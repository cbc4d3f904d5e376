// Who can change or replace a path, judged by all directories above it.
#pragma once

#include <string>

#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Whether only the caller and root can change or replace the object at `path`, which is canonical.
[[nodiscard]] bool IsCallersOwn(const Host& host, PathWalker& walker, const std::string& path);

}  // namespace mxc
