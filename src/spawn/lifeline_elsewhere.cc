#include "spawn/lifeline.h"

namespace mxc {

Status TieTo(int /*lifeline*/, const std::array<int, 3>& /*kept*/) {
  return Error{.code = ErrorCode::kUsage, .message = "--lifeline-fd is not to be had on this system"};
}

}  // namespace mxc
