#include <fcntl.h>
#include <fmt/core.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup/directory_identity.h"

namespace mxc {

std::string IdentityOf(int borrowed_directory) {
  struct statx status {};
  constexpr int kItself = 0x1000;  // AT_EMPTY_PATH
  constexpr unsigned kWanted = STATX_INO | STATX_BTIME;
  // musl has statx of late.
  if (::syscall(SYS_statx, borrowed_directory, "", kItself, kWanted, &status) != 0) return "";
  std::string identity = fmt::format("{}:{} {}", status.stx_dev_major, status.stx_dev_minor, status.stx_ino);
  if ((status.stx_mask & STATX_BTIME) != 0)
    identity += fmt::format(" {}.{:09}", status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
  return identity;
}

}  // namespace mxc
