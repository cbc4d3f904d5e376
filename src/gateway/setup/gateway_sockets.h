// The sockets that a sandbox's network namespace hands to the gateway, and how they travel: one message on a
// SOCK_SEQPACKET pair, and one byte back when the gateway serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxc {

// Sockets made inside the sandbox's network namespace, borrowed. Where a field says so, -1 is "none".
struct GatewaySockets {
  // Listeners, SOCK_STREAM, listening, IPv4 or dual-stack IPv6. getsockname of a connection must be the
  // address that was meant: IP(V6)_TRANSPARENT behind tproxy, or AnyIP and one listener for each port.
  std::span<const int> tcp = {};
  // SOCK_DGRAM with IP_RECVORIGDSTADDR and, for IPv6 sockets, IPV6_RECVORIGDSTADDR as well.
  std::span<const int> udp = {};
  // (AF_INET, SOCK_RAW, IPPROTO_RAW) and (AF_INET6, SOCK_RAW, IPPROTO_RAW), the second with IPV6_HDRINCL:
  // answers to datagrams leave through them, written whole, from the address and port that were meant. Rules
  // of the namespace must not steer these packets back: SO_MARK (kAnswerMark) tells them apart. -1: no UDP.
  int raw4 = -1;
  int raw6 = -1;
  // NETLINK_NETFILTER, non-blocking, bound to the log group of what the namespace's own rules refuse. -1:
  // none.
  int refusals = -1;
  // Unconnected SOCK_STREAM sockets, of AF_INET and, where there is IPv6, of AF_INET6: of each as many as
  // connections to published ports may stand at a time. Only needed when EgressRules::publish has entries.
  std::span<const int> inside = {};
};

// Mark of what the gateway writes through the raw sockets: UDP answers and ICMP errors.
inline constexpr std::uint32_t kAnswerMark = 0x6d786331;

// Sockets of one message: SCM_MAX_FD of the kernel less two.
inline constexpr std::size_t kMaxGatewaySockets = 250;

// Async-signal-safe. 0, or -1 with errno. Sends at most kMaxGatewaySockets.
int SendGatewaySockets(int handover, const GatewaySockets& sockets);
// Async-signal-safe; blocks until the gateway serves (0) or is gone (-1 with errno; EPIPE when it died).
int AwaitGateway(int handover);

}  // namespace mxc
