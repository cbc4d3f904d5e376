// A sandbox without namespaces, as data: what Landlock and seccomp alone can hold. backends/landlock lowers a
// Policy to this value, our own engine runs it.
//
// The command sees the host's own tree: every name can be looked up, but what is not granted can be neither
// opened, listed, executed nor changed. Landlock only adds rights; what is denied below a grant is left out
// by granting everything beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

struct LandlockGrant {
  std::string path = {};
  Access access = Access::kReadOnly;  // never kDenied
  // Absent: not checked, only for paths that no ordinary user can replace.
  std::optional<FileObject> object = {};
  bool optional = false;  // left out where the host does not have it
};

// A path below a read-only grant that stays out of reach: the launcher lists the directories on the way and
// grants what stands beside it at that moment.
struct LandlockHole {
  std::string path = {};
  // The directories on the way may be listed, which Landlock then allows below the hole as well: names only.
  bool names_show = false;
};

struct LandlockSandbox {
  std::vector<LandlockGrant> grants = {};
  std::vector<LandlockHole> holes = {};
  // A directory of the run's own, mode 0700, in place of /tmp: TMPDIR names it, and it is removed at the end.
  bool private_temp = true;
  std::vector<MakeFile> home_files = {};  // in the private HOME, by their names there
  // No socket of any family. False: the host's network, without Unix sockets.
  bool no_network = true;
  // Signals reach nothing outside (ABI 6). Without it the tree is still ended, generation by generation.
  bool scoped_signals = true;
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool new_session = true;  // false: the launcher gives it a private terminal as controlling terminal
  ProcessLimits limits = {};

  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
