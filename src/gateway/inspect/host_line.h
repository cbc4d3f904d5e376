// Looks for a line that begins with "Host:" in what the gateway knows no protocol of. A server that reads a
// request in it takes the name there.
#pragma once

#include <cstddef>

#include "gateway/net/bytes.h"

namespace mxc::egress {

class HostLine {
 public:
  // The next bytes, in pieces as they come. True: there is one, however blanks stand around its name.
  [[nodiscard]] bool Feed(ByteView bytes);

 private:
  static constexpr std::size_t kElsewhere = static_cast<std::size_t>(-1);  // till the line ends

  std::size_t matched_ = 0;  // letters of the name, at the beginning of a line
};

}  // namespace mxc::egress
