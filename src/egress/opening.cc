#include "egress/opening.h"

#include <algorithm>
#include <optional>

#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kHandshakeHeader = 4;
constexpr std::size_t kMaxRecord = 16384 + 256;
constexpr std::uint8_t kHandshake = 22;
// No method of HTTP is longer; a longer word is the beginning of something else.
constexpr std::ptrdiff_t kMaxMethod = 64;
constexpr std::string_view kMalformedRequest = "its HTTP request is malformed";

bool IsTokenByte(std::uint8_t byte) {
  const auto lower = static_cast<char>(byte | 0x20U);
  if ((lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(byte)) != std::string_view::npos;
}

// Record types 20 to 24 with version 3.0 to 3.4. Servers skip an alert before the ClientHello, so every type
// counts.
bool MayBeRecord(ByteView bytes) {
  if (bytes[0] < 20 || bytes[0] > 24) return false;
  return (bytes.size() < 2 || bytes[1] == 3) && (bytes.size() < 3 || bytes[2] <= 4);
}

// A ClientHello in the frame of SSL 2, which cannot carry a name.
bool MayBeOldHello(ByteView bytes) {
  if ((bytes[0] & 0x80U) == 0) return false;
  return (bytes.size() < 3 || bytes[2] == 1) && (bytes.size() < 4 || bytes[3] == 3);
}

std::size_t Number(ByteView bytes, std::size_t at, std::size_t width) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

bool IsLineEnd(std::uint8_t byte) { return byte == '\r' || byte == '\n'; }

// What some server strips from the front of a request: blanks of ASCII, and of what Python takes for Latin-1.
bool IsBlank(std::uint8_t byte) {
  return (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x20) || byte == 0x85 || byte == 0xa0;
}

std::size_t SkipBlanks(ByteView bytes) {
  const auto first = std::find_if_not(bytes.begin(), bytes.end(), IsBlank);
  return static_cast<std::size_t>(first - bytes.begin());
}

bool MentionsHttp(std::string_view line) {
  constexpr std::string_view kHttp = "http/";
  const auto same = [](char a, char b) { return Folded(a) == b; };
  return std::search(line.begin(), line.end(), kHttp.begin(), kHttp.end(), same) != line.end();
}

}  // namespace

Opening::State Opening::Broken(std::string_view problem) {
  problem_ = problem;
  return State::kBroken;
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
  if (MayBeRecord(seen_)) return seen_.size() < 3 ? State::kMore : LookAtTls();
  if (when_ == When::kFirst && MayBeOldHello(seen_)) {
    if (seen_.size() < 4) return State::kMore;
    kind_ = Kind::kTls;
    return State::kDone;
  }
  return LookAtHttp();
}

// The message may be spread over records.
Opening::State Opening::LookAtTls() {
  kind_ = Kind::kTls;
  Bytes message;
  std::size_t at = 0;
  for (;;) {
    const std::size_t need =
        message.size() < kHandshakeHeader ? kHandshakeHeader : kHandshakeHeader + Number(message, 1, 3);
    if (!message.empty() && message[0] != 1) return Broken("its first TLS message is no ClientHello");
    if (need > kMaxOpeningBytes) return Broken("its ClientHello is too long");
    if (message.size() >= need && message.size() >= kHandshakeHeader) break;
    if (seen_.size() < at + kRecordHeader) {
      wanted_ = at + kRecordHeader;
      return State::kMore;
    }
    const std::size_t length = Number(seen_, at + 3, 2);
    if (seen_[at] != kHandshake || length == 0 || length > kMaxRecord) return Broken("its TLS is malformed");
    if (seen_.size() < at + kRecordHeader + length) {
      wanted_ = at + kRecordHeader + length;
      return State::kMore;
    }
    const auto begin = seen_.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader);
    message.insert(message.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    at += kRecordHeader + length;
  }
  const std::size_t size = Number(message, 1, 3);
  HeadNames names = ReadClientHello(ByteView(message).subspan(kHandshakeHeader, size));
  if (!names.problem.empty()) return Broken(names.problem);
  hosts_ = std::move(names.hosts);
  encrypted_ = names.encrypted;
  return State::kDone;
}

namespace {

// What an HTTP server would take for the beginning of a request. Absent: it cannot be one.
std::optional<std::string_view> MaybeRequest(ByteView bytes) {
  const std::size_t begin = SkipBlanks(bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + begin, bytes.size() - begin);
  const auto end = std::find_if(text.begin(), text.end(),
                                [](char c) { return !IsTokenByte(static_cast<std::uint8_t>(c)); });
  if (end - text.begin() > kMaxMethod) return std::nullopt;
  if (end == text.end()) return text;
  const bool blank = *end == ' ' || *end == '\t';
  return blank && end != text.begin() ? std::optional(text) : std::nullopt;
}

// Behind the empty line that ends a head; npos: not there. `from`: no line ends before it that was not seen.
std::size_t HeadEnd(std::string_view text, std::size_t from) {
  for (auto at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const std::string_view next = text.substr(at + 1);
    if (next.starts_with('\n')) return at + 2;
    if (next.starts_with("\r\n")) return at + 3;
  }
  return std::string_view::npos;
}

}  // namespace

Opening::State Opening::LookAtHttp() {
  const std::optional<std::string_view> text = MaybeRequest(seen_);
  if (!text) return State::kDone;
  const auto line_end = text->find('\n');
  if (line_end == std::string_view::npos) {
    // Some servers end a line with a lone CR.
    const auto lone = text->find('\r');
    const bool crooked = lone != std::string_view::npos && lone + 1 < text->size() && MentionsHttp(*text);
    return crooked ? Broken(kMalformedRequest) : State::kMore;
  }
  if (!MentionsHttp(text->substr(0, line_end))) return State::kDone;
  kind_ = Kind::kHttp;
  // Empty lines before a request are passed over by all, anything else by some.
  const ByteView before = ByteView(seen_).first(seen_.size() - text->size());
  if (!std::all_of(before.begin(), before.end(), IsLineEnd)) return Broken(kMalformedRequest);
  const std::size_t end = HeadEnd(*text, scanned_);
  if (end == std::string_view::npos) {
    scanned_ = text->size() < 2 ? 0 : text->size() - 2;  // a line end may be followed by half of the next
    return State::kMore;
  }
  HeadNames names = ReadHttpHead(text->substr(0, end));
  if (!names.problem.empty()) return Broken(names.problem);
  hosts_ = std::move(names.hosts);
  port_ = names.port;
  connects_ = names.connects;
  body_ = names.body;
  size_ = seen_.size() - text->size() + end;
  return State::kDone;
}

}  // namespace mxc::egress
