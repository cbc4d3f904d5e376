// Finds the TLS that a client begins between its text lines. A server takes it behind the line of a command
// that asks for it (STARTTLS, STLS, AUTH TLS, AUTH SSL), and no line of text begins as a TLS record does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gateway/net/bytes.h"

namespace mxc::egress {

class StartTlsLines {
 public:
  // To be called with the client's next bytes, in any pieces. The number of bytes before a TLS record, all of
  // them if none begins. nullopt: one begins, and is malformed.
  [[nodiscard]] std::optional<std::size_t> Feed(ByteView text);
  // A command that asks for TLS may have been sent already.
  void ExpectTls() { tls_named_ = true; }
  // TLS may begin with the next byte.
  [[nodiscard]] bool TlsMayBegin() const { return tls_named_ && in_line_ == 0; }

 private:
  std::size_t in_line_ = 0;    // bytes of a line, without those that servers skip at its beginning
  bool tls_named_ = false;     // some line contained "tls" or "ssl"
  std::uint32_t letters_ = 0;  // the last three bytes of a line, case-folded
};

}  // namespace mxc::egress
