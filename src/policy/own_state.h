// What mxc-exec keeps for itself between runs, and later runs trust: the sockets and records of sandboxes
// that stay, the images of `lxc`, and the caller's profiles. Whoever could write there would choose what the next run does.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Denies every such directory that a grant shows, under whichever name mounts give it. One that does not
// exist is to be made by the launcher (PathRule::own_directory) where a run outside could make it, or the
// command. Errors: kConflict, for a grant of such a directory, and for one whose name is taken by a symbolic
// link in a read-write grant.
[[nodiscard]] Status DenyOwnState(const Host& host, const MountNames& names, PathWalker& walker,
                                  RuleSet& rules);

}  // namespace mxc
