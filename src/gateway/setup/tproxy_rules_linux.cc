#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

#include "gateway/net/nft_rule.h"
#include "gateway/rules/names.h"
#include "gateway/setup/tproxy_setup.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kTable = "mxc";
constexpr std::string_view kSteer = "steer";
constexpr std::string_view kGuard = "guard";
constexpr std::string_view kNames4 = "names4";
constexpr std::string_view kNames6 = "names6";
constexpr std::string_view kAddresses4 = "addresses4";
constexpr std::string_view kAddresses6 = "addresses6";
constexpr std::string_view kRefuse = "refuse";
constexpr std::string_view kReject = "reject";
constexpr int kMangle = -150;  // NF_IP_PRI_MANGLE: after reassembly, which tproxy needs
constexpr std::uint16_t kDnsPort = 53;
// Of a refused packet: an IPv6 header, a routing header with four addresses, and the ports.
constexpr std::uint32_t kLoggedBytes = 128;

// The sets of destinations whose refusals have limits.
struct Limited {
  std::uint8_t protocol;
  bool ipv6;
  std::string_view set;
};
constexpr Limited kLimited[] = {{IPPROTO_TCP, false, "tcp4"},
                                {IPPROTO_TCP, true, "tcp6"},
                                {IPPROTO_UDP, false, "udp4"},
                                {IPPROTO_UDP, true, "udp6"}};

constexpr std::array<std::uint8_t, 16> kLoopback6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

Cidr Block(std::span<const std::uint8_t> address, std::uint8_t prefix, bool ipv6) {
  Cidr block{.width = static_cast<std::uint8_t>(ipv6 ? 128 : 32), .prefix = prefix};
  std::copy(address.begin(), address.end(), block.address.begin());
  return block;
}

class Tables {
 public:
  explicit Tables(NetlinkBatch& batch) : batch_(batch) {}

  // A transaction stands between two of these: all of it takes effect, or none.
  void Bracket(std::uint16_t message) {
    batch_.Begin(message, 0);
    batch_.Header(
        nfgenmsg{.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)});
  }
  void AddTable() {
    BeginTables(batch_, NFT_MSG_NEWTABLE, NLM_F_CREATE);
    batch_.Text(NFTA_TABLE_NAME, kTable);
  }
  void AddChain(std::string_view name) {
    BeginTables(batch_, NFT_MSG_NEWCHAIN, NLM_F_CREATE);
    batch_.Text(NFTA_CHAIN_TABLE, kTable);
    batch_.Text(NFTA_CHAIN_NAME, name);
  }
  void AddBaseChain(std::string_view name, unsigned hook, int priority, unsigned policy) {
    AddChain(name);
    const std::size_t place = batch_.Open(NFTA_CHAIN_HOOK);
    batch_.NetworkNumber(NFTA_HOOK_HOOKNUM, hook);
    batch_.NetworkNumber(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(priority));
    batch_.Close(place);
    batch_.NetworkNumber(NFTA_CHAIN_POLICY, policy);
    batch_.Text(NFTA_CHAIN_TYPE, "filter");
  }
  // Of numbers of names; rules add to it.
  void AddSet(std::string_view name) { AddSet(name, NFT_SET_EVAL, sizeof(std::uint32_t), kMaxNames); }
  // For NftRule::AtMost. Behind such a silence the whole burst is there again: the set need not know more.
  void AddLimits(std::string_view name, bool ipv6) {
    constexpr std::uint64_t kSilenceMs = 1000 * kRefusalsAtOnce / kRefusalsPerSecond;
    AddSet(name, NFT_SET_EVAL | NFT_SET_TIMEOUT, EndpointKeyBytes(ipv6), kMaxLimited);
    batch_.LongNetworkNumber(NFTA_SET_TIMEOUT, kSilenceMs);
  }
  [[nodiscard]] NftRule Add(std::string_view chain) { return {batch_, kTable, chain}; }

 private:
  void AddSet(std::string_view name, std::uint32_t flags, std::uint32_t key_bytes, std::uint32_t size) {
    constexpr std::uint32_t kAnyType = 0;  // for those who print it
    BeginTables(batch_, NFT_MSG_NEWSET, NLM_F_CREATE);
    batch_.Text(NFTA_SET_TABLE, kTable);
    batch_.Text(NFTA_SET_NAME, name);
    batch_.NetworkNumber(NFTA_SET_FLAGS, flags);
    batch_.NetworkNumber(NFTA_SET_KEY_TYPE, kAnyType);
    batch_.NetworkNumber(NFTA_SET_KEY_LEN, key_bytes);
    batch_.NetworkNumber(NFTA_SET_ID, ++sets_);
    const std::size_t description = batch_.Open(NFTA_SET_DESC);
    batch_.NetworkNumber(NFTA_SET_DESC_SIZE, size);
    batch_.Close(description);
  }

  NetlinkBatch& batch_;
  std::uint32_t sets_ = 0;
};

