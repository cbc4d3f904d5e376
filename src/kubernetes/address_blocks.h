// Address blocks of NetworkPolicies, and the ranges where clusters have their services, pods, nodes and
// metadata.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/cidr.h"
#include "mxc/json.h"

namespace mxc::kubernetes {

// A block without what it leaves out. IPv4 in IPv6 (::ffff:0:0/96, 64:ff9b::/96) is the IPv4 block.
struct IpBlock {
  Cidr block = {};
  std::vector<Cidr> except = {};
};

// Of an `ipBlock`. Nothing: it cannot be read, or has members that are not known.
[[nodiscard]] std::optional<IpBlock> ReadIpBlock(const Json& value);
// `blocks` together hold all of `whole`.
[[nodiscard]] bool Cover(const std::vector<Cidr>& blocks, const Cidr& whole);
// The first private range that some address of the block is in; empty: none.
[[nodiscard]] std::string_view PrivatePartOf(const IpBlock& block);
// The blocks, whatever they leave out, together hold a private range, or one of them is more than a 256th of
// all addresses: that is everybody and no choice of clients.
[[nodiscard]] bool AreEverybody(const std::vector<Cidr>& blocks);

}  // namespace mxc::kubernetes
