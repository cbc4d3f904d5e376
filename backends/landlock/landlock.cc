#include "backends/landlock/landlock.h"

#include <string>
#include <utility>

#include "backends/landlock/files.h"
#include "backends/landlock/network.h"
#include "backends/linux/limits.h"

namespace mxc::landlock {
namespace {

// What no rule of Landlock and no filter of system calls reaches.
void StateWhatIsOpen(const Support& support, Plan& plan) {
  std::vector<std::string>& open = plan.not_covered;
  open.emplace_back("names, sizes, modes and times of files outside the grants can be looked up and watched");
  open.emplace_back(
      "mode, owner, times and extended attributes of files outside the grants can be changed as far as the "
      "caller may");
  open.emplace_back("device nodes in the grants can be used as far as the caller may");
  open.emplace_back("the processes of this system share one table: their numbers can be found out");
  open.emplace_back("priority and processors of the caller's other processes can be changed");
  if (support.landlock_abi < kScopedAbi) {
    open.emplace_back("the caller's other processes can be sent signals (Linux before 6.12)");
  }
}

void FillCommand(const Policy& policy, const Support& support, LandlockSandbox& sandbox) {
  sandbox.seccomp = policy.identity.IsRoot() ? SeccompProfile::kRootCaller : SeccompProfile::kDefault;
  sandbox.new_session = !policy.interactive;
  sandbox.scoped_signals = support.landlock_abi >= kScopedAbi;
  sandbox.argv = policy.process.argv;
  sandbox.environment = policy.process.environment;
  sandbox.cwd = policy.process.cwd;
  for (const HomeFile& file : policy.home_files) {
    if (file.link_to.empty()) sandbox.home_files.push_back({.target = file.name, .text = file.text});
  }
}

Status LowerResources(const Policy& policy, LandlockSandbox& sandbox, Plan& plan) {
  std::vector<MountNode> none;
  const linux_backend::Facts facts{.why_unsized = "without namespaces there is no /tmp of its own"};
  Result<linux_backend::LoweredLimits> limits = linux_backend::LowerLimits(policy, facts, none);
  if (!limits) return limits.error();
  sandbox.limits = limits->processes;
  for (ControlGroup& group : limits->groups) plan.setup.emplace_back(std::move(group));
  for (Enforcement& entry : limits->ledger) plan.ledger.push_back(std::move(entry));
  return Done{};
}

}  // namespace

Result<Plan> PlanLandlock(const Policy& policy, const Support& support) {
  Plan plan{.containment = Containment::kLandlock,
            .tier = support.tier,
            .isolation_level = IsolationLevel::kLandlock};
  LandlockSandbox sandbox;
  StateWhatIsOpen(support, plan);
  if (Status network = LowerNetwork(policy, sandbox, plan); !network) return network.error();
  if (Status files = LowerFiles(policy, sandbox, plan); !files) return files.error();
  if (Status resources = LowerResources(policy, sandbox, plan); !resources) return resources.error();
  FillCommand(policy, support, sandbox);
  const Terminal terminal = sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty;
  plan.launch = LandlockLaunch{.sandbox = std::move(sandbox), .terminal = terminal};
  return plan;
}

const Backend& LandlockBackend() {
  static const Backend kBackend{.containment = Containment::kLandlock,
                                .probe = ProbeLandlock,
                                .plan = PlanLandlock,
                                .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::landlock
