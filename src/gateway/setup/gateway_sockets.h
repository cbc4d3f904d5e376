// The sockets from a sandbox's network namespace that the gateway serves. They are sent in one message over a
// SOCK_SEQPACKET pair; one byte comes back once the gateway serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxc {

// Sockets created inside the sandbox's network namespace, borrowed.
struct GatewaySockets {
  // Listening SOCK_STREAM sockets, IPv4 or dual-stack IPv6. getsockname of a connection must be the address
  // that the client dialled: IP(V6)_TRANSPARENT behind tproxy, or AnyIP and one listener for each port.
  std::span<const int> tcp = {};
  // SOCK_DGRAM with IP_RECVORIGDSTADDR and, for IPv6 sockets, IPV6_RECVORIGDSTADDR as well.
  std::span<const int> udp = {};
  // (AF_INET, SOCK_RAW, IPPROTO_RAW) and (AF_INET6, SOCK_RAW, IPPROTO_RAW), the second with IPV6_HDRINCL: the
  // gateway writes answers to datagrams to them as whole packets, from the address and port that the client
  // addressed. The namespace's rules recognise these packets by SO_MARK (kAnswerMark) and must not steer them
  // back. -1: no UDP.
  int raw4 = -1;
  int raw6 = -1;
  // NETLINK_NETFILTER, non-blocking, with NETLINK_NO_ENOBUFS, bound to the log group of refusals by the
  // namespace's rules, and to that of refusals of which only the number counts. -1: none.
  int refusals = -1;
  int counted = -1;
  // Unconnected SOCK_STREAM sockets, AF_INET and, if there is IPv6, AF_INET6: of each one for every
  // simultaneous connection to published ports. Only needed if EgressRules::publish has entries.
  std::span<const int> inside = {};
};

// SO_MARK of the packets that the gateway writes through the raw sockets: UDP answers and ICMP errors.
inline constexpr std::uint32_t kAnswerMark = 0x6d786331;

// Sockets of one message: SCM_MAX_FD of the kernel less two.
inline constexpr std::size_t kMaxGatewaySockets = 250;

// Async-signal-safe. 0, or -1 with errno. Sends at most kMaxGatewaySockets.
int SendGatewaySockets(int handover, const GatewaySockets& sockets);
// Async-signal-safe; blocks until the gateway serves (0) or has ended (-1 with errno; EPIPE if it died).
int AwaitGateway(int handover);

}  // namespace mxc
