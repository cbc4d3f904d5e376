// Before Landlock scopes signals (ABI 6), a filter of system calls keeps those of the command from the two
// processes that end it.
#pragma once

#include "engine/child.h"

namespace mxc::engine {

// In the command's process: `init` and `launcher` can be sent nothing from here on, nor can everybody at
// once. Only system calls.
void GuardSignals(const Child& child, int init, int launcher, int launcher_group);

}  // namespace mxc::engine
