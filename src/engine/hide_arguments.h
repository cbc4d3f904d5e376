// Sets what /proc/PID/cmdline shows of a copy of this process.
#pragma once

#include <string_view>

namespace mxc {

// Replaces the process's arguments by `name`: they may hold a configuration, and everybody may read them.
// Makes system calls only.
void HideArguments(std::string_view name);

}  // namespace mxc
