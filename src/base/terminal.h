// Whether people read what we print, and whether in colours; and the terminal that a caller gives to the command.
#pragma once

#include "mxc/error.h"

namespace mxc {

[[nodiscard]] bool IsTerminal(int borrowed_fd);
// A terminal that TERM does not call dumb, unless NO_COLOR is set.
[[nodiscard]] bool TakesColours(int borrowed_fd);

// The caller has made a pseudo-terminal for the command, and this is its outer side, borrowed. Errors: kUsage.
[[nodiscard]] Status GiveTerminal(int outer);
[[nodiscard]] int GivenTerminal();  // -1: none was

// What the command writes to this outer side is shown on the caller's terminal. Borrowed; -1: no more.
void ShowTerminal(int outer);
// The command reads that terminal key by key, as a full-screen program does: a line of ours would stand in it.
[[nodiscard]] bool IsDrawnOn();

}  // namespace mxc
