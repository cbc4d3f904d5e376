#include "run_summary.h"

#include <memory>

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

RunSummary SummaryFor(const Policy& policy, PolicyForm form, const Host& host) {
  const auto judge = std::make_shared<DenialJudge>(policy, host);
  return {.network = NetworkSummary{form},
          .files = FileSummary{form, [judge](const FileCall& call) { return judge->Judge(call); }}};
}

}  // namespace mxc
