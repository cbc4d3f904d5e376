#include <fcntl.h>
#include <sys/ioctl.h>

#include "stdio/private_terminal.h"

namespace mxc {

// By descriptor: no path is looked up in a /dev/pts that may be another mount.
UniqueFd OpenInnerSide(int borrowed_outer, int access) {
  return UniqueFd{::ioctl(borrowed_outer, TIOCGPTPEER, access | O_NOCTTY | O_CLOEXEC)};
}

}  // namespace mxc
