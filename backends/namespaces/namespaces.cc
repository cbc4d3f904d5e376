#include "backends/namespaces/namespaces.h"

#include <string_view>
#include <utility>

#include "backends/linux/lower.h"

namespace mxc::namespaces {
namespace {

linux_backend::Facts FactsOf(const Support& support) {
  constexpr std::string_view kPrefix = "kernel-file:";
  linux_backend::Facts facts;
  for (const std::string& feature : support.features) {
    if (feature.starts_with(kPrefix)) facts.kernel_files.push_back(feature.substr(kPrefix.size()));
  }
  return facts;
}

}  // namespace

Result<Plan> PlanNamespaces(const Policy& policy, const Support& support) {
  Result<linux_backend::Lowered> lowered = linux_backend::LowerPolicy(policy, FactsOf(support));
  if (!lowered) return lowered.error();
  Plan plan{.containment = Containment::kNamespaces, .tier = support.tier};
  plan.setup = std::move(lowered->setup);
  plan.child =
      SandboxChild{.terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty};
  plan.sandbox = std::move(lowered->sandbox);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  plan.relaxations = std::move(lowered->relaxations);
  return plan;
}

const Backend& NamespacesBackend() {
  static constexpr Backend kBackend{
      .containment = Containment::kNamespaces, .probe = ProbeNamespaces, .plan = PlanNamespaces};
  return kBackend;
}

}  // namespace mxc::namespaces
