// Builds whole IP packets, for answers from an address and port that are not ours.
#pragma once

#include "gateway/net/bytes.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

// The largest payload of a UDP datagram over IPv4; IPv6 could carry 20 bytes more.
inline constexpr std::size_t kMaxDatagram = 65507;

// Both endpoints are of one family; `payload` has at most kMaxDatagram bytes.
[[nodiscard]] Bytes UdpPacket(const IpEndpoint& from, const IpEndpoint& to, ByteView payload);
// ICMP "port unreachable" in answer to a datagram of `payload_size` bytes from `client` to `meant`: it makes
// the client's next call fail with ECONNREFUSED.
[[nodiscard]] Bytes UnreachablePacket(const IpEndpoint& client, const IpEndpoint& meant,
                                      std::size_t payload_size);

}  // namespace mxc::egress
