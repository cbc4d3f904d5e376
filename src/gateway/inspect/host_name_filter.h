// What a client names on a connection whose host was judged: by its opening, and with HTTP/1 by every later
// request. Each name must be the connection's own, or one that may be reached as well. Where a rule names the
// connection's host, nothing passes but what is recognised.
//
//   HostNameFilter filter(rules, {.name = "api.example.com", .port = 443, .strict = true});
//   std::string problem = filter.Hear(chunk);        // of the client; empty: all is well
//   send filter.Client().Take() on
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gateway/inspect/client_side.h"
#include "gateway/net/packet.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

class HostNameFilter {
 public:
  struct Host {
    std::string name = {};   // empty: an address as such
    std::uint16_t port = 0;  // that was dialled
    bool strict = false;     // Judgement::strict
  };

  // `rules` are borrowed.
  HostNameFilter(const RuleBook& rules, Host host)
      : rules_(rules), host_(std::move(host)), port_(host_.port), client_(!host_.strict) {}

  // Each returns why the connection is refused, or nothing.
  [[nodiscard]] std::string Hear(ByteView chunk);
  [[nodiscard]] std::string HearServer(ByteView bytes);  // while the client side wants it
  [[nodiscard]] std::string End();                       // the client says no more

  [[nodiscard]] ClientSide& Client() { return client_; }

 private:
  [[nodiscard]] std::string Advance();
  [[nodiscard]] bool MayAsk(const std::string& name, std::uint16_t port) const;
  [[nodiscard]] std::string JudgeHosts() const;
  [[nodiscard]] std::string Judge(const ProtocolSniffer& head);
  [[nodiscard]] std::string MissingName(const ProtocolSniffer& head) const;

  const RuleBook& rules_;
  Host host_;
  std::uint16_t port_;  // that hosts are asked for at, unless they say so
  ClientSide client_;
};

}  // namespace mxc::egress
