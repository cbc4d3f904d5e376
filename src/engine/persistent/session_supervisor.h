// The process between init of a persistent sandbox and one command: the command runs below it, confined like
// init, and the supervisor adopts what the command leaves. System calls only.
#pragma once

#include "engine/child.h"

namespace mxc::engine {

// A supervisor sends this through its control socket: the command has ended, and the next one may come.
inline constexpr char kFree = 'f';

// Receives a connection over `socket`; -1: none. Ends the process if the other end is closed.
[[nodiscard]] int TakeConnection(int socket, int flags);
// Runs the command from `connection`, then one from each connection that arrives over `control_socket`, until
// its other end is closed; -1: only the first.
[[noreturn]] void Supervise(const Child& init, int connection, int control_socket);

}  // namespace mxc::engine
