#include "backends/linux/proxy_variables.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "mxc/egress.h"

namespace mxc::linux_backend {
namespace {

constexpr std::string_view kProxies[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
                                         "http_proxy", "https_proxy", "all_proxy", "ftp_proxy"};
constexpr std::string_view kExceptions[] = {"NO_PROXY", "no_proxy"};

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string UrlInside(const ProxyRule& proxy) {
  if (!IsLoopback(proxy.host)) return proxy.url;
  const std::string scheme = proxy.url.substr(0, proxy.url.find("://"));
  return scheme + "://" + std::string(kHostLoopbackAddress) + ":" + std::to_string(proxy.port);
}

}  // namespace

std::vector<Variable> CommandEnvironment(const Policy& policy) {
  std::vector<Variable> environment = policy.process.environment;
  if (!policy.network.proxy) return environment;
  std::erase_if(environment, [](const Variable& variable) {
    return IsOneOf(variable.name, kProxies) || IsOneOf(variable.name, kExceptions);
  });
  const std::string url = UrlInside(*policy.network.proxy);
  for (const std::string_view name : kProxies) environment.push_back({std::string(name), Secret{url}});
  for (const std::string_view name : kExceptions) {
    environment.push_back({std::string(name), Secret{"localhost,127.0.0.1,::1"}});
  }
  return environment;
}

}  // namespace mxc::linux_backend
