// Looks for a line that begins with "Host:" in an unknown protocol: a server that reads a request in it would
// take the name there.
#pragma once

#include <cstddef>

#include "gateway/net/bytes.h"

namespace mxc::egress {

class HostLine {
 public:
  // To be called with the next bytes, in any pieces. True: there is such a line, with whatever blanks.
  [[nodiscard]] bool Feed(ByteView bytes);

 private:
  static constexpr std::size_t kElsewhere = static_cast<std::size_t>(-1);  // no match in this line

  std::size_t matched_ = 0;  // matched letters at the beginning of a line
};

}  // namespace mxc::egress
