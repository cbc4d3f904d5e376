// Takes back rights that a command has given to others than the caller.
#pragma once

#include <string_view>

#include "mxc/error.h"
#include "mxc/git_snapshot.h"

namespace mxc {

// Whether an access control list, as the kernel's extended attribute has it, gives anybody a right that
// `before` does not: of the bits `guarded`, as of a mode. An empty list says what its mode says.
struct AclAndMode {
  std::string_view acl = {};
  unsigned mode = 0;
};
[[nodiscard]] bool GivesMore(const AclAndMode& now, const AclAndMode& before, unsigned guarded);

// Gives the directory its owner, group, mode and access control lists back if others have got rights by them.
// Returns whether they had. Follows no links. Errors: kSetupFailed.
[[nodiscard]] Result<bool> TakeRightsBack(const Way& before);

}  // namespace mxc
