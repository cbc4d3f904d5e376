#include "host/bound_sockets_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_set>

#include "base/unique_fd.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxListBytes = std::size_t{64} << 20U;

struct DumpRequest {
  nlmsghdr head = {};
  unix_diag_req socket = {};
};

template <typename Value>
Value ValueAt(std::span<const char> bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

// The next of the parts that begin with their own length; empty at the end, and where it is none.
template <typename Head>
std::span<const char> TakePart(std::span<const char>& rest, std::size_t length) {
  constexpr std::size_t kAlignment = 4;
  if (length < sizeof(Head) || length > rest.size()) {
    rest = {};
    return {};
  }
  const std::span<const char> part = rest.first(length);
  rest = rest.subspan(std::min(rest.size(), (length + kAlignment - 1) / kAlignment * kAlignment));
  return part;
}

// 12 bits of the device's number above 20, as the kernel has it inside.
std::uint64_t UserDevice(std::uint32_t number) {
  constexpr unsigned kMinorBits = 20;
  return makedev(number >> kMinorBits, number & ((1U << kMinorBits) - 1));
}

// Nothing for a socket without a file.
std::optional<BoundSocket> SocketIn(std::span<const char> message) {
  if (message.size() < sizeof(nlmsghdr) + sizeof(unix_diag_msg)) return std::nullopt;
  BoundSocket socket;
  bool file = false;
  for (auto rest = message.subspan(sizeof(nlmsghdr) + sizeof(unix_diag_msg));
       rest.size() >= sizeof(nlattr);) {
    const auto head = ValueAt<nlattr>(rest);
    const std::span<const char> part = TakePart<nlattr>(rest, head.nla_len);
    if (part.empty()) break;
    const std::span<const char> value = part.subspan(sizeof(nlattr));
    if (head.nla_type == UNIX_DIAG_NAME) {
      socket.path.assign(value.begin(), std::find(value.begin(), value.end(), '\0'));
    } else if (head.nla_type == UNIX_DIAG_VFS) {
      const auto place = ValueAt<unix_diag_vfs>(value);
      socket.device = UserDevice(place.udiag_vfs_dev);
      socket.inode = place.udiag_vfs_ino;
      file = true;
    }
  }
  return file ? std::optional(std::move(socket)) : std::nullopt;
}

enum class Dump { kMore, kDone, kFailed };

Dump AddSockets(std::span<const char> rest, std::vector<BoundSocket>& sockets) {
  while (rest.size() >= sizeof(nlmsghdr)) {
    const auto head = ValueAt<nlmsghdr>(rest);
    const std::span<const char> message = TakePart<nlmsghdr>(rest, head.nlmsg_len);
    if (head.nlmsg_type == NLMSG_DONE) return Dump::kDone;
    if (message.empty() || head.nlmsg_type == NLMSG_ERROR || (head.nlmsg_flags & NLM_F_DUMP_INTR) != 0)
      return Dump::kFailed;
    if (std::optional<BoundSocket> socket = SocketIn(message)) sockets.push_back(std::move(*socket));
  }
  return Dump::kMore;
}

std::optional<std::string> ReadList(const char* path) {
  const UniqueFd file{::open(path, O_RDONLY | O_CLOEXEC)};
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

std::optional<std::vector<BoundSocket>> DumpBoundSockets() {
  const UniqueFd netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  DumpRequest request;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.socket.sdiag_family = AF_UNIX;
  request.socket.udiag_states = ~0U;
  request.socket.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS;
  if (!netlink || ::send(netlink.Get(), &request, sizeof request, 0) < 0) return std::nullopt;
  std::vector<BoundSocket> sockets;
  std::array<char, 32768> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (Dump state = Dump::kMore; state != Dump::kDone;) {
    const ssize_t size = ::recv(netlink.Get(), buffer.data(), buffer.size(), 0);
    if (size <= 0) return std::nullopt;
    state = AddSockets(std::span<const char>(buffer).first(static_cast<std::size_t>(size)), sockets);
    if (state == Dump::kFailed) return std::nullopt;
  }
  return sockets;
}

}  // namespace

// Inside a sandbox of ours sock_diag is out of reach; where nothing is bound the list says so, too.
std::optional<std::vector<BoundSocket>> ListBoundSockets() {
  std::optional<std::vector<BoundSocket>> sockets = DumpBoundSockets();
  if (sockets) return sockets;
  const std::optional<std::string> text = ReadList("/proc/self/net/unix");
  return text && !ListsPaths(*text) ? std::optional(std::vector<BoundSocket>{}) : std::nullopt;
}

// "ffff9c7a8: 00000002 00000000 00010000 0001 01 21034 /run/a socket": what stands behind the number is the
// path, or "@" and a name that is none. A path may hold any byte, the end of a line too.
bool ListsPaths(std::string_view text) {
  constexpr int kColumns = 7;
  text.remove_prefix(std::min(text.size(), text.find('\n') + 1));  // the heading
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    for (int column = 0; column < kColumns; ++column) {
      const std::size_t end = std::min(line.find(' '), line.size());
      line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    if (!line.empty() && line.front() != '@') return true;
  }
  return false;
}

std::vector<std::string> WorkingDirectories() {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes{::opendir("/proc"), ::closedir};
  std::unordered_set<std::string> directories;
  while (const dirent* entry = processes ? ::readdir(processes.get()) : nullptr) {  // NOLINT(*-mt-unsafe)
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string link = "/proc/" + std::string(static_cast<const char*>(entry->d_name)) + "/cwd";
    std::array<char, PATH_MAX> text;  // NOLINT(*-member-init): the kernel fills it
    const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
    if (size > 0) directories.emplace(text.data(), static_cast<std::size_t>(size));
  }
  return {directories.begin(), directories.end()};
}

// Each namespace has a file of its own, which the processes in it share.
bool OthersHaveBoundSockets() {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes{::opendir("/proc"), ::closedir};
  struct stat own {};
  if (!processes || ::stat("/proc/self/net/unix", &own) != 0) return true;
  std::unordered_set<ino_t> seen = {own.st_ino};
  while (const dirent* entry = ::readdir(processes.get())) {  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string list = "/proc/" + std::string(static_cast<const char*>(entry->d_name)) + "/net/unix";
    struct stat status {};
    if (::stat(list.c_str(), &status) != 0 || !seen.insert(status.st_ino).second) continue;
    const std::optional<std::string> text = ReadList(list.c_str());
    if (!text || ListsPaths(*text)) return true;
  }
  return false;
}

}  // namespace mxc
