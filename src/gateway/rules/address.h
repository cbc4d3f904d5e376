// Internet addresses as the gateway compares them, and the blocks that only a rule of their own opens.
//
//   IpAddress address = IpAddress::Parse("::ffff:10.0.0.1").value();
//   address.Unmapped();                                               // 10.0.0.1: the same destination
//   const BlockedRange* range = FindBlocked(address);  // "private network"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cidr.h"

namespace mxc::egress {

// IPv4 uses the first four bytes, the others are zero.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes = {};
  bool ipv6 = false;

  [[nodiscard]] static IpAddress V4(std::uint32_t host_order);
  [[nodiscard]] static IpAddress Loopback6();  // ::1
  [[nodiscard]] static std::optional<IpAddress> Parse(std::string_view text);

  bool operator==(const IpAddress&) const = default;
  bool operator<(const IpAddress& other) const {
    return ipv6 != other.ipv6 ? other.ipv6 : bytes < other.bytes;
  }

  [[nodiscard]] std::uint32_t V4Number() const;  // host order; IPv4 only
  [[nodiscard]] std::string Text() const;
  // For a mapped address the IPv4 address, of which it is another spelling; else itself.
  [[nodiscard]] IpAddress Unmapped() const;
  // The addresses that a packet may finally reach: itself, unmapped, and each IPv4 address in it, in NAT64
  // (64:ff9b::/96), translated (::ffff:0:0:0/96), compatible, 6to4 (2002::/16), Teredo (2001::/32, inverted)
  // and, under any prefix, ISATAP. A packet passes other hosts on its way there, so a rule for one of these
  // may deny, but never allow.
  [[nodiscard]] std::vector<IpAddress> Readings() const;
  [[nodiscard]] bool IsLoopback() const;
};

[[nodiscard]] bool Contains(const Cidr& block, const IpAddress& address);

struct IpEndpoint {
  IpAddress address = {};
  std::uint16_t port = 0;

  bool operator==(const IpEndpoint&) const = default;
  bool operator<(const IpEndpoint& other) const {
    return address == other.address ? port < other.port : address < other.address;
  }
  [[nodiscard]] std::string Text() const;  // "10.0.0.1:80", "[::1]:80"
};

// A range of the host, of its cloud's control plane, or without public servers.
struct BlockedRange {
  Cidr block = {};
  std::string what = {};  // "always blocked: loopback"
  // Allowed where the policy allows every address; the others always need a rule of their own.
  bool is_private = false;
};

[[nodiscard]] const std::vector<BlockedRange>& BlockedRanges();
// The narrowest range that contains a reading of this address, one that always needs a rule of its own before
// a private one; nullptr: none.
[[nodiscard]] const BlockedRange* FindBlocked(const IpAddress& address);
// The range of the loopback or of "this host", each of which is whoever connects to it; nullptr: another.
[[nodiscard]] const BlockedRange* FindOwn(const IpAddress& address);
// Whether this block lies inside one of the ranges: then a rule with it is a rule of their own.
[[nodiscard]] bool LiesInBlocked(const Cidr& block);

}  // namespace mxc::egress
