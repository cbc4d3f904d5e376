#include "gateway/inspect/protocols.h"

#include <algorithm>

#include "gateway/inspect/hidden_lines.h"
#include "gateway/inspect/protocol_sniffer.h"

namespace mxc::egress {
namespace {

constexpr FirstBytesMatch kNotIt{};
constexpr FirstBytesMatch kNotYet{.match = Match::kMaybe};

Match Begins(ByteView bytes, std::string_view with) {
  const std::string_view text = TextOf(bytes);
  if (text.substr(0, with.size()) != with.substr(0, text.size())) return Match::kNo;
  return text.size() < with.size() ? Match::kMaybe : Match::kYes;
}

Match BeginsWithOne(ByteView bytes, std::initializer_list<std::string_view> of) {
  Match best = Match::kNo;
  for (const std::string_view one : of) best = std::max(best, Begins(bytes, one));
  return best;
}

std::uint32_t LittleEndian(ByteView bytes, std::size_t at) {
  return (std::uint32_t{bytes[at + 3]} << 24U) | (std::uint32_t{bytes[at + 2]} << 16U) |
         (std::uint32_t{bytes[at + 1]} << 8U) | bytes[at];
}

// ---- SSH: RFC 4253, 4.2. One line of at most 255 bytes. A slash, which no client sends, would let a server
// of HTTP find a target or a version in it.

FirstBytesMatch SshClient(ByteView bytes) {
  constexpr std::size_t kMaxLine = 255;
  const Match match = BeginsWithOne(bytes, {"SSH-2.0-", "SSH-1.99-"});
  if (match != Match::kYes) return {.match = match};
  const std::string_view text = TextOf(bytes);
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto strange = [](char c) { return c < ' ' || c > '~' || c == '/'; };
  if (std::any_of(line.begin(), line.end(), strange) || line.size() > kMaxLine) return kNotIt;
  return end == std::string_view::npos ? kNotYet : FirstBytesMatch{.match = Match::kYes, .size = end + 1};
}

Match SshServer(ByteView said, ByteView /*opening*/) { return Begins(said, "SSH-"); }

// ---- PostgreSQL: its manual, "Message Formats": SSLRequest, GSSENCRequest, CancelRequest, StartupMessage

constexpr std::uint32_t kSslRequest = 80877103;
constexpr std::uint32_t kGssRequest = 80877104;
constexpr std::uint32_t kCancelRequest = 80877102;
constexpr std::uint32_t kMaxStartup = 10000;  // MAX_STARTUP_PACKET_LENGTH of its server

FirstBytesMatch PostgresClient(ByteView bytes) {
  if (bytes[0] != 0) return kNotIt;
  if (bytes.size() < 8) return bytes.size() < 2 || bytes[1] == 0 ? kNotYet : kNotIt;
  const std::size_t size = NumberAt(bytes, 0, 4);
  const std::size_t code = NumberAt(bytes, 4, 4);
  if (code == kSslRequest || code == kGssRequest) {
    return size == 8 ? FirstBytesMatch{.match = Match::kYes, .size = 8, .negotiates = true} : kNotIt;
  }
  const bool cancel = code == kCancelRequest && size >= 16 && size <= 12 + 256;
  const bool startup = (code >> 16U) == 3 && size > 8 && size <= kMaxStartup;
  if (!cancel && !startup) return kNotIt;
  const ByteView body = bytes.subspan(8, std::min<std::size_t>(bytes.size(), size) - 8);
  // Names and values with a NUL behind each. None has more than one line.
  const auto line_end = [](std::uint8_t byte) { return byte == '\r' || byte == '\n'; };
  if (startup && std::any_of(body.begin(), body.end(), line_end)) return kNotIt;
  if (bytes.size() < size) return kNotYet;
  if (ResemblesRequest(TextOf(body)) || HidesRequest(TextOf(body))) return kNotIt;
  return startup && body.back() != 0 ? kNotIt : FirstBytesMatch{.match = Match::kYes, .size = size};
}

// Authentication, an error, or the negotiation of a version: messages shorter than 16 MiB, and servers before
// 7.4 send an error without a length. After CancelRequest it says nothing.
Match PostgresServer(ByteView said, ByteView /*opening*/) {
  if (said.empty()) return Match::kMaybe;
  if (said[0] == 'E') return Match::kYes;
  if (said[0] != 'R' && said[0] != 'v') return Match::kNo;
  if (said.size() == 1) return Match::kMaybe;
  return said[1] == 0 ? Match::kYes : Match::kNo;
}

// ---- Redis: its serialization protocol (RESP). A command is an array of bulk strings.

// A number and CR LF behind `sign`: the position behind it. `size`: what it says. Else 0.
std::size_t RedisNumber(std::string_view text, std::size_t at, char sign, std::size_t& size, Match& match) {
  constexpr std::size_t kMaxDigits = 5;
  match = Match::kNo;
  size = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (i == at ? c != sign : (c < '0' || c > '9') && (c != '\r' || i == at + 1)) return 0;
    if (i == at) continue;
    if (c == '\r') {
      if (i + 1 == text.size()) break;
      if (text[i + 1] != '\n') return 0;
      match = Match::kYes;
      return i + 2;
    }
    if (i > at + kMaxDigits) return 0;
    size = size * 10 + static_cast<std::size_t>(c - '0');
  }
  match = Match::kMaybe;
  return 0;
}

FirstBytesMatch RedisClient(ByteView bytes) {
  const std::string_view text = TextOf(bytes);
  std::size_t count = 0;
  Match match{};
  std::size_t at = RedisNumber(text, 0, '*', count, match);
  if (at == 0) return {.match = match};
  if (count == 0) return kNotIt;
  for (; count > 0; --count) {
    std::size_t size = 0;
    at = RedisNumber(text, at, '$', size, match);
    if (at == 0) return {.match = match};
    at += size;
    if (text.size() < at + 2) return kNotYet;
    if (text.substr(at, 2) != "\r\n") return kNotIt;
    at += 2;
  }
  const std::string_view command = text.substr(0, at);
  return NamesHttp(command) || HidesRequest(command) ? kNotIt
                                                     : FirstBytesMatch{.match = Match::kYes, .size = at};
}

Match RedisServer(ByteView said, ByteView /*opening*/) {
  if (said.empty()) return Match::kMaybe;
  constexpr std::string_view kTypes = "+-:$*_#,(!=%~>|";
  // POP3 and IMAP greet with "+OK" and "* OK": the first is an answer of Redis as well.
  if (said[0] == '+' && said.size() < 3) return Match::kMaybe;
  if (said[0] == '*' && said.size() < 2) return Match::kMaybe;
  if (said[0] == '*' && said[1] == ' ') return Match::kNo;
  return kTypes.find(static_cast<char>(said[0])) != std::string_view::npos ? Match::kYes : Match::kNo;
}

// ---- MongoDB: its manual, "Wire Protocol". Length, request, request it answers, operation

constexpr std::size_t kMongoHeader = 16;

bool IsMongoOperation(std::uint32_t code) { return code == 2013 || code == 2012; }

FirstBytesMatch MongoClient(ByteView bytes) {
  constexpr std::uint32_t kQuery = 2004;
  // An alert or its like of TLS would be one of 789 bytes or so.
  if (bytes.size() >= 2 && IsRecordType(bytes[0]) && bytes[1] == 3) return kNotIt;
  // The first message is a short one.
  if ((bytes.size() >= 3 && bytes[2] != 0) || (bytes.size() >= 4 && bytes[3] != 0)) return kNotIt;
  if (bytes.size() >= 4 && LittleEndian(bytes, 0) <= kMongoHeader) return kNotIt;
  if (bytes.size() >= 12 && LittleEndian(bytes, 8) != 0) return kNotIt;
  if (bytes.size() < kMongoHeader) return kNotYet;
  const std::uint32_t code = LittleEndian(bytes, 12);
  if (!IsMongoOperation(code) && code != kQuery) return kNotIt;
  const std::size_t size = LittleEndian(bytes, 0);
  if (bytes.size() < size) return kNotYet;
  const std::string_view message = TextOf(bytes.first(size));
  return ResemblesRequest(message) || HidesRequest(message)
             ? kNotIt
             : FirstBytesMatch{.match = Match::kYes, .size = size};
}

Match MongoServer(ByteView said, ByteView first_bytes) {
  constexpr std::uint32_t kReply = 1;
  if (said.size() < kMongoHeader) return Match::kMaybe;
  const std::uint32_t code = LittleEndian(said, 12);
  const bool answers = LittleEndian(said, 8) == LittleEndian(first_bytes, 4);
  return answers && (IsMongoOperation(code) || code == kReply) ? Match::kYes : Match::kNo;
}

// ---- servers that speak first

// RFC 5321, 4.2 and RFC 959, 5.4.
Match MailOrFileServer(ByteView said, ByteView /*opening*/) { return BeginsWithOne(said, {"220 ", "220-"}); }
// RFC 1939, 4.
Match PopServer(ByteView said, ByteView /*opening*/) { return Begins(said, "+OK"); }
// RFC 9051, 7.1.
Match ImapServer(ByteView said, ByteView /*opening*/) { return BeginsWithOne(said, {"* OK", "* PREAUTH"}); }
// RFC 3977, 5.1.
Match NewsServer(ByteView said, ByteView /*opening*/) { return BeginsWithOne(said, {"200 ", "201 "}); }
// RFC 6143, 7.1.1.
Match FrameBufferServer(ByteView said, ByteView /*opening*/) { return Begins(said, "RFB 003."); }
// csprotocol.txt of rsync.
Match RsyncServer(ByteView said, ByteView /*opening*/) { return Begins(said, "@RSYNCD: "); }
// Manual of MySQL, "Protocol::HandshakeV10": length and number of the packet, version of the protocol, and of
// the server.
Match MysqlServer(ByteView said, ByteView /*opening*/) {
  constexpr std::size_t kSeen = 6;
  if (said.size() < kSeen) return Match::kMaybe;
  const bool handshake = said[2] == 0 && said[3] == 0 && said[4] == 10 && said[5] >= '0' && said[5] <= '9';
  return handshake ? Match::kYes : Match::kNo;
}

constexpr KnownProtocol kProtocols[] = {
    {"SSH", SshClient, SshServer, Sequel::kFree},
    {"PostgreSQL", PostgresClient, PostgresServer, Sequel::kPostgres},
    {"Redis", RedisClient, RedisServer, Sequel::kFree},
    {"MongoDB", MongoClient, MongoServer, Sequel::kFree},
    {"SMTP or FTP", nullptr, MailOrFileServer, Sequel::kFile},
    {"POP3", nullptr, PopServer, Sequel::kLines},
    {"IMAP", nullptr, ImapServer, Sequel::kLines},
    {"NNTP", nullptr, NewsServer, Sequel::kLines},
    {"MySQL", nullptr, MysqlServer, Sequel::kMysql},
    {"RFB", nullptr, FrameBufferServer, Sequel::kWatched},
    {"rsync", nullptr, RsyncServer, Sequel::kFree},
};

}  // namespace

ClientProtocol FindByFirstBytes(ByteView bytes) {
  ClientProtocol best;
  if (bytes.empty()) return {.found = kNotYet};
  for (const KnownProtocol& protocol : kProtocols) {
    if (protocol.client == nullptr) continue;
    const FirstBytesMatch found = protocol.client(bytes);
    if (found.match > best.found.match) best = {.protocol = &protocol, .found = found};
  }
  return best;
}

const KnownProtocol* FindByGreeting(ByteView bytes) {
  for (const KnownProtocol& protocol : kProtocols) {
    const bool greets = protocol.client == nullptr || protocol.server == SshServer;
    if (greets && protocol.server(bytes, {}) == Match::kYes) return &protocol;
  }
  return nullptr;
}

}  // namespace mxc::egress
