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

// Begins an nf_tables message for the family inet.
void BeginTables(NetlinkBatch& batch, std::uint16_t message, std::uint16_t flags);

// The bytes that AtMost loads: an address, and a port in a register of its own.
[[nodiscard]] constexpr std::uint32_t EndpointKeyBytes(bool ipv6) { return ipv6 ? 20 : 8; }

// Appends a rule to a chain; the destructor completes it. Expressions use the first register, AtMost more.
class NftRule {
 public:
  NftRule(NetlinkBatch& batch, std::string_view table, std::string_view chain);
  NftRule(const NftRule&) = delete;
  NftRule& operator=(const NftRule&) = delete;
  ~NftRule() { batch_.Close(expressions_); }

  // `value`: in the byte order of the key.
  NftRule& Meta(std::uint32_t key, std::span<const std::uint8_t> value);
  NftRule& Meta(std::uint32_t key, std::uint8_t value) { return Meta(key, std::span(&value, 1)); }
  NftRule& Mark(std::uint32_t mark);
  // Matches `value` at `offset` of the header `base` (NFT_PAYLOAD_...).
  NftRule& Payload(std::uint32_t base, std::uint32_t offset, std::span<const std::uint8_t> value);
  // Matches any other value there.
  NftRule& OtherPayload(std::uint32_t base, std::uint32_t offset, std::span<const std::uint8_t> value);
  NftRule& Family(bool ipv6);
  // Matches a destination inside `block`, or outside; to be used after Family.
  NftRule& Destination(const Cidr& block, bool inside = true);
  // Matches the destination port; to be used after a match of the protocol.
  NftRule& Ports(std::uint16_t first, std::uint16_t last);
  // Matches TCP packets with SYN and without ACK, or all others.
  NftRule& BeginsConnection(bool begins);
  // Load the last four bytes of the destination, or of the source, and apply `mask`.
  NftRule& LoadDestination(bool ipv6, std::uint32_t mask);
  NftRule& LoadSource4(std::uint32_t mask);
  NftRule& Equals(std::uint32_t value);  // compares the loaded bytes
  NftRule& IsIn(std::string_view set);
  NftRule& AddTo(std::string_view set);
  // Loads the destination and its port, to be used after a match of the family and the protocol; matches
  // while packets with the same ones come at most `rate` times a second, behind the first `burst`. Of more
  // different ones than `set` has room for it matches none.
  NftRule& AtMost(std::string_view set, bool ipv6, std::uint64_t rate, std::uint32_t burst);

  NftRule& ToGateway(std::uint16_t port);  // tproxy
  NftRule& Log(std::uint16_t group, std::uint32_t bytes);
  void Accept();
  void Drop();
  void Goto(std::string_view chain);
  void Reset();        // rejects with a TCP reset
  void Unreachable();  // rejects with ICMP port unreachable

 private:
  template <class Fill>
  void Expression(std::string_view name, Fill fill);
  NftRule& Compare(std::uint32_t operation, std::span<const std::uint8_t> value);
  void Load(std::uint32_t base, std::uint32_t offset, std::size_t size, std::uint32_t into);
  void Load(std::uint32_t base, std::uint32_t offset, std::size_t size);
  void Mask(std::span<const std::uint8_t> mask);
  void Decide(std::uint32_t code, std::string_view chain = {});
  void Reject(std::uint32_t type);

  NetlinkBatch& batch_;
  std::size_t expressions_ = 0;
};

}  // namespace mxc::egress
