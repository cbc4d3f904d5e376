#include "gateway/inspect/client_side.h"

#include <algorithm>
#include <array>

#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kTlsRecordHeader = 5;
constexpr std::uint8_t kTlsVersion = 3;  // the first byte of each
enum RecordType : std::uint8_t { kChange = 20, kAlert = 21, kHandshake = 22, kData = 23 };

// RFC 8446, 4.1.3: the random value of a ServerHello that asks for another ClientHello.
constexpr std::array<std::uint8_t, 32> kRetry = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};
constexpr std::size_t kRandomAt = 11;  // behind the headers of record and message, and a version

enum class ServerSays { kNothingYet, kHello, kAnotherHello, kNoTls };

// Some servers send a warning before their ServerHello.
ServerSays ReadServerHello(ByteView said) {
  while (said.size() >= kTlsRecordHeader && said[0] == kAlert) {
    const std::size_t size = kTlsRecordHeader + (std::size_t{said[3]} << 8U) + said[4];
    if (size > said.size()) return ServerSays::kNothingYet;
    said = said.subspan(size);
  }
  if (!said.empty() && said[0] != kHandshake) return ServerSays::kNoTls;
  if (said.size() > kTlsRecordHeader && said[kTlsRecordHeader] != 2) return ServerSays::kNoTls;
  if (said.size() < kRandomAt + kRetry.size()) return ServerSays::kNothingYet;
  const ByteView random = said.subspan(kRandomAt, kRetry.size());
  return std::equal(kRetry.begin(), kRetry.end(), random.begin()) ? ServerSays::kAnotherHello
                                                                  : ServerSays::kHello;
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
  const auto end = heard_.begin() + static_cast<std::ptrdiff_t>(count);
  passed_.insert(passed_.end(), heard_.begin() + static_cast<std::ptrdiff_t>(ahead), end);
  heard_.erase(heard_.begin(), end);
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
  heads_here_ = 1;
  phase_ = Phase::kJudged;
}

std::uint64_t ClientSide::Unread() const {
  return phase_ == Phase::kBody && heard_.empty() ? body_->Unread() : 0;
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
  if (watched_) return LeaveWatched();
  switch (phase_) {
    case Phase::kFirstBytes:
      return HearFirstBytes();
    case Phase::kJudged:
      LeaveJudged();
      return Step::kOn;
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
      Pass(heard_.size());
      return Step::kWait;
  }
  return Step::kWait;
}

