// The few functions of the system's sandbox library that a run needs. Apple ships them without a header.
#pragma once

#include <string>
#include <vector>

#include "mxc/sandbox/seatbelt_sandbox.h"

namespace mxc {

// Confines this process, and whatever it starts, for good. Returns what the library says was wrong; empty:
// done. Not async-signal-safe, and only for a process with one thread.
[[nodiscard]] std::string Confine(const std::string& profile,
                                  const std::vector<SeatbeltParameter>& parameters);

// The two service names of a run (SeatbeltSandbox::marked).
struct Mark {
  std::string name = {};     // the profile lets it be looked up
  std::string missing = {};  // and this one not
};

// Sends `signal` to every process that carries the mark. Returns how many there were.
int SignalMarked(const Mark& mark, int signal);

}  // namespace mxc
