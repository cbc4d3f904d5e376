// The resolver inside the sandbox: bytes of a query in, bytes of the answer out. It asks no server, so that
// no query carries data out: an allowed name gets its synthetic address, every other gets NXDOMAIN.
#pragma once

#include <string>

#include "gateway/dns/dns_message.h"
#include "gateway/rules/names.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

struct DnsReply {
  Bytes message = {};                        // empty: nothing to send
  bool refused = false;                      // by the policy: to be recorded
  std::string name = {};                     // in the question; if allowed, normalised
  std::optional<std::uint32_t> number = {};  // of an allowed name
  Judgement judgement = {};                  // if refused
};

class DnsStub {
 public:
  // Both are borrowed. `ipv6`: programs inside can use IPv6 addresses.
  DnsStub(const RuleBook& rules, SyntheticNames& names, bool ipv6)
      : rules_(rules), names_(names), ipv6_(ipv6) {}

  [[nodiscard]] DnsReply Answer(ByteView query);

 private:
  DnsAnswer AnswerName(const DnsQuestion& question, DnsReply& reply);
  [[nodiscard]] DnsAnswer AnswerPointer(const DnsQuestion& question) const;
  [[nodiscard]] DnsAnswer Addresses(const DnsQuestion& question, const IpAddress& v4,
                                    const IpAddress& v6) const;

  const RuleBook& rules_;
  SyntheticNames& names_;
  bool ipv6_;
};

}  // namespace mxc::egress
