// Looks for lines in an opening that is not of lines. A server of another protocol that reads over what it
// does not understand would take them for commands of its own.
#pragma once

#include <string>
#include <string_view>

#include "gateway/net/bytes.h"

namespace mxc::egress {

// Whether a line begins a request, of whatever version, or is FTP's HOST (RFC 7151). For openings with little
// in them that is random.
[[nodiscard]] bool HidesRequest(std::string_view text);

// For random bytes too: they contain such a line once in 2^38 bytes, so that one ClientHello in 2^27 with 2
// KiB of keys and tickets is refused.
class HiddenLines {
 public:
  // To be called with the next bytes, in any pieces. True: a line begins with FTP's HOST or "Host:", or asks
  // for a URL, with whatever blanks and commands of Telnet.
  [[nodiscard]] bool Feed(ByteView bytes);

 private:
  std::string line_ = {};
};

}  // namespace mxc::egress
