#include <algorithm>
#include <charconv>
#include <optional>

#include "base/lists.h"
#include "gateway/inspect/http_fields.h"
#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/rules/rules.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

// Servers differ in what they make of a crooked head, so there is one reading or none.
constexpr std::string_view kVersion = "it speaks HTTP/2 without TLS, which cannot be checked";

bool IsNumber(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// ":" alone is the scheme's own. Absent: nothing that could be dialled.
std::optional<std::uint16_t> ReadPort(std::string_view text, std::uint16_t standard) {
  if (text.empty() || text == ":") return standard;
  if (text.front() != ':' || text.size() > 6 || !IsNumber(text.substr(1))) return std::nullopt;
  std::uint16_t port = 0;
  const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), port);
  return read.ec == std::errc() && port != 0 ? std::optional(port) : std::nullopt;
}

// "host", "host:port" or "[IPv6]:port". Addresses in their plain spelling only. The port, or `standard`.
std::optional<std::uint16_t> AddAuthority(std::string_view text, std::uint16_t standard, HeadNames& names) {
  const bool bracket = text.starts_with('[');
  const auto end = bracket ? text.find(']') : text.find(':');
  if (bracket && end == std::string_view::npos) return std::nullopt;
  const std::string_view host = bracket ? text.substr(1, end - 1) : text.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : text.substr(end + (bracket ? 1 : 0));
  const std::optional<std::uint16_t> port = ReadPort(rest, standard);
  if (const auto address = IpAddress::Parse(host)) {
    names.hosts.push_back(address->Text());
    return address->ipv6 == bracket ? port : std::nullopt;
  }
  const auto name = ValidName(host);
  if (!name || bracket) return std::nullopt;
  names.hosts.push_back(*name);
  return port;
}

// Of a URL that has none; 0: it has to.
std::uint16_t StandardPort(std::string_view scheme) {
  if (EqualsFolded(scheme, "http") || EqualsFolded(scheme, "ws")) return 80;
  return EqualsFolded(scheme, "https") || EqualsFolded(scheme, "wss") ? 443 : 0;
}

bool AddTarget(std::string_view authority, std::uint16_t standard, HeadNames& names) {
  names.port = AddAuthority(authority, standard, names).value_or(0);
  return names.port != 0;
}

bool ReadTarget(std::string_view method, std::string_view target, HeadNames& names) {
  if (target.empty()) return false;
  if (EqualsFolded(method, "connect")) {
    names.connects = true;
    return AddTarget(target, 0, names);
  }
  if (target.front() == '/' || target == "*") return true;
  const auto scheme = target.find("://");
  if (scheme == std::string_view::npos || !IsToken(target.substr(0, scheme))) return false;
  const std::string_view rest = target.substr(scheme + 3);
  const std::uint16_t standard = StandardPort(target.substr(0, scheme));
  // Servers differ in where it ends, but for a slash: "http://a?@b/", "http://a#@b/".
  const auto end = rest.find_first_of("/?#");
  if (end != std::string_view::npos && rest[end] != '/') return false;
  return AddTarget(rest.substr(0, end), standard, names);
}

struct RequestLine {
  bool old = false;  // HTTP/1.0
  bool get = false;
  std::string_view problem = {};
};

// The first line of `head`, without its end. False: it has none.
bool TakeLine(std::string_view& head, std::string_view& line) {
  const auto end = head.find("\r\n");
  if (end == std::string_view::npos) return false;
  line = head.substr(0, end);
  head.remove_prefix(end + 2);
  return true;
}

// METHOD SP target SP HTTP/1.x
RequestLine ReadRequestLine(std::string_view line, HeadNames& names) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return {.problem = kMalformedRequest};
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (version == "HTTP/2.0") return {.problem = kVersion};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return {.problem = kMalformedRequest};
  const bool blank = std::any_of(target.begin(), target.end(), [](char c) { return c >= 0 && c <= ' '; });
  if (blank || !IsToken(method) || !ReadTarget(method, target, names)) return {.problem = kMalformedRequest};
  return {.old = version == "HTTP/1.0", .get = method == "GET"};
}

// Fields that decide something, and so may stand there once.
struct Counts {
  int host = 0;
  int framing = 0;  // Content-Length and Transfer-Encoding together
  int upgrade = 0;
  int expect = 0;
};

// The fields of a WebSocket's handshake, on either side.
struct Handshake {
  bool upgrade = false;     // Upgrade: websocket, and nothing else
  bool connection = false;  // Connection: upgrade, among others
  bool key = false;         // Sec-WebSocket-Key, -Accept
};

