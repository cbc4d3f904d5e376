// Applies the stricter rule to files that mounts show a second time below a grant.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// What the policy denies, leaves read-only or protects is so under its other names as well, and so is a mount
// below a grant that shows part of it. A grant whose own path has a stricter entry for the same object is
// refused. With `git`, the pointer of that preset, hooks and configuration of repositories elsewhere are
// protected, too, where they are mounted below a read-write grant. All other rules must have been added.
// Errors: kConflict, with the pointer of the entry.
[[nodiscard]] Status HoldSecondNames(const MountNames& names, const std::string* git, PathWalker& walker,
                                     RuleSet& rules, std::vector<Warning>& warnings);

}  // namespace mxc
