#include "base/own_files.h"
#include "profiles/cache.h"

namespace mxc {

Status MakeCacheDirectory(const std::string& path) {
  constexpr std::uint32_t kForCallerAlone = 0700;
  const Result<UniqueFd> made = MakeDirectories(path, kForCallerAlone);
  if (made) return Done{};
  Error error = made.error();
  error.hint =
      "caches of profiles are kept in $XDG_CACHE_HOME, or ~/.cache: name a directory there that you "
      "can write";
  return error;
}

}  // namespace mxc
