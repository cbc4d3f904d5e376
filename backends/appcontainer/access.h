// Lowers the rules of a policy to access control entries for the container's identity.
//
// An AppContainer reaches a file only if the file's list allows both the user and the container. An object's
// own entries come before inherited ones, those of a nearer directory before those of a farther one, and
// denials before grants of the same list: so the most specific rule decides.
#pragma once

#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/host.h"

namespace mxc::appcontainer {

// Whether it is the root of a drive, of Windows or of a profile: a grant there would cover every file of a
// system or of a person.
[[nodiscard]] bool IsRootOfMany(std::string_view path, const WindowsFacts& facts);

// Whether the rule grants read access at or below the Windows directory: lists there allow it to every
// AppContainer without least privilege.
[[nodiscard]] bool IsReadByEveryContainer(const PathRule& rule, const WindowsFacts& facts);

// Whether bfscfg.exe can grant the policy's files: the policy allows it, this Windows has it, and its
// behaviour is known. It is not known for nested paths, nor for a denial in a list below a path that the
// broker opens. A denial elsewhere needs an access control entry, and the right to add it.
[[nodiscard]] bool BfsHolds(const Policy& policy, bool least_privilege, const WindowsFacts& facts);

// The grants of such a policy, and its denials as entries. Errors: those of AclFor.
struct BfsAccess {
  std::vector<BfsGrant> grants = {};
  std::vector<AclChange> denials = {};
};
[[nodiscard]] Result<BfsAccess> BfsAccessFor(const Policy& policy, bool least_privilege,
                                             const WindowsFacts& facts);

// At most one grant and one denial for each rule. Errors: kConflict for IsRootOfMany, for a network path, and
// for a denied path that does not exist.
[[nodiscard]] Result<std::vector<AclChange>> AclFor(const Policy& policy, bool least_privilege,
                                                    const WindowsFacts& facts);

}  // namespace mxc::appcontainer
