// Whether this machine lets our own engine build a sandbox, and if not, why and what to do.
#include <string>
#include <utility>

#include "backends/linux/engine_probe.h"
#include "backends/linux/gateway_probe.h"
#include "backends/linux/probing.h"
#include "backends/namespaces/namespaces.h"
#include "mxc/limits.h"

namespace mxc::namespaces {
namespace {

using linux_backend::Unusable;

// A real run of this very program, as a command would go: it climbs down by itself where the kernel refuses
// a part, and says how far.
Support TryRun(const Host& host, Support support) {
  const ToolRun run =
      host.Try({"/proc/self/exe", "--containment", "namespaces", "--status-fd", "1", "--", "/bin/true"},
               kProbeLimitMs);
  if (linux_backend::Succeeded(run)) {
    linux_backend::ProbeGateway(host, "namespaces", support);
    const std::string weaker = "\"rung\":\"" + std::string(Name(IsolationLevel::kNamespacesOuterProc)) + "\"";
    if (run.out.find(weaker) == std::string::npos) return support;
    support.isolation_level = IsolationLevel::kNamespacesOuterProc;
    support.warnings.emplace_back(
        "something covers parts of /proc here, as in most containers: the outer /proc is used, read-only");
    return support;
  }
  if (run.timed_out) {
    return Unusable(linux_backend::FailureOf(run),
                    "look at what holds it: a filter of the surrounding container is the usual cause");
  }
  linux_backend::Trouble trouble = linux_backend::Surroundings(host);
  return Unusable(trouble.reason + " (" + linux_backend::FailureOf(run) + ")", std::move(trouble.remedy));
}

}  // namespace

Support ProbeNamespaces(const Host& host, ProbeDepth depth) {
  if (host.System() != OperatingSystem::kLinux)
    return OfAnotherSystem(Containment::kNamespaces, host.System());
  Support support = linux_backend::LookForEngine(host);
  if (support.usable) support.isolation_level = IsolationLevel::kNamespaces;
  if (depth == ProbeDepth::kQuick || !support.usable) return support;
  return TryRun(host, std::move(support));
}

}  // namespace mxc::namespaces
