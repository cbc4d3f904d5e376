// What to do where a limit of the system or of the session is used up.
#pragma once

#include <string_view>

namespace mxc {

// By the errno that says so; "" for any other. EAGAIN is taken for what fork and its like fail with.
[[nodiscard]] std::string_view HintOf(int number);
// By the words of a tool: "bwrap: Creating new namespace failed: Resource temporarily unavailable".
[[nodiscard]] std::string_view HintIn(std::string_view message);

}  // namespace mxc
