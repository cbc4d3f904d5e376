// `process.workspace` (mxc/sandbox/workspace.h): all of Resolve names its files as the host does.
#pragma once

#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/policy.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// A workspace needs a mount, and a host path that is not shown inside as well. Not planned for another
// system. Errors: kUnenforceable.
[[nodiscard]] Status CheckWorkspaceOf(const Config& config, Containment containment, OperatingSystem here);

// Adds the workspace as a read-write entry, changes entries that name its files by their paths inside to host
// paths, and makes `config.process.workspace` canonical. Does nothing without a workspace. Errors: kConflict.
[[nodiscard]] Status NameWorkspace(PathWalker& walker, Config& config);

// Checks, with complete rules, that something of it is granted, that nothing else shows it, and that its path
// inside is free.
[[nodiscard]] Status CheckWorkspaceIn(const Workspace& workspace, const RuleSet& rules,
                                      const std::vector<PathLink>& links);

}  // namespace mxc
