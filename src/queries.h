// The questions of the command line: they print and nothing is run.
#pragma once

#include "cli.h"
#include "mxc/host.h"

namespace mxc {

// For every mode that needs no policy (NeedsPolicy). Returns the exit status.
[[nodiscard]] int RunQuery(const Options& options, const Host& host);

}  // namespace mxc
