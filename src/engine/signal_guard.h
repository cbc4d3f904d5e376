// Where Landlock cannot scope signals (before ABI 6), a seccomp filter protects init and launcher, which end
// the command, from its signals.
#pragma once

#include "engine/child.h"

namespace mxc::engine {

// In the command's process: from now on it cannot signal `init`, `launcher` and the launcher's group, nor all
// processes (kill(-1)). System calls only.
void GuardSignals(const Child& child, int init, int launcher, int launcher_group);

}  // namespace mxc::engine
