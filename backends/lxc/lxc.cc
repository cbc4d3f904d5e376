#include "backends/lxc/lxc.h"

#include <string>
#include <utility>

#include "backends/linux/lower.h"
#include "backends/lxc/configuration.h"

namespace mxc::lxc {
namespace {

bool Names(const Json& section, std::string_view key) {
  const Json* const value = section.Find(key);
  return value != nullptr && value->kind == Json::Kind::kString && !value->text.empty();
}

// A container's files are the host's, as the policy shows them.
Status CheckImage(const Json& section) {
  for (const char* key : {"distribution", "release"}) {
    if (!Names(section, key)) continue;
    return Error{
        .code = ErrorCode::kNotBuilt,
        .message = "images of distributions are not part of this build",
        .pointer = std::string("/lxc/") + key,
        .hint =
            "leave the section `lxc` out: the container shows the host's files, as the policy grants them"};
  }
  return Done{};
}

void WarnOfStay(const Policy& policy, Plan& plan) {
  if (policy.destroy_on_exit) return;
  plan.warnings.push_back({.category = "backend",
                           .message = "the container ends with its command and leaves nothing to keep",
                           .pointer = "/lifecycle/destroyOnExit"});
}

}  // namespace

Result<Plan> PlanLxc(const Policy& policy, const Support& support) {
  if (Status image = CheckImage(policy.section); !image) return image.error();
  Result<linux_backend::Lowered> lowered =
      linux_backend::LowerPolicy(policy, {.kernel_files = support.kernel_files,
                                          .counts_own_tasks = support.counts_own_tasks,
                                          .why_no_gateway = support.no_gateway});
  if (!lowered) return lowered.error();
  Plan plan{.containment = Containment::kLxc, .tier = support.tier};
  plan.setup = std::move(lowered->setup);
  plan.child =
      LxcChild{.program = support.program,
               .configuration = RenderConfiguration(lowered->sandbox, policy.identity),
               .name = policy.container_id,
               .terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty};
  plan.sandbox = std::move(lowered->sandbox);
  plan.egress = std::move(lowered->egress);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  plan.relaxations = std::move(lowered->relaxations);
  WarnOfStay(policy, plan);
  return plan;
}

const Backend& LxcBackend() {
  static constexpr Backend kBackend{.containment = Containment::kLxc, .probe = ProbeLxc, .plan = PlanLxc};
  return kBackend;
}

}  // namespace mxc::lxc
