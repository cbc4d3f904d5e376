#include "host/live_sockets_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/at_once.h"
#include "base/unique_fd.h"
#include "host/bound_sockets_linux.h"
#include "host/read_directory_linux.h"
#include "host/socket_files_linux.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// A server puts its socket near the top of what it works in. Nothing tells of sockets in a network namespace
// that no process is in; a search for those ends after so much.
constexpr std::size_t kNearDirectories = 128;
constexpr std::size_t kNearEntries = 8192;
// Directories that several threads list before anything is made of what is in them.
constexpr std::size_t kTogether = 4096;

constexpr std::string_view kThroughDescriptor = "/proc/self/fd/";

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

// The file systems that are shown. A subvolume of btrfs has a number of its own, which is not the one that
// the kernel tells of a socket: where there is one, a socket may be on any.
class ShownDevices {
 public:
  void Add(const std::vector<std::string>& directories) {
    for (const std::string& directory : directories) AddOne(directory);
  }
  [[nodiscard]] bool Contains(std::uint64_t device) const { return any_ || devices_.contains(device); }
  [[nodiscard]] bool Any() const { return any_; }

 private:
  void AddOne(const std::string& directory) {
    struct stat status {};
    struct statfs system {};
    if (::lstat(directory.c_str(), &status) == 0) devices_.insert(status.st_dev);
    const bool known = ::statfs(directory.c_str(), &system) == 0;
    any_ = any_ || !known || static_cast<std::uint32_t>(system.f_type) == BTRFS_SUPER_MAGIC;
  }

  std::set<std::uint64_t> devices_ = {};
  bool any_ = false;
};

// What of a directory matters: each name ends with NUL.
struct Listing {
  int problem = 0;  // errno
  std::size_t entries = 0;
  std::string sockets = {};
  std::string directories = {};  // and what may be one
};

Listing List(const std::string& directory) {
  const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) return {.problem = errno};
  Listing listing;
  listing.problem = ReadDirectory(fd.Get(), [&](const KernelDirectoryEntry& entry, std::string_view name) {
    ++listing.entries;
    if (entry.type == DT_SOCK) listing.sockets.append(name).push_back('\0');
    if (entry.type == DT_DIR || entry.type == DT_UNKNOWN) listing.directories.append(name).push_back('\0');
  });
  return listing;
}

std::vector<const BoundSocket*> Pointers(const std::vector<BoundSocket>& sockets) {
  std::vector<const BoundSocket*> pointers;
  for (const BoundSocket& socket : sockets) pointers.push_back(&socket);
  return pointers;
}

class SocketSearch {
 public:
  explicit SocketSearch(const SocketPlaces& places) : places_(places) {
    for (const auto* list : {&places.directories, &places.whole_host}) {
      roots_.insert(list->begin(), list->end());
      pending_.insert(pending_.end(), list->begin(), list->end());
    }
  }

