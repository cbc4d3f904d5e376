// Hints for limits of the system or of the session that are used up.
#pragma once

#include <string_view>

namespace mxc {

// By errno; "" for any other. EAGAIN is taken for a failure of fork and the like.
[[nodiscard]] std::string_view HintOf(int number);
// By a tool's message: "bwrap: Creating new namespace failed: Resource temporarily unavailable".
[[nodiscard]] std::string_view HintIn(std::string_view message);

}  // namespace mxc
