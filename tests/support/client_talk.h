// What a client and a server say on a connection that is allowed for good.test, and what of it goes on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/inspect/host_name_filter.h"
#include "tests/support/counted.h"
#include "tests/support/egress_rules.h"

namespace mxc::egress {

inline ByteView View(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// A conversation: lines of the client and the server, in turn as they are called; each says what went on to
// the server because of it, or why the connection was refused.
class Talk {
 public:
  explicit Talk(bool strict = true) : Talk(strict ? OnlyGood() : AllButEvil(), 80, strict) {}
  // A connection to good.test.
  Talk(const EgressRules& rules, std::uint16_t port, bool strict = true, ResolverTexts texts = {})
      : Talk(RuleBook::Compile(rules).value(), port, strict, std::move(texts)) {}
  Talk(RuleBook rules, std::uint16_t port, bool strict = true, ResolverTexts texts = {})
      : rules_(std::move(rules)),
        name_filter_(rules_, {.name = "good.test", .port = port, .strict = strict},
                     [texts] { return texts; }) {}
  std::string Client(std::string_view text) { return Passed(name_filter_.Hear(View(text))); }
  std::string Server(std::string_view text) { return Passed(name_filter_.HearServer(View(text))); }
  std::string End() { return Passed(name_filter_.End()); }
  [[nodiscard]] bool Waits() { return name_filter_.Client().WantsAnotherServer(); }
  std::string AnotherServer() {
    name_filter_.Client().OnAnotherServer();
    return Client("");
  }
  [[nodiscard]] bool Full() { return name_filter_.Client().IsFull(); }
  [[nodiscard]] bool Free() { return name_filter_.Client().Free(); }

 private:
  std::string Passed(const std::string& problem) {
    if (!problem.empty()) return "refused: " + problem;
    const Bytes bytes = name_filter_.Client().Take();
    return {bytes.begin(), bytes.end()};
  }
  RuleBook rules_;
  HostNameFilter name_filter_;
};

inline std::string Record(char type, const std::string& content) {
  return std::string(1, type) + "\x03\x03" + test::Counted(2, content);
}
inline std::string Hello(const std::string& name, const std::string& more = "") {
  const std::string list = test::Counted(2, std::string(1, '\0') + test::Counted(2, name));
  const std::string extensions = (name.empty() ? "" : std::string(2, '\0') + test::Counted(2, list)) + more;
  return Record(22, "\x01" + test::Counted(3, "\x03\x03" + std::string(32, 'r') + test::Counted(1, "") +
                                                  test::Counted(2, "\x13\x01") +
                                                  test::Counted(1, std::string(1, '\0')) +
                                                  test::Counted(2, extensions)));
}
inline std::string ServerHello(const std::string& random) {
  return Record(22, "\x02" + test::Counted(3, "\x03\x03" + random + std::string(10, 'x')));
}
// The handshake of RFC 6455, 1.3.
inline std::string Asks(const std::string& line = "GET / HTTP/1.1",
                        const std::string& connection = "Connection: keep-alive, Upgrade",
                        const std::string& upgrade = "Upgrade: websocket",
                        const std::string& key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") {
  std::string head = line + "\r\nHost: good.test\r\n";
  for (const std::string& field : {connection, upgrade, key}) head += field.empty() ? "" : field + "\r\n";
  return head + "\r\n";
}
inline std::string Agrees(const std::string& line = "HTTP/1.1 101 Switching Protocols",
                          const std::string& connection = "Connection: Upgrade",
                          const std::string& upgrade = "Upgrade: websocket",
                          const std::string& key = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") {
  std::string head = line + "\r\n";
  for (const std::string& field : {connection, upgrade, key}) head += field.empty() ? "" : field + "\r\n";
  return head + "\r\n";
}

inline const std::string kConnectHead = "CONNECT good.test:80 HTTP/1.1\r\nHost: good.test\r\n\r\n";
inline const std::string kRetry =
    "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e"
    "\x09\xe2"
    "\xc8\xa8\x33\x9c";
inline const std::string kPlain(32, 'R');
inline const std::string kEarlyData = std::string("\0\x2a\0\0", 4);
inline constexpr std::string_view kStrange =
    "refused: the server answers in another protocol than the client's";
inline constexpr std::string_view kOther = "refused: a later request is for the name evil.test";

}  // namespace mxc::egress
