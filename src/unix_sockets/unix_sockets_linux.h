// The sockets of this network namespace that have AF_UNIX for a family, by sock_diag(7).
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace mxc {

template <typename Value>
Value ValueAt(std::span<const char> bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), bytes.size() < sizeof value ? bytes.size() : sizeof value);
  return value;
}

// One of the answer; borrowed while it is visited.
class UnixSocket {
 public:
  explicit UnixSocket(std::span<const char> message) : message_(message) {}

  // As /proc/PID/fd shows it.
  [[nodiscard]] std::uint32_t Number() const;
  // UNIX_DIAG_NAME and the like; empty: the kernel does not say it.
  [[nodiscard]] std::span<const char> Attribute(unsigned type) const;

 private:
  std::span<const char> message_;
};

// `show`: UDIAG_SHOW_NAME and the like. False: the kernel does not tell, or not all.
[[nodiscard]] bool DumpUnixSockets(std::uint32_t show, const std::function<void(const UnixSocket&)>& visit);

}  // namespace mxc
