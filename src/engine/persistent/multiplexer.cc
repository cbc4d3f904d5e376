#include "engine/persistent/multiplexer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <span>

#include "base/passed_fds.h"

namespace mxc::engine {

void SendMultiplexer(int session) {
  constexpr char kWord = 'm';
  // The seccomp filter refuses openat2.
  const int multiplexer = ::open("/dev/pts/ptmx", O_PATH | O_NOFOLLOW | O_CLOEXEC);
  const std::span<const int> passed(&multiplexer, multiplexer >= 0 ? 1 : 0);
  const bool sent = SendWithFds(session, &kWord, 1, passed) == 1;
  if (!sent) static_cast<void>(SendWithFds(session, &kWord, 1, {}));  // too many of this user's are in flight
  if (multiplexer >= 0) ::close(multiplexer);
}

UniqueFd TakeMultiplexer(int session) {
  char word = 0;
  int multiplexer = -1;
  std::size_t count = 0;
  ucred sender{};  // without room for it, none is left for the descriptor (SO_PASSCRED)
  if (ReceiveWithFds(session, &word, 1, 0, std::span(&multiplexer, 1), count, &sender) != 1) return {};
  return UniqueFd{count == 1 ? multiplexer : -1};
}

}  // namespace mxc::engine
