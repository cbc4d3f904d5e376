// "profiles": ["node", "git"]: what these say, added to a configuration.
#pragma once

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

// `config` was decoded from `document`. A profile can only add: readonlyPaths and readwritePaths that exist,
// variables that are not set, hosts, and `tools`; each entry gets a ProfilePointer. `make_caches`: what
// ${CACHE} names is made where it is missing, else left out. Errors: of ReadProfile, at the name; kSchema for
// a profile that says anything else; kConflict for one whose file the command could write.
[[nodiscard]] Status AddProfiles(const Json& document, const Host& host, bool make_caches, Config& config);

}  // namespace mxc
