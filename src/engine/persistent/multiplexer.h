// The /dev/ptmx of a persistent sandbox, for the terminals of its commands: init hands a reference to it out
// before there is any command that could put something else in its place.
#pragma once

#include "base/unique_fd.h"

namespace mxc::engine {

// In init, with system calls only. Of a sandbox without terminals of its own nothing goes with the message.
void SendMultiplexer(int session);
// In the daemon. Waits for that message; empty: there is none, or init is gone.
[[nodiscard]] UniqueFd TakeMultiplexer(int session);

}  // namespace mxc::engine
