// Where this machine lets the caller count and limit what a run uses: its own control groups, as /proc and
// the control group file systems describe them.
#pragma once

#include <vector>

#include "mxc/host.h"
#include "mxc/resource.h"

namespace mxc {

// Some of these limits can only, or best, be held by a control group.
[[nodiscard]] bool NeedsCgroup(const std::vector<ResourceLimit>& limits);

// Reads /proc/self/cgroup, /proc/self/mountinfo and, for version 2, the controllers of each group from the
// launcher's own upwards. Changes nothing.
[[nodiscard]] CgroupSupport FindCgroups(const Host& host);

}  // namespace mxc
