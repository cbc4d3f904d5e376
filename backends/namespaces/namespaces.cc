#include "backends/namespaces/namespaces.h"

#include <utility>
#include <variant>
#include <vector>

#include "backends/linux/explain.h"
#include "backends/linux/lower.h"
#include "backends/linux/probing.h"

namespace mxc::namespaces {
namespace {

// What of the processes outside shows through the outer /proc.
void StateWhatIsOpen(const Support& support, const std::vector<MountNode>& mounts, Plan& plan) {
  constexpr int kLowestAbi = 2;  // which the engine uses
  const auto* first = mounts.empty() ? nullptr : std::get_if<BindMount>(&mounts.front());
  const bool whole_host = first != nullptr && first->target == "/";
  if (support.landlock_abi < kLowestAbi || whole_host) {
    plan.not_covered.emplace_back("command lines and states of the processes outside can be read in /proc");
  } else {
    plan.not_covered.emplace_back("the numbers of the processes outside can be listed in /proc");
  }
}

}  // namespace

Result<Plan> PlanNamespaces(const Policy& policy, const Support& support) {
  Result<linux_backend::Lowered> lowered = linux_backend::LowerPolicy(
      policy, {.kernel_files = support.kernel_files,
               .outer_proc = support.isolation_level == IsolationLevel::kNamespacesOuterProc,
               .counts_own_tasks = support.counts_own_tasks,
               .why_no_gateway = support.no_gateway});
  if (!lowered) return lowered.error();
  Plan plan{.containment = Containment::kNamespaces,
            .tier = support.tier,
            .isolation_level = support.isolation_level};
  plan.setup = std::move(lowered->setup);
  if (plan.isolation_level == IsolationLevel::kNamespacesOuterProc)
    StateWhatIsOpen(support, lowered->sandbox.mounts, plan);
  const Terminal terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty;
  plan.launch = NamespacesLaunch{.sandbox = std::move(lowered->sandbox), .terminal = terminal};
  plan.egress = std::move(lowered->egress);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  plan.relaxations = std::move(lowered->relaxations);
  return plan;
}

const Backend& NamespacesBackend() {
  static const Backend kBackend{.containment = Containment::kNamespaces,
                                .probe = ProbeNamespaces,
                                .plan = PlanNamespaces,
                                .explain = linux_backend::ExplainLinuxSandbox(),
                                .refusal_hint = linux_backend::RefusalHint};
  return kBackend;
}

}  // namespace mxc::namespaces
