#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/path.h"
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
    if (directory && IsPrivate(*directory)) candidates.push_back(RuntimePlaceOf(runtime, ::geteuid()));
  }
  candidates.push_back(FixedRuntimePlace(::geteuid()));
  return candidates;
}

// Somebody else may have been there first: everybody can make names in /tmp.
Error NotOurs(const std::string& path, const std::string& why) {
  return SetupFailed(Quoted(path) + " is not a directory that only its user can use: " + why,
                     "somebody else may have made it: have it removed");
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
          : "make the directory above it writable for you, by a mount for instance";
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

void ForEachName(int directory, const std::function<void(const char*)>& take) {
  const std::string path = "/proc/self/fd/" + std::to_string(directory);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(path.c_str()), ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe)
    take(entry->d_name);
  }
}

// What stands in it for sandboxes and interrupted runs stays, and the place with it. Notes for approvals are
// good for minutes.
void RemoveUnusedPlace(int fixed, const char* name) {
  constexpr int kListed = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd place{::openat(fixed, name, kListed)};
  const UniqueFd notes{place ? ::openat(place.Get(), kApprovalNotes, kListed) : -1};
  if (notes) ForEachName(notes.Get(), [&](const char* note) { ::unlinkat(notes.Get(), note, 0); });
  // Of directories in it, those that are empty.
  if (place) ForEachName(place.Get(), [&](const char* own) { ::unlinkat(place.Get(), own, AT_REMOVEDIR); });
  ::unlinkat(fixed, name, AT_REMOVEDIR);
}

// Those of runtime directories that nobody has used for a day. Open marks what it opens as used.
void RemoveUnusedPlaces(const UniqueFd& fixed) {
  constexpr std::time_t kDay = 24 * 60 * 60;
  ForEachName(fixed.Get(), [&](const char* name) {
    struct stat status {};
    if (!std::string_view(name).starts_with(kPlacePrefix)) return;
    if (::fstatat(fixed.Get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (status.st_mtime + kDay < std::time(nullptr)) RemoveUnusedPlace(fixed.Get(), name);
  });
}

// Those that are there.
std::vector<RuntimeDirectory> Opened(const std::vector<std::string>& paths) {
  std::vector<RuntimeDirectory> found;
  for (const std::string& path : paths) {
    Result<RuntimeDirectory> directory = OpenAt(path);
    if (directory) found.push_back(std::move(*directory));
  }
  return found;
}

Result<RuntimeDirectory> MakeAt(const std::string& path) {
  const int number = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
  if (number != 0 && number != EEXIST && ::access(path.c_str(), F_OK) != 0) return NotMade(path, number);
  return OpenAt(path);
}

void TakeModeBack(const std::string& path) {
  const UniqueFd directory{::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  if (!directory || ::fstat(directory.Get(), &status) != 0) return;
  if (status.st_uid != ::geteuid() || (status.st_mode & 07777U) == 0700) return;
  ::chmod(("/proc/self/fd/" + std::to_string(directory.Get())).c_str(), 0700);
}

}  // namespace

Result<RuntimeDirectory> RuntimeDirectory::Open() {
  const std::string path = Candidates().front();
  const std::string fixed = FixedRuntimePlace(::geteuid());
  if (path != fixed && !path.starts_with(fixed + "/")) return MakeAt(path);
  Result<RuntimeDirectory> above = MakeAt(fixed);
  if (!above) return above.error();
  if (path == fixed || ::access(path.c_str(), F_OK) != 0) RemoveUnusedPlaces(above->descriptor);
  if (path == fixed) return above;
  Result<RuntimeDirectory> directory = MakeAt(path);
  if (directory) ::futimens(directory->descriptor.Get(), nullptr);
  return directory;
}

Result<RuntimeDirectory> RuntimeDirectory::OpenForRecords() {
  Result<RuntimeDirectory> fixed = MakeAt(FixedRuntimePlace(::geteuid()));
  if (fixed) return fixed;
  const std::string session = SessionRuntimePlace(::geteuid());
  const Result<UniqueFd> above = OpenOwnDirectory(std::string(ParentOf(session)));
  if (!above || !IsPrivate(*above)) return fixed;
  Result<RuntimeDirectory> opened = MakeAt(session);
  return opened ? std::move(opened) : std::move(fixed);
}

std::vector<RuntimeDirectory> RuntimeDirectory::ExistingForRecords() {
  std::vector<RuntimeDirectory> found;
  Result<RuntimeDirectory> fixed = OpenAt(FixedRuntimePlace(::geteuid()));
  if (fixed) found.push_back(std::move(*fixed));
  const std::string path = SessionRuntimePlace(::geteuid());
  if (::access(path.c_str(), F_OK) != 0) return found;
  Result<RuntimeDirectory> session = OpenAt(path);
  if (session) found.push_back(std::move(*session));
  return found;
}

Result<RuntimeDirectory> RuntimeDirectory::OpenTempPlace(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno != EEXIST) return SystemError(ErrorCode::kSetupFailed, "create " + Quoted(path), errno);
    TakeModeBack(path);
  }
  return OpenAt(path);
}

std::vector<RuntimeDirectory> RuntimeDirectory::ExistingTempPlaces() {
  std::vector<RuntimeDirectory> found;
  for (const char* const base : kTempBases) {
    const std::string path = TempPlaceIn(base, ::geteuid());
    TakeModeBack(path);
    Result<RuntimeDirectory> place = OpenAt(path);
    if (place) found.push_back(std::move(*place));
  }
  return found;
}

std::vector<RuntimeDirectory> RuntimeDirectory::Existing() { return Opened(Candidates()); }

std::vector<RuntimeDirectory> RuntimeDirectory::OfAllCalls() {
  const std::string fixed = FixedRuntimePlace(::geteuid());
  std::vector<std::string> paths = {SessionRuntimePlace(::geteuid()), fixed};
  if (const Result<RuntimeDirectory> above = OpenAt(fixed)) {
    ForEachName(above->descriptor.Get(), [&](const char* name) {
      if (std::string_view(name).starts_with(kPlacePrefix)) paths.push_back(fixed + "/" + name);
    });
  }
  return Opened(paths);
}

}  // namespace mxc
