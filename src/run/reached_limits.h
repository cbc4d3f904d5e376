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

// Limits that the kernel or the launcher counts. Where a program only gets an error (openFiles, tmp, and
// processes without a control group), nobody counts.
[[nodiscard]] std::vector<Resource> ReachedLimits(const Plan& plan, const std::vector<RunGroup>& groups,
                                                  const ReachCounts& before, const Outcome& outcome);
// One warning for each limit that has ended a process or made a call fail.
[[nodiscard]] std::vector<Warning> ReachedWarnings(const Plan& plan, const Outcome& outcome);
// For a private /tmp of `mib` MiB that was full at the end: a program that wrote there may have got ENOSPC.
[[nodiscard]] Warning FullTmpWarning(const Plan& plan, int mib);

}  // namespace mxc
