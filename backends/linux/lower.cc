#include "backends/linux/lower.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/linux/limits.h"
#include "backends/linux/mount_tree.h"
#include "backends/linux/network.h"
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

// With a proxy: its URL in HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and FTP_PROXY in both spellings, in place of
// whatever the policy has for these and for NO_PROXY, which names the sandbox's own loopback. A proxy on the
// host's loopback stands at kHostLoopbackAddress inside.
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

}  // namespace

Result<Lowered> LowerPolicy(const Policy& policy, const Facts& facts) {
  Lowered lowered;
  if (Status network = LowerNetwork(policy, facts, lowered); !network) return network.error();
  if (Status tree = BuildMountTree(policy, facts, lowered); !tree) return tree.error();
  LinuxSandbox& sandbox = lowered.sandbox;
  sandbox.workspace = policy.workspace;
  Result<LoweredLimits> limits = LowerLimits(policy, facts, sandbox.mounts);
  if (!limits) return limits.error();
  sandbox.limits = limits->processes;
  for (ControlGroup& group : limits->groups) lowered.setup.emplace_back(std::move(group));
  for (Enforcement& entry : limits->ledger) lowered.ledger.push_back(std::move(entry));
  sandbox.seccomp = policy.identity.IsRoot() ? SeccompProfile::kRootCaller : SeccompProfile::kDefault;
  // With a terminal the launcher makes a private one; a new session would take it away from the command.
  sandbox.stays = policy.stays;
  sandbox.new_session = policy.stays || !policy.interactive;
  sandbox.argv = policy.process.argv;
  sandbox.environment = CommandEnvironment(policy);
  sandbox.cwd = policy.process.cwd;
  return lowered;
}

}  // namespace mxc::linux_backend
