// Whether people read what we print, and whether in colours.
#pragma once

namespace mxc {

[[nodiscard]] bool IsTerminal(int borrowed_fd);
// A terminal that TERM does not call dumb, unless NO_COLOR is set.
[[nodiscard]] bool TakesColours(int borrowed_fd);

}  // namespace mxc
