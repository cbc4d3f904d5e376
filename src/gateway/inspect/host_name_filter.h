// Judges the host names that a client sends on a connection: in its opening, and with HTTP/1 in every later
// request. Each must be the host that the connection was judged for, or another allowed one. If a rule names
// the connection's host, only recognised protocols pass.
//
//   HostNameFilter filter(rules, {.name = "api.example.com", .port = 443, .strict = true});
//   std::string problem = filter.Hear(chunk);        // the client's bytes; empty: no problem
//   forward filter.Client().Take()
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gateway/inspect/client_side.h"
#include "gateway/net/packet.h"
#include "gateway/rules/hosts_names.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

class HostNameFilter {
 public:
  struct Host {
    std::string name = {};   // empty: a literal address
    std::uint16_t port = 0;  // the dialled one
    bool strict = false;     // Judgement::strict
  };

  using Texts = std::function<ResolverTexts()>;

  // `rules` are borrowed. `texts`: of the host's resolver files, if it is to judge by them.
  HostNameFilter(
      const RuleBook& rules, Host host, Texts texts = [] { return ResolverTexts(); })
      : rules_(rules), host_(std::move(host)), texts_(std::move(texts)), client_(!host_.strict) {}

  // Each returns why the connection is refused, or "".
  [[nodiscard]] std::string Hear(ByteView chunk);
  [[nodiscard]] std::string HearServer(ByteView bytes);  // while Client().WantsServer()
  [[nodiscard]] std::string End();                       // the client has closed its direction

  [[nodiscard]] ClientSide& Client() { return client_; }

 private:
  [[nodiscard]] std::string Advance();
  [[nodiscard]] bool MayAsk(const std::string& name, std::uint16_t port) const;
  [[nodiscard]] bool MayReach(const std::string& name, std::uint16_t port) const;
  [[nodiscard]] std::string JudgeHosts() const;
  [[nodiscard]] std::uint16_t Port() const;
  [[nodiscard]] std::string Judge(const ProtocolSniffer& head);
  [[nodiscard]] std::string MissingName(const ProtocolSniffer& head) const;

  const RuleBook& rules_;
  Host host_;
  Texts texts_;
  ClientSide client_;
};

}  // namespace mxc::egress
