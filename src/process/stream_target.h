// How each system lets bytes be written without waiting.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/unique_fd.h"

namespace mxc {

// A non-blocking description of the target that nobody else has; empty where there is none to be had. Setting
// O_NONBLOCK on an inherited descriptor would change it for everybody who shares it, our caller included.
[[nodiscard]] UniqueFd OwnDescription(int borrowed_fd);

// Moves what a pipe holds to the target without copying it, and without waiting: the number of bytes, 0 at
// the end of the source, -1 and errno. EAGAIN: the source is empty or the target full. EINVAL: not into this
// target.
[[nodiscard]] ssize_t MoveNow(int borrowed_pipe, int borrowed_target);

// Whether `borrowed_pipe` holds bytes that can be read now.
[[nodiscard]] bool HoldsBytes(int borrowed_pipe);

// Opening a pipe of ours through /proc/self/fd is to fail in the other direction: whoever did that would wait
// for itself. `mode`: S_IRUSR or S_IWUSR, of the owner alone, who can change it; nothing depends on it.
void OpenOnlyFor(int borrowed_pipe, mode_t mode);

// Of a socket: never waits, never raises SIGPIPE.
[[nodiscard]] ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size);

}  // namespace mxc
