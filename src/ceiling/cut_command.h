// The ceiling and the commands of a persistent sandbox.
#pragma once

#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"

namespace mxc {

// Cuts time-out and variables of a command to what the ceiling allows. Errors, kConflict: the sandbox was
// planned under another ceiling than the present one, or without one; a command in the background has no
// time-out.
[[nodiscard]] Status CutCommand(const Host& host, const Plan& sandbox, bool background, Config& config,
                                Cuts& cuts);

}  // namespace mxc
