#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include "cleanup/directory_identity.h"

namespace mxc {

std::string IdentityOf(int borrowed_directory) {
  struct statx status {};
  if (::statx(borrowed_directory, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0) return "";
  std::string identity = fmt::format("{}:{} {}", status.stx_dev_major, status.stx_dev_minor, status.stx_ino);
  if ((status.stx_mask & STATX_BTIME) != 0)
    identity += fmt::format(" {}.{:09}", status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
  return identity;
}

}  // namespace mxc