ClientSide::Step ClientSide::HearFirstBytes() {
  const ByteView fresh = ByteView(heard_).subspan(fed_);
  fed_ = heard_.size();
  if (fresh.empty()) return Step::kWait;
  switch (head_.Feed(fresh)) {
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
  if (only_protocol_ && head_.Protocol().protocol != protocol_) return Broken("it changes its protocol");
  ++heads_;
  ++heads_here_;
  phase_ = Phase::kJudged;
  return Step::kHead;
}

void ClientSide::LeaveJudged() {
  if (head_.Is() == ProtocolSniffer::Kind::kHttp) {
    const bool asks = head_.Head().websocket || head_.Head().awaits_continue || head_.Connects();
    blind_ = blind_ || (asks && heads_here_ > 1 && tunnel_);
    if (asks && heads_here_ > 1 && !blind_) {
      phase_ = Phase::kReconnect;
      return;
    }
    body_.emplace(head_.Body());
    phase_ = head_.Head().awaits_continue ? Phase::kContinue : Phase::kBody;
  } else if (behind_hello_) {
    phase_ = *std::exchange(behind_hello_, std::nullopt);
  } else if (head_.Is() == ProtocolSniffer::Kind::kTls) {
    // Nobody asks for a third.
    phase_ = hello_again_ ? Phase::kFree : Phase::kRecords;
    early_data_ = head_.Head().early_data;
  } else {
    protocol_ = head_.Protocol().protocol;
    const auto end = heard_.begin() + static_cast<std::ptrdiff_t>(head_.Size());
    opening_.assign(heard_.begin(), end);
    phase_ = head_.Protocol().found.negotiates ? Phase::kEncrypt : Phase::kAnswer;
  }
  Pass(head_.Size());
}

ClientSide::Step ClientSide::HearBody() {
  const std::optional<std::size_t> used = body_->Feed(heard_);
  if (!used) return Broken("the body of its HTTP request is malformed");
  Pass(*used);
  if (!body_->Done()) return Step::kWait;
  // A server that has spoken before it was asked has not been heard to the end.
  const bool heard = heads_here_ == 1 && server_.empty() && !blind_;
  if (head_.Connects() && heard) return Enter(Phase::kTunnel);
  if (head_.Head().websocket && heard) return Enter(Phase::kUpgrade);
  blind_ = blind_ || head_.Connects();
  return Expect(ProtocolSniffer::Takes::kAll);
}

// A server that answers otherwise may read another request where the body stands.
ClientSide::Step ClientSide::AwaitContinue() {
  constexpr std::string_view kGoOn = "HTTP/1.1 100";
  const std::string_view said{reinterpret_cast<const char*>(server_.data()), server_.size()};
  if (!blind_ && said.starts_with(kGoOn)) return Enter(Phase::kBody);
  if (heard_.empty() || (!blind_ && kGoOn.starts_with(said))) return Step::kWait;
  return Broken("it sends a body that the server has not asked for");
}

// A server that does not agree reads another request.
ClientSide::Step ClientSide::AwaitUpgrade() {
  switch (AgreesToWebSocket({reinterpret_cast<const char*>(server_.data()), server_.size()})) {
    case Match::kYes:
      return Enter(Phase::kFree);
    case Match::kMaybe:
      return Step::kWait;
    case Match::kNo:
      break;
  }
  return Expect(ProtocolSniffer::Takes::kAll);
}

// What is said through a tunnel is answered by the server behind it, from the end of the proxy's answer on.
ClientSide::Step ClientSide::AwaitTunnel() {
  constexpr std::string_view kAgreed = "HTTP/1.? 2";
  constexpr std::string_view kEnd = "\r\n\r\n";
  constexpr std::size_t kMostBytes = 16384;
  const std::string_view said{reinterpret_cast<const char*>(server_.data()), server_.size()};
  const std::string_view begun = said.substr(0, kAgreed.size());
  const bool agrees = std::equal(begun.begin(), begun.end(), kAgreed.begin(),
                                 [](char byte, char agreed) { return byte == agreed || agreed == '?'; });
  const std::size_t end = said.find(kEnd);
  if (agrees && end == std::string_view::npos && said.size() < kMostBytes) return Step::kWait;
  tunnel_ = agrees && end != std::string_view::npos;
  blind_ = !tunnel_;
  if (tunnel_) {
    server_.erase(server_.begin(), server_.begin() + static_cast<std::ptrdiff_t>(end + kEnd.size()));
    heads_here_ = 0;
  }
  return Expect(ProtocolSniffer::Takes::kAll);
}

// Until it is certain that no further ClientHello follows: the server asks for one more, or does not.
ClientSide::Step ClientSide::HearRecords() {
  if (record_left_ > 0) {
    const std::size_t count = std::min<std::uint64_t>(record_left_, heard_.size());
    Pass(count);
    record_left_ -= count;
    if (record_left_ > 0) return Step::kWait;
  }
  const ByteView said = ByteView(server_).subspan(std::min(asked_, server_.size()));
  const ServerSays answer = blind_ ? ServerSays::kNothingYet : ReadServerHello(said);
  if (answer == ServerSays::kHello) return Enter(Phase::kFree);
  if (heard_.size() <= kTlsRecordHeader) return Step::kWait;
  if (answer == ServerSays::kNoTls) return Broken("the server answers in another protocol than the client's");
  const std::uint8_t type = heard_[0];
  const std::size_t size = (std::size_t{heard_[3]} << 8U) + heard_[4];
  if (type < kChange || type > kData || size == 0) return Broken("its TLS is malformed");
  if (type == kHandshake &&
      (answer == ServerSays::kAnotherHello || (blind_ && heard_[kTlsRecordHeader] == 1))) {
    hello_again_ = true;
    // With a name, if the first had one.
    return Expect(head_.OnlyHello() ? ProtocolSniffer::Takes::kHello : ProtocolSniffer::Takes::kAll);
  }
  const bool early =
      type != kHandshake && (type != kData || early_data_ || answer == ServerSays::kAnotherHello);
  if (!early) return blind_ ? Enter(Phase::kFree) : Step::kWait;
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
  return Broken("the server answers in another protocol than the client's");
}

// One byte for each request: it agrees, or does not.
ClientSide::Step ClientSide::AwaitEncryption() {
  constexpr std::size_t kMostRequests = 4;
  if (heard_.empty()) return Step::kWait;
  if (blind_) {
    only_protocol_ = heard_[0] == 0;
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
  return Broken("the server answers in another protocol than the client's");
}

// A server begins TLS behind the line of a command (STARTTLS, STLS, AUTH TLS, AUTH SSL), and a record of TLS
// begins as no line of text does.
ClientSide::Step ClientSide::HearLines() {
  constexpr std::uint32_t kTls = ('t' << 16U) | ('l' << 8U) | 's';
  constexpr std::uint32_t kSsl = ('s' << 16U) | ('s' << 8U) | 'l';
  if (heard_.empty()) return Step::kWait;
  const ByteView text = BeforeHello();
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const std::uint8_t byte = text[at];
    if (tls_named_ && in_line_ == 0 && byte == kHandshake) break;
    if (tls_named_ && in_line_ == 1 && byte == kTlsVersion) return Broken("its TLS is malformed");
    in_line_ = byte == '\n' || (in_line_ == 0 && PassedOver(byte)) ? 0 : in_line_ + 1;
    letters_ = ((letters_ << 8U) | static_cast<std::uint8_t>(Folded(static_cast<char>(byte)))) & 0xffffffU;
    tls_named_ = tls_named_ || letters_ == kTls || letters_ == kSsl;
  }
  const bool begins = at < text.size() || (hello_ && tls_named_ && in_line_ == 0);
  if (!begins) return Watch(text);
  hello_ = {};
  Pass(at);
  return Expect(ProtocolSniffer::Takes::kHello);
}

// Manual of MySQL, "Protocol::SSLRequest": the length in three bytes, a number, the client's capabilities.
ClientSide::Step ClientSide::HearMysql() {
  constexpr std::size_t kHeader = 4;
  constexpr std::uint8_t kWantsTls = 0x08;  // CLIENT_SSL is 0x0800
  if (heard_.size() < kHeader + 2) return Step::kWait;
  if ((heard_[kHeader + 1] & kWantsTls) == 0) return Enter(Phase::kFree);
  const std::size_t size = kHeader + heard_[0] + (std::size_t{heard_[1]} << 8U);
  if (heard_[2] != 0) return Broken("its first message does not end");
  if (heard_.size() < size) return Step::kWait;
  Pass(size);
  return Expect(ProtocolSniffer::Takes::kHello);
}

}  // namespace mxc::egress
