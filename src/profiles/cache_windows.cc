#include "profiles/cache.h"

namespace mxc {

Status MakeCacheDirectory(const std::string& path) {
  return Unsupported("there are no caches of profiles here: " + path);
}

}  // namespace mxc
