#include "host/live_sockets_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"
#include "host/bound_sockets_linux.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// A server puts its socket near the top of what it works in. Nothing tells of sockets in a network namespace
// that no process is in; a search for those ends after so much.
constexpr std::size_t kNearDirectories = 128;
constexpr std::size_t kNearEntries = 8192;

// Of linux/dirent.h, which no C library offers.
struct SocketSearchEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

bool IsBelowAny(const std::string& path, const std::vector<std::string>& directories) {
  return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    if (!path.starts_with(directory)) return false;
    return path.size() == directory.size() || directory.ends_with('/') || path[directory.size()] == '/';
  });
}

// ECONNREFUSED says that nobody has bound it; every other answer that somebody may have.
bool IsBound(int socket_path_fd) {
  const UniqueFd probe{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!probe) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", socket_path_fd);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);  // NOLINT(*-reinterpret-cast)
  return ::connect(probe.Get(), generic, sizeof address) == 0 || errno != ECONNREFUSED;
}

// A subvolume of btrfs has a number of its own, which is not the one that the kernel tells of a socket.
class ShownDevices {
 public:
  explicit ShownDevices(const std::vector<std::string>& directories) {
    for (const std::string& directory : directories) Add(directory);
  }
  [[nodiscard]] bool Contains(std::uint64_t device) const { return any_ || devices_.contains(device); }

 private:
  void Add(const std::string& directory) {
    struct stat status {};
    struct statfs system {};
    if (::lstat(directory.c_str(), &status) == 0) devices_.insert(status.st_dev);
    const bool known = ::statfs(directory.c_str(), &system) == 0;
    any_ = any_ || !known || static_cast<std::uint32_t>(system.f_type) == BTRFS_SUPER_MAGIC;
  }

  std::set<std::uint64_t> devices_ = {};
  bool any_ = false;
};

class SocketSearch {
 public:
  SocketSearch(const std::vector<std::string>& directories, const std::vector<std::string>& skipped)
      : directories_(directories), skipped_(skipped), roots_(directories.begin(), directories.end()) {}

  std::vector<std::string> Run();

 private:
  using Clock = std::chrono::steady_clock;
  using File = std::pair<std::uint64_t, std::uint32_t>;  // device, lower half of the inode

  void LocateAll(const std::vector<BoundSocket>& sockets);
  [[nodiscard]] bool Locate(const BoundSocket& socket);
  [[nodiscard]] bool LocateAt(const std::string& bound, const BoundSocket& socket);
  [[nodiscard]] const std::string& Canonical(const std::string& directory);
  void Judge(std::string path);
  void Read(const std::string& directory);
  void NoteUnread(const std::string& directory, int reason);
  void AddEntry(const std::string& directory, std::string_view name, unsigned char type);
  void LeaveWholeHost();
  void Search(std::size_t most_directories, std::size_t most_entries);

  const std::vector<std::string>& directories_;
  const std::vector<std::string>& skipped_;
  const std::set<std::string> roots_;  // each is read once, however it is come by
  std::map<std::string, std::string> canonical_ = {};
  std::optional<std::vector<std::string>> working_ = {};  // directories of processes
  std::map<File, std::size_t> sought_ = {};               // bound, but where; names that were found
  std::deque<std::string> pending_ = {};
  std::vector<std::string> closed_ = {};  // cannot be searched
  std::vector<std::string> found_ = {};
  std::size_t read_ = 0;  // directories
  std::size_t entries_ = 0;
  const Clock::time_point end_ = Clock::now() + std::chrono::milliseconds(kMaxSearchMs);
};

const std::string& SocketSearch::Canonical(const std::string& directory) {
  auto known = canonical_.find(directory);
  if (known == canonical_.end()) {
    std::array<char, PATH_MAX> resolved;  // NOLINT(*-member-init)
    const bool exists = ::realpath(directory.c_str(), resolved.data()) != nullptr;
    known = canonical_.emplace(directory, exists ? resolved.data() : "").first;
  }
  return known->second;
}

bool SocketSearch::Locate(const BoundSocket& socket) {
  if (socket.path.starts_with('/')) return LocateAt(socket.path, socket);
  if (!working_) working_ = WorkingDirectories();
  return std::any_of(working_->begin(), working_->end(), [&](const std::string& directory) {
    return LocateAt(directory + "/" + socket.path, socket);
  });
}

// It is where it was bound, and has no other name.
bool SocketSearch::LocateAt(const std::string& bound, const BoundSocket& socket) {
  const std::size_t slash = bound.rfind('/');
  const std::string& above = Canonical(bound.substr(0, std::max<std::size_t>(slash, 1)));
  if (above.empty()) return false;
  std::string path = (above == "/" ? "" : above) + bound.substr(slash);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  if (static_cast<std::uint32_t>(status.st_ino) != socket.inode) return false;
  const bool usable = status.st_uid == ::getuid() || ::access(path.c_str(), W_OK) == 0;
  if (usable) found_.push_back(std::move(path));
  return status.st_nlink == 1;
}

