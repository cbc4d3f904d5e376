// From the command line to a decoded configuration: Read, Parse, Decode.
#pragma once

#include "cli.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// Errors: kUsage without a configuration or command (exit status 1, as the reference), those of the three
// stages.
[[nodiscard]] Result<Config> ReadRequest(const Options& options, const Host& host);

}  // namespace mxc
