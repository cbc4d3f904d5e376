#include "gateway/inspect/client_side.h"

#include <algorithm>

#include "gateway/inspect/server_hello.h"
#include "gateway/rules/upstream.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kAnotherProtocol = "the server answers in another protocol than the client's";
constexpr std::string_view kNamesHost = "it names a host in a protocol that the gateway cannot check";
constexpr std::string_view kChangesProtocol = "it changes its protocol";
constexpr std::string_view kHttpAnswer = "HTTP/1.";

// By the first line of its greeting (RFC 5321, 4.3.1): what follows may repeat the client's words.
bool GreetsAsMail(ByteView said) {
  const std::string_view text = TextOf(said);
  return Mentions(text.substr(0, text.find('\n')), "smtp");
}

}  // namespace

ClientSide::Step ClientSide::Broken(std::string_view problem) {
  problem_ = problem;
  return Step::kBroken;
}

ClientSide::Step ClientSide::Enter(Phase phase) {
  phase_ = phase;
  return Step::kOn;
}

ClientSide::Step ClientSide::Expect(ProtocolSniffer::Takes takes) {
  head_ = ProtocolSniffer(takes);
  fed_ = 0;
  return Enter(Phase::kFirstBytes);
}

void ClientSide::Pass(std::size_t count) {
  const std::size_t ahead = std::min(std::exchange(ahead_, 0), count);
  passed_.insert(passed_.end(), received_.begin() + ahead, received_.begin() + count);
  received_.Drop(count);
  spoken_ = spoken_ || count > 0;
}

void ClientSide::EnterSequel(Sequel sequel) {
  blind_ = true;
  switch (sequel) {
    case Sequel::kFree:
    case Sequel::kPostgres:
      phase_ = Phase::kFree;
      break;
    case Sequel::kWatched:
      phase_ = Phase::kWatched;
      break;
    case Sequel::kFile:
      of_files_ = true;
      [[fallthrough]];
    case Sequel::kLines:
      phase_ = Phase::kLines;
      break;
    case Sequel::kMysql:
      phase_ = Phase::kMysql;
      break;
  }
}

void ClientSide::HearServer(ByteView bytes) {
  if (!WantsServer()) return;
  const std::size_t room = HearsAnswer() ? bytes.size() : kServerBytes - server_.size();
  server_.insert(server_.end(), bytes.begin(),
                 bytes.begin() + static_cast<std::ptrdiff_t>(std::min(room, bytes.size())));
  if (spoken_ || heads_ > 0) return;
  if (const KnownProtocol* greeted = FindByGreeting(server_)) EnterSequel(greeted->sequel);
}

void ClientSide::OnAnotherServer() {
  server_.clear();
  blind_ = false;
  heads_here_ = 1;
  phase_ = Phase::kJudged;
}

std::uint64_t ClientSide::Unread() const {
  return phase_ == Phase::kBody && received_.empty() ? body_->Unread() : 0;
}

void ClientSide::Skip(std::uint64_t count) {
  if (phase_ == Phase::kBody) body_->Skip(count);
}

bool ClientSide::AwaitsServer() const {
  return phase_ == Phase::kAnswer || phase_ == Phase::kEncrypt || phase_ == Phase::kReconnect ||
         phase_ == Phase::kContinue || phase_ == Phase::kTunnel;
}

ClientSide::State ClientSide::Next() {
  for (;;) {
    switch (Advance()) {
      case Step::kOn:
        break;
      case Step::kHead:
        return State::kHead;
      case Step::kHosts:
        return State::kHosts;
      case Step::kBroken:
        return State::kBroken;
      case Step::kWait:
        if (ended_ && unrecognised_) hosts_ = request_lines_.End();
        if (ended_ && unrecognised_ && !hosts_.empty()) return State::kHosts;
        // Some servers take the end of what they read for the end of a line.
        if (!ended_ || !Holds() || AwaitsServer()) return State::kMore;
        problem_ = "it ends before its first message is complete";
        return State::kBroken;
    }
  }
}

