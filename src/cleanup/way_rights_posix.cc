#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/quoted.h"
#include "base/unique_fd.h"
#include "cleanup/named_place.h"
#include "cleanup/way_rights.h"
#include "mxc/host.h"
#ifdef __linux__
#include <linux/limits.h>
#include <sys/xattr.h>
#endif

namespace mxc {
namespace {

constexpr unsigned kOfGroup = 070;
constexpr unsigned kWriting = 022;
constexpr unsigned kPermissions = 0777;

#ifdef __linux__
constexpr int kWayItself = O_PATH | O_NOFOLLOW | O_CLOEXEC;

// Of a descriptor that is no more than a place, which fgetxattr(2) does not take.
std::string LinkOf(int directory) { return "/proc/self/fd/" + std::to_string(directory); }

std::string AclOf(int directory, const char* name) {
  const std::string link = LinkOf(directory);
  std::string value;
  if (::getxattr(link.c_str(), name, nullptr, 0) <= 0) return value;  // mostly
  value.resize(XATTR_SIZE_MAX);
  const ssize_t size = ::getxattr(link.c_str(), name, value.data(), value.size());
  value.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return value;
}

bool SetAcl(int directory, const char* name, const std::string& value) {
  const std::string link = LinkOf(directory);
  if (!value.empty()) return ::setxattr(link.c_str(), name, value.data(), value.size(), 0) == 0;
  return ::removexattr(link.c_str(), name) == 0 || errno == ENODATA;
}

bool ChangeOwner(int directory, uid_t uid, gid_t gid) {
  return ::fchownat(directory, "", uid, gid, AT_EMPTY_PATH) == 0;
}
#else
constexpr int kWayItself = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;

std::string AclOf(int /*directory*/, const char* /*name*/) { return {}; }
bool SetAcl(int /*directory*/, const char* /*name*/, const std::string& /*value*/) { return true; }
bool ChangeOwner(int directory, uid_t uid, gid_t gid) { return ::fchown(directory, uid, gid) == 0; }
#endif

// The mode that leaves what the command may have changed, and takes from group and others what they had not.
mode_t ModeAgain(mode_t mode, const Way& before) {
  return static_cast<mode_t>((mode & 07777U & (before.mode | ~before.guarded)) | (before.mode & S_ISVTX));
}

// False with errno.
bool CloseAgain(int directory, const struct stat& now, const std::string& acl, const Way& before) {
  if (acl != before.acl && !SetAcl(directory, kAccessAcl, before.acl)) return false;
  // With a list, the bits of the group are its mask.
  const unsigned again = (now.st_mode & 07777U & ~kPermissions) | (before.mode & 01777U);
  return ChangeMode(directory, before.acl.empty() ? ModeAgain(now.st_mode, before) : again);
}

}  // namespace

Result<bool> TakeRightsBack(const Way& before) {
  const Result<NamedPlace> place = OpenPlace(before.path);
  if (!place) return false;
  const std::string name = place->name.empty() ? "." : place->name;
  const UniqueFd opened{::openat(place->directory.Get(), name.c_str(), kWayItself)};
  struct stat now {};
  if (!opened || ::fstat(opened.Get(), &now) != 0) return false;
  if (!S_ISDIR(now.st_mode) && !S_ISREG(now.st_mode)) return false;
  const int directory = opened.Get();
  const bool for_group = (now.st_mode & before.guarded & kOfGroup) != 0;
  const std::string acl = AclOf(directory, kAccessAcl);
  const std::string default_acl = AclOf(directory, kDefaultAcl);
  const bool given_away =
      now.st_ino == before.inode && (now.st_uid != before.uid || (now.st_gid != before.gid && for_group));
  const bool unstuck = (before.mode & ~now.st_mode & S_ISVTX) != 0 && (now.st_mode & kWriting) != 0;
  const bool more = unstuck || GivesMore({acl, now.st_mode}, {before.acl, before.mode}, before.guarded);
  const bool more_later = GivesMore({default_acl, 0}, {before.default_acl, 0}, kWriting);
  const bool done = (!given_away || ChangeOwner(directory, before.uid, before.gid)) &&
                    (!more || CloseAgain(directory, now, acl, before)) &&
                    (!more_later || SetAcl(directory, kDefaultAcl, before.default_acl));
  if (!done) return SystemError(ErrorCode::kSetupFailed, "take rights back in " + Quoted(before.path), errno);
  return given_away || more || more_later;
}

}  // namespace mxc
