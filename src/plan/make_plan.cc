#include "plan/make_plan.h"

#include <string>
#include <utility>

#include "plan/ledger.h"

namespace mxc {
namespace {

Error NotUsable(const Backend& backend, const Support& support) {
  std::string reason = support.reason;
  if (reason.empty())
    reason = "the backend '" + std::string(Name(backend.containment)) + "' cannot be used here";
  return {.code = support.code, .message = std::move(reason), .hint = support.remedy};
}

Error TooWeak(const Backend& backend, Tier tier, Tier minimum) {
  return {.code = ErrorCode::kConflict,
          .message = "the containment '" + std::string(Name(backend.containment)) + "' is of the tier '" +
                     std::string(Name(tier)) + "', below the '" + std::string(Name(minimum)) +
                     "' that minimumTier asks for",
          .pointer = "/minimumTier",
          .hint = "lower minimumTier, or choose a stronger containment"};
}

// What every plan carries over from its policy, whoever made it.
void CarryOver(const Policy& policy, const Support& support, Plan& plan) {
  plan.timeout_ms = policy.process.timeout_ms;
  plan.output = policy.output;
  plan.audit = policy.audit;
  plan.resources = policy.resources;
  plan.command = policy.process.argv.empty() ? "" : policy.process.argv[0];
  plan.cwd = policy.process.cwd;
  plan.warnings.insert(plan.warnings.begin(), policy.warnings.begin(), policy.warnings.end());
  for (const std::string& text : support.warnings) {
    plan.warnings.push_back({.category = "backend", .message = text});
  }
}

}  // namespace

Result<Plan> MakePlan(const Backend& backend, const Policy& policy, const Support& support) {
  if (!support.usable) return NotUsable(backend, support);
  if (support.tier < policy.minimum_tier) return TooWeak(backend, support.tier, policy.minimum_tier);
  Result<Plan> plan = backend.plan(policy, support);
  if (!plan) return plan;
  if (plan->tier < policy.minimum_tier) return TooWeak(backend, plan->tier, policy.minimum_tier);
  CarryOver(policy, support, *plan);
  AddLauncherEntries(policy, *plan);
  if (Status settled = SettleLedger(policy, *plan); !settled) return settled.error();
  return plan;
}

}  // namespace mxc
