// A run in a pod: the claim, the mxc-exec inside, the streams in between.
#pragma once

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "run/run.h"

namespace mxc::kubernetes {

// Errors: kUnavailable before the command was started, kSetupFailed and kOutputLost when it is not known how,
// or whether, it ended, and what the mxc-exec inside refuses. The claim is deleted in every case.
[[nodiscard]] Result<Outcome> RunInPod(const Plan& plan, RunObserver& observer);

}  // namespace mxc::kubernetes
