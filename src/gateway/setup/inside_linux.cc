#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "gateway/dns/host_resolver_linux.h"
#include "gateway/net/sockets_linux.h"
#include "gateway/rules/hosts_names.h"
#include "gateway/setup/inside.h"

namespace mxc::egress {
namespace {

constexpr int kBacklog = 4096;  // what the kernel allows by default (net.core.somaxconn)
// The kernel doubles both, for its own bookkeeping, and needs less than 1 KiB for a refusal.
constexpr int kRefusalBuffer = 1 << 21;
constexpr int kCountedBuffer = 4096;

// ---- system calls only ---------------------------------------------------------------------------------

int Send(int protocol, const NetlinkBatch& batch) {
  const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  if (socket < 0) return -1;
  const int number = Exchange(socket, batch);
  ::close(socket);
  errno = number;
  return number == 0 ? 0 : -1;
}

int RequireOption(int socket, int level, int name, int value) {
  return ::setsockopt(socket, level, name, &value, sizeof value);
}

// IPv4 options hold for the IPv4 packets of a dual-stack socket.
int MakeTransparent(int socket, bool ipv6, bool datagrams) {
  if (RequireOption(socket, SOL_IP, IP_TRANSPARENT, 1) != 0) return -1;
  if (datagrams && RequireOption(socket, SOL_IP, IP_RECVORIGDSTADDR, 1) != 0) return -1;
  if (!ipv6) return 0;
  if (RequireOption(socket, SOL_IPV6, IPV6_V6ONLY, 0) != 0) return -1;
  if (RequireOption(socket, SOL_IPV6, IPV6_TRANSPARENT, 1) != 0) return -1;
  return datagrams ? RequireOption(socket, SOL_IPV6, IPV6_RECVORIGDSTADDR, 1) : 0;
}

int BindEverywhere(int socket, bool ipv6) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(kGatewayPort);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(kGatewayPort);
  const auto* address =
      ipv6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  return ::bind(socket, address, ipv6 ? sizeof six : sizeof four);
}

// A non-blocking socket into `socket`.
int Make(int domain, int type, int protocol, int& socket) {
  socket = ::socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
  return socket < 0 ? -1 : 0;
}

int MakeTransparentSocket(int type, bool ipv6, int& socket) {
  if (Make(ipv6 ? AF_INET6 : AF_INET, type, 0, socket) != 0) return -1;
  if (MakeTransparent(socket, ipv6, type == SOCK_DGRAM) != 0) return -1;
  if (BindEverywhere(socket, ipv6) != 0) return -1;
  if (type != SOCK_STREAM) return 0;
  PrepareRelayedNear(socket);
  return ::listen(socket, kBacklog);
}

int MakeRawSockets(bool ipv6, InsideSockets& sockets) {
  constexpr auto kMark = static_cast<int>(kAnswerMark);
  if (Make(AF_INET, SOCK_RAW, IPPROTO_RAW, sockets.raw4) != 0) return -1;
  if (RequireOption(sockets.raw4, SOL_SOCKET, SO_MARK, kMark) != 0) return -1;
  if (!ipv6) return 0;
  if (Make(AF_INET6, SOCK_RAW, IPPROTO_RAW, sockets.raw6) != 0) return -1;
  if (RequireOption(sockets.raw6, SOL_SOCKET, SO_MARK, kMark) != 0) return -1;
  return RequireOption(sockets.raw6, SOL_IPV6, IPV6_HDRINCL, 1);
}

// An NFLOG socket that receives packets that the rules refuse; reading it needs no capability. A full one
// takes more as soon as it has room (NETLINK_NO_ENOBUFS), and the kernel counts what it had no room for.
// `buffer`: in bytes, as far as the host lets us.
int MakeLogSocket(const NetlinkBatch& bind, int buffer, int& socket) {
  if (Make(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER, socket) != 0) return -1;
  if (RequireOption(socket, SOL_NETLINK, NETLINK_NO_ENOBUFS, 1) != 0) return -1;
  SetOption(socket, SOL_SOCKET, SO_RCVBUF, buffer);
  SetOption(socket, SOL_SOCKET, SO_RCVBUFFORCE, buffer);
  errno = Exchange(socket, bind);
  return errno == 0 ? 0 : -1;
}

int MakeSockets(const InsideSetup& setup, bool ipv6, InsideSockets& sockets) {
  if (MakeTransparentSocket(SOCK_STREAM, ipv6, sockets.tcp[0]) != 0) return -1;
  if (MakeTransparentSocket(SOCK_DGRAM, ipv6, sockets.udp[0]) != 0) return -1;
  if (MakeRawSockets(ipv6, sockets) != 0) return -1;
  if (MakeLogSocket(setup.refusals, kRefusalBuffer, sockets.refusals) != 0) return -1;
  if (MakeLogSocket(setup.counted, kCountedBuffer, sockets.counted) != 0) return -1;
  const std::size_t published = setup.published_connections * (ipv6 ? 2 : 1);
  for (; sockets.inside_count < published; ++sockets.inside_count) {
    int& socket = sockets.inside[sockets.inside_count];
    const int family = sockets.inside_count < setup.published_connections ? AF_INET : AF_INET6;
    if (Make(family, SOCK_STREAM, 0, socket) != 0) return -1;
    PrepareRelayedNear(socket);
  }
  return 0;
}

}  // namespace

