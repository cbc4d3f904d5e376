// Makes a network namespace that has only `lo` lead all traffic to the gateway.
//
// 1. AnyIP: `local 0.0.0.0/0` and `local ::/0` on lo. Every address is local, so no packet leaves and every
// packet
//    is received.
// 2. nftables, one table, no NAT and no connection tracking.
//    `guard` filters outgoing packets. It refuses every address, and every port of an allowed name, that no
//    rule allows: a connection is reset, so that connect() fails with ECONNREFUSED; a datagram fails with
//    EPERM. Each refusal is logged: of one destination some to kRefusalGroup, so that a flood to a few leaves
//    room for others, and the rest to kCountedGroup, of which only the number counts. It knows names by their
//    synthetic addresses, which the gateway adds to the set of the name's class. It drops everything except
//    TCP and UDP (ICMP, SCTP ...), which fails with EPERM. Packets of the gateway carry kAnswerMark and pass;
//    setting a mark takes a capability. `steer` filters arriving packets: TCP and UDP to any address but
//    loopback go to the gateway's transparent sockets; so does port 53 on loopback, because a resolv.conf may
//    name it.
// 3. To ask what `guard` decides, the launcher sends an empty datagram with a TTL of kQuestionHops, and
//    `steer` drops it if `guard` lets it pass. One that a program sends is dropped as well.
//
// The command has no capability over the namespace, so it cannot change any of this; even if it could, the
// namespace has no other interface.
#pragma once

#include <array>
#include <cstdint>

#include "gateway/net/netlink.h"
#include "gateway/rules/filter.h"
#include "gateway/setup/gateway_sockets.h"

namespace mxc::egress {

// The gateway's port. The command cannot bind it: ports below 1024 need CAP_NET_BIND_SERVICE.
inline constexpr std::uint16_t kGatewayPort = 1;

// Source addresses inside. Without an address besides 127.0.0.1, resolvers assume that the machine is offline
// (AI_ADDRCONFIG). RFC 7600 reserves 192.0.0.8 as a dummy; the other is a unique local address.
inline constexpr std::array<std::uint8_t, 4> kInsideAddress = {192, 0, 0, 8};
inline constexpr std::array<std::uint8_t, 16> kInsideAddress6 = {0xfd, 0x6d, 0x78, 0x63, 0, 0, 0, 0,
                                                                 0,    0,    0,    0,    0, 0, 0, 8};

enum class Family { kIpv4, kIpv6 };

[[nodiscard]] NetlinkBatch LoopbackUp();                 // rtnetlink; `lo` has index 1 in a new namespace
[[nodiscard]] NetlinkBatch EveryAddress(Family family);  // rtnetlink: our address, and the AnyIP route
// nfnetlink, one transaction. Without `limited` all refusals are logged to kRefusalGroup: a kernel may lack
// nft_limit.
[[nodiscard]] NetlinkBatch SteeringRules(const Filter& filter, bool limited = true);
// nfnetlink: the sender will receive the log of this group.
[[nodiscard]] NetlinkBatch BindLog(std::uint16_t group);

inline constexpr std::uint16_t kRefusalGroup = 1;
inline constexpr std::uint16_t kCountedGroup = 2;
// What kRefusalGroup gets of the refusals of one destination (docs/policy/network.md).
inline constexpr std::uint32_t kRefusalsAtOnce = 50;
inline constexpr std::uint64_t kRefusalsPerSecond = 10;  // behind them
// Destinations with such a limit, for each protocol and family: more than are reported (record_limit.h).
inline constexpr std::uint32_t kMaxLimited = 4096;

inline constexpr int kQuestionHops = 1;

// The gateway adds a number of SyntheticNames to the set of class N by a datagram with kAnswerMark from its
// IPv4 address to port kFirstClassPort + N. Programs cannot bind these ports: that takes a capability.
inline constexpr std::uint16_t kFirstClassPort = 2;

}  // namespace mxc::egress
