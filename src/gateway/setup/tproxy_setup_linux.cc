#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <climits>

#include "gateway/net/sockets_linux.h"
#include "gateway/setup/tproxy_setup.h"

namespace mxc::egress {
namespace {

constexpr int kLoopbackIndex = 1;

template <class Address>
void AddAddress(NetlinkBatch& batch, unsigned char family, const Address& address) {
  ifaddrmsg own{};
  own.ifa_family = family;
  own.ifa_prefixlen = static_cast<unsigned char>(address.size() * CHAR_BIT);
  own.ifa_flags = IFA_F_PERMANENT | IFA_F_NODAD;
  own.ifa_scope = RT_SCOPE_UNIVERSE;
  own.ifa_index = kLoopbackIndex;
  batch.Begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
  batch.Header(own);
  batch.Attribute(IFA_LOCAL, address);
  batch.Attribute(IFA_ADDRESS, address);

  rtmsg every{};  // dst_len 0
  every.rtm_family = family;
  every.rtm_table = RT_TABLE_LOCAL;
  every.rtm_protocol = RTPROT_BOOT;
  every.rtm_scope = RT_SCOPE_HOST;
  every.rtm_type = RTN_LOCAL;
  batch.Begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
  batch.Header(every);
  batch.Number(RTA_OIF, kLoopbackIndex);
  batch.Attribute(RTA_PREFSRC, address);
  const std::size_t metrics = batch.Open(RTA_METRICS);
  batch.Text(RTAX_CC_ALGO, kNearCongestionControl);  // of the programs' own sockets
  batch.Close(metrics);
  batch.Acknowledge();
}

}  // namespace

NetlinkBatch LoopbackUp() {
  NetlinkBatch batch;
  batch.Begin(RTM_NEWLINK, 0);
  ifinfomsg loopback{};
  loopback.ifi_index = kLoopbackIndex;
  loopback.ifi_flags = IFF_UP;
  loopback.ifi_change = IFF_UP;
  batch.Header(loopback);
  batch.Acknowledge();
  return batch;
}

NetlinkBatch EveryAddress(Family family) {
  NetlinkBatch batch;
  if (family == Family::kIpv4) {
    AddAddress(batch, AF_INET, kInsideAddress);
  } else {
    AddAddress(batch, AF_INET6, kInsideAddress6);
  }
  return batch;
}

}  // namespace mxc::egress
