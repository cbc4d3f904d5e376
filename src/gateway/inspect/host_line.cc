#include "gateway/inspect/host_line.h"

#include <string_view>

#include "gateway/inspect/protocol_sniffer.h"
#include "mxc/fold.h"

namespace mxc::egress {

bool HostLine::Feed(ByteView bytes) {
  constexpr std::string_view kName = "host";
  for (const std::uint8_t byte : bytes) {
    const char c = Folded(static_cast<char>(byte));
    const bool around = matched_ == 0 || matched_ == kName.size();
    if (c == '\r' || c == '\n') {
      matched_ = 0;
    } else if (matched_ == kElsewhere || (around && PassedOver(byte))) {
      continue;
    } else if (matched_ == kName.size()) {
      if (c == ':') return true;
      matched_ = kElsewhere;
    } else {
      matched_ = c == kName[matched_] ? matched_ + 1 : kElsewhere;
    }
  }
  return false;
}

}  // namespace mxc::egress
