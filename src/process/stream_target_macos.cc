#include <sys/socket.h>

#include "process/stream_target.h"

namespace mxc {

// Opening /dev/fd/N is another name for the same description here.
UniqueFd OwnDescription(int /*borrowed_fd*/) { return {}; }

// The launcher ignores SIGPIPE (MacSignals).
ssize_t SendNow(int borrowed_fd, const char* bytes, std::size_t size) {
  return ::send(borrowed_fd, bytes, size, MSG_DONTWAIT);
}

}  // namespace mxc
