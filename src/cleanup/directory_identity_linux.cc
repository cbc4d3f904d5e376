#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup/directory_identity.h"

namespace mxc {
namespace {

bool IsInOverlay(int directory) {
  struct statfs file_system {};
  return ::fstatfs(directory, &file_system) == 0 && file_system.f_type == OVERLAYFS_SUPER_MAGIC;
}

constexpr int kItself = 0x1000;  // AT_EMPTY_PATH

// To nobody: a change that asks for the copy, and needs no right.
bool CopyUp(int directory) {
  constexpr auto kNobody = static_cast<uid_t>(-1);
  return ::fchownat(directory, "", kNobody, static_cast<gid_t>(kNobody), kItself) == 0;
}

std::string WrittenIdentity(int directory, bool overlay, bool with_birth) {
  struct statx status {};
  constexpr unsigned kWanted = STATX_INO | STATX_BTIME;
  // musl has statx of late.
  if (::syscall(SYS_statx, directory, "", kItself, kWanted, &status) != 0) return "";
  const bool born = with_birth && (status.stx_mask & STATX_BTIME) != 0;
  const std::string device =
      overlay && born ? "overlay" : fmt::format("{}:{}", status.stx_dev_major, status.stx_dev_minor);
  const std::string birth =
      born ? fmt::format(" {}.{:09}", status.stx_btime.tv_sec, status.stx_btime.tv_nsec) : "";
  return fmt::format("{} {}{}", device, status.stx_ino, birth);
}

}  // namespace

std::string IdentityOf(int borrowed_directory) {
  const bool overlay = IsInOverlay(borrowed_directory);
  return WrittenIdentity(borrowed_directory, overlay, !overlay || CopyUp(borrowed_directory));
}

bool HasIdentity(int borrowed_directory, const std::string& identity) {
  const bool overlay = IsInOverlay(borrowed_directory);
  return WrittenIdentity(borrowed_directory, overlay, true) == identity ||
         (overlay && WrittenIdentity(borrowed_directory, overlay, false) == identity);
}

}  // namespace mxc
