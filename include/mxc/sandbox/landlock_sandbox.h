// A sandbox without namespaces, as data: Landlock and seccomp alone. backends/landlock lowers a Policy to
// this value, our own engine runs it.
//
// The command sees the host's own tree: every name can be looked up, but files outside the grants cannot be
// opened, listed, executed or changed. Landlock only adds rights; a denied path below a grant is left out by
// granting everything beside it.
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
  bool optional = false;  // skipped if the host does not have it
};

// A denied path below a read-only grant: the launcher lists the directories from the grant down to it and
// grants the entries that are beside it at that moment.
struct LandlockHole {
  std::string path = {};
  // The directories on the way may be listed; Landlock then allows listing below the hole as well.
  bool names_show = false;
};

struct LandlockSandbox {
  std::vector<LandlockGrant> grants = {};
  std::vector<LandlockHole> holes = {};
  // mxc-exec's own directory on the host, in which the launcher makes one of the run's own, mode 0700, with
  // HOME in it. It is removed at the end.
  std::string temp_place = {};
  // The run's own directory stands for /tmp, and TMPDIR names it.
  bool private_temp = true;
  std::vector<MakeFile> home_files = {};  // files of the private HOME, by name
  // No socket of any family. False: the host's network, without Unix sockets.
  bool no_network = true;
  // Landlock scopes signals (ABI 6). Without it the process tree is killed generation by generation.
  bool scoped_signals = true;
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool new_session = true;  // false: it gets a private terminal as controlling terminal
  ProcessLimits limits = {};

  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
