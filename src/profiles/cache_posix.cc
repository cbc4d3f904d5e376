#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/own_files.h"
#include "base/path.h"
#include "base/quoted.h"
#include "profiles/cache.h"

namespace mxc {
namespace {

constexpr mode_t kForCallerAlone = 0700;

// The command owns its cache and may have opened it to others, or closed it to us. If the directory above
// lets nobody else in, nobody has written there.
void PutModeBack(int borrowed_above_fd, const std::string& name) {
  constexpr mode_t kForOthers = 077;
  constexpr mode_t kWriteByOthers = 022;
  struct stat above {};
  struct stat cache {};
  if (::fstat(borrowed_above_fd, &above) != 0 || above.st_uid != ::getuid() ||
      (above.st_mode & kForOthers) != 0)
    return;
  if (::fstatat(borrowed_above_fd, name.c_str(), &cache, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISDIR(cache.st_mode) || cache.st_uid != ::getuid())
    return;
  const bool changed =
      (cache.st_mode & kWriteByOthers) != 0 || (cache.st_mode & kForCallerAlone) != kForCallerAlone;
  if (!changed) return;
  if (::fchmodat(borrowed_above_fd, name.c_str(), kForCallerAlone, AT_SYMLINK_NOFOLLOW) != 0)
    return;  // whoever uses it looks at the mode
}

}  // namespace

Status MakeCacheDirectory(const std::string& path) {
  if (const Result<UniqueFd> above = MakeDirectories(std::string(ParentOf(path)), kForCallerAlone); above)
    PutModeBack(above->Get(), std::string(NameOf(path)));
  const Result<UniqueFd> made = MakeDirectories(path, kForCallerAlone);
  if (made) return Done{};
  Error error = made.error();
  error.hint =
      "caches of profiles are kept in $XDG_CACHE_HOME, or ~/.cache: name a directory there that you "
      "can write, or remove this one (`chmod u+rwx " +
      ShellQuoted(path) + " && rm -r " + ShellQuoted(path) + "`)";
  return error;
}

}  // namespace mxc
