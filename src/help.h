// What --help prints.
#pragma once

#include <string>
#include <string_view>

#include "mxc/containment.h"

namespace mxc {

// `what`: "" fits a terminal of 80 columns and 24 rows, "all" has every flag that `system` can use;
// completions and the manual page are made of that.
[[nodiscard]] std::string HelpText(std::string_view what, OperatingSystem system);

}  // namespace mxc