ClientSide::Step ClientSide::Advance() {
  if (of_http_ && !kHttpAnswer.starts_with(TextOf(server_).substr(0, kHttpAnswer.size())))
    return Broken(kAnotherProtocol);
  if (watched_) return LeaveWatched();
  switch (phase_) {
    case Phase::kFirstBytes:
      return HearFirstBytes();
    case Phase::kJudged:
      return LeaveJudged();
    case Phase::kBody:
      return HearBody();
    case Phase::kContinue:
      return AwaitContinue();
    case Phase::kReconnect:
      return Step::kWait;
    case Phase::kUpgrade:
      return AwaitUpgrade();
    case Phase::kTunnel:
      return AwaitTunnel();
    case Phase::kRecords:
      return HearRecords();
    case Phase::kAnswer:
      return AwaitAnswer();
    case Phase::kEncrypt:
      return AwaitEncryption();
    case Phase::kLines:
      return HearLines();
    case Phase::kMysql:
      return HearMysql();
    case Phase::kUnknown:
      return HearUnknown();
    case Phase::kUnheard:
      return HearUnheard();
    case Phase::kWatched:
      return HearWatched();
    case Phase::kFree:
      Pass(received_.size());
      return Step::kWait;
  }
  return Step::kWait;
}

ClientSide::Step ClientSide::HearFirstBytes() {
  if (fed_ == received_.size()) return Step::kWait;
  ProtocolSniffer::State state = ProtocolSniffer::State::kMore;
  while (state == ProtocolSniffer::State::kMore && fed_ < received_.size()) {
    // Not all at once, because the sniffer keeps them: a short head costs what is long behind it nothing.
    constexpr std::size_t kShortHead = 1024;
    const ByteView fresh = ByteView(received_).subspan(fed_);
    const ByteView piece = fresh.first(std::min(fresh.size(), std::max(kShortHead, fed_)));
    fed_ += piece.size();
    state = head_.Feed(piece);
  }
  switch (state) {
    case ProtocolSniffer::State::kMore:
      return Step::kWait;
    case ProtocolSniffer::State::kUnknown:
      if (tolerant_) return Enter(Phase::kUnknown);
      [[fallthrough]];
    case ProtocolSniffer::State::kBroken:
      return Broken(head_.Problem());
    case ProtocolSniffer::State::kDone:
      break;
  }
  if (only_protocol_ && head_.Protocol().protocol != protocol_) return Broken(kChangesProtocol);
  ++heads_;
  ++heads_here_;
  phase_ = Phase::kJudged;
  return Step::kHead;
}

ClientSide::Step ClientSide::LeaveJudged() {
  const ByteView head = ByteView(received_).first(head_.Size());
  if (head_.Is() == ProtocolSniffer::Kind::kHttp) {
    const bool asks = head_.Head().websocket || head_.Head().awaits_continue || head_.Connects();
    if (asks && heads_here_ > 1 && tunnel_port_ == 0) return Enter(Phase::kReconnect);
    blind_ = blind_ || (asks && (heads_here_ > 1 || !server_.empty()));
    of_http_ = of_http_ || heads_here_ == 1;
    requests_ = requests_ || !head_.Connects();
    body_.emplace(head_.Body());
    phase_ = head_.Head().awaits_continue ? Phase::kContinue : Phase::kBody;
  } else if (head_.Is() == ProtocolSniffer::Kind::kTls) {
    // What a server of HTTP answers may hold anything.
    if (requests_) return Broken(kChangesProtocol);
    if (hidden_lines_.Feed(head)) return Broken(kNamesHost);
    LeaveHello();
  } else {
    protocol_ = head_.Protocol().protocol;
    opening_.assign(head.begin(), head.end());
    phase_ = head_.Protocol().found.negotiates ? Phase::kEncrypt : Phase::kAnswer;
  }
  Pass(head_.Size());
  return Step::kOn;
}

