// How each system lets bytes be written without waiting.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

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

// From this many bytes on a stream is taken for one of many, and its pipes grow: who reads and who writes
// wait for a turn of the relay less often.
inline constexpr std::uint64_t kStreamBytes = 1U << 20U;
// Lets a pipe of ours hold 1 MiB, the default of fs.pipe-max-size, which ordinary users cannot exceed. False:
// the caller's pipes hold as much already as they may together, or pipes have one size here.
bool Widen(int borrowed_pipe);
// Lets a pipe of the caller's hold 256 KiB, if nobody has chosen a size for it.
void WidenCallers(int borrowed_pipe);

// Lets a pipe of ours be opened through /proc/self/fd in one direction only: whoever opened the other end
// would wait for itself. `mode`: S_IRUSR or S_IWUSR. The owner can change it; nothing depends on it.
void OpenOnlyFor(int borrowed_pipe, mode_t mode);

// Of a socket: never waits, never raises SIGPIPE.
[[nodiscard]] ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size);

}  // namespace mxc
