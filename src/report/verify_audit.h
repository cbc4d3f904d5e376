// The question --audit-verify: is an audit log whole?
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"

namespace mxc {

// One JSON object: how many lines, the hash of the last one, and the runs that have not ended. `files` stand
// in the order of their rotation, the oldest first; the last one's PATH.head and `anchors` name lines that
// have to be there. Errors: kUsage (an anchor that is no hash), kMalformed (the first line that is wrong,
// with its number), kSetupFailed (a file cannot be read).
[[nodiscard]] Result<std::string> VerifyAudit(const std::vector<std::string>& files,
                                              const std::vector<std::string>& anchors);

}  // namespace mxc
