// What a run as root does not see of the baseline: no table lists all secrets of a machine, so every file
// that others may not read counts as one.
#pragma once

#include "mxc/host.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// For a root caller: shows the directories of configuration with the permissions of others: by an idmapped
// mount where `containment` and the host can make one, else by denying the files that ListClosed finds. All
// other rules except those of second names must have been added.
void CloseToOthers(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
                   RuleSet& rules);

}  // namespace mxc