// Traffic of the sandbox with itself.
void AcceptInside(Tables& tables, std::string_view chain) {
  constexpr std::array<std::uint8_t, 1> kLoopback = {127};
  tables.Add(chain).Family(false).Destination(Block(kLoopback, 8, false)).Accept();
  tables.Add(chain).Family(false).Destination(Block(kInsideAddress, 32, false)).Accept();
  tables.Add(chain).Family(true).Destination(Block(kLoopback6, 128, true)).Accept();
  tables.Add(chain).Family(true).Destination(Block(kInsideAddress6, 128, true)).Accept();
}

std::string SetOf(std::size_t number) { return "class" + std::to_string(number); }

// Adds rules for the ranges, each begun by `begin`.
template <class Begin>
void AddRanges(Tables& tables, std::string_view chain, const std::vector<PortRange>& ranges, bool allow,
               Begin begin) {
  for (const PortRange& range : ranges) {
    NftRule rule = tables.Add(chain);
    begin(rule);
    if (range.protocol != Protocol::kAny)
      rule.Meta(NFT_META_L4PROTO,
                static_cast<std::uint8_t>(range.protocol == Protocol::kTcp ? IPPROTO_TCP : IPPROTO_UDP));
    if (range.first != 0) rule.Ports(range.first, range.last);
    allow ? rule.Accept() : rule.Goto(kRefuse);
  }
}

// A name of a class without ports is never handed out.
bool NeedsSet(const NameClass& one) { return !one.allowed.empty(); }

void AddNames(Tables& tables, std::string_view chain, bool ipv6, const Filter& filter) {
  if (ipv6) {
    const Cidr block = SyntheticNames::Block6();
    tables.Add(chain).Destination(block, false).Goto(kRefuse);
  }
  const auto add = [&](const NameClass& one, const auto& begin) {
    AddRanges(tables, chain, one.denied, false, begin);
    AddRanges(tables, chain, one.allowed, true, begin);
  };
  add(filter.host_loopback, [&](NftRule& rule) {
    rule.LoadDestination(ipv6, SyntheticNames::kNumberMask).Equals(SyntheticNames::kHostLoopbackNumber);
  });
  for (std::size_t i = 0; i < filter.names.size(); ++i) {
    if (!NeedsSet(filter.names[i])) continue;
    add(filter.names[i],
        [&](NftRule& rule) { rule.LoadDestination(ipv6, SyntheticNames::kNumberMask).IsIn(SetOf(i)); });
  }
  tables.Add(chain).Goto(kRefuse);
}

void AddAddresses(Tables& tables, std::string_view chain, bool ipv6, const Filter& filter) {
  for (const AddressFilter& one : filter.addresses) {
    if ((one.block.width == 128) != ipv6) continue;
    AddRanges(tables, chain, {one.ports}, one.verdict == RuleAction::kAllow, [&](NftRule& rule) {
      rule.Destination(one.block);
      for (const Cidr& except : one.except) {
        if (except.width == one.block.width) rule.Destination(except, false);
      }
    });
  }
  if (filter.egress == RuleAction::kAllow) {
    tables.Add(chain).Accept();
  } else {
    tables.Add(chain).Goto(kRefuse);
  }
}

