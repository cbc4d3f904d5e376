// The one place that maps a containment to code.
#pragma once

#include <vector>

#include "mxc/backend.h"

namespace mxc {

[[nodiscard]] const Backend& Dispatch(Containment containment);
// Every containment, in the order reports list them.

}  // namespace mxc
