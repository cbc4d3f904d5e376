// The files to which mxc-exec writes how a run ended. The command must not reach them, or it could rewrite
// the report. Nor may an earlier command have redirected their path by a link, which would make mxc-exec
// overwrite another file. Checked here, and again when they are opened (base/own_files.h).
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

struct Record {
  std::string name = {};  // "audit path", "--result": for messages
  std::string path = {};  // as written
  std::string pointer = {};
};

// The canonical path. Errors: kConflict if the command could read or write the file, or if a symbolic link on
// the way may have been created by a user other than root.
[[nodiscard]] Result<std::string> ResolveRecord(const Record& record, const Host& host, PathWalker& walker,
                                                const RuleSet& rules);

// The same for a complete policy: the path to open. Accepts any path for direct execution, which reaches
// everything.
[[nodiscard]] Result<std::string> CheckRecord(const Record& record, const Host& host, const Policy& policy);

// For a file that controls the run: errors, kConflict, if the command could write to it, or to the directory
// of a link or component on the way, by any of their names. The command may read it.
[[nodiscard]] Status CheckUnwritable(const Record& record, const Host& host, const Policy& policy);

// The file behind an open descriptor of ours; empty if no name leads to it (a pipe, a socket, a removed
// file).
[[nodiscard]] std::string PathOfDescriptor(int number, const Host& host);

}  // namespace mxc