// What is within the limits of its destination goes to kRefusalGroup.
void AddLimitedLog(Tables& tables) {
  for (const Limited& one : kLimited) {
    tables.Add(kRefuse)
        .Family(one.ipv6)
        .Meta(NFT_META_L4PROTO, one.protocol)
        .AtMost(one.set, one.ipv6, kRefusalsPerSecond, kRefusalsAtOnce)
        .Log(kRefusalGroup, kLoggedBytes)
        .Goto(kReject);
  }
}

void AddRefusal(Tables& tables, bool limited) {
  if (limited) AddLimitedLog(tables);
  tables.Add(kRefuse).Log(limited ? kCountedGroup : kRefusalGroup, kLoggedBytes).Goto(kReject);
  tables.Add(kReject).Meta(NFT_META_L4PROTO, IPPROTO_TCP).Reset();
  tables.Add(kReject).Unreachable();
}

// Of IPv6, headers before that of the protocol: by a routing header, which any program may send along, a
// packet goes first to another address than the one that is meant. Fragments are made behind this hook. The
// kernel itself puts a hop-by-hop header before more than 64 KiB, which a program may not (CAP_NET_RAW).
void RefuseExtensions(Tables& tables) {
  constexpr std::uint32_t kNextHeader = 6;
  constexpr std::uint8_t kHopByHop = IPPROTO_HOPOPTS;
  for (const std::uint8_t protocol : {std::uint8_t{IPPROTO_TCP}, std::uint8_t{IPPROTO_UDP}}) {
    tables.Add(kGuard)
        .Family(true)
        .Meta(NFT_META_L4PROTO, protocol)
        .OtherPayload(NFT_PAYLOAD_NETWORK_HEADER, kNextHeader, std::span(&protocol, 1))
        .OtherPayload(NFT_PAYLOAD_NETWORK_HEADER, kNextHeader, std::span(&kHopByHop, 1))
        .Goto(kRefuse);
  }
}

void AddGuard(Tables& tables, const Filter& filter) {
  for (std::size_t i = 0; i < filter.names.size(); ++i) {
    if (!NeedsSet(filter.names[i])) continue;
    const auto port = static_cast<std::uint16_t>(kFirstClassPort + i);
    tables.Add(kGuard)
        .Mark(kAnswerMark)
        .Family(false)
        .Meta(NFT_META_L4PROTO, IPPROTO_UDP)
        .Ports(port, port)
        .LoadSource4(SyntheticNames::kNumberMask)
        .AddTo(SetOf(i))
        .Drop();
  }
  tables.Add(kGuard).Mark(kAnswerMark).Accept();
  AcceptInside(tables, kGuard);
  RefuseExtensions(tables);
  tables.Add(kGuard).Meta(NFT_META_L4PROTO, IPPROTO_TCP).BeginsConnection(false).Accept();
  for (const std::uint8_t protocol : {std::uint8_t{IPPROTO_TCP}, std::uint8_t{IPPROTO_UDP}}) {
    tables.Add(kGuard).Meta(NFT_META_L4PROTO, protocol).Ports(kDnsPort, kDnsPort).Accept();
  }
  const auto judge = [&](std::uint8_t protocol, bool ipv6, const Cidr& names, std::string_view name_chain,
                         std::string_view address_chain) {
    tables.Add(kGuard).Meta(NFT_META_L4PROTO, protocol).Family(ipv6).Destination(names).Goto(name_chain);
    NftRule rest = tables.Add(kGuard);
    rest.Meta(NFT_META_L4PROTO, protocol).Family(ipv6);
    if (!filter.addresses.empty()) {
      rest.Goto(address_chain);
    } else if (filter.egress == RuleAction::kAllow) {
      rest.Accept();
    } else {
      rest.Goto(kRefuse);
    }
  };
  for (const std::uint8_t protocol : {std::uint8_t{IPPROTO_TCP}, std::uint8_t{IPPROTO_UDP}}) {
    judge(protocol, false, SyntheticNames::Range4(), kNames4, kAddresses4);
    judge(protocol, true, SyntheticNames::Range6(), kNames6, kAddresses6);
  }
}

