#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/path.h"
#include "cleanup/deferred_deletion.h"
#include "cleanup/directory_identity.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/named_place.h"

namespace mxc {
namespace {

// Whether it is still a regular file with one name, the same text, and no more mode bits than before.
bool SaysTheSame(const GuardedConfig& config) {
  const Result<NamedPlace> place = OpenPlace(config.path);
  if (!place) return false;
  constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const UniqueFd file{::openat(place->directory.Get(), place->name.c_str(), kReading)};
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    return false;
  if ((status.st_mode & 07777U & ~config.mode) != 0) return false;
  std::string text(config.text.size() + 1, '\0');
  const ssize_t size = ::pread(file.Get(), text.data(), text.size(), 0);
  return size >= 0 && text.substr(0, static_cast<std::size_t>(size)) == config.text;
}

}  // namespace

std::size_t LockConfigs(const std::vector<GuardedConfig>& configs, const GuardedPaths& guarded,
                        std::vector<UniqueFd>& locks) {
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const Result<NamedPlace> place = OpenPlace(configs[i].path);
    errno = ENOENT;
    if (!place) return i;
    constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    UniqueFd lock{::openat(place->directory.Get(), ".", kDirectory)};
    const bool ours = guarded.Locks(ParentOf(configs[i].path));
    if (!lock || (!ours && ::flock(lock.Get(), (configs[i].alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0))
      return i;
    locks.push_back(std::move(lock));
    // The text was read before the lock: another run may have restored the file since.
    errno = ESTALE;
    if (!SaysTheSame(configs[i])) return i;
  }
  return configs.size();
}

void NoteDirectories(std::vector<GuardedConfig>& configs) {
  for (GuardedConfig& config : configs) {
    const Result<NamedPlace> place = OpenPlace(config.path);
    if (place) config.directory = IdentityOf(place->directory.Get());
  }
}

RestoredConfigs RestoreConfigs(const std::vector<GuardedConfig>& configs, InOtherDirectories others) {
  RestoredConfigs restored;
  for (const GuardedConfig& config : configs) {
    const Result<NamedPlace> place = OpenPlace(config.path);
    if (!place) {
      restored.left.push_back({.config = config, .why = place.error().message});
      continue;
    }
    const bool other = !config.directory.empty() && !HasIdentity(place->directory.Get(), config.directory);
    if ((!other || others == InOtherDirectories::kRestore) && !SaysTheSame(config)) {
      const Result<std::string> put_back = PutBack(config.path, config.text, config.mode);
      if (!put_back) restored.left.push_back({.config = config, .why = put_back.error().message});
      if (!put_back) continue;
      ++restored.count;
    }
    if (other) restored.left.push_back({.config = config, .other = true});
  }
  return restored;
}

}  // namespace mxc
