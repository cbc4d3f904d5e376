// Descriptors that travel beside bytes over a Unix socket (SCM_RIGHTS, unix(7)). Neither call allocates: both
// are safe between clone and exec.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <span>

namespace mxc {

inline constexpr std::size_t kMaxPassedFds = 253;  // of one message: SCM_MAX_FD

// As send(2), without SIGPIPE: the number of bytes, or -1 with errno. At least one byte has to go.
[[nodiscard]] ssize_t SendWithFds(int socket, const void* bytes, std::size_t size, std::span<const int> fds);

// As recv(2), started over after a signal: the number of bytes, 0 at the end, or -1 with errno. `fds` has
// room for as many as may come, and `count` says how many did; they are the caller's, close-on-exec. The
// kernel closes what finds no room. `sender` is for a socket with SO_PASSCRED.
[[nodiscard]] ssize_t ReceiveWithFds(int socket, void* bytes, std::size_t size, int flags, std::span<int> fds,
                                     std::size_t& count, ucred* sender = nullptr);

}  // namespace mxc
