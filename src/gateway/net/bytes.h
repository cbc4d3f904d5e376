// Bytes of a protocol: owned, and borrowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mxc::egress {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

[[nodiscard]] inline std::string_view TextOf(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// In the order of the network.
inline void Put16(Bytes& out, std::size_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8U));
  out.push_back(static_cast<std::uint8_t>(value));
}
[[nodiscard]] inline std::size_t NumberAt(ByteView bytes, std::size_t at, std::size_t width) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

}  // namespace mxc::egress
