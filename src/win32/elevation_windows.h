// Whether this process may change the machine.
#pragma once

namespace mxc {

// It has the rights of an administrator, and not only an account that could get them.
[[nodiscard]] bool IsElevated();

}  // namespace mxc