void ClientSide::LeaveHello() {
  if (behind_hello_) {
    phase_ = *std::exchange(behind_hello_, std::nullopt);
    return;
  }
  // A server asks for another ClientHello once at most (RFC 8446, 4.1.4).
  phase_ = hello_again_ ? Phase::kFree : Phase::kRecords;
  early_data_ = head_.Head().early_data;
  if (hello_again_ || !blind_) return;
  server_.clear();  // it has to answer to this
  asked_ = 0;
}

ClientSide::Step ClientSide::HearBody() {
  Pass(body_->Feed(received_));
  if (body_->Malformed()) return Broken(kMalformedBody);
  if (!body_->Done()) return Step::kWait;
  // The answer is found only as the server's first bytes.
  const bool heard = heads_here_ == 1 && server_.empty() && !blind_;
  if (head_.Connects() && heard) return Enter(Phase::kTunnel);
  if (head_.Head().websocket && heard) return Enter(Phase::kUpgrade);
  blind_ = blind_ || head_.Connects();
  return Expect(ProtocolSniffer::Takes::kAll);
}

// A server that answers otherwise may read another request where the body stands.
ClientSide::Step ClientSide::AwaitContinue() {
  constexpr std::string_view kGoOn = "HTTP/1.1 100";
  const std::string_view said = TextOf(server_);
  if (!blind_ && said.starts_with(kGoOn)) return Enter(Phase::kBody);
  if (received_.empty() || (!blind_ && kGoOn.starts_with(said))) return Step::kWait;
  return Broken("it sends a body that the server has not asked for");
}

// A server that does not agree reads another request.
ClientSide::Step ClientSide::AwaitUpgrade() {
  switch (AgreesToWebSocket(TextOf(server_))) {
    case Match::kYes:
      return Enter(Phase::kFree);
    case Match::kMaybe:
      return Step::kWait;
    case Match::kNo:
      break;
  }
  return Expect(ProtocolSniffer::Takes::kAll);
}

// Behind the head of the proxy's answer come the bytes of the server at the other end of the tunnel. A server
// that is no proxy, and answers CONNECT as it does any request, goes on reading requests: but only behind an
// answer whose end it has announced.
ClientSide::Step ClientSide::AwaitTunnel() {
  const std::string_view said = TextOf(server_);
  const ConnectAnswer answer = ReadConnectAnswer(said);
  if (answer.state == ConnectAnswer::State::kMore) return Step::kWait;
  if (answer.status == 200 && !AnnouncesBody(said.substr(0, answer.size))) {
    server_.erase(server_.begin(), server_.begin() + static_cast<std::ptrdiff_t>(answer.size));
    tunnel_port_ = head_.Port();
    heads_here_ = 0;
    of_http_ = false;
    requests_ = false;
  } else {
    blind_ = true;
  }
  return Expect(ProtocolSniffer::Takes::kAll);
}

// Until the server's answer says that it speaks TLS, and whether another ClientHello follows. Where TLS
// begins inside another protocol, nothing passes before that.
ClientSide::Step ClientSide::HearRecords() {
  const ByteView said = ByteView(server_).subspan(std::min(asked_, server_.size()));
  const ServerSays answer = ReadServerHello(said);
  if (answer == ServerSays::kNoTls) return Broken(kAnotherProtocol);
  if (record_left_ > 0) {
    const std::size_t count = std::min<std::uint64_t>(record_left_, received_.size());
    if (answer == ServerSays::kNothingYet && hidden_lines_.Feed(ByteView(received_).first(count)))
      return Broken(kNamesHost);
    Pass(count);
    record_left_ -= count;
    if (record_left_ > 0) return Step::kWait;
  }
  if (answer == ServerSays::kHello) return Enter(Phase::kFree);
  if (received_.size() <= kTlsRecordHeader) return Step::kWait;
  const std::uint8_t type = received_[0];
  const std::size_t size = NumberAt(received_, 3, 2);
  // Neither is encrypted before a ServerHello: RFC 8446, 5 and 6.
  const bool fits = (type != kChange || size == 1) && (type != kAlert || size == 2);
  if (type < kChange || type > kData || received_[1] != kTlsMajorVersion || size == 0 || !fits)
    return Broken(kMalformedTls);
  if (blind_ && answer == ServerSays::kNothingYet) return Step::kWait;
  if (type == kHandshake && answer == ServerSays::kAnotherHello) {
    hello_again_ = true;
    // With a name, if the first had one.
    return Expect(head_.OnlyHello() ? ProtocolSniffer::Takes::kHello : ProtocolSniffer::Takes::kAll);
  }
  const bool early =
      type != kHandshake && (type != kData || early_data_ || answer == ServerSays::kAnotherHello);
  if (!early) return Step::kWait;
  record_left_ = kTlsRecordHeader + size;
  return Step::kOn;
}

