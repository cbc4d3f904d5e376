#include "backends/linux/gateway_probe.h"

#include <string_view>
#include <utility>

#include "backends/linux/probing.h"
#include "mxc/limits.h"

namespace mxc::linux_backend {

// The address is of a documentation range, and nothing is sent to it.
void ProbeGateway(const Host& host, const std::string& containment, Support& support) {
  const ToolRun run = host.Try(
      {"/proc/self/exe", "--containment", containment, "--allow-host", "192.0.2.1", "--", "/bin/true"},
      kProbeLimitMs);
  if (Succeeded(run)) {
    support.features.emplace_back("network-gateway");
    return;
  }
  constexpr std::string_view kHint = "\n  hint: ";  // the second of the lines of a refusal; the third is JSON
  std::string reason = run.timed_out ? "it did not end in time" : run.err.substr(0, run.err.find("\n{"));
  if (const auto hint = reason.find(kHint); hint != std::string::npos)
    reason.replace(hint, kHint.size(), "; ");
  support.warnings.push_back("policies that allow some of the network cannot be held here: " + reason);
  support.no_gateway = std::move(reason);
}

}  // namespace mxc::linux_backend
