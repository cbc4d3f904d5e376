#include "gateway/inspect/protocol_sniffer.h"

#include <algorithm>

#include "gateway/inspect/server_hello.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kHandshakeHeader = 4;
constexpr std::size_t kMaxRecord = 16384 + 256;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Version 3.0 to 3.4: what a ClientHello has ever been sent in.
bool IsHelloRecord(ByteView bytes, std::size_t at) {
  return bytes[at] == kHandshake && bytes[at + 1] == kTlsMajorVersion && bytes[at + 2] <= 4;
}

// Like the first bytes of a record of any type: servers of TLS 1.0 ignore what they do not know.
Match BeginsRecord(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (text.size() == 1) return Match::kMaybe;
  if (at(1) != 3) return Match::kNo;
  if (text.size() == 2) return Match::kMaybe;
  return at(2) <= 4 ? Match::kYes : Match::kNo;
}

// The header of a proxy (haproxy's proxy-protocol.txt), of version 1 or, behind what is passed over, 2.
bool BeginsProxyHeader(std::string_view passed_over, std::string_view text) {
  return (Mentions(text.substr(0, 6), "proxy ")) ||
         (text.starts_with("QUIT\n") && passed_over.ends_with(std::string_view("\0\r\n", 3)));
}

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

bool IsOfMethod(char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; }

}  // namespace

bool BeginsRequest(std::string_view line) {
  const auto is_blank = [](char c) { return PassedOver(static_cast<std::uint8_t>(c)); };
  const auto end = std::find_if_not(line.begin(), line.end(), IsOfMethod);
  if (end == line.begin() || end == line.end() || !is_blank(*end)) return false;
  const std::string_view method(line.begin(), end);
  if (method == "GET" || method == "CONNECT") return true;
  const auto target = std::find_if_not(end, line.end(), is_blank);
  return target == line.end() ? IsControl(*end) : *target == '/' || *target == '*';
}

bool PassedOver(std::uint8_t byte) {
  constexpr std::string_view kBlanks("\0\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0", 13);
  return kBlanks.find(static_cast<char>(byte)) != std::string_view::npos;
}

bool Mentions(std::string_view line, std::string_view word) {
  const auto same = [](char a, char b) { return Folded(a) == b; };
  return std::search(line.begin(), line.end(), word.begin(), word.end(), same) != line.end();
}

bool NamesHttp(std::string_view text) { return Mentions(text, "http/"); }
bool ResemblesRequest(std::string_view text) { return NamesHttp(text) || Mentions(text, "://"); }

ProtocolSniffer::State ProtocolSniffer::Broken(std::string_view problem) {
  problem_ = problem;
  return State::kBroken;
}

ProtocolSniffer::State ProtocolSniffer::Unknown() {
  problem_ = "its first bytes are of no protocol that the gateway can check";
  return State::kUnknown;
}

ProtocolSniffer::State ProtocolSniffer::Done(Kind kind, std::size_t size) {
  kind_ = kind;
  size_ = size;
  return State::kDone;
}

ProtocolSniffer::State ProtocolSniffer::Feed(ByteView chunk) {
  seen_.insert(seen_.end(), chunk.begin(), chunk.end());
  if (seen_.empty() || seen_.size() < wanted_) return State::kMore;
  const State state = Look();
  if (state == State::kMore && seen_.size() > kMaxFirstBytes) return Broken("its first message does not end");
  if (state != State::kMore) seen_ = {};
  return state;
}

ProtocolSniffer::State ProtocolSniffer::Look() {
  if (takes_ == Takes::kHello || seen_[0] == kHandshake) return LookAtTls();
  protocol_ = FindByFirstBytes(seen_);
  if (protocol_.found.match == Match::kYes) return Done(Kind::kOther, protocol_.found.size);
  return LookAtOther(protocol_.found.match);
}

// Of the handshake message that begins so; while its header is not whole, of that.
std::size_t MessageSize(const Bytes& begun) {
  return begun.size() < kHandshakeHeader ? kHandshakeHeader : kHandshakeHeader + NumberAt(begun, 1, 3);
}

// The message may be spread over records, and ends with the last of them.
ProtocolSniffer::State ProtocolSniffer::LookAtTls() {
  Bytes message;
  std::size_t at = 0;
  for (;;) {
    const std::size_t need = MessageSize(message);
    if (!message.empty() && message[0] != 1) return Broken("its first TLS message is no ClientHello");
    if (need > kMaxFirstBytes) return Broken("its ClientHello is too long");
    if (message.size() > need) return Broken("its ClientHello is malformed");
    if (message.size() == need && need > kHandshakeHeader) break;
    if (seen_.size() < at + kTlsRecordHeader) {
      wanted_ = at + kTlsRecordHeader;
      return State::kMore;
    }
    const std::size_t length = NumberAt(seen_, at + 3, 2);
    if (!IsHelloRecord(seen_, at) || length == 0 || length > kMaxRecord) return Broken(kMalformedTls);
    if (seen_.size() < at + kTlsRecordHeader + length) {
      wanted_ = at + kTlsRecordHeader + length;
      return State::kMore;
    }
    const auto begin = seen_.begin() + static_cast<std::ptrdiff_t>(at + kTlsRecordHeader);
    message.insert(message.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    at += kTlsRecordHeader + length;
  }
  names_ = ReadClientHello(ByteView(message).subspan(kHandshakeHeader));
  return names_.problem.empty() ? Done(Kind::kTls, at) : Broken(names_.problem);
}

// `other`: may it still become another protocol's opening?
ProtocolSniffer::State ProtocolSniffer::LookAtOther(Match other) {
  const std::string_view all = TextOf(seen_);
  std::size_t begin = 0;
  while (all.substr(begin, 2) == "\r\n") begin += 2;  // RFC 9112, 2.2
  const std::size_t end_of_lines = begin;
  while (begin < all.size() && PassedOver(seen_[begin])) ++begin;
  const std::string_view text = all.substr(begin);
  if (text.empty() || other == Match::kMaybe) return State::kMore;
  // Numbers behind NUL are lengths as well.
  const bool type = IsRecordType(seen_[0]) || seen_[begin] == kHandshake;
  const Match record = type ? Match::kYes : BeginsRecord(text);
  if (record == Match::kYes) return Broken(kMalformedTls);
  if (BeginsProxyHeader(all.substr(0, begin), text))
    return Broken("it opens with a header of the PROXY protocol, which hides what follows");
  const auto line_end = text.find('\n');
  std::string_view line = text.substr(0, line_end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const bool text_so_far = std::none_of(line.begin(), line.end(), IsControl);
  if (text_so_far && line_end == std::string_view::npos) return State::kMore;
  const bool ends_well = line_end != std::string_view::npos && text.substr(0, line_end).ends_with('\r');
  if (text_so_far && ends_well && begin == end_of_lines && ResemblesRequest(line)) return LookAtHead(begin);
  if (ResemblesRequest(text) || BeginsRequest(line)) return Broken(kMalformedRequest);
  return record == Match::kMaybe ? State::kMore : Unknown();
}

ProtocolSniffer::State ProtocolSniffer::LookAtHead(std::size_t begin) {
  const std::string_view text = TextOf(seen_).substr(begin);
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
