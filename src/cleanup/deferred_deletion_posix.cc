#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/own_files.h"
#include "base/path.h"
#include "base/quoted.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

// Creates a file, with the owner of `there` if that exists. On failure nothing is left, and errno is set.
bool WriteNew(int directory, const std::string& name, std::string_view text, unsigned mode,
              const struct stat* there) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file{::openat(directory, name.c_str(), kNew, 0600)};
  if (!file) return false;
  errno = ENOSPC;  // of a write that stopped short
  if (::write(file.Get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      (there == nullptr || ::fchown(file.Get(), there->st_uid, there->st_gid) == 0 || ::geteuid() != 0) &&
      ::fchmod(file.Get(), static_cast<mode_t>(mode | S_IRUSR | S_IWUSR)) == 0)
    return true;
  const int number = errno;
  ::unlinkat(directory, name.c_str(), 0);
  errno = number;
  return false;
}

}  // namespace

Result<std::string> SetAside(const std::string& path, const std::string& into) {
  const std::string wanted = JoinPath(into.empty() ? ParentOf(path) : into, NameOf(path));
  const Result<NamedPlace> from = OpenPlace(path);
  if (!from) return from.error();
  const Result<NamedPlace> to = OpenPlace(wanted);
  if (!to) return to.error();
  const Result<std::string> name =
      RenameAside(from->directory.Get(), from->name, to->directory.Get(), to->name);
  if (!name) return name.error();
  return JoinPath(ParentOf(wanted), *name);
}

Status MakeLink(const std::string& path, const std::string& text) {
  const Result<NamedPlace> place = OpenPlace(path, true);
  if (!place) return place.error();
  const WritableDirectory opened{place->directory.Get()};
  if (::symlinkat(text.c_str(), place->directory.Get(), place->name.c_str()) == 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "create the link " + Quoted(path), errno);
}

Result<std::string> PutBack(const std::string& path, std::string_view text, unsigned mode) {
  const Result<NamedPlace> place = OpenPlace(path);
  if (!place) return place.error();
  const int directory = place->directory.Get();
  const WritableDirectory opened{directory};
  struct stat there {};
  const bool stands = ::fstatat(directory, place->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  std::string left;
  // First, so that it is gone from its name whatever fails below.
  if (stands) {
    Result<std::string> aside = TakeAway(directory, place->name);
    if (!aside) return aside;
    left = std::move(*aside);
  }
  const std::string name = NameAside(place->name, "-" + RandomName());
  const auto write = [&] { return WriteNew(directory, name, text, mode, stands ? &there : nullptr); };
  bool written = write();
  const bool full = !written && IsOfNoRoom(errno) && !left.empty();
  if (full && EmptyNamed(directory, left)) written = write();
  if (full && !written && RemoveNamed(directory, left)) {  // its inode may be what is missing
    left.clear();
    written = write();
  }
  const std::string left_path = left.empty() ? "" : JoinPath(ParentOf(path), left);
  if (written && ::renameat(directory, name.c_str(), directory, place->name.c_str()) == 0) return left_path;
  Error error = SystemError(ErrorCode::kSetupFailed, "write " + Quoted(path), errno);
  if (!left.empty()) error.message += ", and what the command left there is now " + Quoted(left_path);
  if (written) ::unlinkat(directory, name.c_str(), 0);
  return error;
}

bool RestoreListing(const std::string& path) {
  constexpr unsigned kList = S_IRUSR | S_IXUSR;
  constexpr unsigned kAll = S_IRWXU;
  const Result<NamedPlace> place = OpenPlace(path);
  if (!place) return false;
  struct stat status {};
  if (::fstatat(place->directory.Get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const unsigned mode = status.st_mode & 07777U;
  return S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (mode & kList) != kList &&
         ::fchmodat(place->directory.Get(), place->name.c_str(), static_cast<mode_t>(mode | kAll),
                    AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace mxc
