#include "run_summary.h"

#include <memory>
#include <optional>
#include <string>

#include "policy/denial.h"
#include "report/report.h"
#include "run/run.h"

namespace mxc {

void RunSummary::Tell(const Plan& plan) const {
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  if (plan.egress) {
    mxc::Tell(network.Text());
  } else if (sandbox != nullptr && sandbox->private_network) {
    mxc::Tell(
        "mxc-exec: network: none, and not watched; `mxc-exec --probe` says what the gateway lacks here\n");
  }
  mxc::Tell(
      CanWatchFiles(plan)
          ? files.Text()
          : "mxc-exec: files: not watched; the containments namespaces and lxc can say what was denied\n");
}

PolicyForm FormOf(const Config& config, const Options& options) {
  if (!options.HasConfig()) return PolicyForm::kFlags;
  const bool legacy =
      config.dialect == Dialect::kLegacy || config.network.egress_pointer == "/network/defaultPolicy";
  return legacy ? PolicyForm::kLegacy : PolicyForm::kDirectional;
}

RunSummary SummaryFor(const Policy& policy, PolicyForm form, const Host& host,
                      const std::vector<FlagPlace>& flags) {
  const auto judge = std::make_shared<DenialJudge>(policy, host);
  const auto named = [judge, flags](const FileCall& call) {
    std::optional<FileDenial> denial = judge->Judge(call);
    const std::string_view flag = denial ? FlagAt(flags, denial->pointer) : std::string_view();
    const bool decided = !flag.empty() && denial->grant.empty() && denial->advice.empty();
    if (decided) denial->advice = "decided by " + std::string(flag);
    return denial;
  };
  return {.network = NetworkSummary{form}, .files = FileSummary{form, named}};
}

}  // namespace mxc
