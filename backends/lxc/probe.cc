// Whether this machine can run LXC, and if not, why and what to do.
#include <optional>
#include <string>
#include <utility>

#include "backends/linux/engine_probe.h"
#include "backends/linux/gateway_probe.h"
#include "backends/linux/probing.h"
#include "backends/lxc/lxc.h"
#include "mxc/limits.h"

namespace mxc::lxc {
namespace {

using linux_backend::Unusable;

Support Look(const Host& host) {
  if (std::optional<Support> inside = linux_backend::InsideOurSandbox(host)) return std::move(*inside);
  const std::optional<std::string> program = host.FindTool("lxc-start");
  if (!program) return linux_backend::NoTool(host, "lxc-start", "LXC", "lxc");
  Support support = linux_backend::LookForEngine(host);
  support.program = *program;
  return support;
}

// A real run of this very program, as a command would go.
Support TryRun(const Host& host, Support support) {
  support.version = linux_backend::FirstLine(host.Try({support.program, "--version"}, kProbeLimitMs).out);
  const ToolRun run = host.Try({"/proc/self/exe", "--containment", "lxc", "--", "/bin/true"}, kProbeLimitMs);
  if (linux_backend::Succeeded(run)) {
    linux_backend::ProbeGateway(host, "lxc", support);
    return support;
  }
  Support failed =
      Unusable(linux_backend::FailureOf(run), "run `mxc-exec --containment lxc -- true` by hand");
  failed.program = std::move(support.program);
  failed.version = std::move(support.version);
  return failed;
}

}  // namespace

Support ProbeLxc(const Host& host, ProbeDepth depth) {
  if (host.System() != OperatingSystem::kLinux) return OfAnotherSystem(Containment::kLxc, host.System());
  Support support = Look(host);
  if (depth == ProbeDepth::kQuick || !support.usable) return support;
  return TryRun(host, std::move(support));
}

}  // namespace mxc::lxc
