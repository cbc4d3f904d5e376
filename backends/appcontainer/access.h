// The rules of a policy as access control entries for the container's identity.
//
// An AppContainer reaches a file only where the file's list allows both the user and the container. Entries
// of the object itself come before inherited ones, those of a nearer directory before those of a farther one,
// and denials before grants of the same list: so the most specific rule decides, in every direction.
#pragma once

#include <vector>

#include "mxc/app_container.h"
#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows_host.h"

namespace mxc::appcontainer {

// No more than one grant and one denial for each rule. Errors: kConflict for a root of a drive, of Windows or
// of a profile, whose inheritable entries would reach every file of a system or of a person; for a path of
// the network; for a denial that there is no object to hold.
[[nodiscard]] Result<std::vector<AclChange>> AclFor(const Policy& policy, const WindowsFacts& facts);

}  // namespace mxc::appcontainer
