// Paths in the kernel's list of mounts.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

// A path as /proc/self/mountinfo writes it: blanks, line ends and backslashes are three octal digits.
[[nodiscard]] std::string UnescapePath(std::string_view text);

}  // namespace mxc
