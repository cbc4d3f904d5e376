// Which limits of `resources` a run has met, for its outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "cgroup/control_groups.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"

namespace mxc {

[[nodiscard]] bool Has(const std::vector<Resource>& resources, Resource resource);
// 0: the plan has none.
[[nodiscard]] std::uint64_t CpuTimeLimitMs(const Plan& plan);

// Those the kernel or the launcher knows of. What a program is told by an error alone (openFiles, tmp, and
// processes without a control group) is not among them.
[[nodiscard]] std::vector<Resource> ReachedLimits(const Plan& plan, const std::vector<RunGroup>& groups,
                                                  const ReachCounts& before, const Outcome& outcome);
// One for each that has ended something or made it fail.
[[nodiscard]] std::vector<Warning> ReachedWarnings(const Plan& plan, const Outcome& outcome);
// For a private /tmp of `mib` that was full at the end: whoever wrote there may have got ENOSPC.
[[nodiscard]] Warning FullTmpWarning(const Plan& plan, int mib);

}  // namespace mxc
