// Where mxc-exec's own directories are, or would be made by the next run.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

struct OwnPlace {
  std::string path = {};  // as written
  bool sockets = true;    // false: images and configuration, which a read-only grant may show
  bool unlisted = false;  // a directory whose links cannot be told
};

// The caller's, whether or not they exist, with what is read there where that is a symbolic link; for root
// also those of other users that exist: /tmp/mxc-exec-UID and /run/user/UID/mxc-exec. Of these a directory
// counts if runs of its user would use it (base/runtime_directory.h): UID owns it and others have no access,
// so users cannot have root's own names denied. Where root's command cannot get to one, unreachable.h has
// what is above it denied. Only an outer sandbox can keep root from listing the directories in which users'
// places stand; hiding what was there is its part.
[[nodiscard]] std::vector<OwnPlace> FindOwnPlaces(const Host& host, PathWalker& walker);

// The program that runs, as /proc/self/exe and the caller name it, the others that stand beside it, its npm
// package and the one that starts it, and what PATH may find by our programs' names: whether or not they
// exist.
[[nodiscard]] std::vector<std::string> FindOwnFiles(const Host& host);

}  // namespace mxc
