// Where mxc-exec's own directories are, or would be made by the next run.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

struct OwnPlace {
  std::string path = {};   // as written
  bool denied = true;      // false: images and configuration, which a read-only grant may show
  bool unlisted = false;   // a directory whose links cannot be listed
  std::string shown = {};  // if set: what a denied place shows to grants at or below it
};

// The caller's, whether or not they exist, with what is read there where that is a symbolic link; for root
// also those of other users that exist: /tmp/mxc-exec-UID, /run/user/UID/mxc-exec and their places for
// temporary files. Of these a directory counts if runs of its user would use it (base/runtime_directory.h):
// UID owns it and others have no access, so users cannot have root's own names denied. Where root's command
// cannot get to one, unreachable.h has what is above it denied. Only an outer sandbox can keep root from
// listing the directories in which users' places stand; that sandbox has to hide them.
[[nodiscard]] std::vector<OwnPlace> FindOwnPlaces(const Host& host, PathWalker& walker);

// Where a run under Landlock alone makes its directory for temporary files (base/runtime_places.h); every run
// denies it. Inside such a run it is in that run's directory, which TMPDIR names; grants may show the rest of
// that directory. Empty: the caller can create files in none of the places.
[[nodiscard]] std::string FindTempPlace(const Host& host, PathWalker& walker);

// The running program, as /proc/self/exe and the caller name it, the programs beside it, its npm package and
// the one that starts it, and what PATH may find by the names of mxc-exec's programs, whether or not they
// exist.
[[nodiscard]] std::vector<std::string> FindOwnFiles(const Host& host);

}  // namespace mxc