int JoinNetwork(int network_namespace) {
  const int owner = ::ioctl(network_namespace, NS_GET_USERNS);
  if (owner < 0) return -1;
  const int joined = ::setns(owner, CLONE_NEWUSER);
  const int number = errno;
  ::close(owner);
  errno = number;
  return joined == 0 ? ::setns(network_namespace, CLONE_NEWNET) : -1;
}

int AwaitLoopback(int process) {
  sockaddr_nl links{};
  links.nl_family = AF_NETLINK;
  links.nl_groups = RTMGRP_LINK;
  const int changes = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int result = ::bind(changes, reinterpret_cast<const sockaddr*>(&links), sizeof links);
  while (result == 0) {
    ifreq loopback{};
    std::memcpy(loopback.ifr_name, "lo", sizeof "lo");
    result = ::ioctl(any, SIOCGIFFLAGS, &loopback);
    if (result != 0 || (loopback.ifr_flags & IFF_UP) != 0) break;
    pollfd waiting[] = {{.fd = changes, .events = POLLIN, .revents = 0},
                        {.fd = process, .events = POLLIN, .revents = 0}};
    result = ::poll(waiting, 2, -1) > 0 || errno == EINTR ? 0 : -1;
    if (waiting[1].revents != 0) {
      errno = ESRCH;
      result = -1;
    }
    std::array<std::byte, 4096> read{};
    while (::recv(changes, read.data(), read.size(), 0) > 0) {
    }
  }
  const int number = errno;
  ::close(changes);
  ::close(any);
  errno = number;
  return result;
}

void AllowLowPorts(int directory, const char* file) {
  const int start = ::openat(directory, file, O_WRONLY | O_CLOEXEC);
  if (start < 0) return;
  static_assert(kGatewayPort == 1);
  [[maybe_unused]] const bool written = ::write(start, "2", 1) == 1;
  ::close(start);
}

// Rules first: there must be no moment in which an address answers that the gateway does not hold.
int OpenInside(const InsideSetup& setup, InsideSockets& sockets, InsideStep& failed) {
  failed = InsideStep::kSteer;
  if (Send(NETLINK_NETFILTER, setup.rules) != 0 && Send(NETLINK_NETFILTER, setup.plain_rules) != 0) return -1;
  failed = InsideStep::kLoopback;
  if (Send(NETLINK_ROUTE, setup.up) != 0) return -1;
  failed = InsideStep::kRoutes;
  if (Send(NETLINK_ROUTE, setup.ipv4) != 0) return -1;
  AllowLowPorts(AT_FDCWD, "/proc/sys/net/ipv4/ip_unprivileged_port_start");
  const bool ipv6 = Send(NETLINK_ROUTE, setup.ipv6) == 0;  // a host without it has none of it here either
  failed = InsideStep::kSockets;
  return MakeSockets(setup, ipv6, sockets);
}

void InsideSockets::Close() {
  for (const int socket : {tcp[0], udp[0], raw4, raw6, refusals, counted}) {
    if (socket >= 0) ::close(socket);
  }
  for (std::size_t i = 0; i < inside_count; ++i) ::close(inside[i]);
  *this = {};
}

// ---- with memory ---------------------------------------------------------------------------------------

InsideSetup PrepareInside(const EgressRules& rules, const char* hosts) {
  const Result<RuleBook> book = RuleBook::Compile(rules);
  Filter filter;
  if (book) {
    filter = MakeFilter(*book);
    AllowHosts(filter, *book, WatchedFile(hosts).Text());
  }
  return {.rules = SteeringRules(filter),
          .plain_rules = SteeringRules(filter, false),
          .up = LoopbackUp(),
          .ipv4 = EveryAddress(Family::kIpv4),
          .ipv6 = EveryAddress(Family::kIpv6),
          .refusals = BindLog(kRefusalGroup),
          .counted = BindLog(kCountedGroup),
          .published_connections = rules.publish.empty() ? 0 : kPublishedConnections};
}

Error InsideError(InsideStep step, int number) {
  const char* const words[] = {"join the sandbox's network namespace", "wait for bubblewrap's network",
                               "load the gateway's nftables rules",    "bring up the loopback interface",
                               "set the routes to the gateway",        "make the gateway's sockets"};
  Error error = SystemError(ErrorCode::kSetupFailed,
                            std::string("could not ") + words[static_cast<std::size_t>(step)], number);
  if (step == InsideStep::kSteer) error.hint = kSteerHint;
  return error;
}

}  // namespace mxc::egress
