// What --probe says to people.
#pragma once

#include <string>

#include "report/probe_json.h"

namespace mxc {

// A table of this system's backends, and below it the limits of the one that is the default.
[[nodiscard]] std::string ProbeText(const ProbeAnswer& answer, bool colours);

}  // namespace mxc
