#include "egress/own_addresses_linux.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "egress/netlink.h"

namespace mxc::egress {

OwnAddresses::OwnAddresses()
    : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {}

Place OwnAddresses::PlaceOf(const IpAddress& address) const {
  return IsOwn(address.Unmapped()) || IsOwn(address.Inner()) ? Place::kThisHost : Place::kElsewhere;
}

// The kernel answers before send() returns. Where it gives no route there is nothing to connect to; where it
// gives no answer, nobody knows.
bool OwnAddresses::IsOwn(const IpAddress& address) const {
  const std::size_t size = address.ipv6 ? 16 : 4;
  NetlinkBatch batch;
  batch.Begin(RTM_GETROUTE, 0);
  rtmsg header{};
  header.rtm_family = static_cast<unsigned char>(address.ipv6 ? AF_INET6 : AF_INET);
  header.rtm_dst_len = static_cast<unsigned char>(size * 8);
  header.rtm_flags = RTM_F_FIB_MATCH;
  batch.Header(header);
  batch.Attribute(RTA_DST, std::span(address.bytes).first(size));
  const std::span<const std::uint8_t> question = batch.Bytes();
  if (::send(socket_.Get(), question.data(), question.size(), 0) != static_cast<ssize_t>(question.size()))
    return true;
  std::array<std::uint8_t, 8192> answer{};
  ssize_t count = -1;
  do {
    count = ::recv(socket_.Get(), answer.data(), answer.size(), 0);
  } while (count < 0 && errno == EINTR);
  nlmsghdr answered{};
  rtmsg route{};
  if (count < static_cast<ssize_t>(sizeof answered + sizeof route)) return true;
  std::memcpy(&answered, answer.data(), sizeof answered);
  std::memcpy(&route, answer.data() + sizeof answered, sizeof route);
  if (answered.nlmsg_type == NLMSG_ERROR) return false;
  if (answered.nlmsg_type != RTM_NEWROUTE) return true;
  const bool here =
      route.rtm_type == RTN_LOCAL || route.rtm_type == RTN_ANYCAST || route.rtm_type == RTN_BROADCAST;
  return here && route.rtm_dst_len != 0;  // a route that takes every address in is no address of the host
}

}  // namespace mxc::egress
