#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "macos/temp.h"

namespace mxc {
namespace {

int RemoveOne(const char* path, const struct stat* /*status*/, int kind, FTW* /*where*/) {
  // The command may have taken its own right to list a directory away.
  if (kind == FTW_DNR) ::chmod(path, 0700);
  const bool directory = kind == FTW_DP || kind == FTW_DNR;
  directory ? ::rmdir(path) : ::unlink(path);  // what cannot be removed stays, and the rest goes on
  return 0;
}

}  // namespace

Result<std::string> MakeTemp() {
  std::array<char, PATH_MAX> base{};
  if (::confstr(_CS_DARWIN_USER_TEMP_DIR, base.data(), base.size()) == 0) {
    return SystemError(ErrorCode::kSetupFailed, "find the caller's temporary directory", errno);
  }
  std::string path = std::string(base.data()) + "mxc-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return SystemError(ErrorCode::kSetupFailed, "make a temporary directory", errno);
  }
  std::array<char, PATH_MAX> real{};
  if (::realpath(path.c_str(), real.data()) == nullptr) {
    const int number = errno;
    ::rmdir(path.c_str());
    return SystemError(ErrorCode::kSetupFailed, "look at the temporary directory", number);
  }
  path = real.data();
  if (::mkdir((path + "/home").c_str(), 0700) == 0) return path;
  const int number = errno;
  ::rmdir(path.c_str());
  return SystemError(ErrorCode::kSetupFailed, "make a home directory", number);
}

void RemoveTemp(const std::string& directory) {
  if (directory.empty()) return;
  constexpr int kOpenDirectories = 16;
  // Twice: a directory that could not be listed is made so by the first.
  for (int round = 0; round < 2; ++round) {
    ::nftw(directory.c_str(), RemoveOne, kOpenDirectories, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  }
}

}  // namespace mxc
