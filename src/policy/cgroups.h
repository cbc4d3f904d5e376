// Where this machine lets the caller count and limit the resources of a run: the control groups that /proc
// and the control group file systems describe.
#pragma once

#include <vector>

#include "mxc/host.h"
#include "mxc/resource.h"

namespace mxc {

// Whether only a control group can enforce some of these limits, or enforces them best.
[[nodiscard]] bool NeedsCgroup(const std::vector<ResourceLimit>& limits);

// Reads /proc/self/cgroup, /proc/self/mountinfo and, for version 2, the controllers of each group from the
// launcher's own upwards. Changes nothing.
[[nodiscard]] CgroupSupport FindCgroups(const Host& host);

}  // namespace mxc
