// For a caller that wants this process to end with it, however the caller ends.
#pragma once

#include <array>

#include "mxc/error.h"

namespace mxc {

// From now on the kernel kills this process (SIGKILL) when the last writing end of the pipe `lifeline` is
// closed, and with it its children. Closes every other descriptor except the standard streams and `kept` (-1:
// none): the caller may have leaked many. Resets the dispositions of the signals that the caller's libc
// reserves. Errors: kUsage if `lifeline` is no pipe.
[[nodiscard]] Status TieTo(int lifeline, const std::array<int, 3>& kept);

}  // namespace mxc
