#include "gateway/inspect/start_tls_lines.h"

#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/inspect/server_hello.h"
#include "mxc/fold.h"

namespace mxc::egress {

std::optional<std::size_t> StartTlsLines::Feed(ByteView text) {
  constexpr std::uint32_t kTls = ('t' << 16U) | ('l' << 8U) | 's';
  constexpr std::uint32_t kSsl = ('s' << 16U) | ('s' << 8U) | 'l';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint8_t byte = text[at];
    if (tls_named_ && in_line_ == 0 && byte == kHandshake) return at;
    if (tls_named_ && in_line_ == 1 && byte == kTlsMajorVersion) return std::nullopt;
    in_line_ = byte == '\n' || (in_line_ == 0 && PassedOver(byte)) ? 0 : in_line_ + 1;
    letters_ = ((letters_ << 8U) | static_cast<std::uint8_t>(Folded(static_cast<char>(byte)))) & 0xffffffU;
    tls_named_ = tls_named_ || letters_ == kTls || letters_ == kSsl;
  }
  return text.size();
}

}  // namespace mxc::egress
