// Unix sockets of the host's programs. Whoever connects acts outside of the sandbox, through a read-only
// mount as well; so what the policy grants shows none that it does not name.
#pragma once

#include <string>
#include <vector>

#include "ceiling/ceiling_files.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/own_places.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Makes the sockets that the policy names, and the ceiling lists, rules of their own, and tells in `policy`
// what each can do. `cuts`: where there is a ceiling. Errors:
// kConflict, for what is no socket, for what the caller may not connect to, and for a name that a command
// could lead elsewhere.
[[nodiscard]] Status GrantSockets(const std::vector<PathEntry>& written, const Host& host,
                                  const CeilingFiles& ceiling, Cuts* cuts, PathWalker& walker, RuleSet& rules,
                                  Policy& policy);

// Denies every other: those of known daemons, those that a process has bound, by each of their names, and
// directories that are for sockets or cannot be searched for them. Errors: kConflict, for a grant of which
// that cannot be said. What `tools`, at this pointer, shows is programs, like the baseline: not searched.
// Those in `own_places` are where they were bound.
[[nodiscard]] Status DenySockets(const Host& host, const std::vector<OwnPlace>& own_places,
                                 const std::string& tools_pointer, const MountNames& names,
                                 PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings);

// A variable that names a granted socket is part of the grant, unless the policy says what the environment
// is. All of its value is the caller's: a ceiling that lists variables has to list it.
void AddSocketVariables(const Config& config, const Host& host, const Ceiling* ceiling, Cuts* cuts,
                        Policy& policy);

}  // namespace mxc
