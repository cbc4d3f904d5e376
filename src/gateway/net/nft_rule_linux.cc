#include <arpa/inet.h>  // before linux/in.h, which defines the same things
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <array>
#include <climits>
#include <cstring>

#include "gateway/net/nft_rule.h"

namespace mxc::egress {
namespace {

constexpr std::uint32_t kSource4 = 12, kDestination4 = 16, kDestination6 = 24;  // in the IP header
constexpr std::uint32_t kDestinationPort = 2, kTcpFlags = 13;
constexpr std::uint8_t kSyn = 0x02, kSynAndAck = 0x12;

template <class Value>
std::array<std::uint8_t, sizeof(Value)> InNetworkOrder(Value value) {
  std::array<std::uint8_t, sizeof(Value)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(value >> (CHAR_BIT * (bytes.size() - 1 - i)));
  return bytes;
}

}  // namespace

void BeginTables(NetlinkBatch& batch, std::uint16_t message, std::uint16_t flags) {
  batch.Begin(static_cast<std::uint16_t>((NFNL_SUBSYS_NFTABLES << 8U) | message), flags);
  batch.Header(nfgenmsg{.nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0, .res_id = 0});
}

NftRule::NftRule(NetlinkBatch& batch, std::string_view table, std::string_view chain) : batch_(batch) {
  BeginTables(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
  batch.Text(NFTA_RULE_TABLE, table);
  batch.Text(NFTA_RULE_CHAIN, chain);
  expressions_ = batch.Open(NFTA_RULE_EXPRESSIONS);
}

template <class Fill>
void NftRule::Expression(std::string_view name, Fill fill) {
  const std::size_t element = batch_.Open(NFTA_LIST_ELEM);
  batch_.Text(NFTA_EXPR_NAME, name);
  const std::size_t data = batch_.Open(NFTA_EXPR_DATA);
  fill();
  batch_.Close(data);
  batch_.Close(element);
}

NftRule& NftRule::Compare(std::uint32_t operation, std::span<const std::uint8_t> value) {
  Expression("cmp", [&] {
    batch_.NetworkNumber(NFTA_CMP_SREG, NFT_REG_1);
    batch_.NetworkNumber(NFTA_CMP_OP, operation);
    const std::size_t data = batch_.Open(NFTA_CMP_DATA);
    batch_.Attribute(NFTA_DATA_VALUE, value);
    batch_.Close(data);
  });
  return *this;
}

void NftRule::Load(std::uint32_t base, std::uint32_t offset, std::size_t size) {
  Load(base, offset, size, NFT_REG_1);
}

void NftRule::Load(std::uint32_t base, std::uint32_t offset, std::size_t size, std::uint32_t into) {
  Expression("payload", [&] {
    batch_.NetworkNumber(NFTA_PAYLOAD_DREG, into);
    batch_.NetworkNumber(NFTA_PAYLOAD_BASE, base);
    batch_.NetworkNumber(NFTA_PAYLOAD_OFFSET, offset);
    batch_.NetworkNumber(NFTA_PAYLOAD_LEN, static_cast<std::uint32_t>(size));
  });
}

void NftRule::Mask(std::span<const std::uint8_t> mask) {
  constexpr std::array<std::uint8_t, 16> kNothing = {};
  const auto value = [&](std::uint16_t type, std::span<const std::uint8_t> bytes) {
    const std::size_t data = batch_.Open(type);
    batch_.Attribute(NFTA_DATA_VALUE, bytes);
    batch_.Close(data);
  };
  Expression("bitwise", [&] {
    batch_.NetworkNumber(NFTA_BITWISE_SREG, NFT_REG_1);
    batch_.NetworkNumber(NFTA_BITWISE_DREG, NFT_REG_1);
    batch_.NetworkNumber(NFTA_BITWISE_LEN, static_cast<std::uint32_t>(mask.size()));
    value(NFTA_BITWISE_MASK, mask);
    value(NFTA_BITWISE_XOR, std::span(kNothing).first(mask.size()));
  });
}

NftRule& NftRule::Meta(std::uint32_t key, std::span<const std::uint8_t> value) {
  Expression("meta", [&] {
    batch_.NetworkNumber(NFTA_META_DREG, NFT_REG_1);
    batch_.NetworkNumber(NFTA_META_KEY, key);
  });
  return Compare(NFT_CMP_EQ, value);
}

NftRule& NftRule::Mark(std::uint32_t mark) {
  std::array<std::uint8_t, sizeof mark> bytes{};
  std::memcpy(bytes.data(), &mark, sizeof mark);
  return Meta(NFT_META_MARK, bytes);
}

NftRule& NftRule::Payload(std::uint32_t base, std::uint32_t offset, std::span<const std::uint8_t> value) {
  Load(base, offset, value.size());
  return Compare(NFT_CMP_EQ, value);
}

NftRule& NftRule::OtherPayload(std::uint32_t base, std::uint32_t offset,
                               std::span<const std::uint8_t> value) {
  Load(base, offset, value.size());
  return Compare(NFT_CMP_NEQ, value);
}

NftRule& NftRule::Family(bool ipv6) { return Meta(NFT_META_NFPROTO, ipv6 ? NFPROTO_IPV6 : NFPROTO_IPV4); }

NftRule& NftRule::Destination(const Cidr& block, bool inside) {
  const std::size_t size = (block.prefix + CHAR_BIT - 1U) / CHAR_BIT;
  if (size == 0) return *this;
  Load(NFT_PAYLOAD_NETWORK_HEADER, block.width == 128 ? kDestination6 : kDestination4, size);
  std::array<std::uint8_t, 16> value = block.address;
  if (block.prefix % CHAR_BIT != 0) {
    std::array<std::uint8_t, 16> mask{};
    mask.fill(0xff);
    mask[size - 1] = static_cast<std::uint8_t>(0xff00U >> (block.prefix % CHAR_BIT));
    Mask(std::span(mask).first(size));
    value[size - 1] &= mask[size - 1];
  }
  return Compare(inside ? NFT_CMP_EQ : NFT_CMP_NEQ, std::span(value).first(size));
}

NftRule& NftRule::Ports(std::uint16_t first, std::uint16_t last) {
  Load(NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPort, sizeof first);
  if (first == last) return Compare(NFT_CMP_EQ, InNetworkOrder(first));
  Compare(NFT_CMP_GTE, InNetworkOrder(first));
  return Compare(NFT_CMP_LTE, InNetworkOrder(last));
}

NftRule& NftRule::BeginsConnection(bool begins) {
  Load(NFT_PAYLOAD_TRANSPORT_HEADER, kTcpFlags, 1);
  Mask(std::span(&kSynAndAck, 1));
  return Compare(begins ? NFT_CMP_EQ : NFT_CMP_NEQ, std::span(&kSyn, 1));
}

NftRule& NftRule::LoadDestination(bool ipv6, std::uint32_t mask) {
  constexpr std::uint32_t kLast = 12;  // of the bytes of an IPv6 address
  Load(NFT_PAYLOAD_NETWORK_HEADER, ipv6 ? kDestination6 + kLast : kDestination4, sizeof mask);
  Mask(InNetworkOrder(mask));
  return *this;
}

NftRule& NftRule::LoadSource4(std::uint32_t mask) {
  Load(NFT_PAYLOAD_NETWORK_HEADER, kSource4, sizeof mask);
  Mask(InNetworkOrder(mask));
  return *this;
}

NftRule& NftRule::Equals(std::uint32_t value) { return Compare(NFT_CMP_EQ, InNetworkOrder(value)); }

NftRule& NftRule::IsIn(std::string_view set) {
  Expression("lookup", [&] {
    batch_.Text(NFTA_LOOKUP_SET, set);
    batch_.NetworkNumber(NFTA_LOOKUP_SREG, NFT_REG_1);
  });
  return *this;
}

NftRule& NftRule::AddTo(std::string_view set) {
  Expression("dynset", [&] {
    batch_.Text(NFTA_DYNSET_SET_NAME, set);
    batch_.NetworkNumber(NFTA_DYNSET_OP, NFT_DYNSET_OP_ADD);
    batch_.NetworkNumber(NFTA_DYNSET_SREG_KEY, NFT_REG_1);
  });
  return *this;
}

NftRule& NftRule::AtMost(std::string_view set, bool ipv6, std::uint64_t rate, std::uint32_t burst) {
  constexpr std::uint32_t kRegisterBytes = 4;
  constexpr std::uint64_t kSecond = 1;
  const std::uint32_t address = EndpointKeyBytes(ipv6) - kRegisterBytes;
  Load(NFT_PAYLOAD_NETWORK_HEADER, ipv6 ? kDestination6 : kDestination4, address, NFT_REG32_00);
  Load(NFT_PAYLOAD_TRANSPORT_HEADER, kDestinationPort, sizeof(std::uint16_t),
       NFT_REG32_00 + address / kRegisterBytes);
  Expression("dynset", [&] {
    batch_.Text(NFTA_DYNSET_SET_NAME, set);
    batch_.NetworkNumber(NFTA_DYNSET_OP, NFT_DYNSET_OP_UPDATE);
    batch_.NetworkNumber(NFTA_DYNSET_SREG_KEY, NFT_REG32_00);
    const std::size_t each = batch_.Open(NFTA_DYNSET_EXPR);
    batch_.Text(NFTA_EXPR_NAME, "limit");
    const std::size_t data = batch_.Open(NFTA_EXPR_DATA);
    batch_.LongNetworkNumber(NFTA_LIMIT_RATE, rate);
    batch_.LongNetworkNumber(NFTA_LIMIT_UNIT, kSecond);
    batch_.NetworkNumber(NFTA_LIMIT_BURST, burst);
    batch_.NetworkNumber(NFTA_LIMIT_TYPE, NFT_LIMIT_PKTS);
    batch_.Close(data);
    batch_.Close(each);
  });
  return *this;
}

NftRule& NftRule::ToGateway(std::uint16_t port) {
  Expression("immediate", [&] {
    batch_.NetworkNumber(NFTA_IMMEDIATE_DREG, NFT_REG_1);
    const std::size_t data = batch_.Open(NFTA_IMMEDIATE_DATA);
    batch_.Attribute(NFTA_DATA_VALUE, InNetworkOrder(port));
    batch_.Close(data);
  });
  Expression("tproxy", [&] {
    batch_.NetworkNumber(NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);  // as the packet
    batch_.NetworkNumber(NFTA_TPROXY_REG_PORT, NFT_REG_1);
  });
  return *this;
}

NftRule& NftRule::Log(std::uint16_t group, std::uint32_t bytes) {
  Expression("log", [&] {
    batch_.Attribute(NFTA_LOG_GROUP, InNetworkOrder(group));
    batch_.NetworkNumber(NFTA_LOG_SNAPLEN, bytes);
  });
  return *this;
}

void NftRule::Decide(std::uint32_t code, std::string_view chain) {
  Expression("immediate", [&] {
    batch_.NetworkNumber(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    const std::size_t data = batch_.Open(NFTA_IMMEDIATE_DATA);
    const std::size_t verdict = batch_.Open(NFTA_DATA_VERDICT);
    batch_.NetworkNumber(NFTA_VERDICT_CODE, code);
    if (!chain.empty()) batch_.Text(NFTA_VERDICT_CHAIN, chain);
    batch_.Close(verdict);
    batch_.Close(data);
  });
}

void NftRule::Accept() { Decide(NF_ACCEPT); }
void NftRule::Drop() { Decide(NF_DROP); }
void NftRule::Goto(std::string_view chain) { Decide(static_cast<std::uint32_t>(NFT_GOTO), chain); }

void NftRule::Reject(std::uint32_t type) {
  Expression("reject", [&] {
    batch_.NetworkNumber(NFTA_REJECT_TYPE, type);
    const std::uint8_t port = NFT_REJECT_ICMPX_PORT_UNREACH;
    if (type != NFT_REJECT_TCP_RST) batch_.Attribute(NFTA_REJECT_ICMP_CODE, std::span(&port, 1));
  });
}

void NftRule::Reset() { Reject(NFT_REJECT_TCP_RST); }
void NftRule::Unreachable() { Reject(NFT_REJECT_ICMPX_UNREACH); }

}  // namespace mxc::egress
