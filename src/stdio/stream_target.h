// Writing without blocking, as each system offers it.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"

namespace mxc {

// Opens the target again for a non-blocking open file description of our own; empty if that is not possible.
// O_NONBLOCK on an inherited descriptor would affect everybody who shares the description, our caller
// included.
[[nodiscard]] UniqueFd OwnDescription(int borrowed_fd);

// While a sequence to a terminal is cut, because the terminal took no more, other launchers that write to it
// wait: they could write its end. Advisory, for as long as the descriptor is open. False: another one has it.
[[nodiscard]] bool LockTerminal(int borrowed_fd);
void UnlockTerminal(int borrowed_fd);

// As much as a pipe can be made to hold (fs.pipe-max-size, by default): one call empties it.
inline constexpr std::size_t kMaxPipeBytes = 1U << 20U;
// splice(2) of at most `most` bytes from a pipe to the target, non-blocking: their number, 0 at the end of
// the source, or -1 and errno. EAGAIN: the source is empty or the target full. EINVAL: the target does not
// support it.
[[nodiscard]] ssize_t MoveNow(int borrowed_pipe, int borrowed_target, std::size_t most);

// How many bytes can be read from `borrowed_pipe` now.
[[nodiscard]] std::size_t HeldBytes(int borrowed_pipe);

// After this many bytes more are expected, and the pipes of a stream are enlarged: reader and writer then
// wait for the relay less often.
inline constexpr std::uint64_t kStreamBytes = 1U << 20U;
// Lets a pipe of ours hold 1 MiB, the default of fs.pipe-max-size, which ordinary users cannot exceed. False:
// the caller has reached pipe-user-pages-soft, or this system has one size for pipes.
bool Widen(int borrowed_pipe);
// Lets a pipe of the caller's hold 256 KiB, if nobody has chosen a size for it.
void WidenCallers(int borrowed_pipe);

// Lets a pipe of ours be opened through /proc/self/fd in one direction only: whoever opened the other end
// would wait for itself. `mode`: S_IRUSR or S_IWUSR. The owner can change it; nothing depends on it.
void OpenOnlyFor(int borrowed_pipe, mode_t mode);

// Whether the target has room. A pipe then takes at least PIPE_BUF bytes, as long as nobody else writes.
[[nodiscard]] inline bool IsWritable(int borrowed_fd) {
  pollfd room{.fd = borrowed_fd, .events = POLLOUT, .revents = 0};
  return ::poll(&room, 1, 0) > 0;
}

// Writes without blocking to a pipe that cannot be opened again, because another user has made it: its
// description may be a blocking one. Before Linux 6.4 the kernel cannot promise that for a pipe; a write then
// blocks if another writer takes the room at the same moment. -1 and EAGAIN: there is no room.
[[nodiscard]] ssize_t WriteNow(int borrowed_pipe, const char* bytes, std::size_t size);

// Sends on a socket without blocking and without SIGPIPE.
[[nodiscard]] ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size);

}  // namespace mxc
