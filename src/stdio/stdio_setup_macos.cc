#include <termios.h>
#include <unistd.h>

#include "stdio/stdio_setup.h"

namespace mxc {

// Opening /dev/fd/N duplicates the descriptor here and adds no rights.
bool MayPass(const Plan& /*plan*/, int fd) { return ::isatty(fd) == 0; }

UniqueFd WithoutOwnership(int /*fd*/) { return {}; }

// A terminal: the command may read from it, and must not leave it changed.
Status ConnectInput(StdioSetup& /*wiring*/, Undo& undo) {
  termios modes{};
  if (::tcgetattr(STDIN_FILENO, &modes) == 0)
    undo.Push([modes] { ::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes); });
  return Done{};
}

}  // namespace mxc
