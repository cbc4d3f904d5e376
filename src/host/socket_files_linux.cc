#include "host/socket_files_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/process_tree.h"
#include "host/read_directory_linux.h"

namespace mxc {
namespace {

// SIOCUNIXFILE of linux/un.h, a header that does not go with sys/un.h.
constexpr unsigned long kSocketFile = SIOCPROTOPRIVATE;

constexpr long kPidfdGetfd = 438;  // of Linux 5.6; headers may be older

// -1: it is no number.
template <typename Text>
long NumberIn(const Text& text) {
  long number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

// "socket:[4711]"; -1 of other files.
long SocketBehind(int directory, const char* name) {
  constexpr std::string_view kSocket = "socket:[";
  std::array<char, 64> text;  // NOLINT(*-member-init): the kernel fills it
  const ssize_t size = ::readlinkat(directory, name, text.data(), text.size());
  std::string_view link(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  if (!link.starts_with(kSocket) || !link.ends_with(']')) return -1;
  link.remove_prefix(kSocket.size());
  link.remove_suffix(1);
  return NumberIn(link);
}

UniqueFd FileOf(pid_t process, long descriptor) {
  const UniqueFd handle = HandleOf(process);
  if (!handle) return {};
  const UniqueFd socket{static_cast<int>(::syscall(kPidfdGetfd, handle.Get(), descriptor, 0U))};
  return socket ? UniqueFd{::ioctl(socket.Get(), kSocketFile, 0)} : UniqueFd{};
}

}  // namespace

std::vector<UniqueFd> OpenSocketFiles(const std::vector<const BoundSocket*>& sockets) {
  std::vector<UniqueFd> files(sockets.size());
  std::unordered_map<long, std::size_t> missing;  // by the number of the socket
  for (std::size_t i = 0; i < sockets.size(); ++i) missing.emplace(sockets[i]->number, i);
  const auto look_into = [&](pid_t process) {
    const std::string path = "/proc/" + std::to_string(process) + "/fd";
    const UniqueFd directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!directory) return;
    static_cast<void>(
        ReadDirectory(directory.Get(), [&](const KernelDirectoryEntry& /*entry*/, std::string_view name) {
          const auto found = missing.find(SocketBehind(directory.Get(), name.data()));
          if (found == missing.end()) return;
          files[found->second] = FileOf(process, NumberIn(name));
          if (files[found->second]) missing.erase(found);
        }));
  };
  if (missing.empty() || ::geteuid() != 0) return files;
  const UniqueFd processes{::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!processes) return files;
  static_cast<void>(
      ReadDirectory(processes.Get(), [&](const KernelDirectoryEntry& /*entry*/, std::string_view name) {
        const long process = NumberIn(name);
        if (process > 0 && !missing.empty()) look_into(static_cast<pid_t>(process));
      }));
  return files;
}

}  // namespace mxc
