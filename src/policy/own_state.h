// What mxc-exec keeps for itself between runs, and later runs trust: the sockets and records of sandboxes
// that stay, the images of `lxc`, and the caller's profiles. Whoever could write there would choose what the
// next run does.
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

// Under whichever name mounts give such a directory below a grant: one with sockets is denied, and one that
// does not exist is to be made by the launcher (PathRule::own_directory_mode) where a run outside could make
// it, or the command. Images and configuration, and what symbolic links there lead to, are protected
// (Origin::kProtection): read-only, and their names held for as long as the command runs. So are the files of
// this program, and `policy_file`, from which the policy was read (none: an empty path), with the names of
// the directories between them and the grant; links to the program are put right at the run's end.
// Directories that `entries` and the path of the policy step back out of ("a/..") keep their names as well.
// Errors: kConflict, for a grant of such a directory or file, for a symbolic link on the way to one that the
// command could turn, and where what is to be held cannot be told or held; kUnenforceable, where links lead
// to what nothing holds without mounts.
[[nodiscard]] Status DenyOwnState(const Host& host, const std::vector<OwnPlace>& places,
                                  const MountNames& names, const std::vector<Entry>& entries,
                                  const PolicyFile& policy_file, PathWalker& walker, RuleSet& rules,
                                  Policy& policy);

}  // namespace mxc
