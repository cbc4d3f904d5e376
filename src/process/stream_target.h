// How each system lets bytes be written without waiting.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/unique_fd.h"

namespace mxc {

// A non-blocking description of the target that nobody else has; empty where there is none to be had. Setting
// O_NONBLOCK on an inherited descriptor would change it for everybody who shares it, our caller included.
[[nodiscard]] UniqueFd OwnDescription(int borrowed_fd);

// Of a socket: never waits, never raises SIGPIPE.
[[nodiscard]] ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size);

}  // namespace mxc
