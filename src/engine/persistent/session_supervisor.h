// The process between init of a persistent sandbox and one command: the command runs below it, under
// everything init is under, and what the command leaves behind becomes its own. Only system calls.
#pragma once

#include "engine/child.h"

namespace mxc::engine {

// What a supervisor tells through its control socket: the command has ended, and another may come.
inline constexpr char kFree = 'f';

// A connection that was passed over `socket`; -1 when there is none. The other end's closing ends us.
[[nodiscard]] int TakeConnection(int socket, int flags);
// Runs the command that comes over `connection`, and then those of the connections that come through
// `control_socket`, one after the other, until its other end is closed; -1: only the first.
[[noreturn]] void Supervise(const Child& init, int connection, int control_socket);

}  // namespace mxc::engine
