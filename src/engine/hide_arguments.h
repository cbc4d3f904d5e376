// What /proc/PID/cmdline shows of a copy of this process.
#pragma once

#include <string_view>

namespace mxc {

// Arguments may hold a configuration, and everybody may read them: this process is called `name` from here
// on, and nothing else. Only system calls.
void HideArguments(std::string_view name);

}  // namespace mxc
