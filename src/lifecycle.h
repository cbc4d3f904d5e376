// Requests of the lifecycle: a sandbox that stays between calls.
#pragma once

#include "cli.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// Answers on standard output: one JSON object on one line, or what the command of an exec prints. Returns the
// exit status: the command's, 0, or 1 for a request that was refused.
[[nodiscard]] int RunPhase(const Result<Config>& config, const Options& options, const Host& host);

// --list and --reap. Return the exit status.
[[nodiscard]] int PrintSandboxes();
[[nodiscard]] int PrintReaped();

}  // namespace mxc
