#include "policy/client_retries.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/sandbox/private_home.h"
#include "policy/process.h"

namespace mxc {
namespace {

struct ClientSetting {
  std::string_view name;
  std::string_view value;
};

// npm keeps its two further tries, and pip and cargo one: so that a slow network does not fail at once.
constexpr ClientSetting kClientSettings[] = {
    {"npm_config_fetch_retry_mintimeout", "100"},   // else 10 s before the second try
    {"npm_config_fetch_retry_maxtimeout", "1000"},  // else 60 s before the third
    {"npm_config_update_notifier", "false"},        // else each call asks the registry for a newer npm
    {"PIP_RETRIES", "1"},                           // else five, 10 s
    {"PIP_DISABLE_PIP_VERSION_CHECK", "1"},         // else each install asks for a newer pip
    {"CARGO_NET_RETRY", "1"},                       // else three, 11 s
};

// apt has no such variable, but one that names a configuration file, which /etc/apt overrides. Else three
// more tries, 7 s.
constexpr std::string_view kApt = "/usr/bin/apt-get";
constexpr std::string_view kAptConfig = ".apt.conf";
constexpr std::string_view kAptText = "Acquire::Retries \"1\";\n";

void SetWhereMissing(std::vector<Variable>& environment, std::string_view name, std::string value) {
  const bool set = std::any_of(environment.begin(), environment.end(),
                               [&](const Variable& variable) { return variable.name == name; });
  if (!set) environment.push_back({.name = std::string(name), .value = Secret{std::move(value)}});
}

}  // namespace

void ShortenClientRetries(const Config& config, const Host& host, Policy& policy) {
  const bool listed = !policy.network.share_host && policy.network.egress == RuleAction::kDeny;
  if (!listed || !KeepsStandardEnvironment(config.process) || !TraitsOf(policy.containment).isolates) return;
  std::vector<Variable>& environment = policy.process.environment;
  for (const ClientSetting& setting : kClientSettings)
    SetWhereMissing(environment, setting.name, std::string(setting.value));
  if (policy.home_files.empty() || !host.LookAt(std::string(kApt)).status) return;
  policy.home_files.push_back({.name = std::string(kAptConfig), .text = std::string(kAptText)});
  SetWhereMissing(environment, "APT_CONFIG",
                  std::string(PrivateHome(policy.paths)) + "/" + std::string(kAptConfig));
}

}  // namespace mxc
