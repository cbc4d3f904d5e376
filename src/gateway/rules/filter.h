// What of a rule book the kernel can decide by itself: destinations that no rule could allow, which it
// refuses when a program connects. Everything else goes to the gateway, which judges it by the whole book.
//
//   const Filter filter = MakeFilter(book);
//   filter.addresses   in order, the first that applies decides; then `egress`
//   filter.names       by the ports at which a name may be reached
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
// More addresses than one message to the kernel holds are not compiled: the gateway judges all of them.
void BoundAddresses(Filter& filter);

}  // namespace mxc::egress
