// Address blocks: the strict grammar of directional rules, and the lenient one of the legacy host lists.
//
//   Result<Cidr> block = ParseCidr("10.0.0.0/8", HostBits::kRefuse);
//   std::string canonical = CidrText(*block);  // "10.0.0.0/8"
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

struct Cidr {
  std::array<std::uint8_t, 16> address = {};  // IPv4 uses the first four bytes
  std::uint8_t width = 32;                    // 32 or 128
  std::uint8_t prefix = 32;
};

// What becomes of address bits behind the prefix.
enum class HostBits { kRefuse, kMask };

// No blanks, brackets, leading zeros or short forms; a bare address is a block of one.
// Errors: kSchema, the message is the reason alone ("the prefix is longer than 32 bits").
[[nodiscard]] Result<Cidr> ParseCidr(std::string_view text, HostBits host_bits);
// Always with a prefix; IPv6 as RFC 5952 writes it.
[[nodiscard]] std::string CidrText(const Cidr& block);
[[nodiscard]] bool Contains(const Cidr& outer, const Cidr& inner);
// ::ffff:a.b.c.d/96+n as a.b.c.d/n; anything else as it is.
[[nodiscard]] Cidr Unmapped(const Cidr& block);

}  // namespace mxc