void DropQuestions(Tables& tables, bool ipv6) {
  constexpr std::uint32_t kHops4 = 8, kHops6 = 7, kUdpLength = 4;  // in their headers
  constexpr std::array<std::uint8_t, 1> kHops = {kQuestionHops};
  constexpr std::array<std::uint8_t, 2> kEmpty = {0, 8};
  tables.Add(kSteer)
      .Family(ipv6)
      .Payload(NFT_PAYLOAD_NETWORK_HEADER, ipv6 ? kHops6 : kHops4, kHops)
      .Meta(NFT_META_L4PROTO, IPPROTO_UDP)
      .Payload(NFT_PAYLOAD_TRANSPORT_HEADER, kUdpLength, kEmpty)
      .Drop();
}

}  // namespace

NetlinkBatch SteeringRules(const Filter& filter, bool limited) {
  NetlinkBatch batch;
  Tables tables(batch);
  tables.Bracket(NFNL_MSG_BATCH_BEGIN);
  tables.AddTable();
  tables.AddBaseChain(kSteer, NF_INET_PRE_ROUTING, kMangle, NF_ACCEPT);
  tables.AddBaseChain(kGuard, NF_INET_LOCAL_OUT, 0, NF_DROP);
  for (const std::string_view chain : {kRefuse, kReject, kNames4, kNames6}) tables.AddChain(chain);
  for (std::size_t i = 0; i < filter.names.size(); ++i) {
    if (!NeedsSet(filter.names[i])) continue;
    tables.AddSet(SetOf(i));
  }
  for (const Limited& one : kLimited) {
    if (limited) tables.AddLimits(one.set, one.ipv6);
  }
  AddRefusal(tables, limited);
  AddNames(tables, kNames4, false, filter);
  AddNames(tables, kNames6, true, filter);
  if (!filter.addresses.empty()) {
    tables.AddChain(kAddresses4);
    tables.AddChain(kAddresses6);
    AddAddresses(tables, kAddresses4, false, filter);
    AddAddresses(tables, kAddresses6, true, filter);
  }
  AddGuard(tables, filter);

  tables.Add(kSteer).Mark(kAnswerMark).Accept();
  for (const bool ipv6 : {false, true}) DropQuestions(tables, ipv6);
  // tproxy itself passes over what is neither TCP nor UDP. Without a socket that would take the packet it
  // goes on to a receiver inside, which does not exist.
  tables.Add(kSteer).Ports(kDnsPort, kDnsPort).ToGateway(kGatewayPort).Accept();
  AcceptInside(tables, kSteer);
  tables.Add(kSteer).ToGateway(kGatewayPort).Accept();
  batch.Acknowledge();
  tables.Bracket(NFNL_MSG_BATCH_END);
  return batch;
}

NetlinkBatch BindLog(std::uint16_t group) {
  constexpr std::uint32_t kEach = 1;  // told at once, not when some have come together
  NetlinkBatch batch;
  batch.Begin(static_cast<std::uint16_t>((NFNL_SUBSYS_ULOG << 8U) | NFULNL_MSG_CONFIG), 0);
  batch.Header(nfgenmsg{.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(group)});
  const std::array<std::uint8_t, 1> bind = {NFULNL_CFG_CMD_BIND};
  batch.Attribute(NFULA_CFG_CMD, bind);
  // The number of bytes in network order, the mode, and one to fill.
  const std::array<std::uint8_t, 6> mode = {0, 0, 0, kLoggedBytes, NFULNL_COPY_PACKET, 0};
  batch.Attribute(NFULA_CFG_MODE, mode);
  batch.NetworkNumber(NFULA_CFG_QTHRESH, kEach);
  batch.Acknowledge();
  return batch;
}

}  // namespace mxc::egress
