#include "policy/upstream.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "config/endpoint.h"
#include "mxc/fold.h"
#include "policy/paths/entries.h"

namespace mxc {
namespace {

constexpr std::string_view kScheme = "http://";

std::optional<Variable> FirstOf(const Host& host, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::optional<std::string> value = host.Environment(name);
    if (value && !value->empty()) return Variable{std::string(name), Secret{std::move(*value)}};
  }
  return std::nullopt;
}

std::optional<unsigned> HexDigit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  const auto at = kDigits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at < 16 ? at : at - 6);
}

// "p%40ss" is "p@ss".
std::optional<std::string> Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = HexDigit(text[i + 1]);
    const auto low = HexDigit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    plain += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return plain;
}

bool HasPort(std::string_view authority) {
  const auto bracket = authority.rfind(']');
  return authority.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
}

// [http://][user[:password]@]host[:port][/]
Result<UpstreamProxy> ReadProxyVariable(const Variable& variable, const std::string& pointer) {
  const auto refuse = [&](const std::string& what) -> Error {
    return Conflict(variable.name + " " + what, pointer,
                    "set it to http://HOST:PORT, or leave `upstreamProxy` out of the policy");
  };
  std::string_view rest = variable.value.Reveal();
  if (rest.find("://") != std::string_view::npos) {
    if (!EqualsFolded(rest.substr(0, rest.find("://")), "http"))
      return refuse("names no HTTP proxy: the gateway speaks neither TLS to a proxy nor SOCKS");
    rest.remove_prefix(kScheme.size());
  }
  UpstreamProxy proxy{.variable = variable.name};
  const std::string_view path = rest.substr(std::min(rest.find('/'), rest.size()));
  rest.remove_suffix(path.size());
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    std::optional<std::string> credentials = Unescaped(rest.substr(0, at));
    const bool printable = credentials && std::none_of(credentials->begin(), credentials->end(),
                                                       [](char c) { return c >= 0 && c < ' '; });
    if (!printable) return refuse("has credentials that are not percent-encoded as in a URL");
    proxy.credentials = Secret{std::move(*credentials)};
    rest.remove_prefix(at + 1);
  }
  std::string authority(rest);
  if (!HasPort(authority)) authority += ":80";
  const Result<ProxyUrl> url = ParseProxyUrl(std::string(kScheme) + authority);
  const std::optional<WrittenPort> written = FindWrittenPort(authority);
  if (written && !written->port) return refuse("has a port that is not a number from 1 to 65535");
  if (!url || (!path.empty() && path != "/")) return refuse("is not the URL of a proxy");
  proxy.host = url->host;
  proxy.port = url->port;
  return proxy;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const auto end = text.find_first_of(", \t");
    if (end != 0) items.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return items;
}

}  // namespace

Result<Upstream> ReadUpstream(const Host& host, const std::string& pointer) {
  Upstream upstream{.pointer = pointer};
  const bool cgi = host.Environment("REQUEST_METHOD").has_value();
  const auto http = cgi ? FirstOf(host, {"http_proxy"}) : FirstOf(host, {"http_proxy", "HTTP_PROXY"});
  const auto https = FirstOf(host, {"https_proxy", "HTTPS_PROXY"});
  const auto all = FirstOf(host, {"all_proxy", "ALL_PROXY"});
  for (const auto& [variable, proxy] :
       {std::pair{http ? http : all, &upstream.http}, std::pair{https ? https : all, &upstream.others}}) {
    if (!variable) continue;
    Result<UpstreamProxy> read = ReadProxyVariable(*variable, pointer);
    if (!read) return read.error();
    *proxy = std::move(*read);
  }
  if (const auto direct = FirstOf(host, {"no_proxy", "NO_PROXY"}))
    upstream.direct = Split(direct->value.Reveal());
  return upstream;
}

}  // namespace mxc
