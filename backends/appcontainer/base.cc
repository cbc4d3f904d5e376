#include "backends/appcontainer/base.h"

#include <algorithm>

#include "backends/appcontainer/access.h"
#include "mxc/windows/path.h"

namespace mxc::appcontainer {
namespace {

bool PathHolds(const Policy& policy, std::size_t at, bool denies, const WindowsFacts& facts) {
  const PathRule& rule = policy.paths[at];
  const bool root = IsRootOfMany(rule.path, facts) && !IsReadByEveryContainer(rule, facts);
  if (!IsOnDrive(rule.path) || root) return false;
  const bool denied = rule.access == Access::kDenied;
  if (denied && (!denies || (!rule.object && !policy.as_written))) return false;
  return std::all_of(policy.paths.begin(), policy.paths.begin() + static_cast<std::ptrdiff_t>(at),
                     [&](const PathRule& above) {
                       return denied || above.access == rule.access ||
                              !IsAtOrBelowOnWindows(rule.path, above.path);
                     });
}

bool PathsHold(const Policy& policy, bool denies, const WindowsFacts& facts) {
  if (!policy.private_temp_pointer.empty()) return false;
  for (std::size_t i = 0; i < policy.paths.size(); ++i) {
    if (!PathHolds(policy, i, denies, facts)) return false;
  }
  return true;
}

// It leads to none where nothing comes in, and an exemption to none where something does.
bool IsProxyByExemption(const Policy& policy) {
  return policy.network.proxy && policy.windows.loopback_exemption_allowed &&
         policy.network.ingress == RuleAction::kDeny;
}

bool EnvironmentHolds(const Policy& policy, const Section& section, const WindowsFacts& facts) {
  return facts.security_environment && !section.least_privilege && policy.destroy_on_exit &&
         !IsProxyByExemption(policy) && PathsHold(policy, facts.security_environment_denies, facts);
}

bool TellsDestinationsApart(const Network& network) {
  return !network.allow.empty() || !network.deny.empty() || network.proxy ||
         network.host_loopback == RuleAction::kAllow;
}

bool OlderContractHolds(const Policy& policy, const Section& section, const WindowsFacts& facts) {
  const bool files = policy.windows.acl_changes_allowed || policy.paths.empty() ||
                     BfsHolds(policy, section.least_privilege, facts);
  const bool container = HasAppContainer(facts) && files;
  return facts.create_in_sandbox && !container && !TellsDestinationsApart(policy.network) &&
         PathsHold(policy, facts.create_in_sandbox_denies, facts);
}

BaseContainer Told(const Policy& policy, const Section& section, BaseContract contract) {
  BaseContainer base{.contract = contract};
  for (const PathRule& rule : policy.paths) {
    switch (rule.access) {
      case Access::kReadWrite:
        base.read_write.push_back(rule.path);
        break;
      case Access::kReadOnly:
        base.read_only.push_back(rule.path);
        break;
      case Access::kDenied:
        base.denied.push_back(rule.path);
        break;
    }
  }
  const Network& network = policy.network;
  const bool open = network.egress == RuleAction::kAllow || network.share_host;
  base.egress = open ? RuleAction::kAllow : RuleAction::kDeny;
  base.allow = network.allow;
  base.deny = network.deny;
  if (network.proxy) base.proxy = network.proxy->url;
  base.peer = section.proxy_peer;
  if (base.peer.empty() && network.host_loopback == RuleAction::kAllow) base.peer = kHostLoopbackPeer;
  return base;
}

}  // namespace

bool HasAppContainer(const WindowsFacts& facts) { return facts.app_container && facts.capability_names; }

std::optional<BaseContainer> BaseContainerFor(const Policy& policy, const Section& section,
                                              const WindowsFacts& facts) {
  if (facts.wine) return std::nullopt;
  if (EnvironmentHolds(policy, section, facts))
    return Told(policy, section, BaseContract::kSecurityEnvironment);
  if (OlderContractHolds(policy, section, facts))
    return Told(policy, section, BaseContract::kCreateInSandbox);
  return std::nullopt;
}

}  // namespace mxc::appcontainer
