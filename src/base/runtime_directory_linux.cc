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

void TakeModeBack(int borrowed_directory, const std::string& name, unsigned mode) {
  struct stat now {};
  if (::fstatat(borrowed_directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
      (now.st_mode & 07777U) == mode)
    return;
  const UniqueFd found{::openat(borrowed_directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  if (!found || ::fstat(found.Get(), &status) != 0 || S_ISLNK(status.st_mode)) return;
  if (status.st_uid != ::geteuid() || (status.st_mode & 07777U) == mode) return;
  ::chmod(("/proc/self/fd/" + std::to_string(found.Get())).c_str(), static_cast<mode_t>(mode));
}

namespace {

constexpr mode_t kOwnersAlone = 0700;

bool IsPrivate(const UniqueFd& directory) {
  struct stat status {};
  return ::fstat(directory.Get(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 077U) == 0;
}

// "": the environment names no directory.
std::string PlaceOfEnvironment() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): one thread
  return runtime != nullptr && *runtime == '/' ? RuntimePlaceOf(runtime, ::geteuid()) : "";
}

std::string ChosenPlace() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): one thread
  std::string place = PlaceOfEnvironment();
  if (place == SessionRuntimePlace(::geteuid())) TakeModeBack(AT_FDCWD, runtime, kOwnersAlone);
  const Result<UniqueFd> directory = place.empty() ? UniqueFd() : OpenOwnDirectory(runtime);
  return directory && IsPrivate(*directory) ? place : FixedRuntimePlace(::geteuid());
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

// Below one of these, which are the caller's alone as well.
void TakeModesBack(const std::string& path) {
  const std::string above{ParentOf(path)};
  const uid_t own = ::geteuid();
  if (above == FixedRuntimePlace(own) || above == ParentOf(SessionRuntimePlace(own)))
    TakeModeBack(AT_FDCWD, above, kOwnersAlone);
  TakeModeBack(AT_FDCWD, path, kOwnersAlone);
}

Result<RuntimeDirectory> OpenAt(const std::string& path) {
  TakeModesBack(path);
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
  const int number = ::mkdir(path.c_str(), kOwnersAlone) == 0 ? 0 : errno;
  if (number != 0 && number != EEXIST && ::access(path.c_str(), F_OK) != 0) return NotMade(path, number);
  return OpenAt(path);
}

}  // namespace

UniqueFd OpenKept(int borrowed_directory, const std::string& name) {
  constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr unsigned kOwnersFile = 0600;
  UniqueFd file{::openat(borrowed_directory, name.c_str(), kReading)};
  if (!file && errno == EACCES) {
    TakeModeBack(borrowed_directory, name, kOwnersFile);
    file = UniqueFd{::openat(borrowed_directory, name.c_str(), kReading)};
  }
  struct stat status {};
  if (!file || (::fstat(file.Get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                status.st_uid == ::geteuid()))
    return file;
  file.Reset();
  errno = EPERM;
  return file;
}

Result<UniqueFd> RuntimeDirectory::MakeBelow(const std::string& name) const {
  const std::string whole = JoinPath(path, name);
  if (::mkdirat(descriptor.Get(), name.c_str(), kOwnersAlone) != 0 && errno != EEXIST)
    return SystemError(ErrorCode::kSetupFailed, "create " + Quoted(whole), errno);
  TakeModeBack(descriptor.Get(), name, kOwnersAlone);
  UniqueFd made{::openat(descriptor.Get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!made) return SystemError(ErrorCode::kSetupFailed, "open " + Quoted(whole), errno);
  if (!IsPrivate(made)) return NotOurs(whole, "it is another user's");
  return made;
}

Result<RuntimeDirectory> RuntimeDirectory::Open() {
  const std::string path = ChosenPlace();
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
  if (fixed || !HasSessionPlace(::geteuid())) return fixed;
  const std::string session = SessionRuntimePlace(::geteuid());
  TakeModeBack(AT_FDCWD, std::string(ParentOf(session)), kOwnersAlone);
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
  if (!HasSessionPlace(::geteuid()) || (::access(path.c_str(), F_OK) != 0 && errno != EACCES)) return found;
  Result<RuntimeDirectory> session = OpenAt(path);
  if (session) found.push_back(std::move(*session));
  return found;
}

Result<RuntimeDirectory> RuntimeDirectory::OpenTempPlace(const std::string& path) {
  if (::mkdir(path.c_str(), kOwnersAlone) != 0 && errno != EEXIST)
    return SystemError(ErrorCode::kSetupFailed, "create " + Quoted(path), errno);
  return OpenAt(path);
}

std::vector<RuntimeDirectory> RuntimeDirectory::ExistingTempPlaces() {
  std::vector<RuntimeDirectory> found;
  for (const char* const base : kTempBases) {
    Result<RuntimeDirectory> place = OpenAt(TempPlaceIn(base, ::geteuid()));
    if (place) found.push_back(std::move(*place));
  }
  return found;
}

// Also where the directory of the environment is not the caller's alone any more.
std::vector<RuntimeDirectory> RuntimeDirectory::Existing() {
  const std::string place = PlaceOfEnvironment();
  const std::string fixed = FixedRuntimePlace(::geteuid());
  return Opened(place.empty() ? std::vector{fixed} : std::vector{place, fixed});
}

std::vector<RuntimeDirectory> RuntimeDirectory::OfAllCalls() {
  const std::string fixed = FixedRuntimePlace(::geteuid());
  std::vector<std::string> paths;
  if (HasSessionPlace(::geteuid())) paths.push_back(SessionRuntimePlace(::geteuid()));
  paths.push_back(fixed);
  if (const Result<RuntimeDirectory> above = OpenAt(fixed)) {
    ForEachName(above->descriptor.Get(), [&](const char* name) {
      if (std::string_view(name).starts_with(kPlacePrefix)) paths.push_back(fixed + "/" + name);
    });
  }
  return Opened(paths);
}

}  // namespace mxc
