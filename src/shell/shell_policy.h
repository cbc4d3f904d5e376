// The policy of mxc-sh: MXC_POLICY, a path or the document itself, or the caller's own file.
//
// Whoever calls mxc-sh has no place for a flag, so the policy is found, and may not be what a command has
// left: a file that others could write is refused here, one that this command could write by CheckUnwritable
// (policy/records.h), when it is known what it may write.
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

inline constexpr const char* kPolicyVariable = "MXC_POLICY";

struct ShellPolicy {
  std::string written = {};  // the path as it was written, absolute; empty: the variable holds the document
  std::string path = {};     // the same without links
};

// Errors, kConflict: there is none, or it is not a regular file that only the caller and root can write or
// replace.
[[nodiscard]] Result<ShellPolicy> FindShellPolicy(const Host& host);

}  // namespace mxc
