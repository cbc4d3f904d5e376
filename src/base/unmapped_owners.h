// A mount in which files have no owner and no group that any user namespace maps: an idmapped mount whose
// mapping leaves every file out. The kernel judges everybody there as others, root too, also about files that
// appear or change later (Documentation/filesystems/idmappings.rst).
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace mxc {

// A detached copy of the mounts at and below `path`, an absolute path without symbolic links. Empty, with
// errno: no privilege over one of the file systems, or none of these mounts, which all or none are made.
// Linux 5.12 knows them for ext4, xfs and btrfs, later ones for more. Keeps one user namespace for the life
// of the process.
[[nodiscard]] UniqueFd CloneWithUnmappedOwners(const std::string& path);

// Whether there can be one: it is made, and kept for the next call above, because the kernel takes longer to
// discard a copy than to make it (expedited RCU). Not for threads.
[[nodiscard]] bool CanUnmapOwners(const std::string& path);

}  // namespace mxc
