// Tells the sandbox's packet filter that a name has its address now (tproxy_setup.h: classes).
#pragma once

#include "gateway/dns/dns_stub.h"

namespace mxc::egress {

class Announcer {
 public:
  // `raw4` is borrowed: GatewaySockets::raw4.
  Announcer(const RuleBook& rules, int raw4) : rules_(rules), raw4_(raw4) {}

  // Before the answer is sent.
  void Announce(const DnsReply& reply) const;

 private:
  const RuleBook& rules_;
  int raw4_;
};

}  // namespace mxc::egress
