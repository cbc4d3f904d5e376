#include <fcntl.h>

#include <array>
#include <cerrno>

#include "base/pipe.h"

namespace mxc {

// macOS cannot make them close-on-exec at once; nothing else is started in between, since there is one
// thread.
Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  Pipe pipe{.reading = UniqueFd{ends[0]}, .writing = UniqueFd{ends[1]}};
  for (const int end : ends) {
    if (::fcntl(end, F_SETFD, FD_CLOEXEC) != 0)
      return SystemError(ErrorCode::kSetupFailed, "prepare a pipe", errno);
  }
  return pipe;
}

}  // namespace mxc
