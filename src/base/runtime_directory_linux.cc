#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/runtime_directory.h"
#include "base/runtime_places.h"

namespace mxc {
namespace {

bool IsPrivate(const UniqueFd& directory) {
  struct stat status {};
  return ::fstat(directory.Get(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 077U) == 0;
}

std::vector<std::string> Candidates() {
  std::vector<std::string> candidates;
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): one thread
  if (runtime != nullptr && *runtime == '/') {
    const Result<UniqueFd> directory = OpenOwnDirectory(runtime);
    if (directory && IsPrivate(*directory)) candidates.push_back(RuntimePlaceIn(runtime));
  }
  candidates.push_back(FixedRuntimePlace(::geteuid()));
  return candidates;
}

// Somebody else may have been there first: everybody can make names in /tmp.
Error NotOurs(const std::string& path, const std::string& why) {
  return SetupFailed(Quoted(path) + " is not a directory that only its user can use: " + why,
                     "somebody else may have made it: have it removed, or set XDG_RUNTIME_DIR to a directory "
                     "that only you can use");
}

// The first process of a sandbox has this name.
bool InsideSandbox() {
  const UniqueFd name{::open("/proc/1/comm", O_RDONLY | O_CLOEXEC)};
  std::array<char, 16> text{};
  const ssize_t count = name ? ::read(name.Get(), text.data(), text.size()) : 0;
  return count > 0 && std::string_view(text.data(), static_cast<std::size_t>(count)) == "mxc-init\n";
}

Error NotMade(const std::string& path, int number) {
  Error error = SystemError(ErrorCode::kSetupFailed, "create " + Quoted(path), number);
  error.hint =
      InsideSandbox()
          ? "this is inside a sandbox of mxc-exec, where no other can stay: run each command by itself"
          : "set XDG_RUNTIME_DIR to a directory that only you can use";
  return error;
}

Result<RuntimeDirectory> OpenAt(const std::string& path) {
  RuntimeDirectory directory{.path = path};
  Result<UniqueFd> opened = OpenOwnDirectory(path);
  if (!opened) return NotOurs(path, opened.error().message);
  directory.descriptor = std::move(*opened);
  struct stat status {};
  if (IsPrivate(directory.descriptor)) return directory;
  if (::fstat(directory.descriptor.Get(), &status) != 0) return NotOurs(path, "it cannot be examined");
  return NotOurs(path, fmt::format("it belongs to uid {} and has the mode {:o}", status.st_uid,
                                   status.st_mode & 07777U));
}

void RemoveStaleNotes(const UniqueFd& directory) {
  const std::string path = "/proc/self/fd/" + std::to_string(directory.Get());
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(path.c_str()), ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe)
    const bool note = std::string_view(entry->d_name).starts_with(kPlaceNote);
    if (note && ::faccessat(directory.Get(), entry->d_name, F_OK, 0) != 0 && errno == ENOENT)
      ::unlinkat(directory.Get(), entry->d_name, 0);
  }
}

// A directory that a run with another environment would not look for: policies keep commands from it
// (policy/own_state.h). Best effort, as long as the client asks who answers.
void NotePlace(const std::string& path) {
  if (path == SessionRuntimePlace(::geteuid()) || path == FixedRuntimePlace(::geteuid())) return;
  const std::string fixed = FixedRuntimePlace(::geteuid());
  if (::mkdir(fixed.c_str(), 0700) != 0 && errno != EEXIST) return;
  const Result<RuntimeDirectory> directory = OpenAt(fixed);
  if (!directory) return;
  const std::string name = kPlaceNote + fmt::format("{:016x}", std::hash<std::string>{}(path));
  if (::symlinkat(path.c_str(), directory->descriptor.Get(), name.c_str()) != 0) return;
  RemoveStaleNotes(directory->descriptor);
}

}  // namespace

Result<RuntimeDirectory> RuntimeDirectory::Open() {
  const std::vector<std::string> candidates = Candidates();
  for (const std::string& path : candidates) {
    const bool there = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
    const int number = errno;
    if (!there && path != candidates.back()) continue;
    if (!there && ::access(path.c_str(), F_OK) != 0) return NotMade(path, number);
    NotePlace(path);
    return OpenAt(path);
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
