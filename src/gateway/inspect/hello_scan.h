// Finds the beginning of a ClientHello in a stream that does not begin with TLS: behind STARTTLS or the like
// in a protocol that the gateway does not know.
#pragma once

#include <cstddef>
#include <optional>

#include "gateway/net/bytes.h"

namespace mxc::egress {

struct HelloStart {
  std::size_t at = 0;  // offset in the bytes given to Find
  Bytes begun = {};    // its first bytes, if they were in earlier calls
};

class HelloScan {
 public:
  // To be called with the next bytes, in any pieces. Finds a ClientHello before it is complete, so before a
  // server could answer it.
  [[nodiscard]] std::optional<HelloStart> Find(ByteView bytes);

 private:
  Bytes begun_ = {};  // the last bytes, if a ClientHello may begin with them
};

}  // namespace mxc::egress