ClientSide::Step ClientSide::AwaitAnswer() {
  if (blind_) return Broken("what the server answers to its protocol cannot be told");
  const ByteView said = ByteView(server_).subspan(std::min(asked_, server_.size()));
  const KnownProtocol* greeted = FindByGreeting(said);
  switch (protocol_->server(said, opening_)) {
    case Match::kYes:
      return Enter(greeted == nullptr || greeted == protocol_ ? Phase::kFree : Phase::kWatched);
    case Match::kMaybe:
      return Step::kWait;
    case Match::kNo:
      break;
  }
  return Broken(kAnotherProtocol);
}

// PostgreSQL: the server answers each request for encryption with one byte, 'S' or 'N'.
ClientSide::Step ClientSide::AwaitEncryption() {
  constexpr std::size_t kMostRequests = 4;
  constexpr std::string_view kErrors = "EG";
  const bool said = !blind_ && server_.size() > asked_;
  if (received_.empty() &&
      !(said && kErrors.find(static_cast<char>(server_[asked_])) == std::string_view::npos))
    return Step::kWait;
  if (blind_) {
    only_protocol_ = received_[0] == 0;
    return Expect(only_protocol_ ? ProtocolSniffer::Takes::kAll : ProtocolSniffer::Takes::kHello);
  }
  if (asked_ >= kMostRequests) return Broken("it asks for encryption again and again");
  if (server_.size() <= asked_) return Step::kWait;
  const std::uint8_t answer = server_[asked_++];
  if (answer == 'S') {
    only_protocol_ = false;
    return Expect(ProtocolSniffer::Takes::kHello);
  }
  only_protocol_ = true;
  if (answer == 'N') return Expect(ProtocolSniffer::Takes::kAll);
  return Broken(kAnotherProtocol);
}

ClientSide::Step ClientSide::HearLines() {
  if (received_.empty()) return Step::kWait;
  const ByteView text = BeforeHello();
  const std::optional<std::size_t> before_tls = lines_.Feed(text);
  if (!before_tls) return Broken(kMalformedTls);
  if (*before_tls < text.size()) hello_ = HelloStart{.at = *before_tls};
  const ByteView lines = text.first(*before_tls);
  return of_files_ && !GreetsAsMail(server_) ? WatchHosts(lines) : Watch(lines);
}

// A mail may have a line that begins with "host".
ClientSide::Step ClientSide::WatchHosts(ByteView text) {
  watched_ = text.size();
  hosts_.clear();
  if (!host_commands_.Feed(text, hosts_)) return Broken(kNamesHost);
  return hosts_.empty() ? Step::kOn : Step::kHosts;
}

// Manual of MySQL, "Protocol::SSLRequest": the length in three bytes, a number, the client's capabilities.
ClientSide::Step ClientSide::HearMysql() {
  constexpr std::size_t kHeader = 4;
  constexpr std::uint8_t kWantsTls = 0x08;  // CLIENT_SSL is 0x0800
  if (received_.size() < kHeader + 2) return Step::kWait;
  if ((received_[kHeader + 1] & kWantsTls) == 0) return Enter(Phase::kFree);
  const std::size_t size = kHeader + received_[0] + (std::size_t{received_[1]} << 8U);
  if (received_[2] != 0) return Broken("its first message does not end");
  if (received_.size() < size) return Step::kWait;
  Pass(size);
  return Expect(ProtocolSniffer::Takes::kHello);
}

