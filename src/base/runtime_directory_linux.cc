#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/runtime_directory.h"

namespace mxc {
namespace {

bool IsPrivate(const struct stat& status) {
  return S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 077U) == 0;
}

std::vector<std::string> Candidates() {
  std::vector<std::string> candidates;
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): one thread
  struct stat status {};
  if (runtime != nullptr && *runtime == '/' && ::stat(runtime, &status) == 0 && IsPrivate(status))
    candidates.push_back(std::string(runtime) + "/mxc-exec");
  const uid_t uid = ::geteuid();
  candidates.push_back(uid == 0 ? "/run/mxc-exec" : "/tmp/mxc-exec-" + std::to_string(uid));
  return candidates;
}

Result<RuntimeDirectory> OpenAt(const std::string& path) {
  RuntimeDirectory directory{.path = path};
  directory.descriptor.Reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!directory.descriptor || ::fstat(directory.descriptor.Get(), &status) != 0)
    return SystemError(ErrorCode::kSetupFailed, "open '" + path + "'", errno);
  if (IsPrivate(status)) return directory;
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "'" + path + "' is not a directory that only its user can use",
               .hint = "somebody else may have made it: remove it, or set XDG_RUNTIME_DIR"};
}

}  // namespace

Result<RuntimeDirectory> RuntimeDirectory::Open() {
  const std::vector<std::string> candidates = Candidates();
  for (const std::string& path : candidates) {
    const bool there = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
    if (there || path == candidates.back()) return OpenAt(path);
  }
  return OpenAt(candidates.back());
}

std::vector<RuntimeDirectory> RuntimeDirectory::Existing() {
  std::vector<RuntimeDirectory> found;
  for (const std::string& path : Candidates()) {
    Result<RuntimeDirectory> directory = OpenAt(path);
    if (directory) found.push_back(std::move(*directory));
  }
  return found;
}

}  // namespace mxc
