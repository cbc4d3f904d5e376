// What CreateProcess takes for an environment.
#pragma once

#include <string>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

// Sorted as Windows wants it, each name once, the last value of a name; an empty name before '=' ends the
// block.
[[nodiscard]] std::wstring EnvironmentBlock(const std::vector<Variable>& environment);

}  // namespace mxc
