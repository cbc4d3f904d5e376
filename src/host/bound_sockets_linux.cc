#include "host/bound_sockets_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <unordered_set>

#include "base/lists.h"
#include "base/unique_fd.h"
#include "unix_sockets/unix_sockets_linux.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxListBytes = std::size_t{64} << 20U;

// 12 bits of the device's number above 20, as the kernel has it inside.
std::uint64_t UserDevice(std::uint32_t number) {
  constexpr unsigned kMinorBits = 20;
  return makedev(number >> kMinorBits, number & ((1U << kMinorBits) - 1));
}

// Nothing for a socket without a file.
std::optional<BoundSocket> BoundBy(const UnixSocket& each) {
  const std::span<const char> file = each.Attribute(UNIX_DIAG_VFS);
  if (file.empty()) return std::nullopt;
  const std::span<const char> name = each.Attribute(UNIX_DIAG_NAME);
  const auto place = ValueAt<unix_diag_vfs>(file);
  return BoundSocket{.path = {name.begin(), std::find(name.begin(), name.end(), '\0')},
                     .device = UserDevice(place.udiag_vfs_dev),
                     .inode = place.udiag_vfs_ino,
                     .number = each.Number()};
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
  std::vector<BoundSocket> sockets;
  const bool all = DumpUnixSockets(UDIAG_SHOW_NAME | UDIAG_SHOW_VFS, [&](const UnixSocket& each) {
    if (std::optional<BoundSocket> socket = BoundBy(each)) sockets.push_back(std::move(*socket));
  });
  return all ? std::optional(std::move(sockets)) : std::nullopt;
}

// By a thread, which alone goes there.
std::optional<std::vector<BoundSocket>> DumpBoundSocketsIn(const std::string& network_namespace) {
  const UniqueFd there{::open(network_namespace.c_str(), O_RDONLY | O_CLOEXEC)};
  std::optional<std::vector<BoundSocket>> sockets;
  if (!there || ::geteuid() != 0) return sockets;
  std::thread([&] {
    if (::setns(there.Get(), CLONE_NEWNET) == 0) sockets = DumpBoundSockets();
  }).join();
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
    std::string_view line = TakePiece(text, '\n');
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

// Each namespace has a file of its own, which the processes in it share. What is in one of others is told to
// root alone, who may enter it.
std::optional<std::vector<BoundSocket>> ListOthersBoundSockets() {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes{::opendir("/proc"), ::closedir};
  struct stat own {};
  if (!processes || ::stat("/proc/self/net/unix", &own) != 0) return std::nullopt;
  std::unordered_set<ino_t> seen = {own.st_ino};
  std::vector<BoundSocket> all;
  while (const dirent* entry = ::readdir(processes.get())) {  // NOLINT(concurrency-mt-unsafe): own stream
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string process = "/proc/" + std::string(static_cast<const char*>(entry->d_name));
    const std::string list = process + "/net/unix";
    struct stat status {};
    if (::stat(list.c_str(), &status) != 0 || !seen.insert(status.st_ino).second) continue;
    const std::optional<std::string> text = ReadList(list.c_str());
    if (text && !ListsPaths(*text)) continue;
    const std::optional<std::vector<BoundSocket>> sockets = DumpBoundSocketsIn(process + "/ns/net");
    if (!sockets) return std::nullopt;
    all.insert(all.end(), sockets->begin(), sockets->end());
  }
  return all;
}

}  // namespace mxc
