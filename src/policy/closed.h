// What a run as root does not see of the baseline: no table knows all secrets of a machine, and what others
// may not read is one.
#pragma once

#include "mxc/host.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// For a root caller: the directories of configuration are shown as others see them, by the kernel where
// `containment` can mount that and the host can do it, else by denying what FindClosedFiles finds. Every
// other rule but those of second names has to be there already.
void CloseToOthers(const Host& host, Containment containment, const MountNames& names, PathWalker& walker,
                   RuleSet& rules);

}  // namespace mxc