void SocketSearch::LocateAll(const std::vector<BoundSocket>& sockets) {
  std::vector<const BoundSocket*> elsewhere;
  for (const BoundSocket& socket : sockets) {
    if (!Locate(socket)) elsewhere.push_back(&socket);
  }
  if (elsewhere.empty() || directories_.empty()) return;
  const ShownDevices shown(directories_);
  for (const BoundSocket* socket : elsewhere) {
    if (shown.Contains(socket->device)) sought_.emplace(File{socket->device, socket->inode}, 0);
  }
}

void SocketSearch::Judge(std::string path) {
  if (IsBelowAny(path, skipped_)) return;
  const UniqueFd file{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const auto sought = sought_.find({status.st_dev, static_cast<std::uint32_t>(status.st_ino)});
  const bool listed = sought != sought_.end();
  if (listed && ++sought->second >= status.st_nlink) sought_.erase(sought);
  if (status.st_uid != ::getuid() && ::access(path.c_str(), W_OK) != 0) return;
  if (listed || IsBound(file.Get())) found_.push_back(std::move(path));
}

void SocketSearch::NoteUnread(const std::string& directory, int reason) {
  if (reason == ENOTDIR) return Judge(directory);
  if (reason != ENOENT && reason != ELOOP) closed_.push_back(directory);
}

// What no system call can be told the path of is closed with the directory that it stands in.
void SocketSearch::AddEntry(const std::string& directory, std::string_view name, unsigned char type) {
  const bool maybe_socket = type == DT_SOCK || type == DT_UNKNOWN;
  const bool maybe_directory = type == DT_DIR || type == DT_UNKNOWN;
  if (name == "." || name == ".." || (!maybe_socket && !maybe_directory)) return;
  std::string path = directory == "/" ? directory : directory + "/";
  path += name;
  if (roots_.contains(path)) return;
  if (path.size() >= PATH_MAX) {
    closed_.push_back(directory);
  } else if (type == DT_SOCK) {
    Judge(std::move(path));
  } else {
    pending_.push_back(std::move(path));
  }
}

void SocketSearch::Read(const std::string& directory) {
  if (IsBelowAny(directory, skipped_)) return;
  const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) return NoteUnread(directory, errno);
  std::array<char, 32768> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (;;) {
    const long size = ::syscall(SYS_getdents64, fd.Get(), buffer.data(), buffer.size());
    if (size < 0) NoteUnread(directory, errno);
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size); ++entries_) {
      const auto* entry =
          reinterpret_cast<const SocketSearchEntry*>(buffer.data() + at);  // NOLINT(*-reinterpret-cast)
      AddEntry(directory, static_cast<const char*>(entry->name), entry->type);
      at += entry->size;
    }
  }
}

// Nearest first.
void SocketSearch::Search(std::size_t most_directories, std::size_t most_entries) {
  for (; !pending_.empty() && read_ < most_directories && entries_ < most_entries; ++read_) {
    if (Clock::now() > end_) return;
    const std::string directory = std::move(pending_.front());
    pending_.pop_front();
    Read(directory);
  }
}

// The whole host takes seconds: what only a grant of "/" shows is not searched further for a socket of which
// nothing says that it is there.
void SocketSearch::LeaveWholeHost() {
  std::vector<std::string> others;
  for (const std::string& directory : directories_) {
    if (directory != "/") others.push_back(directory);
  }
  std::erase_if(pending_, [&](const std::string& path) { return !IsBelowAny(path, others); });
}

// Other namespaces are asked about where that decides anything: it takes as long as many directories.
std::vector<std::string> SocketSearch::Run() {
  const std::optional<std::vector<BoundSocket>> listed = ListBoundSockets();
  if (listed) LocateAll(*listed);
  pending_.assign(directories_.begin(), directories_.end());
  bool unknown = !listed;  // a bound socket may be any file
  if (!unknown && sought_.empty()) {
    Search(kNearDirectories, kNearEntries);
    LeaveWholeHost();
    unknown = (!pending_.empty() || !closed_.empty()) && OthersHaveBoundSockets();
    if (!unknown) pending_.clear();
  }
  if (unknown || !sought_.empty()) {
    Search(kMaxSearchEntries, kMaxSearchEntries);
    if (unknown || !sought_.empty()) found_.insert(found_.end(), closed_.begin(), closed_.end());
    if (!pending_.empty()) found_.insert(found_.end(), directories_.begin(), directories_.end());
  }
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return std::move(found_);
}

}  // namespace

std::vector<std::string> FindLiveSockets(const std::vector<std::string>& directories,
                                         const std::vector<std::string>& skipped) {
  return SocketSearch(directories, skipped).Run();
}

}  // namespace mxc
