// The network gateway: a process of its own in the host's network namespace, which decides about and relays
// what leaves a sandbox whose every route ends in sockets that it holds (docs/adr/0013-egress-gateway.md).
//
//   Result<Gateway> gateway = StartGateway(rules);          // in the launcher, before the sandbox
//   ... in the sandbox's network namespace, async-signal-safe:
//   SendGatewaySockets(gateway->door.Get(), sockets);       // it now owns copies; close yours
//   AwaitGateway(gateway->door.Get());                      // serves from here on
//   ... in the launcher, beside everything else it polls:
//   while (auto record = ReadRecord(gateway->records.Get())) ...
//   FinishGateway(*gateway, on_record);                     // the sandbox is gone
//
// The gateway dies with the launcher, or when `records` is closed. Its end closes its sockets: a sandbox
// without its gateway has no network, never an open one.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/unique_fd.h"
#include "mxc/egress.h"
#include "mxc/error.h"

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

struct Gateway {
  pid_t id = -1;
  UniqueFd handle = {};   // pidfd; the launcher reaps the process (FinishGateway does)
  UniqueFd door = {};     // for SendGatewaySockets and AwaitGateway; close it once the command runs
  UniqueFd records = {};  // non-blocking; readable: ReadRecord. Hang-up: the gateway is gone
};

// Compiles the rules, takes the published ports, and forks. The caller must be single-threaded: the child
// goes on as a whole program. It keeps no capability, no descriptor but its own, no file but the resolver's,
// and ignores every signal but KILL. Errors: kConflict with the pointer of a published port that is taken;
// kSchema with the pointer of a rule that cannot be read; kSetupFailed.
[[nodiscard]] Result<Gateway> StartGateway(const EgressRules& rules);

// Where the host's resolver is configured. Tests have their own.
struct ResolverFiles {
  const char* resolv_conf = "/etc/resolv.conf";
  const char* hosts = "/etc/hosts";
};
// How long what is silent may stand, and how often that is looked at.
struct GatewayTimes {
  // TCP, nothing in either direction. Longer than the keep-alive of databases and of ssh; a dead peer is
  // found by TCP.
  std::uint64_t connection_idle_ms = std::uint64_t{2} * 3600 * 1000;
  std::uint64_t flow_idle_ms = 120000;  // RFC 4787, REQ-5: not less than two minutes
  std::uint64_t sweep_ms = 10000;
};
[[nodiscard]] Result<Gateway> StartGateway(const EgressRules& rules, const ResolverFiles& files,
                                           const GatewayTimes& times = {});

// Async-signal-safe. 0, or -1 with errno. Sends at most kMaxGatewaySockets.
int SendGatewaySockets(int door, const GatewaySockets& sockets);
// Async-signal-safe; blocks until the gateway serves (0) or is gone (-1 with errno; EPIPE when it died).
int AwaitGateway(int door);

// The next record that has arrived, or nothing. Malformed ones are passed over: the gateway parses what
// strangers send, so it is not believed blindly.
[[nodiscard]] std::optional<GatewayRecord> ReadRecord(int records);

// Tells the gateway to stop, takes its last records (bounded in number and time), ends it and reaps it.
void FinishGateway(Gateway& gateway, const std::function<void(const GatewayRecord&)>& on_record);

// "name", "connection", "flow", "published".
[[nodiscard]] std::string_view Name(GatewayEvent event);

}  // namespace mxc
