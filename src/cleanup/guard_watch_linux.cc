#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "cleanup/guard_watch.h"

namespace mxc {
namespace {

// What is put back when something is made there.
bool IsGone(int number) { return number == ENOENT || number == ENOTDIR; }

}  // namespace

GuardWatch::GuardWatch(const GuardedPaths& guarded) : guarded_(guarded) {
  if (guarded.Empty()) return;
  inotify_ = UniqueFd{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  Renew();
}

// A directory is watched with the one it is in, where it could be replaced.
void GuardWatch::Renew() {
  complete_ = static_cast<bool>(inotify_);
  if (!inotify_) return;
  constexpr std::uint32_t kWhere = IN_ONLYDIR | IN_DONT_FOLLOW;
  constexpr std::uint32_t kChanges =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;
  for (const std::string& directory : guarded_.Directories()) {
    const std::string above = directory.substr(0, directory.rfind('/'));
    for (const std::string& path : {directory, above}) {
      if (!path.empty() && ::inotify_add_watch(inotify_.Get(), path.c_str(), kWhere | kChanges) < 0)
        complete_ = complete_ && IsGone(errno);
    }
  }
  for (const std::string& tree : guarded_.Trees()) {
    const int watch = ::inotify_add_watch(inotify_.Get(), tree.c_str(), kWhere | kChanges);
    if (watch >= 0) {
      trees_.insert(watch);
    } else {
      complete_ = complete_ && IsGone(errno);
    }
  }
}

bool GuardWatch::Take() {
  bool concerned = false;
  alignas(inotify_event) std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t count = ::read(inotify_.Get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return concerned;
    for (ssize_t at = 0; at < count;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      concerned = concerned || (event.mask & IN_Q_OVERFLOW) != 0 || trees_.contains(event.wd) ||
                  (event.len != 0 && guarded_.Concerns(name));
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

}  // namespace mxc
