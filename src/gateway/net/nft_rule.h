// Rules of nf_tables, written expression by expression.
//
//   NftRule(batch, table, "chain").Meta(NFT_META_L4PROTO, IPPROTO_TCP).Ports(80, 443).Accept();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/cidr.h"
#include "gateway/net/netlink.h"

namespace mxc::egress {

// The header of an nf_tables message about the family inet.
void BeginTables(NetlinkBatch& batch, std::uint16_t message, std::uint16_t flags);

// One rule at the end of a chain; it ends with this object. Every expression works on the first register.
class NftRule {
 public:
  NftRule(NetlinkBatch& batch, std::string_view table, std::string_view chain);
  NftRule(const NftRule&) = delete;
  NftRule& operator=(const NftRule&) = delete;
  ~NftRule() { batch_.Close(expressions_); }

  // `value` as it stands in the packet's memory.
  NftRule& Meta(std::uint32_t key, std::span<const std::uint8_t> value);
  NftRule& Meta(std::uint32_t key, std::uint8_t value) { return Meta(key, std::span(&value, 1)); }
  NftRule& Mark(std::uint32_t mark);
  // `value` stands at `offset` of the header `base` (NFT_PAYLOAD_...).
  NftRule& Payload(std::uint32_t base, std::uint32_t offset, std::span<const std::uint8_t> value);
  NftRule& Family(bool ipv6);
  // The packet's family has been asked for. `inside`: or outside.
  NftRule& Destination(const Cidr& block, bool inside = true);
  // Of the destination; the protocol has been asked for.
  NftRule& Ports(std::uint16_t first, std::uint16_t last);
  // Of the flags of TCP, SYN and ACK.
  NftRule& BeginsConnection(bool begins);
  // The last four bytes of the destination, or of the source, are loaded and cut down to `mask`.
  NftRule& LoadDestination(bool ipv6, std::uint32_t mask);
  NftRule& LoadSource4(std::uint32_t mask);
  NftRule& Equals(std::uint32_t value);  // what was loaded
  NftRule& IsIn(std::string_view set);
  NftRule& AddTo(std::string_view set);

  NftRule& ToGateway(std::uint16_t port);  // tproxy
  NftRule& Log(std::uint16_t group, std::uint32_t bytes);
  void Accept();
  void Drop();
  void Goto(std::string_view chain);
  void Reset();        // TCP
  void Unreachable();  // ICMP: the port

 private:
  template <class Fill>
  void Expression(std::string_view name, Fill fill);
  NftRule& Compare(std::uint32_t operation, std::span<const std::uint8_t> value);
  void Load(std::uint32_t base, std::uint32_t offset, std::size_t size);
  void Mask(std::span<const std::uint8_t> mask);
  void Decide(std::uint32_t code, std::string_view chain = {});
  void Reject(std::uint32_t type);

  NetlinkBatch& batch_;
  std::size_t expressions_ = 0;
};

}  // namespace mxc::egress
