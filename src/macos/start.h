// Start of the sandbox's first process, with its orders.
#pragma once

#include <sys/types.h>

#include <array>

#include "mxc/error.h"
#include "mxc/plan.h"
#include "run/seatbelt_orders.h"

namespace mxc {

// Each path again, by the name the file system has for it. Errors: kConflict for what stands there now, or is
// written otherwise: a rule for that name would be without effect.
[[nodiscard]] Status VerifySeatbeltPaths(const std::vector<SeatbeltPath>& paths);

// A session of its own unless `terminal` says that the orders take one, no descriptor but the three streams
// (-1: ours as they are) and those of its orders, default signals. Returns when it has become the command.
// Errors: kSetupFailed with what it says; nothing is left of it then.
[[nodiscard]] Result<pid_t> StartSeatbeltChild(const SeatbeltOrders& orders,
                                               const std::array<int, 3>& streams);

}  // namespace mxc
