#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <climits>
#include <vector>

#include "egress/one_way.h"
#include "egress/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr int kLoopbackIndex = 1;
constexpr std::string_view kTable = "mxc";
constexpr std::string_view kSteer = "steer";
constexpr std::string_view kGuard = "guard";
constexpr int kMangle = -150;  // NF_IP_PRI_MANGLE: after reassembly, which tproxy needs

constexpr std::array<std::uint8_t, 16> kLoopback6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

// ---- nf_tables messages
// ------------------------------------------------------------------------------------

void BeginTables(NetlinkBatch& batch, std::uint16_t message, std::uint16_t flags) {
  batch.Begin(static_cast<std::uint16_t>((NFNL_SUBSYS_NFTABLES << 8U) | message), flags);
  batch.Header(nfgenmsg{.nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0, .res_id = 0});
}

// A transaction stands between these two: all of it takes effect, or none.
void Bracket(NetlinkBatch& batch, std::uint16_t message) {
  batch.Begin(message, 0);
  batch.Header(
      nfgenmsg{.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)});
}

void AddChain(NetlinkBatch& batch, std::string_view name, unsigned hook, int priority, unsigned policy) {
  BeginTables(batch, NFT_MSG_NEWCHAIN, NLM_F_CREATE);
  batch.Text(NFTA_CHAIN_TABLE, kTable);
  batch.Text(NFTA_CHAIN_NAME, name);
  const std::size_t place = batch.Open(NFTA_CHAIN_HOOK);
  batch.NetworkNumber(NFTA_HOOK_HOOKNUM, hook);
  batch.NetworkNumber(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(priority));
  batch.Close(place);
  batch.NetworkNumber(NFTA_CHAIN_POLICY, policy);
  batch.Text(NFTA_CHAIN_TYPE, "filter");
}

