// Sets a sandbox's network namespace up for the gateway and creates the gateway's sockets in it.
//
//   const InsideSetup setup = PrepareInside(rules);       // where memory may be allocated
//   ... in the network namespace, with the capabilities of its owner; system calls only:
//   InsideSockets sockets;
//   InsideStep failed{};
//   if (OpenInside(setup, sockets, failed) != 0) ...      // errno, and the step
//   SendGatewaySockets(handover, sockets.View());
//   sockets.Close();
#pragma once

#include <array>
#include <cstddef>

#include "gateway/dns/resolver_files.h"
#include "gateway/setup/gateway_sockets.h"
#include "gateway/setup/tproxy_setup.h"
#include "mxc/egress.h"
#include "mxc/error.h"

namespace mxc::egress {

// Simultaneous connections to published ports, for each of the two loopback addresses inside.
inline constexpr std::size_t kPublishedConnections = 120;

struct InsideSetup {
  NetlinkBatch rules = {};
  NetlinkBatch plain_rules = {};  // where the kernel cannot do all that `rules` do: without limits
  NetlinkBatch up = {};
  NetlinkBatch ipv4 = {};
  NetlinkBatch ipv6 = {};
  NetlinkBatch refusals = {};
  NetlinkBatch counted = {};
  std::size_t published_connections = 0;
};
// `hosts`: the hosts file that the command sees.
[[nodiscard]] InsideSetup PrepareInside(const EgressRules& rules, const char* hosts = ResolverFiles{}.hosts);

struct InsideSockets {
  std::array<int, 1> tcp = {-1};
  std::array<int, 1> udp = {-1};
  int raw4 = -1;
  int raw6 = -1;
  int refusals = -1;
  int counted = -1;
  std::array<int, 2 * kPublishedConnections> inside = {};
  std::size_t inside_count = 0;

  [[nodiscard]] GatewaySockets View() const {
    return {.tcp = tcp,
            .udp = udp,
            .raw4 = raw4,
            .raw6 = raw6,
            .refusals = refusals,
            .counted = counted,
            .inside = std::span(inside).first(inside_count)};
  }
  void Close();
};

enum class InsideStep { kJoin, kAwait, kSteer, kLoopback, kRoutes, kSockets };

// Lets every program in the current network namespace bind ports below 1024, as a web server does, but for
// kGatewayPort; no command has the capability for it. `file`: the sysctl ip_unprivileged_port_start, as a
// path from `directory`. Where /proc/sys is read-only, as in most containers, it has no effect. System calls
// only.
void AllowLowPorts(int directory, const char* file);

// 0, or -1 with errno and `failed`. Without IPv6 on this host there are only IPv4 sockets.
[[nodiscard]] int OpenInside(const InsideSetup& setup, InsideSockets& sockets, InsideStep& failed);

// Enters a network namespace and the user namespace that owns it, which the same user has created below ours.
// The calling process must have one thread. 0, or -1 with errno.
[[nodiscard]] int JoinNetwork(int network_namespace);

inline constexpr const char* kSteerHint =
    "rules for the network need nftables with transparent proxying, rejection and logging in the kernel "
    "(modules nf_tables, nft_tproxy, nft_reject_inet, nft_log and nfnetlink_log); load them, or deny all "
    "traffic";

// Waits until the loopback interface of this process's network namespace is up: bubblewrap brings it up, and
// fails if it is up already. 0, or -1 with errno; ESRCH if `process` (a pidfd) ended before.
[[nodiscard]] int AwaitLoopback(int process);

// The error that a failed step is to the user.
[[nodiscard]] Error InsideError(InsideStep step, int number);

}  // namespace mxc::egress
