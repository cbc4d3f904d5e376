// The part of a rule book that nftables decides when a program connects: it refuses every address, and every
// port of an allowed name, that no rule allows. Everything else goes to the gateway, which judges it by the
// whole book.
//
//   const Filter filter = MakeFilter(book);
//   filter.addresses   in order, the first that applies decides; then `egress`
//   filter.names       the ports of each class of names
#pragma once

#include <vector>

#include "gateway/rules/address.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

struct AddressFilter {
  RuleAction verdict = RuleAction::kDeny;
  Cidr block = {};  // of the family of its width
  std::vector<Cidr> except = {};
  PortRange ports = {};
};

struct Filter {
  std::vector<AddressFilter> addresses = {};
  RuleAction egress = RuleAction::kDeny;
  std::vector<NameClass> names = {};  // by number
  NameClass host_loopback = {};       // of kHostLoopbackAddress
};

[[nodiscard]] Filter MakeFilter(const RuleBook& book);
// Drops `addresses` if they do not fit into one message to the kernel: the gateway then judges all of them.
void BoundAddresses(Filter& filter);

}  // namespace mxc::egress