ClientSide::Step ClientSide::HearUnknown() {
  unrecognised_ = true;
  if (const KnownProtocol* greeted = FindByGreeting(server_)) return AfterGreeting(greeted->sequel);
  if (received_.empty()) return Step::kWait;
  if (!unknown_.Begun()) {
    const Match socks = OpensSocks(received_);
    if (socks == Match::kMaybe) return Step::kWait;
    if (socks == Match::kYes) return Broken("it asks a SOCKS proxy, which is to reach any host");
  }
  const ByteView text = BeforeHello();
  if (host_line_.Feed(text)) return Broken(kNamesHost);
  const UnknownOpening::State line = unknown_.Feed(text);
  if (line == UnknownOpening::State::kRequest) return Broken(kMalformedRequest);
  if (line == UnknownOpening::State::kEnded) phase_ = Phase::kUnheard;
  return WatchUnheard(text);
}

// The server of a known protocol has greeted a client that spoke first. A client of MySQL never does; another
// may have asked for TLS already, or for a host of FTP.
ClientSide::Step ClientSide::AfterGreeting(Sequel sequel) {
  if (sequel == Sequel::kMysql) return Broken("it speaks before the server has greeted it");
  lines_.ExpectTls();
  unrecognised_ = false;
  EnterSequel(sequel);
  if (!of_files_ || GreetsAsMail(server_)) return Step::kOn;
  if (!early_known_) return Broken(kNamesHost);
  hosts_ = std::exchange(early_hosts_, {});
  return hosts_.empty() ? Step::kOn : Step::kHosts;
}

ClientSide::Step ClientSide::HearUnheard() {
  constexpr std::size_t kLongestGreeting = 9;
  if (const KnownProtocol* greeted = FindByGreeting(server_)) return AfterGreeting(greeted->sequel);
  if (received_.empty()) return Step::kWait;
  if (server_.size() >= kLongestGreeting) return Enter(Phase::kWatched);
  const ByteView text = BeforeHello();
  if (host_line_.Feed(text)) return Broken(kNamesHost);
  return WatchUnheard(text);
}

// The server may still greet as one of FTP.
ClientSide::Step ClientSide::WatchUnheard(ByteView text) {
  constexpr std::size_t kMostHosts = 64;
  early_known_ = host_commands_.Feed(text, early_hosts_) && early_known_ && early_hosts_.size() <= kMostHosts;
  if (!early_known_) early_hosts_.clear();
  return Watch(text);
}

// A server that answers in HTTP has read a request in an unknown protocol.
ClientSide::Step ClientSide::HearWatched() {
  constexpr std::string_view kHttp = "HTTP/";
  if (received_.empty()) return Step::kWait;
  if (unrecognised_ && TextOf(server_).starts_with(kHttp)) return Broken(kAnotherProtocol);
  return Watch(BeforeHello());
}

ByteView ClientSide::BeforeHello() {
  hello_ = hello_scan_.Find(received_);
  return ByteView(received_).first(hello_ ? hello_->at : received_.size());
}

// `text` passes with the next step; first the caller judges the hosts in it.
ClientSide::Step ClientSide::Watch(ByteView text) {
  watched_ = text.size();
  if (!unrecognised_) return Step::kOn;
  hosts_ = request_lines_.Feed(text);
  return hosts_.empty() ? Step::kOn : Step::kHosts;
}

ClientSide::Step ClientSide::LeaveWatched() {
  Pass(*std::exchange(watched_, std::nullopt));
  if (!hello_) return Step::kOn;
  received_.Prepend(hello_->begun);
  ahead_ = hello_->begun.size();
  hello_ = {};
  if (phase_ != Phase::kLines) behind_hello_ = phase_;  // where TLS begins is not known
  return Expect(ProtocolSniffer::Takes::kHello);
}

}  // namespace mxc::egress