bool ListsUpgrade(std::string_view list) {
  while (!list.empty()) {
    std::string_view token = TakePiece(list, ',');
    token.remove_prefix(std::min(token.size(), token.find_first_not_of(" \t")));
    if (EqualsFolded(token.substr(0, token.find_last_not_of(" \t") + 1), "upgrade")) return true;
  }
  return false;
}

void ReadHandshake(const HttpField& field, std::string_view key, std::size_t key_size, Handshake& handshake) {
  if (EqualsFolded(field.name, "upgrade")) handshake.upgrade = EqualsFolded(field.value, "websocket");
  if (EqualsFolded(field.name, "connection"))
    handshake.connection = handshake.connection || ListsUpgrade(field.value);
  if (EqualsFolded(field.name, key)) handshake.key = field.value.size() == key_size;
}

bool ReadLength(std::string_view value, BodyFrame& body) {
  constexpr std::size_t kDigits = 18;  // fits into 64 bits
  if (value.empty() || value.size() > kDigits || !IsNumber(value)) return false;
  std::from_chars(value.data(), value.data() + value.size(), body.length);
  return true;
}

bool ReadField(const HttpField& field, HeadNames& names, Counts& counts) {
  if (EqualsFolded(field.name, "host"))
    return ++counts.host == 1 && AddAuthority(field.value, 0, names).has_value();
  if (EqualsFolded(field.name, "content-length"))
    return ++counts.framing == 1 && ReadLength(field.value, names.body);
  if (EqualsFolded(field.name, "upgrade")) return ++counts.upgrade == 1;
  if (EqualsFolded(field.name, "expect"))
    return ++counts.expect == 1 && EqualsFolded(field.value, "100-continue");
  if (!EqualsFolded(field.name, "transfer-encoding")) return true;
  names.body.chunked = true;
  return ++counts.framing == 1 && EqualsFolded(field.value, "chunked");
}

}  // namespace

HeadNames ReadHttpHead(std::string_view head) {
  HeadNames names;
  std::string_view line;
  if (!TakeLine(head, line)) return {.problem = kMalformedRequest};
  const RequestLine request = ReadRequestLine(line, names);
  if (!request.problem.empty()) return {.problem = request.problem};
  Counts counts;
  Handshake handshake;
  for (;;) {
    if (!TakeLine(head, line)) return {.problem = kMalformedRequest};
    if (line.empty()) break;
    const std::optional<HttpField> field = SplitField(line);
    if (!field || !ReadField(*field, names, counts)) return {.problem = kMalformedRequest};
    constexpr std::size_t kKeySize = 24;  // 16 bytes in base64
    ReadHandshake(*field, "sec-websocket-key", kKeySize, handshake);
  }
  // 1.1 asks for Host, and brought chunks and Expect; and what follows CONNECT is no body.
  const bool of_another = request.old ? names.body.chunked || counts.expect > 0 : counts.host == 0;
  if (of_another || (names.connects && counts.framing > 0)) return {.problem = kMalformedRequest};
  names.awaits_continue = counts.expect > 0 && (names.body.chunked || names.body.length > 0);
  names.websocket = request.get && !request.old && counts.framing == 0 && handshake.upgrade &&
                    handshake.connection && handshake.key;
  return names;
}

Match AgreesToWebSocket(std::string_view answer) {
  constexpr std::string_view kAgreed = "HTTP/1.1 101 ";
  constexpr std::size_t kMostBytes = 16384;
  constexpr std::size_t kAcceptSize = 28;  // 20 bytes in base64
  if (!answer.starts_with(kAgreed.substr(0, answer.size()))) return Match::kNo;
  const auto end = answer.find("\r\n\r\n");
  if (end == std::string_view::npos) return answer.size() < kMostBytes ? Match::kMaybe : Match::kNo;
  Handshake handshake;
  for (auto at = answer.find("\r\n"); at < end;) {
    const auto next = answer.find("\r\n", at + 2);
    const std::optional<HttpField> field = SplitField(answer.substr(at + 2, next - at - 2));
    if (!field) return Match::kNo;
    ReadHandshake(*field, "sec-websocket-accept", kAcceptSize, handshake);
    at = next;
  }
  return handshake.upgrade && handshake.connection && handshake.key ? Match::kYes : Match::kNo;
}

bool AnnouncesBody(std::string_view head) {
  std::string_view line;
  if (!TakeLine(head, line)) return true;
  while (TakeLine(head, line) && !line.empty()) {
    const std::optional<HttpField> field = SplitField(line);
    if (!field || EqualsFolded(field->name, "content-length") ||
        EqualsFolded(field->name, "transfer-encoding"))
      return true;
  }
  return false;
}

}  // namespace mxc::egress
