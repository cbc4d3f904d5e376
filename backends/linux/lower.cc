#include "backends/linux/lower.h"

#include <utility>

#include "backends/linux/limits.h"
#include "backends/linux/mount_tree.h"
#include "backends/linux/network.h"
#include "backends/linux/proxy_variables.h"

namespace mxc::linux_backend {

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
