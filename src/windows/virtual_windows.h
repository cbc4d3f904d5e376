// Launchers of what runs in a virtual machine: a distribution of WSL, and Windows Sandbox.
#pragma once

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "run/run.h"

namespace mxc {

// Of a WslLaunch. The distribution is asked first: what wsl.exe says then is taken down, and not mixed into
// the output of the command. The outcome is that of the mxc-exec inside, from the file it reports to; without
// one there was no run, whatever number wsl.exe ended with. Errors: kUnavailable, kSetupFailed, and those
// that the mxc-exec inside refuses with; kNotStarted when the sandbox of a persistent one has gone.
[[nodiscard]] Result<Outcome> RunInWsl(const Plan& plan, RunObserver& observer);

// Of a WindowsSandboxLaunch. Standard input is read to its end before the machine starts. Errors:
// kUnavailable when Windows Sandbox is not installed or already runs, kSetupFailed.
[[nodiscard]] Result<Outcome> RunInWindowsSandbox(const Plan& plan, RunObserver& observer);

}  // namespace mxc
