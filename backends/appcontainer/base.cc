#include "backends/appcontainer/base.h"

#include <algorithm>

#include "mxc/windows_path.h"

namespace mxc::appcontainer {
namespace {

bool PathHolds(const Policy& policy, std::size_t at, const WindowsFacts& facts) {
  const PathRule& rule = policy.paths[at];
  if (!IsOnDrive(rule.path)) return false;
  const bool denied = rule.access == Access::kDenied;
  if (denied && (!facts.security_environment_denies || (!rule.object && !policy.as_written))) return false;
  return std::all_of(policy.paths.begin(), policy.paths.begin() + static_cast<std::ptrdiff_t>(at),
                     [&](const PathRule& above) {
                       return denied || above.access == rule.access ||
                              !IsAtOrBelowOnWindows(rule.path, above.path);
                     });
}

}  // namespace

bool BaseHolds(const Policy& policy, bool least_privilege, const WindowsFacts& facts) {
  if (!facts.security_environment || facts.wine || least_privilege || !policy.destroy_on_exit) return false;
  for (std::size_t i = 0; i < policy.paths.size(); ++i) {
    if (!PathHolds(policy, i, facts)) return false;
  }
  return true;
}

BaseContainer BaseContainerFor(const Policy& policy) {
  BaseContainer base;
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
  const bool open = policy.network.egress == Verdict::kAllow || policy.network.share_host;
  base.egress = open ? Verdict::kAllow : Verdict::kDeny;
  base.allow = policy.network.allow;
  base.deny = policy.network.deny;
  return base;
}

}  // namespace mxc::appcontainer