// The expressions of one rule; each works on the first register.
class Rule {
 public:
  Rule(NetlinkBatch& batch, std::string_view chain) : batch_(batch) {
    BeginTables(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
    batch.Text(NFTA_RULE_TABLE, kTable);
    batch.Text(NFTA_RULE_CHAIN, chain);
    expressions_ = batch.Open(NFTA_RULE_EXPRESSIONS);
  }
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;
  ~Rule() { batch_.Close(expressions_); }

  // `value` as it stands in the packet's memory.
  Rule& Meta(std::uint32_t key, std::span<const std::uint8_t> value) {
    Expression("meta", [&] {
      batch_.NetworkNumber(NFTA_META_DREG, NFT_REG_1);
      batch_.NetworkNumber(NFTA_META_KEY, key);
    });
    return Equals(value);
  }
  Rule& Meta(std::uint32_t key, std::uint8_t value) { return Meta(key, std::span(&value, 1)); }
  Rule& Mark(std::uint32_t mark) {
    std::array<std::uint8_t, sizeof mark> bytes{};
    std::memcpy(bytes.data(), &mark, sizeof mark);
    return Meta(NFT_META_MARK, bytes);
  }

  // `value` stands at `offset` of the header `base` (NFT_PAYLOAD_...).
  Rule& Payload(std::uint32_t base, std::uint32_t offset, std::span<const std::uint8_t> value) {
    Expression("payload", [&] {
      batch_.NetworkNumber(NFTA_PAYLOAD_DREG, NFT_REG_1);
      batch_.NetworkNumber(NFTA_PAYLOAD_BASE, base);
      batch_.NetworkNumber(NFTA_PAYLOAD_OFFSET, offset);
      batch_.NetworkNumber(NFTA_PAYLOAD_LEN, static_cast<std::uint32_t>(value.size()));
    });
    return Equals(value);
  }

  Rule& ToGateway() {
    Expression("immediate", [&] {
      batch_.NetworkNumber(NFTA_IMMEDIATE_DREG, NFT_REG_1);
      const std::size_t data = batch_.Open(NFTA_IMMEDIATE_DATA);
      const std::array<std::uint8_t, 2> port = {kGatewayPort >> 8U, kGatewayPort & 0xffU};
      batch_.Attribute(NFTA_DATA_VALUE, port);
      batch_.Close(data);
    });
    Expression("tproxy", [&] {
      batch_.NetworkNumber(NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);  // as the packet
      batch_.NetworkNumber(NFTA_TPROXY_REG_PORT, NFT_REG_1);
    });
    return Accept();
  }

  Rule& Accept() {
    Expression("immediate", [&] {
      batch_.NetworkNumber(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
      const std::size_t data = batch_.Open(NFTA_IMMEDIATE_DATA);
      const std::size_t verdict = batch_.Open(NFTA_DATA_VERDICT);
      batch_.NetworkNumber(NFTA_VERDICT_CODE, NF_ACCEPT);
      batch_.Close(verdict);
      batch_.Close(data);
    });
    return *this;
  }

 private:
  template <class Fill>
  void Expression(std::string_view name, Fill fill) {
    const std::size_t element = batch_.Open(NFTA_LIST_ELEM);
    batch_.Text(NFTA_EXPR_NAME, name);
    const std::size_t data = batch_.Open(NFTA_EXPR_DATA);
    fill();
    batch_.Close(data);
    batch_.Close(element);
  }

  Rule& Equals(std::span<const std::uint8_t> value) {
    Expression("cmp", [&] {
      batch_.NetworkNumber(NFTA_CMP_SREG, NFT_REG_1);
      batch_.NetworkNumber(NFTA_CMP_OP, NFT_CMP_EQ);
      const std::size_t data = batch_.Open(NFTA_CMP_DATA);
      batch_.Attribute(NFTA_DATA_VALUE, value);
      batch_.Close(data);
    });
    return *this;
  }

  NetlinkBatch& batch_;
  std::size_t expressions_ = 0;
};

void AcceptDestination(NetlinkBatch& batch, std::string_view chain, Family family,
                       std::span<const std::uint8_t> address) {
  const bool ipv6 = family == Family::kIpv6;
  const std::uint32_t offset = ipv6 ? 24 : 16;  // of the destination in the IP header
  Rule(batch, chain)
      .Meta(NFT_META_NFPROTO, ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4)
      .Payload(NFT_PAYLOAD_NETWORK_HEADER, offset, address)
      .Accept();
}

// Traffic of the sandbox with itself.
void AcceptInside(NetlinkBatch& batch, std::string_view chain) {
  constexpr std::array<std::uint8_t, 1> kLoopback = {127};  // 127.0.0.0/8
  AcceptDestination(batch, chain, Family::kIpv4, kLoopback);
  AcceptDestination(batch, chain, Family::kIpv4, kInsideAddress);
  AcceptDestination(batch, chain, Family::kIpv6, kLoopback6);
  AcceptDestination(batch, chain, Family::kIpv6, kInsideAddress6);
}

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

NetlinkBatch SteeringRules() {
  constexpr std::array<std::uint8_t, 2> kDnsPort = {0, 53};
  NetlinkBatch batch;
  Bracket(batch, NFNL_MSG_BATCH_BEGIN);
  BeginTables(batch, NFT_MSG_NEWTABLE, NLM_F_CREATE);
  batch.Text(NFTA_TABLE_NAME, kTable);
  AddChain(batch, kSteer, NF_INET_PRE_ROUTING, kMangle, NF_ACCEPT);
  AddChain(batch, kGuard, NF_INET_LOCAL_OUT, 0, NF_DROP);

  Rule(batch, kSteer).Mark(kAnswerMark).Accept();
  // tproxy itself passes over what is neither TCP nor UDP. Without a socket that would take the packet it
  // goes on to a receiver inside, which does not exist.
  Rule(batch, kSteer).Payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, kDnsPort).ToGateway();
  AcceptInside(batch, kSteer);
  Rule(batch, kSteer).ToGateway();

  Rule(batch, kGuard).Mark(kAnswerMark).Accept();
  Rule(batch, kGuard).Meta(NFT_META_L4PROTO, IPPROTO_TCP).Accept();
  Rule(batch, kGuard).Meta(NFT_META_L4PROTO, IPPROTO_UDP).Accept();
  AcceptInside(batch, kGuard);
  batch.Acknowledge();
  Bracket(batch, NFNL_MSG_BATCH_END);
  return batch;
}

}  // namespace mxc::egress
