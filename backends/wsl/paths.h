// The rules of a policy as a distribution of WSL has them.
#pragma once

#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::wsl {

// The rules with translated paths, in the same order.
// Errors: those of PathInWsl. kUnenforceable for a rule on a drive that takes from a grant above it: Linux
// holds it at one spelling of the name, and the drive knows many (upper and lower case, short names).
[[nodiscard]] Result<std::vector<PathRule>> TranslateRules(const std::vector<PathRule>& rules,
                                                           std::string_view distribution);

}  // namespace mxc::wsl
