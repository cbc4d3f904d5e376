#include "profiles/cache.h"

namespace mxc {

Status MakeCacheDirectory(const std::string& path) {
  return Error{.code = ErrorCode::kUnsupported, .message = "there are no caches of profiles here: " + path};
}

}  // namespace mxc
