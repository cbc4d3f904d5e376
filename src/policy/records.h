// The files in which we tell how a run went. The command must not reach them: it would rewrite the verdict.
// And no command must have chosen them: what an earlier run left on the way would have us overwrite something
// else. That is judged here, and again by whoever opens them (base/own_files.h).
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

// The path where it really stands. Errors: kConflict, when the command could read or write it, or a symbolic
// link is on the way that another than root may have put there.
[[nodiscard]] Result<std::string> ResolveRecord(const Record& record, const Host& host, PathWalker& walker,
                                                const RuleSet& rules);

// The same for a policy that is complete: the path to open. Direct execution reaches everything anyway.
[[nodiscard]] Result<std::string> CheckRecord(const Record& record, const Host& host, const Policy& policy);

// Of a file that decides about the command: neither it, nor a directory or a link on the way to it, is where
// the command may write, by whatever name. It may read it. Errors: kConflict.
[[nodiscard]] Status CheckUnwritable(const Record& record, const Host& host, const Policy& policy);

// The file behind an open descriptor of ours; empty when it has no name that still leads to it (a pipe, a
// socket, a removed file).
[[nodiscard]] std::string PathOfDescriptor(int number, const Host& host);

}  // namespace mxc
