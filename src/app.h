// The stages in order. Read this first.
#pragma once

#include "cli.h"
#include "mxc/host.h"

namespace mxc {

// Does what the options ask for and returns the exit status.
[[nodiscard]] int RunApp(const Options& options, const Host& host);

}  // namespace mxc
