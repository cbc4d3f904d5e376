// Translates the rules of a policy for a WSL distribution.
#pragma once

#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::wsl {

// The rules with translated paths, in the same order. Errors: those of PathInWsl. kUnenforceable for a rule
// on a drive that restricts a grant above it: Linux enforces it for one spelling, but the drive accepts
// several (upper and lower case, short names).
[[nodiscard]] Result<std::vector<PathRule>> TranslateRules(const std::vector<PathRule>& rules,
                                                           std::string_view distribution);

}  // namespace mxc::wsl