  // Other namespaces are asked about where that decides anything: it takes as long as many directories. The
  // whole host takes seconds: what only a grant of "/" shows is not searched for a socket of which nothing
  // says that it is there.
  std::vector<std::string> Run() {
    const std::optional<std::vector<BoundSocket>> listed = ListBoundSockets();
    if (listed) LocateAll(*listed);
    std::erase_if(pending_, [&](const std::string& path) { return IsBelowAny(path, places_.skipped); });
    SearchNear();
    const bool beyond = !pending_.empty() || !closed_.empty();
    bool others = false;  // have bound any that are not listed
    if (listed && beyond) {
      const std::optional<std::vector<BoundSocket>> theirs = ListOthersBoundSockets();
      others = !theirs;
      if (theirs) Seek(Pointers(*theirs));
    }
    std::erase_if(pending_, [&](const std::string& path) {
      const bool any = !listed || (others && IsBelowAny(path, places_.directories));  // may be any file
      return !any && !MayHoldSought(path);
    });
    const bool unknown = !listed || others;
    SearchWhole(unknown);
    if (unknown || !sought_.empty()) found_.insert(found_.end(), closed_.begin(), closed_.end());
    if (!pending_.empty()) found_.insert(found_.end(), roots_.begin(), roots_.end());
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  using File = std::pair<std::uint64_t, std::uint32_t>;  // device, lower half of the inode

  void LocateAll(const std::vector<BoundSocket>& sockets) {
    std::vector<const BoundSocket*> elsewhere;
    for (const BoundSocket& socket : sockets) {
      if (!Locate(socket)) elsewhere.push_back(&socket);
    }
    Seek(std::move(elsewhere));
  }

  void Seek(std::vector<const BoundSocket*> elsewhere) {
    if (elsewhere.empty() || roots_.empty()) return;
    shown_.Add(places_.directories);
    shown_.Add(places_.whole_host);
    std::erase_if(elsewhere, [&](const BoundSocket* socket) { return !shown_.Contains(socket->device); });
    const std::vector<UniqueFd> files = OpenSocketFiles(elsewhere);
    for (std::size_t i = 0; i < elsewhere.size(); ++i) {
      if (files[i] && LocateFile(files[i].Get(), *elsewhere[i])) continue;
      sought_.emplace(File{elsewhere[i]->device, elsewhere[i]->inode}, 0);
    }
  }

  [[nodiscard]] bool Locate(const BoundSocket& socket) {
    if (socket.path.starts_with(kThroughDescriptor)) return LocateInOwn(socket);
    if (socket.path.starts_with('/')) return LocateAt(socket.path, socket);
    if (!working_) working_ = WorkingDirectories();
    return std::any_of(working_->begin(), working_->end(), [&](const std::string& directory) {
      return LocateAt(directory + "/" + socket.path, socket);
    });
  }

  // The descriptor was that of the process that bound it: here the path means another file.
  [[nodiscard]] bool LocateInOwn(const BoundSocket& socket) {
    const std::string name = socket.path.substr(socket.path.rfind('/'));
    return std::any_of(places_.own.begin(), places_.own.end(),
                       [&](const std::string& directory) { return LocateAt(directory + name, socket); });
  }

  // It is where it was bound, and has no other name.
  [[nodiscard]] bool LocateAt(const std::string& bound, const BoundSocket& socket) {
    const std::size_t slash = bound.rfind('/');
    const std::string& above = Canonical(bound.substr(0, std::max<std::size_t>(slash, 1)));
    if (above.empty()) return false;
    std::string path = (above == "/" ? "" : above) + bound.substr(slash);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
    if (static_cast<std::uint32_t>(status.st_ino) != socket.inode) return false;
    Add(std::move(path), status);
    return status.st_nlink == 1;
  }

  // The file itself says whether it has a name, and which. A process behind a file system could say anything;
  // one that has the socket open could have put another in its place.
  [[nodiscard]] bool LocateFile(int file, const BoundSocket& socket) {
    struct stat status {};
    struct stat named {};
    struct statfs system {};
    std::array<char, PATH_MAX> text;  // NOLINT(*-member-init): the kernel fills it
    const ssize_t size =
        ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), text.data(), text.size());
    if (size <= 0 || ::fstat(file, &status) != 0 || ::fstatfs(file, &system) != 0) return false;
    if (static_cast<std::uint32_t>(system.f_type) == FUSE_SUPER_MAGIC) return false;
    const bool same = shown_.Any() || status.st_dev == socket.device;
    if (!same || static_cast<std::uint32_t>(status.st_ino) != socket.inode) return false;
    std::string path(text.data(), static_cast<std::size_t>(size));
    if (status.st_nlink == 0) return path.ends_with(" (deleted)");
    if (status.st_nlink != 1 || ::lstat(path.c_str(), &named) != 0) return false;
    if (named.st_dev != status.st_dev || named.st_ino != status.st_ino) return false;
    Add(std::move(path), named);
    return true;
  }

  [[nodiscard]] const std::string& Canonical(const std::string& directory) {
    auto known = canonical_.find(directory);
    if (known == canonical_.end()) {
      std::array<char, PATH_MAX> resolved;  // NOLINT(*-member-init)
      const bool exists = ::realpath(directory.c_str(), resolved.data()) != nullptr;
      known = canonical_.emplace(directory, exists ? resolved.data() : "").first;
    }
    return known->second;
  }

  // A socket that this user may connect to, or open for himself.
  void Add(std::string path, const struct stat& status) {
    if (status.st_uid == ::getuid() || ::access(path.c_str(), W_OK) == 0) found_.push_back(std::move(path));
  }

  void Judge(std::string path) {
    if (IsBelowAny(path, places_.skipped)) return;
    const UniqueFd file{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
    struct stat status {};
    if (!file || ::fstat(file.Get(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    const auto sought = sought_.find({status.st_dev, static_cast<std::uint32_t>(status.st_ino)});
    const bool listed = sought != sought_.end();
    if (listed && ++sought->second >= status.st_nlink) sought_.erase(sought);
    if (status.st_uid != ::getuid() && ::access(path.c_str(), W_OK) != 0) return;
    if (listed || IsBound(file.Get())) found_.push_back(std::move(path));
  }

  void NoteUnread(const std::string& directory, int reason) {
    if (reason == ENOTDIR) return Judge(directory);
    if (reason != ENOENT && reason != ELOOP) closed_.push_back(directory);
  }

  void Take(const std::string& directory, const Listing& listing) {
    ++read_;
    entries_ += listing.entries;
    if (listing.problem != 0) NoteUnread(directory, listing.problem);
    const auto each = [&](const std::string& names, const auto& take) {
      for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
        std::string path = PathIn(directory, names.c_str() + at);
        if (!roots_.contains(path)) take(std::move(path));
      }
    };
    bool deepest = false;  // closed with what is in it that is not searched
    each(listing.sockets, [&](std::string path) {
      deepest = deepest || path.size() >= kMaxPathBytes;
      if (path.size() < kMaxPathBytes) Judge(std::move(path));
    });
    each(listing.directories, [&](std::string path) {
      if (IsBelowAny(path, places_.skipped)) return;
      deepest = deepest || path.size() > kMaxSearchedPath;
      if (path.size() <= kMaxSearchedPath) pending_.push_back(std::move(path));
    });
    if (deepest) closed_.push_back(directory);
  }

  [[nodiscard]] static std::string PathIn(const std::string& directory, const char* name) {
    return (directory == "/" ? "" : directory) + "/" + name;
  }

  // Nearest first.
  void SearchNear() {
    while (!pending_.empty() && read_ < kNearDirectories && entries_ < kNearEntries && Clock::now() <= end_) {
      const std::string directory = std::move(pending_.front());
      pending_.pop_front();
      Take(directory, List(directory));
    }
  }

  // Until each of the sought is found, or to the end. What there was no time or room for is pending still.
  void SearchWhole(bool to_the_end) {
    while (!pending_.empty() && (to_the_end || !sought_.empty())) {
      if (read_ >= kMaxSearchEntries || entries_ >= kMaxSearchEntries || Clock::now() > end_) return;
      const auto last = pending_.begin() + static_cast<std::ptrdiff_t>(std::min(pending_.size(), kTogether));
      const std::vector<std::string> directories(std::make_move_iterator(pending_.begin()),
                                                 std::make_move_iterator(last));
      pending_.erase(pending_.begin(), last);
      std::vector<std::optional<Listing>> listings(directories.size());
      AtOnce(directories.size(), [&](std::size_t i) {
        if (Clock::now() <= end_) listings[i] = List(directories[i]);
      });
      for (std::size_t i = 0; i < directories.size(); ++i) {
        if (listings[i]) {
          Take(directories[i], *listings[i]);
        } else {
          pending_.push_back(directories[i]);
        }
      }
    }
    pending_.clear();
  }

  [[nodiscard]] bool MayHoldSought(const std::string& directory) const {
    if (sought_.empty() || shown_.Any()) return !sought_.empty();
    struct stat status {};
    if (::lstat(directory.c_str(), &status) != 0) return true;
    const auto first = sought_.lower_bound(File{status.st_dev, 0});
    return first != sought_.end() && first->first.first == status.st_dev;
  }

  const SocketPlaces& places_;
  std::set<std::string> roots_ = {};  // each is read once, however it is come by
  std::map<std::string, std::string> canonical_ = {};
  std::optional<std::vector<std::string>> working_ = {};  // directories of processes
  ShownDevices shown_ = {};
  std::map<File, std::size_t> sought_ = {};  // bound, but where; names that were found
  std::deque<std::string> pending_ = {};
  std::vector<std::string> closed_ = {};  // cannot be searched
  std::vector<std::string> found_ = {};
  std::size_t read_ = 0;  // directories
  std::size_t entries_ = 0;
  const Clock::time_point end_ = Clock::now() + std::chrono::milliseconds(kMaxSearchMs);
};

}  // namespace

std::vector<std::string> FindLiveSockets(const SocketPlaces& places) { return SocketSearch(places).Run(); }

}  // namespace mxc
