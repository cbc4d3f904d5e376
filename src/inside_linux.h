// The program as a process inside a sandbox or on a remote machine, which another of its processes has
// started with a flag.
#pragma once

#include <optional>

namespace mxc {

// The exit status; nothing: the flag is none of those, and this is a call from outside. First thing in main.
[[nodiscard]] std::optional<int> RunInside(int argc, char** argv);

}  // namespace mxc
