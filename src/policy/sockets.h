// Unix sockets of the host's programs. A connection acts outside the sandbox, and a read-only mount does not
// prevent it; so grants hide every socket that the policy does not name.
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

// Adds a rule for each socket that the policy names and the ceiling lists, and warns in `policy` what each
// can do. `cuts`: if there is a ceiling. Errors: kConflict for a file of another type, for a socket to which
// the caller may not connect, and for a name that a command could redirect.
[[nodiscard]] Status GrantSockets(const std::vector<PathEntry>& written, const Host& host,
                                  const CeilingFiles& ceiling, Cuts* cuts, PathWalker& walker, RuleSet& rules,
                                  Policy& policy);

// Denies all others: those of known daemons, those that a process has bound, by each of their names, and
// directories that are for sockets or cannot be searched for them. Errors: kConflict for a grant in which the
// sockets cannot be found. Entries of `tools` (their pointer) hold programs, like the baseline, and are not
// searched. Sockets in `own_places` are where they were bound.
[[nodiscard]] Status DenySockets(const Host& host, const std::vector<OwnPlace>& own_places,
                                 const std::string& tools_pointer, const MountNames& names,
                                 PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings);

// Adds the variables that name a granted socket, unless the policy sets the environment. Their values are the
// caller's, so a ceiling that lists variables has to list them.
void AddSocketVariables(const Config& config, const Host& host, const Ceiling* ceiling, Cuts* cuts,
                        Policy& policy);

}  // namespace mxc
