// Takes turns with other launchers in writing to the caller's terminal, so that what two runs write does not
// join to a sequence: a terminal that takes only a part of one is locked until it has the rest.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "stdio/terminal_output.h"

namespace mxc {

class TerminalTurn {
 public:
  // Writes the first `size` bytes of `pending` to `borrowed_fd`, an open file description that no other
  // launcher has (OwnDescription). Returns what write(2) does; -1 with EAGAIN as well while another launcher
  // has locked the terminal. If that takes long, puts what ends the other one's sequence in front of
  // `pending`.
  ssize_t Write(int borrowed_fd, std::string& pending, std::size_t size);

 private:
  std::optional<TerminalOutput> cut_ = {};  // what was written of `pending` may end within a sequence
  int waited_ms_ = 0;                       // for another launcher
};

}  // namespace mxc
