// The /dev/ptmx of a persistent sandbox, for the terminals of its commands. Init sends a reference to it
// before any command runs that could put another file in its place.
#pragma once

#include "base/unique_fd.h"

namespace mxc::engine {

// In init, with system calls only. If the sandbox has no devpts of its own, the message has no descriptor.
void SendMultiplexer(int session);
// In the daemon. Waits for that message; empty: it has no descriptor, or init has ended.
[[nodiscard]] UniqueFd TakeMultiplexer(int session);

}  // namespace mxc::engine
