#include "backends/lxc/lxc.h"

#include <algorithm>
#include <utility>

#include "backends/linux/lower.h"
#include "backends/lxc/configuration.h"

namespace mxc::lxc {
namespace {

bool Names(const Json& section, std::string_view key) {
  const Json* const value = section.Find(key);
  return value != nullptr && value->kind == Json::Kind::kString && !value->text.empty();
}

// A container of an image never shows the host's files in its place. Which files it has is known where it is.
Status CheckImage(const Policy& policy) {
  const bool named = Names(policy.section, "distribution") || Names(policy.section, "release");
  const bool there = std::any_of(policy.paths.begin(), policy.paths.end(),
                                 [](const PathRule& rule) { return !rule.source.empty(); });
  if (!named || there) return Done{};
  return Unavailable(
      "no file of the image can be shown: it is not on this machine, or its /usr, /bin, /lib and /etc "
      "are missing or links out of it",
      "/lxc", "ask on a Linux host that has the image, or unpack it anew with relative links");
}

}  // namespace

Result<Plan> PlanLxc(const Policy& policy, const Support& support) {
  if (Status image = CheckImage(policy); !image) return image.error();
  Result<linux_backend::Lowered> lowered =
      linux_backend::LowerPolicy(policy, {.kernel_files = support.kernel_files,
                                          .counts_own_tasks = support.counts_own_tasks,
                                          .why_no_gateway = support.no_gateway});
  if (!lowered) return lowered.error();
  Plan plan{.containment = Containment::kLxc, .tier = support.tier};
  plan.setup = std::move(lowered->setup);
  LxcLaunch launch{.program = support.program,
                   .configuration = RenderConfiguration(lowered->sandbox, policy.identity),
                   .name = policy.container_id,
                   .terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty};
  launch.sandbox = std::move(lowered->sandbox);
  plan.launch = std::move(launch);
  plan.egress = std::move(lowered->egress);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  plan.relaxations = std::move(lowered->relaxations);
  return plan;
}

const Backend& LxcBackend() {
  static const Backend kBackend{
      .containment = Containment::kLxc, .probe = ProbeLxc, .plan = PlanLxc, .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::lxc
