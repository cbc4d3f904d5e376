// Directories that later sandboxes find again: of a work directory and all that the policy says of files, so
// that what a command leaves there reaches nobody whom it could not reach through its grants.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// What ${CACHE} stands for in a profile: $XDG_CACHE_HOME/mxc-exec-caches/NAME, where NAME is made of the
// directory the command starts in, of the workspace and its place inside, and of every entry for files, each
// as the host names it without links; `profiles` are entries that profiles of the caller's add. Errors:
// kSchema without HOME.
[[nodiscard]] Result<std::string> CacheDirectoryFor(const Config& config,
                                                    const std::vector<std::string>& profiles,
                                                    const Host& host);

// Caches are made below a home directory; that itself never is. Errors: kConflict, where it is missing.
[[nodiscard]] Status CheckHomeOfCaches(const Host& host);
// For the caller alone, with the directories above it. A mode that the command has changed is put back,
// unless others may have entered. Errors: kSetupFailed.
[[nodiscard]] Status MakeCacheDirectory(const std::string& path);

}  // namespace mxc
