// Paths of Windows as a distribution of WSL has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::wsl {

// "/mnt/c/work" for "C:\work"; "/home/me" for "\\wsl$\Debian\home\me" when that is `distribution`, and for
// itself. Errors: kConflict for other paths of the network.
[[nodiscard]] Result<std::string> Translate(std::string_view path, std::string_view distribution,
                                            const std::string& pointer);

// On a drive of Windows, where two spellings of upper and lower case name one file.
[[nodiscard]] bool IsOnDriveInside(std::string_view path);

// The rules with translated paths, in the same order.
// Errors: those of Translate. kUnenforceable for a rule on a drive that takes from a grant above it: Linux
// holds it at one spelling of the name, and the drive knows many (upper and lower case, short names).
[[nodiscard]] Result<std::vector<PathRule>> TranslateRules(const std::vector<PathRule>& rules,
                                                           std::string_view distribution);

}  // namespace mxc::wsl
