// Directories that later sandboxes find again: of a work directory and what could be written, so that what a
// command leaves there reaches nobody whom it could not reach through its grants.
#pragma once

#include <string>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// What ${CACHE} stands for in a profile: $XDG_CACHE_HOME/mxc-exec-caches/NAME, where NAME is made of the
// directory the command starts in and of the read-write entries of `config`. Errors: kSchema without HOME.
[[nodiscard]] Result<std::string> CacheDirectoryFor(const Config& config, const Host& host);

// For the caller alone, with the directories above it. Errors: kSetupFailed.
[[nodiscard]] Status MakeCacheDirectory(const std::string& path);

}  // namespace mxc
