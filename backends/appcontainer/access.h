// The rules of a policy as access control entries for the container's identity.
//
// An AppContainer reaches a file only where the file's list allows both the user and the container. Entries
// of the object itself come before inherited ones, those of a nearer directory before those of a farther one,
// and denials before grants of the same list: so the most specific rule decides, in every direction.
#pragma once

#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// The root of a drive, of Windows or of a profile: what is granted there reaches every file of a system or of
// a person.
[[nodiscard]] bool IsRootOfMany(std::string_view path, const WindowsFacts& facts);

// Windows, or what stands below it, read-only: the lists there let every AppContainer do that, unless it has
// the least privilege.
[[nodiscard]] bool IsReadByEveryContainer(const PathRule& rule, const WindowsFacts& facts);

// Whether the policy lets bfscfg.exe grant its files, this Windows has it, and it is known to answer as the
// policy does. Not known is which of two nested paths decides, nor whether a denial in a list holds below
// what the broker opens; a denial elsewhere takes an entry, and leave to make it.
[[nodiscard]] bool BfsHolds(const Policy& policy, bool least_privilege, const WindowsFacts& facts);

// Of such a policy: the grants, and the denials as entries. Errors: those of AclFor.
struct BfsAccess {
  std::vector<BfsGrant> grants = {};
  std::vector<AclChange> denials = {};
};
[[nodiscard]] Result<BfsAccess> BfsAccessFor(const Policy& policy, bool least_privilege,
                                             const WindowsFacts& facts);

// No more than one grant and one denial for each rule. Errors: kConflict for such a root; for a path of the
// network; for a denial that there is no object to hold.
[[nodiscard]] Result<std::vector<AclChange>> AclFor(const Policy& policy, bool least_privilege,
                                                    const WindowsFacts& facts);

}  // namespace mxc::appcontainer
