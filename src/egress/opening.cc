#include "egress/opening.h"

#include <algorithm>
#include <utility>

#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kHandshakeHeader = 4;
constexpr std::size_t kMaxRecord = 16384 + 256;
constexpr std::uint8_t kHandshake = 22;
constexpr std::string_view kMalformedTls = "its TLS is malformed";
constexpr std::string_view kMalformedRequest = "its HTTP request is malformed";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::size_t Number(ByteView bytes, std::size_t at, std::size_t width) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

// Version 3.0 to 3.4: what a ClientHello has ever been sent in.
bool IsHelloRecord(ByteView bytes, std::size_t at) {
  return bytes[at] == kHandshake && bytes[at + 1] == 3 && bytes[at + 2] <= 4;
}

bool Mentions(std::string_view line, std::string_view word) {
  const auto same = [](char a, char b) { return Folded(a) == b; };
  return std::search(line.begin(), line.end(), word.begin(), word.end(), same) != line.end();
}

// Could some server find a request in it?
bool ResemblesRequest(std::string_view line) { return Mentions(line, "http/") || Mentions(line, "://"); }

}  // namespace

Opening::State Opening::Broken(std::string_view problem) {
  problem_ = problem;
  return State::kBroken;
}

Opening::State Opening::Unknown() {
  problem_ = "what it opens with is of no protocol that can be checked";
  return State::kUnknown;
}

Opening::State Opening::Done(Kind kind, std::size_t size) {
  kind_ = kind;
  size_ = size;
  return State::kDone;
}

Opening::State Opening::Feed(ByteView chunk) {
  seen_.insert(seen_.end(), chunk.begin(), chunk.end());
  if (seen_.empty() || seen_.size() < wanted_) return State::kMore;
  const State state = Look();
  if (state == State::kMore && seen_.size() > kMaxOpeningBytes)
    return Broken("its first message does not end");
  if (state != State::kMore) seen_ = {};
  return state;
}

Opening::State Opening::Look() {
  if (takes_ == Takes::kHello || seen_[0] == kHandshake) return LookAtTls();
  protocol_ = FindByOpening(seen_);
  if (protocol_.found.match == Match::kYes) return Done(Kind::kOther, protocol_.found.size);
  return LookAtText(protocol_.found.match);
}

// The message may be spread over records, and ends with the last of them.
Opening::State Opening::LookAtTls() {
  Bytes message;
  std::size_t at = 0;
  for (;;) {
    const std::size_t need =
        message.size() < kHandshakeHeader ? kHandshakeHeader : kHandshakeHeader + Number(message, 1, 3);
    if (!message.empty() && message[0] != 1) return Broken("its first TLS message is no ClientHello");
    if (need > kMaxOpeningBytes) return Broken("its ClientHello is too long");
    if (message.size() > need) return Broken("its ClientHello is malformed");
    if (message.size() == need && need > kHandshakeHeader) break;
    if (seen_.size() < at + kRecordHeader) {
      wanted_ = at + kRecordHeader;
      return State::kMore;
    }
    const std::size_t length = Number(seen_, at + 3, 2);
    if (!IsHelloRecord(seen_, at) || length == 0 || length > kMaxRecord) return Broken(kMalformedTls);
    if (seen_.size() < at + kRecordHeader + length) {
      wanted_ = at + kRecordHeader + length;
      return State::kMore;
    }
    const auto begin = seen_.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader);
    message.insert(message.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    at += kRecordHeader + length;
  }
  names_ = ReadClientHello(ByteView(message).subspan(kHandshakeHeader));
  return names_.problem.empty() ? Done(Kind::kTls, at) : Broken(names_.problem);
}

// `other`: may it still become another protocol's opening?
Opening::State Opening::LookAtText(Match other) {
  const std::string_view all(reinterpret_cast<const char*>(seen_.data()), seen_.size());
  std::size_t begin = 0;
  while (all.substr(begin, 2) == "\r\n") begin += 2;  // RFC 9112, 2.2
  const std::string_view text = all.substr(begin);
  if (text.empty() || text == "\r") return State::kMore;
  const auto line_end = text.find("\r\n");
  const std::string_view line = text.substr(0, line_end);
  const auto control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  const auto strange = std::find_if(line.begin(), line.end(), control);
  const bool ends_in_half = strange != line.end() && *strange == '\r' && strange + 1 == text.end();
  if (strange != line.end() && !ends_in_half) {
    if (other == Match::kMaybe) return State::kMore;
    return ResemblesRequest(text) ? Broken(kMalformedRequest) : Unknown();
  }
  if (line_end == std::string_view::npos) return State::kMore;
  if (other == Match::kMaybe) return State::kMore;
  if (!ResemblesRequest(line)) return Unknown();
  return LookAtHead(begin);
}

Opening::State Opening::LookAtHead(std::size_t begin) {
  const std::string_view text(reinterpret_cast<const char*>(seen_.data()) + begin, seen_.size() - begin);
  const std::size_t end = text.find(kHeadEnd, scanned_);
  if (end == std::string_view::npos) {
    scanned_ = text.size() < kHeadEnd.size() ? 0 : text.size() - kHeadEnd.size() + 1;
    return State::kMore;
  }
  const std::size_t size = end + kHeadEnd.size();
  names_ = ReadHttpHead(text.substr(0, size));
  return names_.problem.empty() ? Done(Kind::kHttp, begin + size) : Broken(names_.problem);
}

}  // namespace mxc::egress
