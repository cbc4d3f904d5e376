#include <fcntl.h>

#include <array>
#include <cerrno>

#include "base/pipe.h"

namespace mxc {

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  return Pipe{.reading = UniqueFd{ends[0]}, .writing = UniqueFd{ends[1]}};
}

}  // namespace mxc
