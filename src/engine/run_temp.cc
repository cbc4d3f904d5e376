#include "engine/run_temp.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/own_files.h"
#include "base/remove_tree.h"

namespace mxc::engine {
namespace {

constexpr std::string_view kPrefix = "mxc-run-";
// Of one that is not locked yet. Only empty ones are removed, and then it is made again.
constexpr std::string_view kFreshSuffix = ".new";
constexpr int kListed = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string PathOf(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Its mode may keep its owner out, and is what it was if the run still goes on.
UniqueFd OpenAnyway(const UniqueFd& object, mode_t& changed) {
  UniqueFd directory{::openat(object.Get(), ".", kListed)};
  struct stat status {};
  if (directory || errno != EACCES || ::fstat(object.Get(), &status) != 0) return directory;
  if (::chmod(PathOf(object.Get()).c_str(), 0700) != 0) return directory;
  changed = status.st_mode & 07777U;
  return UniqueFd{::openat(object.Get(), ".", kListed)};
}

// The directory, locked, if its run has ended.
UniqueFd LockEnded(const UniqueFd& place, const std::string& name) {
  const UniqueFd object{::openat(place.Get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat above {};
  struct stat status {};
  const bool ours = object && ::fstat(object.Get(), &status) == 0 && status.st_uid == ::geteuid() &&
                    ::fstat(place.Get(), &above) == 0 && status.st_dev == above.st_dev;
  if (!ours) return {};
  constexpr mode_t kUnchanged = ~mode_t{0};
  mode_t mode = kUnchanged;
  UniqueFd directory = OpenAnyway(object, mode);
  if (directory && ::flock(directory.Get(), LOCK_EX | LOCK_NB) == 0) return directory;
  if (mode != kUnchanged) static_cast<void>(::chmod(PathOf(object.Get()).c_str(), mode));
  return {};
}

std::vector<std::string> NamesIn(const RuntimeDirectory& place) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(PathOf(place.descriptor.Get()).c_str()),
                                                    ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe): own stream
    const std::string_view name = entry->d_name;
    if (name.starts_with(kPrefix)) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::string ChooseRunTemp(const RuntimeDirectory& place) {
  return place.path + "/" + std::string(kPrefix) + RandomName();
}

// Locks it before it gets its name: one that is found unlocked is nobody's any more. A file system without
// locks gives none to whoever sweeps, either.
int MakeRunTemp(const char* path) {
  constexpr int kAttempts = 100;  // a sweep may remove it meanwhile
  std::array<char, PATH_MAX> fresh{};
  const std::size_t length = std::strlen(path);
  if (length + kFreshSuffix.size() >= fresh.size()) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(fresh.data(), path, length);
  std::memcpy(fresh.data() + length, kFreshSuffix.data(), kFreshSuffix.size());
  for (int attempt = 1;; ++attempt) {
    if (::mkdir(fresh.data(), 0700) != 0) return -1;
    const int directory = ::open(fresh.data(), kListed);
    if (directory >= 0) {
      ::flock(directory, LOCK_EX | LOCK_NB);
      if (::rename(fresh.data(), path) == 0) return directory;
    }
    const int number = errno;
    ::rmdir(fresh.data());
    if (directory >= 0) ::close(directory);
    errno = number;
    if (number != ENOENT || attempt == kAttempts) return -1;
  }
}

std::size_t SweepRunTemps(const RuntimeDirectory& place) {
  std::size_t removed = 0;
  for (const std::string& name : NamesIn(place)) {
    if (name.ends_with(kFreshSuffix)) {
      ::unlinkat(place.descriptor.Get(), name.c_str(), AT_REMOVEDIR);
      continue;
    }
    const UniqueFd ended = LockEnded(place.descriptor, name);
    if (!ended) continue;
    RemoveTree((PathOf(place.descriptor.Get()) + "/" + name).c_str());
    if (::faccessat(place.descriptor.Get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) ++removed;
  }
  return removed;
}

}  // namespace mxc::engine
