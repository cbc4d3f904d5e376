#include "gateway/rules/upstream.h"

#include <algorithm>
#include <charconv>

#include "gateway/rules/rules.h"

namespace mxc::egress {
namespace {

std::string Base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const std::string_view group = text.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = (bits << 8U) | (j < group.size() ? static_cast<unsigned char>(group[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= group.size() ? kDigits[(bits >> (18 - 6 * j)) & 63U] : '=';
    }
  }
  return out;
}

std::string Authority(std::string_view host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  return (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::to_string(port);
}

// "name:80", "[::1]:80", "10.0.0.0/8"; a bare IPv6 address or block has no port.
struct Exception {
  std::string_view host = {};
  std::string_view port = {};
};
Exception SplitException(std::string_view entry) {
  if (entry.starts_with('[')) {
    const auto end = std::min(entry.find(']'), entry.size());
    return {entry.substr(1, end - 1), end + 2 < entry.size() ? entry.substr(end + 2) : std::string_view()};
  }
  const auto colon = entry.find(':');
  if (colon == std::string_view::npos || entry.find(':', colon + 1) != std::string_view::npos)
    return {entry, {}};
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

bool IsAtOrBelow(std::string_view name, std::string_view domain) {
  if (name == domain) return true;
  return name.ends_with(domain) && name.size() > domain.size() &&
         name[name.size() - domain.size() - 1] == '.';
}

bool Excepts(std::string_view entry, std::string_view host, const std::optional<IpAddress>& address,
             std::uint16_t port) {
  if (entry == "*") return true;
  Exception exception = SplitException(entry);
  if (!exception.port.empty() && exception.port != std::to_string(port)) return false;
  if (address) {
    const Result<Cidr> block = ParseCidr(exception.host, HostBits::kMask);
    return block && (Contains(*block, *address) || Contains(Unmapped(*block), address->Unmapped()));
  }
  if (exception.host.starts_with('.')) exception.host.remove_prefix(1);
  const std::optional<std::string> domain = ValidName(exception.host);
  return domain && IsAtOrBelow(host, *domain);
}

}  // namespace

const UpstreamProxy* ProxyFor(const Upstream& upstream, std::string_view host, std::uint16_t port) {
  const std::optional<UpstreamProxy>& proxy = port == 80 ? upstream.http : upstream.others;
  if (!proxy) return nullptr;
  const std::optional<IpAddress> address = IpAddress::Parse(host);
  if (address && address->IsLoopback()) return nullptr;
  const bool excepted =
      std::any_of(upstream.direct.begin(), upstream.direct.end(),
                  [&](const std::string& entry) { return Excepts(entry, host, address, port); });
  return excepted ? nullptr : &*proxy;
}

std::string ConnectRequest(const UpstreamProxy& proxy, std::string_view host, std::uint16_t port) {
  const std::string authority = Authority(host, port);
  std::string request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  if (proxy.credentials.size() != 0) {
    request += "Proxy-Authorization: Basic " + Base64(proxy.credentials.Reveal()) + "\r\n";
  }
  return request + "\r\n";
}

ConnectAnswer ReadConnectAnswer(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = 9;  // "HTTP/1.1 200"
  const ConnectAnswer bad{.state = ConnectAnswer::State::kRefused};
  if (bytes.substr(0, kVersion.size()) != kVersion.substr(0, bytes.size())) return bad;
  const auto end = bytes.find(kEnd);
  if (end == std::string_view::npos) return bytes.size() < kMaxConnectAnswer ? ConnectAnswer{} : bad;
  int status = 0;
  const char* digits = bytes.data() + kStatusAt;
  const bool has_status = end >= kStatusAt + 3 && bytes[kStatusAt - 1] == ' ' &&
                          std::from_chars(digits, digits + 3, status).ptr == digits + 3 && status >= 100;
  if (!has_status) return bad;
  if (status / 100 != 2) return {.state = ConnectAnswer::State::kRefused, .status = status};
  return {.state = ConnectAnswer::State::kOpen, .size = end + kEnd.size(), .status = status};
}

}  // namespace mxc::egress
