// A process that starts us may want us to end with it, however it ends.
#pragma once

#include <array>

#include "mxc/error.h"

namespace mxc {

// From now on the kernel kills us (SIGKILL) when the last writing end of the pipe `lifeline` is closed, and
// with us what we have started. Closes every other descriptor but the standard streams and `kept`, of which
// -1 is none: the process that starts us may have many, and no longer knows that they are here. What its libc
// has kept for itself of our signals is the default again. Errors: kUsage for what is no pipe.
[[nodiscard]] Status TieTo(int lifeline, const std::array<int, 3>& kept);

}  // namespace mxc
