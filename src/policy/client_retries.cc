#include "policy/client_retries.h"

#include <algorithm>
#include <string_view>

#include "policy/process.h"

namespace mxc {
namespace {

struct ClientSetting {
  std::string_view name;
  std::string_view value;
};

// npm keeps its two further tries, and pip and cargo one: a network that is slow is not given up at once.
constexpr ClientSetting kClientSettings[] = {
    {"npm_config_fetch_retry_mintimeout", "100"},   // else 10 s before the second try
    {"npm_config_fetch_retry_maxtimeout", "1000"},  // else 60 s before the third
    {"PIP_RETRIES", "1"},                           // else five, 10 s
    {"CARGO_NET_RETRY", "1"},                       // else three, 11 s
};

}  // namespace

void ShortenClientRetries(const Config& config, Policy& policy) {
  const bool listed = !policy.network.share_host && policy.network.egress == RuleAction::kDeny;
  if (!listed || !KeepsStandardEnvironment(config.process) || !TraitsOf(policy.containment).isolates) return;
  std::vector<Variable>& environment = policy.process.environment;
  for (const ClientSetting& setting : kClientSettings) {
    const bool set = std::any_of(environment.begin(), environment.end(),
                                 [&](const Variable& variable) { return variable.name == setting.name; });
    if (!set)
      environment.push_back({.name = std::string(setting.name), .value = Secret{std::string(setting.value)}});
  }
}

}  // namespace mxc
