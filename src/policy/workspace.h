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

// Only a mount shows a directory under another path, and only where its first name does not show as well.
// Another system plans none. Errors: kUnenforceable.
[[nodiscard]] Status CheckWorkspaceOf(const Config& config, Containment containment, OperatingSystem here);

// The workspace as a read-write entry, and entries that name files as they stand in it by their names on the
// host; `config.process.workspace` is canonical afterwards. Without one nothing changes. Errors: kConflict.
[[nodiscard]] Status NameWorkspace(PathWalker& walker, Config& config);

// Once the rules stand: something of it is granted, nothing else shows it, and its place inside is free.
[[nodiscard]] Status CheckWorkspaceIn(const Workspace& workspace, const RuleSet& rules,
                                      const std::vector<PathLink>& links);

}  // namespace mxc
