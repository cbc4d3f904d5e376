// What passes although no protocol is known for it, and what could still begin behind it.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/inspect/client_side.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kNamesHost = "it names a host in a protocol that the gateway cannot check";

// Whoever opens SOCKS 4, 4A or 5 (RFC 1928) asks the server for other hosts, by name or by address.
enum class Socks { kNo, kPerhaps, kYes };

Socks ReadSocks(ByteView opening) {
  constexpr std::uint8_t kSocks4 = 4, kSocks5 = 5, kConnect = 1, kBind = 2;
  if (opening.empty() || (opening[0] != kSocks4 && opening[0] != kSocks5)) return Socks::kNo;
  if (opening.size() == 1) return Socks::kPerhaps;
  const std::uint8_t next = opening[1];  // the command, or how many methods of authentication follow
  const bool socks = opening[0] == kSocks5 ? next != 0 : next == kConnect || next == kBind;
  return socks ? Socks::kYes : Socks::kNo;
}

}  // namespace

// Its first line is followed to its end: a request may have begun in it, behind bytes that no request has and
// that some server reads over. To some servers a lone LF is no end.
ClientSide::Step ClientSide::HearUnknown() {
  constexpr std::size_t kSign = 5;  // "http/"
  unrecognised_ = true;
  if (const KnownProtocol* greeted = FindByGreeting(server_)) return AfterGreeting(greeted->sequel);
  if (heard_.empty()) return Step::kWait;
  if (unknown_size_ == 0) {
    const Socks socks = ReadSocks(heard_);
    if (socks == Socks::kPerhaps) return Step::kWait;
    if (socks == Socks::kYes) return Broken("it asks a SOCKS proxy, which is to reach any host");
  }
  const ByteView text = BeforeHello();
  if (host_line_.Feed(text)) return Broken(kNamesHost);
  std::size_t at = 0;
  if (unknown_.empty()) {
    while (at < text.size() && PassedOver(text[at])) ++at;
  }
  unknown_.append(text.begin() + static_cast<std::ptrdiff_t>(at), text.end());
  unknown_size_ += text.size();
  const std::size_t end = unknown_.find("\r\n");
  const std::string_view line = std::string_view(unknown_).substr(0, end);
  const std::size_t lone_end = line.find('\n');
  const bool target = !ended_in_half_ && ResemblesRequest(line.substr(0, lone_end));
  if (target || NamesHttp(line)) return Broken("its HTTP request is malformed");
  if (end != std::string::npos || unknown_size_ > kMaxFirstBytes) {
    phase_ = Phase::kUnheard;
    return Watch(text);
  }
  ended_in_half_ = ended_in_half_ || lone_end != std::string_view::npos;
  if (unknown_.size() >= kSign) unknown_.erase(0, unknown_.size() - kSign + 1);
  return Watch(text);
}

// No client of theirs speaks before such a server has greeted it. It may begin TLS behind a line that it has
// sent already.
ClientSide::Step ClientSide::AfterGreeting(Sequel sequel) {
  if (sequel == Sequel::kMysql) return Broken("it speaks before the server has greeted it");
  tls_named_ = true;
  unrecognised_ = false;
  EnterSequel(sequel == Sequel::kLines && heads_ > 0 ? Sequel::kWatched : sequel);  // TLS is not of lines
  return Step::kOn;
}

ClientSide::Step ClientSide::HearUnheard() {
  constexpr std::size_t kLongestGreeting = 9;
  if (const KnownProtocol* greeted = FindByGreeting(server_)) return AfterGreeting(greeted->sequel);
  if (heard_.empty()) return Step::kWait;
  if (server_.size() >= kLongestGreeting) return Enter(Phase::kWatched);
  const ByteView text = BeforeHello();
  if (host_line_.Feed(text)) return Broken(kNamesHost);
  return Watch(text);
}

// The answer of a server of HTTP says that it has read a request.
ClientSide::Step ClientSide::HearWatched() {
  constexpr std::string_view kHttp = "HTTP/";
  if (heard_.empty()) return Step::kWait;
  if (unrecognised_ &&
      std::string_view(reinterpret_cast<const char*>(server_.data()), server_.size()).starts_with(kHttp))
    return Broken("the server answers in another protocol than the client's");
  return Watch(BeforeHello());
}

ByteView ClientSide::BeforeHello() {
  hello_ = hello_scan_.Find(heard_);
  return ByteView(heard_).first(hello_ ? hello_->at : heard_.size());
}

// It passes when the hosts in it are judged.
ClientSide::Step ClientSide::Watch(ByteView text) {
  watched_ = text.size();
  if (!unrecognised_) return Step::kOn;
  hosts_ = request_lines_.Feed(text);
  return hosts_.empty() ? Step::kOn : Step::kHosts;
}

ClientSide::Step ClientSide::LeaveWatched() {
  Pass(*std::exchange(watched_, std::nullopt));
  if (!hello_) return Step::kOn;
  heard_.insert(heard_.begin(), hello_->begun.begin(), hello_->begun.end());
  ahead_ = hello_->begun.size();
  hello_ = {};
  behind_hello_ = phase_ == Phase::kLines ? Phase::kWatched : phase_;  // no lines follow
  return Expect(ProtocolSniffer::Takes::kHello);
}

}  // namespace mxc::egress
