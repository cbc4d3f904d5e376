#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "engine/namespace_discard.h"
#include "run/config_lock_watch.h"

namespace mxc {
namespace {

constexpr std::string_view kHeldConfig = "/config";
constexpr std::string_view kConfigLock = "config.lock";
constexpr std::string_view kHead = "HEAD";

}  // namespace

ConfigLockWatch ConfigLockWatch::Start(const GitSnapshot& before) {
  constexpr std::size_t kMostWatches = 1000;  // the kernel keeps a number for each user
  ConfigLockWatch watch;
  for (const GitSnapshot::Held& held : before.held) {
    if (!held.path.ends_with(kHeldConfig) || watch.directories_.size() == kMostWatches) continue;
    if (!watch.events_) watch.events_.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!watch.events_) break;
    std::string directory = held.path.substr(0, held.path.size() - kHeldConfig.size());
    const int number = ::inotify_add_watch(watch.events_.Get(), directory.c_str(),
                                           IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR | IN_DONT_FOLLOW);
    if (number >= 0) watch.directories_.emplace(number, std::move(directory));
  }
  return watch;
}

std::vector<std::string> ConfigLockWatch::Tried() {
  std::set<std::string> tried;
  std::array<char, 4096> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  while (events_) {
    const ssize_t size = ::read(events_.Get(), buffer.data(), buffer.size());
    if (size <= 0) break;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      const auto directory = directories_.find(event.wd);
      if (event.len > 0 && directory != directories_.end()) {
        const bool removed = (event.mask & IN_DELETE) != 0;
        if (name == kConfigLock && !removed) tried.insert(directory->second + std::string(kHeldConfig));
        if (name == kHead && removed) tried.insert(directory->second + '/' + name);
      }
      at += sizeof event + event.len;
    }
  }
  CloseLater(std::move(events_));
  return {tried.begin(), tried.end()};
}

}  // namespace mxc
