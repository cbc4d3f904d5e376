#include "gateway/inspect/unknown_opening.h"

#include <string_view>

#include "gateway/inspect/protocol_sniffer.h"

namespace mxc::egress {

Match OpensSocks(ByteView first_bytes) {
  constexpr std::uint8_t kSocks4 = 4, kSocks5 = 5, kConnect = 1, kBind = 2;
  if (first_bytes.empty() || (first_bytes[0] != kSocks4 && first_bytes[0] != kSocks5)) return Match::kNo;
  if (first_bytes.size() == 1) return Match::kMaybe;
  const std::uint8_t next = first_bytes[1];  // the command, or how many methods of authentication follow
  const bool socks = first_bytes[0] == kSocks5 ? next != 0 : next == kConnect || next == kBind;
  return socks ? Match::kYes : Match::kNo;
}

UnknownOpening::State UnknownOpening::Feed(ByteView text) {
  constexpr std::size_t kSign = 5;  // "http/"
  std::size_t at = 0;
  if (line_.empty()) {
    while (at < text.size() && PassedOver(text[at])) ++at;
  }
  line_.append(text.begin() + static_cast<std::ptrdiff_t>(at), text.end());
  size_ += text.size();
  const std::size_t end = line_.find("\r\n");
  const std::string_view line = std::string_view(line_).substr(0, end);
  const std::size_t lone_end = line.find('\n');
  const bool target = !ended_in_half_ && ResemblesRequest(line.substr(0, lone_end));
  if (target || NamesHttp(line)) return State::kRequest;
  if (end != std::string::npos || size_ > kMaxFirstBytes) return State::kEnded;
  ended_in_half_ = ended_in_half_ || lone_end != std::string_view::npos;
  if (line_.size() >= kSign) line_.erase(0, line_.size() - kSign + 1);
  return State::kMore;
}

}  // namespace mxc::egress
