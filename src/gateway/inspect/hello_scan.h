// Finds where a ClientHello begins in what is not TLS from its first byte on: behind STARTTLS or its like in
// a protocol that the gateway does not know.
#pragma once

#include <cstddef>
#include <optional>

#include "gateway/net/bytes.h"

namespace mxc::egress {

struct HelloStart {
  std::size_t at = 0;  // in the bytes that were given
  Bytes begun = {};    // of it, in those before
};

class HelloScan {
 public:
  // The next bytes, in pieces as they come. Found is what no server could answer yet: the message is not
  // whole.
  [[nodiscard]] std::optional<HelloStart> Find(ByteView bytes);

 private:
  Bytes begun_ = {};  // the last bytes, where a ClientHello may begin so
};

}  // namespace mxc::egress
