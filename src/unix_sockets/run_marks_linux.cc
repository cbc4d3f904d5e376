#include <fmt/core.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "unix_sockets/run_marks.h"
#include "unix_sockets/unix_sockets_linux.h"

namespace mxc {
namespace {

using namespace std::string_view_literals;

// Behind it: `since`, a hyphen, the process, for two may begin at one time, a hyphen, and the roots: 'r' and
// a hash for each, 'A' and a hash for each directory above one. With too many for a name: "*".
constexpr std::string_view kPrefix = "\0mxc-exec-run-"sv;
constexpr std::size_t kMostPlaces = 12;
constexpr char kRoot = 'R';  // no digit of a hash
constexpr char kAbove = 'A';

std::string HashOf(std::string_view path) {
  constexpr std::uint32_t kOffset = 2166136261U;  // FNV-1a
  constexpr std::uint32_t kPrime = 16777619U;
  std::uint32_t hash = kOffset;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:04x}", (hash >> 16U) ^ (hash & 0xffffU));
}

// Without "/", which is above every root.
std::vector<std::string> HashesAbove(std::string_view path) {
  std::vector<std::string> hashes;
  for (std::size_t end = path.rfind('/'); end != 0 && end != std::string_view::npos; end = path.rfind('/')) {
    path = path.substr(0, end);
    hashes.push_back(HashOf(path));
  }
  return hashes;
}

std::string PlacesOf(const std::vector<std::string>& roots) {
  std::set<std::string> places;
  for (const std::string& root : roots) {
    places.insert(kRoot + HashOf(root));
    for (const std::string& hash : HashesAbove(root)) places.insert(kAbove + hash);
  }
  if (places.size() > kMostPlaces) return "*";
  std::string text;
  for (const std::string& place : places) text += place;
  return text;
}

bool Meets(std::string_view places, const std::vector<std::string>& roots) {
  if (places == "*") return true;
  const auto has = [places](const std::string& place) {
    return places.find(place) != std::string_view::npos;
  };
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    const std::vector<std::string> above = HashesAbove(root);
    return has(kRoot + HashOf(root)) || has(kAbove + HashOf(root)) || root == "/" ||
           has(kRoot + HashOf("/")) || std::any_of(above.begin(), above.end(), [&](const std::string& hash) {
             return has(kRoot + hash);
           });
  });
}

std::optional<std::uint64_t> SinceIn(std::string_view name, const std::vector<std::string>& roots) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::uint64_t since = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), since);
  const bool number = error == std::errc{} && end != name.data() + name.size() && *end == '-';
  const std::size_t last = name.rfind('-');
  return number && Meets(name.substr(last + 1), roots) ? std::optional(since) : std::nullopt;
}

}  // namespace

RunMark RunMark::Set(std::optional<std::uint64_t> since, const std::vector<std::string>& roots) {
  RunMark mark;
  if (!since) return mark;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::string(kPrefix) + std::to_string(*since) + "-" + std::to_string(::getpid()) +
                           "-" + PlacesOf(roots);
  name.copy(&address.sun_path[0], sizeof address.sun_path);
  mark.socket_.Reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  // Without one the others take this run for a program of the host's: docs/security.md.
  if (mark.socket_ && ::bind(mark.socket_.Get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
    mark.socket_.Reset();
  return mark;
}

std::optional<std::uint64_t> OldestRunMark(const std::vector<std::string>& roots) {
  constexpr std::uint32_t kShowUser = 0x40;  // UDIAG_SHOW_UID and UNIX_DIAG_UID of Linux 5.3
  constexpr unsigned kUser = 8;
  std::optional<std::uint64_t> oldest;
  static_cast<void>(DumpUnixSockets(UDIAG_SHOW_NAME | kShowUser, [&](const UnixSocket& socket) {
    const std::span<const char> name = socket.Attribute(UNIX_DIAG_NAME);
    const std::optional<std::uint64_t> since = SinceIn({name.data(), name.size()}, roots);
    const std::span<const char> user = socket.Attribute(kUser);
    if (!since || (!user.empty() && ValueAt<uid_t>(user) != ::geteuid())) return;
    oldest = std::min(*since, oldest.value_or(*since));
  }));
  return oldest;
}

}  // namespace mxc
