// What --help prints.
#pragma once

#include <string>
#include <string_view>

#include "cli.h"
#include "mxc/containment.h"

namespace mxc {

// `what`: "" fits a terminal of 80 columns and 24 rows, "all" has every flag that `system` can use;
// completions and the manual page are made of that.
[[nodiscard]] std::string HelpText(std::string_view what, OperatingSystem system);

// Of a verb that is called with --help: how it is called, and the flags that it takes; of `start`, which
// takes the policy of a run, those of the first page.
[[nodiscard]] std::string VerbHelp(Verb verb);
// The same of a flag that reads like a verb: `profile`, `import`.
[[nodiscard]] std::string VerbHelp(std::string_view flag);

}  // namespace mxc
