#include "backends/bubblewrap/bubblewrap.h"

#include <string_view>
#include <utility>

#include "backends/bubblewrap/arguments.h"
#include "backends/linux/lower.h"

namespace mxc::bubblewrap {
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

Result<Plan> PlanBubblewrap(const Policy& policy, const Support& support) {
  Result<linux_backend::Lowered> lowered = linux_backend::LowerPolicy(policy, FactsOf(support));
  if (!lowered) return lowered.error();
  Result<Exec> exec = RenderArguments(lowered->sandbox, support);
  if (!exec) return exec.error();
  Plan plan{.containment = Containment::kBubblewrap, .tier = support.tier};
  plan.setup = std::move(lowered->setup);
  plan.child = std::move(*exec);
  plan.sandbox = std::move(lowered->sandbox);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  plan.relaxations = std::move(lowered->relaxations);
  return plan;
}

const Backend& BubblewrapBackend() {
  static constexpr Backend kBackend{
      .containment = Containment::kBubblewrap, .probe = ProbeBubblewrap, .plan = PlanBubblewrap};
  return kBackend;
}

}  // namespace mxc::bubblewrap
