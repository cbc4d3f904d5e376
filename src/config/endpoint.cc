#include "config/endpoint.h"

#include <algorithm>
#include <optional>

#include "base/cidr.h"
#include "mxc/egress.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

Error Reason(std::string text) { return {.code = ErrorCode::kSchema, .message = std::move(text)}; }

bool Consists(std::string_view text, std::string_view first, std::string_view second = {}) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return first.find(c) != std::string_view::npos || second.find(c) != std::string_view::npos;
  });
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
  // The DNS allows underscores, and names of services and composed containers have them.
  return Consists(label, kLetters, "0123456789-_");
}

struct HostAndPort {
  std::string_view host = {};
  std::optional<std::string_view> port = {};
  bool bracketed = false;
};

// "host", "host:port", "[v6]" or "[v6]:port"; a bare IPv6 address has no port.
std::optional<HostAndPort> SplitPort(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    HostAndPort split{.host = text.substr(1, end - 1), .bracketed = true};
    const std::string_view rest = text.substr(end + 1);
    if (rest.empty()) return split;
    if (!rest.starts_with(':')) return std::nullopt;
    split.port = rest.substr(1);
    return split;
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
    return HostAndPort{.host = text};
  }
  return HostAndPort{.host = text.substr(0, colon), .port = text.substr(colon + 1)};
}

bool IsProxyHost(std::string_view host, bool bracketed) {
  if (host.find('/') != std::string_view::npos) return false;
  if (bracketed) return host.find(':') != std::string_view::npos && ParseCidr(host, HostBits::kMask).ok();
  // Names of composed containers carry underscores.
  return !host.empty() && host.size() <= 253 && Consists(host, kLetters, "0123456789._-");
}

}  // namespace

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  if (text.empty() || text.size() > 5 || text.front() == '0' || !Consists(text, kDigits)) return std::nullopt;
  std::uint32_t port = 0;
  for (const char c : text) port = port * 10 + static_cast<std::uint32_t>(c - '0');
  if (port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

bool IsHostName(std::string_view text, Wildcard wildcard) {
  if (wildcard == Wildcard::kAllowed && text == "*") return true;
  if (wildcard == Wildcard::kAllowed && text.starts_with("*.")) text.remove_prefix(2);
  if (text.empty() || text.size() > 253) return false;
  for (;;) {
    const auto dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (!IsLabel(label)) return false;
    if (dot == std::string_view::npos) return !Consists(label, kDigits);
    text.remove_prefix(dot + 1);
  }
}

std::string HostOfUrl(std::string_view text) {
  std::string_view host = Trimmed(text);
  constexpr std::string_view kAfterScheme = "://";
  const auto scheme = host.find(kAfterScheme);
  const bool url = scheme != std::string_view::npos;
  if (url) host.remove_prefix(scheme + kAfterScheme.size());
  host = host.substr(0, host.find_first_of("/?#"));
  if (const auto user = host.rfind('@'); user != std::string_view::npos) host.remove_prefix(user + 1);
  const auto split = SplitPort(host);
  if (!split || host == text) return "";
  const bool known =
      IsHostName(split->host, Wildcard::kAllowed) || (url && ParseCidr(split->host, HostBits::kRefuse).ok());
  return known ? std::string(split->host) : "";
}

std::optional<WrittenPort> FindWrittenPort(std::string_view text) {
  const auto split = SplitPort(Trimmed(text));
  if (!split || !split->port || split->port->find('/') != std::string_view::npos) return std::nullopt;
  const bool host = ParseCidr(split->host, HostBits::kMask).ok() ||
                    (!split->bracketed && IsHostName(split->host, Wildcard::kAllowed));
  if (!host) return std::nullopt;
  return WrittenPort{.host = std::string(split->host), .port = ParsePort(*split->port)};
}

Result<HostEntry> ParseHostEntry(std::string_view text) {
  const auto split = SplitPort(Trimmed(text));
  if (!split) return Reason("not an address, a block or a host name");
  HostEntry entry;
  if (split->port) {
    const auto port = ParsePort(*split->port);
    if (!port) return Reason(std::string(kNotAPort));
    entry.port = *port;
  }
  if (const auto block = ParseCidr(split->host, HostBits::kMask); block) {
    entry.peer.cidr = CidrText(Unmapped(*block));
  } else if (!split->bracketed && IsHostName(split->host, Wildcard::kAllowed)) {
    entry.peer.host = Folded(split->host);
    if (entry.peer.host == kHostLoopbackName)
      return Reason("of the host's loopback network.ingress.hostLoopbackPorts decides");
  } else {
    return Reason("not an address, a block or a host name");
  }
  return entry;
}

std::string ProxyUrl::Text() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return scheme + "://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool ProxyUrl::IsLoopback() const {
  if (host == "localhost") return true;
  const auto address = ParseCidr(host, HostBits::kRefuse);
  if (!address) return false;
  const Cidr block = Unmapped(*address);
  if (block.width == 32) return block.address[0] == 127;
  return CidrText(block) == "::1/128";
}

Result<ProxyUrl> ParseProxyUrl(std::string_view text) {
  ProxyUrl url;
  const std::string lower = Folded(text);
  for (const std::string_view scheme : {"http", "https"}) {
    const std::string prefix = std::string(scheme) + "://";
    if (!lower.starts_with(prefix)) continue;
    url.scheme = scheme;
    text.remove_prefix(prefix.size());
  }
  if (url.scheme.empty()) return Reason("the proxy URL must start with http:// or https://");
  const auto end = text.find_first_of("/?#");
  const std::string_view authority = text.substr(0, end);
  if (authority.find('@') != std::string_view::npos) {
    return Reason("the proxy URL carries credentials, which the command could read");
  }
  if (end != std::string_view::npos && text.substr(end) != "/") {
    return Reason("the proxy URL must end after the port");
  }
  const auto split = SplitPort(authority);
  if (!split || !IsProxyHost(split->host, split->bracketed)) return Reason("the proxy URL has no valid host");
  if (!split->port) return Reason("the proxy URL must include a port, as in http://localhost:8080");
  const auto port = ParsePort(*split->port);
  if (!port) return Reason("the port of the proxy URL is not a number from 1 to 65535");
  url.host = Folded(split->host);
  url.port = *port;
  return url;
}

}  // namespace mxc
