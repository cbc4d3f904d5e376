#include "plan/make_plan.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plan/ledger.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxWord = 256;  // longer than the name of any program people start

Error NotUsable(const Backend& backend, const Support& support) {
  std::string reason = support.reason;
  if (reason.empty())
    reason = "the backend '" + std::string(Name(backend.containment)) + "' cannot be used here";
  return {.code = support.code, .message = std::move(reason), .hint = support.remedy};
}

Error TooWeak(const Backend& backend, Tier tier, Tier minimum) {
  return Conflict("the containment '" + std::string(Name(backend.containment)) + "' is of the tier '" +
                      std::string(Name(tier)) + "', below the '" + std::string(Name(minimum)) +
                      "' that minimumTier asks for",
                  "/minimumTier", "lower minimumTier, or choose a stronger containment");
}

// "git" of "git push …"; nothing of "TOKEN=… git push" or "$X", where a word may be anything.
std::string PlainWord(std::string_view command_line) {
  command_line.remove_prefix(std::min(command_line.find_first_not_of(" \t\n"), command_line.size()));
  const std::string_view word = command_line.substr(0, command_line.find_first_of(" \t\n;|&<>()"));
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain && word.size() <= kMaxWord ? std::string(word) : "";
}

// A profile of an AppContainer is the one thing that can be kept for the next run.
void WarnOfStay(const Policy& policy, Plan& plan) {
  if (policy.destroy_on_exit || TraitsOf(plan.containment).keeps_profile) return;
  plan.warnings.push_back({.category = "without-effect",
                           .message = "a run leaves nothing to keep when its command has ended",
                           .pointer = "/lifecycle/destroyOnExit"});
}

// What every plan carries over from its policy, whoever made it.
void CarryOver(const Policy& policy, const Support& support, Plan& plan) {
  if (plan.timeout_ms == 0) plan.timeout_ms = policy.process.timeout_ms;
  plan.output = policy.output;
  plan.audit = policy.audit;
  plan.resources = policy.resources;
  plan.command = policy.process.argv.empty() ? "" : policy.process.argv[0];
  plan.shape = ShapeOf(policy.process);
  plan.cwd = policy.process.cwd;
  const std::optional<std::size_t> more_mounts = plan.git.more_mounts;
  plan.git = policy.git;
  plan.git.more_mounts = more_mounts;
  if (plan.isolation_level == IsolationLevel::kLandlock) {
    plan.git.put_back = plan.git.held.size();
    plan.git.held.clear();
  }
  plan.warnings.insert(plan.warnings.begin(), policy.warnings.begin(), policy.warnings.end());
  plan.relaxations.insert(plan.relaxations.end(), policy.relaxations.begin(), policy.relaxations.end());
  for (const std::string& text : support.warnings) {
    plan.warnings.push_back({.category = "backend", .message = text});
  }
  WarnOfStay(policy, plan);
}

}  // namespace

CommandShape ShapeOf(const Process& process) {
  if (!process.command_line.empty()) {
    return {.word = PlainWord(process.command_line),
            .arguments = process.argv.size() - 1,
            .bytes = process.command_line.size()};
  }
  CommandShape shape{.arguments = process.argv.empty() ? 0 : process.argv.size() - 1};
  for (const std::string& argument : process.argv) shape.bytes += argument.size();
  return shape;
}

Result<Plan> MakePlan(const Backend& backend, const Policy& policy, const Support& support) {
  // A policy that its containment could never hold is refused as that, also where there is no backend.
  if (!support.usable && support.code == ErrorCode::kNotBuilt) return backend.plan(policy, support);
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
