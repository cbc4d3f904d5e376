// From the command line to a decoded configuration: Read, Parse, Decode.
#pragma once

#include "cli.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct Request {
  bool lifecycle = false;  // the document names a phase: its answer goes to standard output
  Result<Config> config;
};

// Errors: kUsage without a configuration or command (exit status 1, as the reference), those of the three
// stages.
[[nodiscard]] Request ReadRequest(const Options& options, const Host& host);

}  // namespace mxc
