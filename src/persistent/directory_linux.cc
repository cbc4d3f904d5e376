#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "persistent/directory.h"
#include "persistent/recovery_record.h"

namespace mxc::session {
namespace {

// The name below the open directory's entry in /proc: independent of what its path leads to by now, and short
// enough for sockaddr_un.
sockaddr_un AddressOf(int directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

// Held while a call removes dead sandboxes: one at a time does.
class Lock {
 public:
  explicit Lock(int directory) : directory_(directory) {
    while (::flock(directory_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::flock(directory_, LOCK_UN); }

 private:
  int directory_;
};

UniqueFd NewSocket() { return UniqueFd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)}; }

}  // namespace

StateDirectory::StateDirectory(RuntimeDirectory directory)
    : directory_(std::move(directory.descriptor)), path_(std::move(directory.path)) {}

Result<StateDirectory> StateDirectory::Open() {
  Result<RuntimeDirectory> directory = RuntimeDirectory::Open();
  if (!directory) return directory.error();
  return StateDirectory(std::move(*directory));
}

std::vector<StateDirectory> StateDirectory::In(std::vector<RuntimeDirectory> directories) {
  std::vector<StateDirectory> found;
  for (RuntimeDirectory& directory : directories) found.push_back(StateDirectory(std::move(directory)));
  return found;
}

std::vector<StateDirectory> StateDirectory::Existing() { return In(RuntimeDirectory::Existing()); }

std::vector<StateDirectory> StateDirectory::OfAllCalls() { return In(RuntimeDirectory::OfAllCalls()); }

Result<UniqueFd> StateDirectory::Listen(const std::string& name) const {
  const Lock lock(directory_.Get());  // until somebody listens it looks like a dead one's
  UniqueFd socket = NewSocket();
  const sockaddr_un address = AddressOf(directory_.Get(), name);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (socket && ::bind(socket.Get(), generic, sizeof address) == 0 &&
      ::listen(socket.Get(), kMaxCallers) == 0)
    return socket;
  return SystemError(ErrorCode::kSetupFailed, "listen in '" + path_ + "'", errno);
}

UniqueFd StateDirectory::Connect(const std::string& name) const {
  UniqueFd socket = NewSocket();
  if (!socket) return socket;
  const sockaddr_un address = AddressOf(directory_.Get(), name);
  const auto connect = [&] {
    int result = 0;
    do {
      result = ::connect(socket.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    } while (result != 0 && errno == EINTR);
    return result == 0;
  };
  if (connect()) return socket;
  if (errno == EACCES) {
    TakeModeBack(directory_.Get(), name, 0700);
    if (connect()) return socket;
  }
  const int number = errno;
  socket.Reset();
  errno = number;
  return socket;
}

void StateDirectory::Remove(const std::string& name) const { ::unlinkat(directory_.Get(), name.c_str(), 0); }

bool StateDirectory::RemoveDead(const std::string& name) const {
  const Lock lock(directory_.Get());
  if (Connect(name) || errno != ECONNREFUSED) return false;
  CleanUpByRecord(*this, name);
  Remove(name);
  return true;
}

bool StateDirectory::Has(const std::string& name) const {
  return ::faccessat(directory_.Get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

UniqueFd StateDirectory::WatchNames() const {
  UniqueFd watch{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  const std::string path = "/proc/self/fd/" + std::to_string(directory_.Get());
  if (!watch || ::inotify_add_watch(watch.Get(), path.c_str(), IN_DELETE | IN_MOVED_FROM) < 0) watch.Reset();
  return watch;
}

void StateDirectory::DrainWatch(const UniqueFd& watch) {
  std::array<char, 4096> events{};
  while (::read(watch.Get(), events.data(), events.size()) > 0) {
  }
}

std::vector<std::string> StateDirectory::Names() const {
  std::vector<std::string> names;
  const std::string path = "/proc/self/fd/" + std::to_string(directory_.Get());
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(path.c_str()), ::closedir);
  if (!listing) return names;
  while (const dirent* entry = ::readdir(listing.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

}  // namespace mxc::session
