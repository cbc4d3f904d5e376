// The state that mxc-exec keeps between runs and that later runs trust: sockets and records of persistent
// sandboxes, images of `lxc`, and the caller's profiles. A command that could write there would choose what
// the next run does.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/own_places.h"
#include "policy/paths/entries.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// The file that the policy was read from, which no command may write.
struct PolicyFile {
  std::string path = {};  // absolute; empty: none
  bool kept = true;       // false: the caller refuses one that the command could write
};

// Under every name that mounts give such a directory below a grant:
// - One with sockets is denied. If it is missing and a run or the command could create it, the launcher
//   creates it (PathRule::own_directory_mode).
// - Images and configuration, and what symbolic links there lead to, are protected (Origin::kProtection):
//   read-only, and nobody inside can rename or remove them. So are the files of this program and
//   `policy_file`, with the directories between them and the grant. Links to the program are restored when
//   the run has ended.
// - Directories that `entries` and the policy's path step back out of ("a/..") cannot be renamed either.
// Errors: kConflict, for a grant of such a directory or file, for a symbolic link on the way to one that the
// command could replace, and for a path that cannot be examined or protected; kUnenforceable, where only a
// mount could protect what links lead to, and there are no mounts.
[[nodiscard]] Status ProtectOwnState(const Host& host, const std::vector<OwnPlace>& places,
                                     const MountNames& names, const std::vector<ExaminedEntry>& entries,
                                     const PolicyFile& policy_file, PathWalker& walker, RuleSet& rules,
                                     Policy& policy);

}  // namespace mxc
