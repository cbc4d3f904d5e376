#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/named_place.h"

namespace mxc {
Result<std::string> SetAside(const std::string& path, const std::string& into) {
  const std::size_t slash = path.rfind('/');
  const std::string wanted = (into.empty() ? path.substr(0, slash) : into) + path.substr(slash);
  const Result<NamedPlace> from = OpenPlace(path);
  if (!from) return from.error();
  const Result<NamedPlace> to = OpenPlace(wanted);
  if (!to) return to.error();
  const Result<std::string> name =
      RenameAside(from->directory.Get(), from->name, to->directory.Get(), to->name);
  if (!name) return name.error();
  return wanted.substr(0, wanted.rfind('/') + 1) + *name;
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
  const std::string name = NameAside(place->name, "-" + RandomName());
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd file{::openat(directory, name.c_str(), kNew, 0600)};
  const auto failed = [&] {
    Error error = SystemError(ErrorCode::kSetupFailed, "write " + Quoted(path), errno);
    ::unlinkat(directory, name.c_str(), 0);
    return error;
  };
  if (!file || ::write(file.Get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return failed();
  struct stat there {};
  std::string left;
  if (::fstatat(directory, place->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
    const bool owned = ::fchown(file.Get(), there.st_uid, there.st_gid) == 0 || ::geteuid() != 0;
    if (!owned) return failed();
    Result<std::string> aside = SetAside(path, "");
    if (!aside) ::unlinkat(directory, name.c_str(), 0);
    if (!aside) return aside;
    left = std::move(*aside);
  }
  const auto rights = static_cast<mode_t>(mode | S_IRUSR | S_IWUSR);
  if (::fchmod(file.Get(), rights) != 0 ||
      ::renameat(directory, name.c_str(), directory, place->name.c_str()) != 0)
    return failed();
  return left;
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
