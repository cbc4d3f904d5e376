// What a client names on a connection whose host was judged: by its opening, and with HTTP/1 by every later
// request. Each name must be the connection's own, or one that may be reached as well.
//
//   Interview interview(rules, {.name = "api.example.com", .port = 443, .strict = true});
//   for (each chunk the client sends) {
//     std::string problem = interview.Hear(chunk);   // empty: all of it may be forwarded; else none of it
//   }
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "egress/client_side.h"
#include "egress/packet.h"
#include "egress/rules.h"

namespace mxc::egress {

class Interview {
 public:
  struct Host {
    std::string name = {};   // empty: an address as such
    std::uint16_t port = 0;  // that was dialled
    bool strict = false;     // Judgement::strict
  };

  // `rules` are borrowed.
  Interview(const RuleBook& rules, Host host) : rules_(rules), host_(std::move(host)), port_(host_.port) {}

  [[nodiscard]] std::string Hear(ByteView chunk);

  [[nodiscard]] const ClientSide& Client() const { return client_; }
  // Bytes that come next need not be heard: ClientSide::Unread.
  void Skip(std::uint64_t count) { client_.Skip(count); }

 private:
  [[nodiscard]] bool MayAsk(const std::string& name, std::uint16_t port) const;
  [[nodiscard]] std::string Judge(const Opening& head);

  const RuleBook& rules_;
  Host host_;
  std::uint16_t port_;  // that hosts are asked for at, unless they say so
  ClientSide client_;
};

}  // namespace mxc::egress
