// The ceiling and the commands of a persistent sandbox.
#pragma once

#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"

namespace mxc {

// Time and variables of a command become what the ceiling allows. Errors, kConflict: the sandbox was planned
// under another ceiling than that of now, or without one; a command that nobody waits for (`background`) has
// no time-out.
[[nodiscard]] Status CutCommand(const Host& host, const Plan& sandbox, bool background, Config& config,
                                Cuts& cuts);

}  // namespace mxc
