// Bytes of a protocol: owned, and borrowed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mxc::egress {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

}  // namespace mxc::egress
