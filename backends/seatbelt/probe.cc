
#include "backends/seatbelt/seatbelt.h"

namespace mxc::seatbelt {
namespace {

constexpr std::uint32_t kProbeLimitMs = 2000;

Support Usable() { return {.usable = true, .tier = Tier::kProcess}; }

}  // namespace

Support ProbeSeatbelt(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) return Usable();
  if (host.System() != OperatingSystem::kMacos) return OfAnotherSystem(Containment::kSeatbelt, host.System());
  if (depth == ProbeDepth::kQuick) return Usable();
  // The system's own tool asks the kernel the same that a run of ours would.
  const ToolRun run =
      host.Try({"/usr/bin/sandbox-exec", "-p", "(version 1)(allow default)", "/usr/bin/true"}, kProbeLimitMs);
  if (run.started && !run.timed_out && run.exit_code == 0) return Usable();
  return Unusable(ErrorCode::kUnavailable, "the kernel takes no profile here: " + run.err,
                  "run outside of the sandbox that mxc-exec itself is in");
}

}  // namespace mxc::seatbelt
