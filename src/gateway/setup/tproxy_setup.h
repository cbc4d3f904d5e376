// What turns a network namespace with nothing but `lo` into one whose every way out ends at the gateway.
//
// 1. AnyIP: `local 0.0.0.0/0` and `local ::/0` on lo. Every address is this machine's own, so no packet can
//    leave and every packet finds a receiver.
// 2. nftables, one table, no NAT and no connection tracking.
//    `guard` looks at what is sent. A destination that no rule could allow is refused there, and logged to
//    kRefusalGroup: a connection is reset, so that connect() fails with ECONNREFUSED; a datagram fails with
//    EPERM. Names are known by their addresses: one that was handed out is in the set of its class, which the
//    gateway fills. What is neither TCP nor UDP (ICMP, SCTP ...) is dropped, which fails with EPERM. What the
//    gateway itself writes carries kAnswerMark and passes; to set a mark takes a capability. `steer` looks at
//    what arrives: TCP and UDP to any address but loopback are handed to the gateway's transparent sockets;
//    so is port 53 on loopback, because a resolv.conf may name it.
// 3. To ask what `guard` decides, the launcher sends an empty datagram with a TTL of kQuestionHops, and
//    `steer` drops it if `guard` lets it pass. One that a program sends is dropped as well.
//
// The workload has no capability over the namespace, so it can change none of this; and if it could, there is
// no other way out to be found.
#pragma once

#include <array>
#include <cstdint>

#include "gateway/net/netlink.h"
#include "gateway/rules/filter.h"
#include "gateway/setup/gateway_sockets.h"

namespace mxc::egress {

// Where the gateway listens. The workload cannot take it: ports below 1024 need CAP_NET_BIND_SERVICE.
inline constexpr std::uint16_t kGatewayPort = 1;

// What the programs inside speak from. Without an address beside 127.0.0.1 resolvers hold the machine to be
// offline (AI_ADDRCONFIG). RFC 7600 sets 192.0.0.8 aside as a dummy; the other is a unique local address.
inline constexpr std::array<std::uint8_t, 4> kInsideAddress = {192, 0, 0, 8};
inline constexpr std::array<std::uint8_t, 16> kInsideAddress6 = {0xfd, 0x6d, 0x78, 0x63, 0, 0, 0, 0,
                                                                 0,    0,    0,    0,    0, 0, 0, 8};

enum class Family { kIpv4, kIpv6 };

[[nodiscard]] NetlinkBatch LoopbackUp();                 // rtnetlink; `lo` has index 1 in a new namespace
[[nodiscard]] NetlinkBatch EveryAddress(Family family);  // rtnetlink: our address, and the AnyIP route
[[nodiscard]] NetlinkBatch SteeringRules(const Filter& filter);  // nfnetlink, one transaction
[[nodiscard]] NetlinkBatch BindRefusals();  // nfnetlink: the sender receives what is logged to kRefusalGroup

inline constexpr std::uint16_t kRefusalGroup = 1;

inline constexpr int kQuestionHops = 1;

// A number of SyntheticNames joins the set of class N when a datagram with kAnswerMark comes from its IPv4
// address and goes to port kFirstClassPort + N. Programs have no socket there: it takes a capability.
inline constexpr std::uint16_t kFirstClassPort = 2;

}  // namespace mxc::egress
