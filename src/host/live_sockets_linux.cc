#include "host/live_sockets_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>

#include "base/unique_fd.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// A server puts its socket near the top of what it works in. A search for sockets that the kernel's list does
// not tell of, because another network namespace has them, ends after so much.
constexpr std::size_t kNearDirectories = 128;
constexpr std::size_t kNearEntries = 8192;
constexpr std::size_t kMaxListBytes = std::size_t{64} << 20U;

// Of linux/dirent.h, which no C library offers.
struct SocketSearchEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

std::optional<std::string> ReadSocketList() {
  const UniqueFd file{::open("/proc/net/unix", O_RDONLY | O_CLOEXEC)};
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 65536> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (;;) {
    const ssize_t size = ::read(file.Get(), buffer.data(), buffer.size());
    if (size < 0 || text.size() > kMaxListBytes) return std::nullopt;
    if (size == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

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

class SocketSearch {
 public:
  SocketSearch(const std::vector<std::string>& directories, const std::vector<std::string>& skipped)
      : directories_(directories), skipped_(skipped) {}

  std::vector<std::string> Run();

 private:
  void Judge(std::string path);
  void JudgeListed(const std::string& path);
  void Read(const std::string& directory);

  const std::vector<std::string>& directories_;
  const std::vector<std::string>& skipped_;
  std::map<std::string, std::string> canonical_ = {};  // directories of the list
  std::deque<std::string> pending_ = {};
  std::vector<std::string> found_ = {};
  std::size_t entries_ = 0;
};

void SocketSearch::Judge(std::string path) {
  if (!IsBelowAny(path, directories_) || IsBelowAny(path, skipped_)) return;
  const UniqueFd file{::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  if (!file || ::fstat(file.Get(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  if (status.st_uid != ::getuid() && ::access(path.c_str(), W_OK) != 0) return;
  if (IsBound(file.Get())) found_.push_back(std::move(path));
}

void SocketSearch::JudgeListed(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string above = path.substr(0, std::max<std::size_t>(slash, 1));
  auto known = canonical_.find(above);
  if (known == canonical_.end()) {
    std::array<char, PATH_MAX> resolved;  // NOLINT(*-member-init)
    const bool exists = ::realpath(above.c_str(), resolved.data()) != nullptr;
    known = canonical_.emplace(above, exists ? resolved.data() : "").first;
  }
  if (known->second.empty()) return;
  Judge((known->second == "/" ? "" : known->second) + path.substr(slash));
}

void SocketSearch::Read(const std::string& directory) {
  if (IsBelowAny(directory, skipped_)) return;
  const UniqueFd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!fd) return;
  const std::string prefix = directory == "/" ? directory : directory + "/";
  std::array<char, 32768> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (;;) {
    const long size = ::syscall(SYS_getdents64, fd.Get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size); ++entries_) {
      const auto* entry =
          reinterpret_cast<const SocketSearchEntry*>(buffer.data() + at);  // NOLINT(*-reinterpret-cast)
      const std::string_view name = static_cast<const char*>(entry->name);
      at += entry->size;
      if (name == "." || name == "..") continue;
      if (entry->type == DT_SOCK || entry->type == DT_UNKNOWN) Judge(prefix + std::string(name));
      if (entry->type == DT_DIR || entry->type == DT_UNKNOWN) pending_.push_back(prefix + std::string(name));
    }
  }
}

std::vector<std::string> SocketSearch::Run() {
  const std::optional<std::string> list = ReadSocketList();
  const ListedSockets listed = list ? ParseListedSockets(*list) : ListedSockets{.others = true};
  for (const std::string& path : listed.paths) JudgeListed(path);
  const std::size_t most_entries = listed.others ? kMaxSearchEntries : kNearEntries;
  const std::size_t most_directories = listed.others ? kMaxSearchEntries : kNearDirectories;
  pending_.assign(directories_.begin(), directories_.end());
  for (std::size_t read = 0; !pending_.empty() && read < most_directories && entries_ < most_entries;
       ++read) {
    const std::string directory = std::move(pending_.front());
    pending_.pop_front();
    Read(directory);
  }
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return std::move(found_);
}

}  // namespace

// "ffff9c7a8: 00000002 00000000 00010000 0001 01 21034 /run/a socket": what stands behind the number is the
// path, or "@" and a name that is none. A path may hold any byte, the end of a line too.
ListedSockets ParseListedSockets(std::string_view text) {
  constexpr int kColumns = 7;
  ListedSockets sockets;
  text.remove_prefix(std::min(text.size(), text.find('\n') + 1));  // the heading
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t number = line.find(": ");
    if (number == std::string_view::npos || line.substr(0, number).find('/') != std::string_view::npos) {
      sockets.others = true;
      continue;
    }
    for (int column = 0; column < kColumns; ++column) {
      const std::size_t end = std::min(line.find(' '), line.size());
      line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    if (line.empty() || line.front() == '@') continue;
    if (line.front() == '/') {
      sockets.paths.emplace_back(line);
    } else {
      sockets.others = true;
    }
  }
  return sockets;
}

std::vector<std::string> FindLiveSockets(const std::vector<std::string>& directories,
                                         const std::vector<std::string>& skipped) {
  return SocketSearch(directories, skipped).Run();
}

}  // namespace mxc
