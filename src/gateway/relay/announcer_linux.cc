#include "gateway/relay/announcer_linux.h"

#include <sys/socket.h>

#include "gateway/net/packet.h"
#include "gateway/net/sockets_linux.h"
#include "gateway/setup/tproxy_setup.h"

namespace mxc::egress {

// The netfilter rule adds the number to its set and drops the datagram within send, which fails with EPERM:
// when this returns, the number is in the set.
void Announcer::Announce(const DnsReply& reply) const {
  if (!reply.number) return;
  const auto port = static_cast<std::uint16_t>(kFirstClassPort + rules_.ClassOf(reply.name));
  const IpEndpoint from{SyntheticNames::V4(*reply.number), port};
  IpEndpoint to{.port = port};
  std::copy(kInsideAddress.begin(), kInsideAddress.end(), to.address.bytes.begin());
  const Bytes packet = UdpPacket(from, to, {});
  const SocketAddress address = ToSocketAddress({to.address, 0}, false);
  (void)::sendto(raw4_, packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL, address.Get(),
                 address.size);
}

}  // namespace mxc::egress
