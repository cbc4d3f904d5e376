#include <fcntl.h>

#include <cstdlib>

#include "stdio/private_terminal.h"

namespace mxc {

UniqueFd OpenOuterSide(int /*borrowed_multiplexer*/) { return {}; }

UniqueFd OpenInnerSide(int borrowed_outer, int access) {
  const char* const name = ::ptsname(borrowed_outer);
  return UniqueFd{name == nullptr ? -1 : ::open(name, access | O_NOCTTY | O_CLOEXEC)};
}

}  // namespace mxc
