#include "ffi/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>

#include "base/lists.h"
#include "ffi/loaded_from.h"

namespace mxc::ffi {
namespace {

constexpr const char* kName = "/mxc-exec";
constexpr int kMaxLinks = 40;  // the kernel's own bound (MAXSYMLINKS)

bool IsThere(const std::string& path) { return path.front() == '/' && ::access(path.c_str(), X_OK) == 0; }

std::string Above(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A set-user-ID program takes no advice from whoever calls it.
std::string_view Variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

// Lists of folders, as PATH has them; a relative one may be anybody's.
std::string FirstIn(std::string_view folders) {
  while (!folders.empty()) {
    const std::string_view folder = TakePiece(folders, ':');
    std::string path = std::string(folder) + kName;
    if (!folder.empty() && IsThere(path)) return path;
  }
  return {};
}

std::string Locate() {
  if (const std::string& folder = FolderOfLibrary(); !folder.empty()) {
    const std::string above = Above(folder);
    std::string path = folder + kName;
    if (IsThere(path)) return path;
    path = above + "/bin" + kName;
    if (IsThere(path)) return path;
    path = Above(above) + "/bin" + kName;  // of lib/x86_64-linux-gnu
    if (std::string_view(above).ends_with("/lib") && IsThere(path)) return path;
  }
  const std::string named{Variable("MXC_EXEC")};
  return named.empty() ? FirstIn(Variable("PATH")) : named;
}

Failure Refused(const std::string& program, const std::string& why, const std::string& remediation) {
  return {.status = MXC_BACKEND_UNAVAILABLE,
          .message = program + " is not run: " + why,
          .remediation = remediation};
}

Failure Failed(const char* operation, const std::string& path) {
  Failure failure = SystemFailure(operation);
  failure.message = path + ": " + failure.message;
  return failure;
}

// Nobody but root and the caller can change it or, where it stands above the program, what is in it.
bool IsClosedToOthers(const struct statx& status, bool above) {
  if (status.stx_uid != 0 && status.stx_uid != ::geteuid()) return false;
  if (S_ISLNK(status.stx_mode)) return true;
  // Where each user has a group of its own, nobody else is in it.
  const bool own_group = status.stx_gid == 0 || (status.stx_gid == ::getegid() && ::getegid() == ::geteuid());
  const bool others = (status.stx_mode & S_IWOTH) != 0 || ((status.stx_mode & S_IWGRP) != 0 && !own_group);
  return !others || (above && status.stx_uid == 0 && (status.stx_mode & S_ISVTX) != 0);
}

// From the link `here` on, the one of that number: what it says comes before `rest`. False: errno says why.
bool FollowLink(int number, std::string& here, std::string& rest) {
  if (number > kMaxLinks) return errno = ELOOP, false;
  char target[PATH_MAX];
  const ssize_t size = ::readlink(here.c_str(), &target[0], sizeof target);
  if (size <= 0) return false;
  here = target[0] == '/' ? "" : Above(here);
  rest.insert(0, &target[0], static_cast<std::size_t>(size));
  return true;
}

// The first component of `rest`, "" at its end.
std::string TakeComponent(std::string& rest) {
  rest.erase(0, std::min(rest.find_first_not_of('/'), rest.size()));
  std::string name = rest.substr(0, rest.find('/'));
  rest.erase(0, name.size());
  return name;
}

std::string Entered(const std::string& here, const std::string& name) {
  if (name == ".") return here;
  return name == ".." ? Above(here) : here + "/" + name;
}

// As the kernel walks `path`, which becomes the path without links: what is executed is what was looked at,
// because only root and the caller can put something else there in between.
Failure WalkToProgram(std::string& path) {
  std::string rest = path;
  std::string here;  // empty: the root
  for (int links = 0;;) {
    const std::string at = here.empty() ? "/" : here;
    struct statx status {};
    if (::statx(AT_FDCWD, at.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID,
                &status) != 0)
      return Failed("statx", at);
    const bool last = rest.find_first_not_of('/') == std::string::npos;
    if (!IsClosedToOthers(status, !last))
      return Refused(path, std::string("others than you and root may write to ").append(at),
                     "install mxc-exec as root, or as yourself, and chmod go-w it and each folder above it");
    if (S_ISLNK(status.stx_mode)) {
      if (!FollowLink(++links, here, rest)) return Failed("readlink", at);
      continue;
    }
    const std::string name = TakeComponent(rest);
    if (name.empty()) {
      if (!S_ISREG(status.stx_mode)) return Refused(path, "it is no file", "name the program itself");
      path = here;
      return {};
    }
    here = Entered(here, name);
  }
}

}  // namespace

Failure FindProgram(std::string& path) {
  path = Locate();
  if (path.empty()) {
    return {.status = MXC_BACKEND_UNAVAILABLE,
            .message = "the program mxc-exec was not found",
            .remediation = "install it beside libmxc_ffi.so or on PATH, or name it in MXC_EXEC"};
  }
  if (path.front() != '/')
    return Refused(path, "MXC_EXEC holds a relative path", "write an absolute path in MXC_EXEC");
  return WalkToProgram(path);
}

}  // namespace mxc::ffi
