#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "cleanup/guard_watch.h"

namespace mxc {

GuardWatch::GuardWatch(const GuardedPaths& guarded) : guarded_(guarded), names_(guarded.Names()) {
  if (guarded.Empty()) return;
  inotify_ = UniqueFd{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  Renew();
}

void GuardWatch::Renew() {
  if (!inotify_) return;
  constexpr std::uint32_t kNames = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
  constexpr std::uint32_t kChanges = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DONT_FOLLOW;
  for (const std::string& directory : guarded_.Directories())
    ::inotify_add_watch(inotify_.Get(), directory.c_str(), IN_ONLYDIR | kNames | kChanges);
  // A file itself is watched as well: it can be written under any name that it has or gets.
  for (const std::string& object : guarded_.Objects()) {
    const int watch = ::inotify_add_watch(inotify_.Get(), object.c_str(), kNames | kChanges);
    if (watch >= 0) objects_.insert(watch);
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
      concerned = concerned || (event.mask & IN_Q_OVERFLOW) != 0 || objects_.contains(event.wd) ||
                  (event.len != 0 && names_.contains(std::string_view(name)));
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

}  // namespace mxc
