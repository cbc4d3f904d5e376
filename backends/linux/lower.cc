#include "backends/linux/lower.h"

#include "backends/linux/mount_tree.h"
#include "backends/linux/network.h"
#include "backends/linux/proxy_variables.h"

namespace mxc::linux_backend {

Result<Lowered> LowerPolicy(const Policy& policy, const Facts& facts) {
  Lowered lowered;
  if (Status network = LowerNetwork(policy, lowered); !network) return network.error();
  if (Status tree = BuildMountTree(policy, facts, lowered); !tree) return tree.error();
  LinuxSandbox& sandbox = lowered.sandbox;
  sandbox.seccomp = policy.identity.IsRoot() ? SeccompProfile::kRootCaller : SeccompProfile::kDefault;
  // With a terminal the launcher makes a private one; a new session would take it away from the command.
  sandbox.new_session = !policy.interactive;
  sandbox.argv = policy.process.argv;
  sandbox.environment = CommandEnvironment(policy);
  sandbox.cwd = policy.process.cwd;
  return lowered;
}

}  // namespace mxc::linux_backend
