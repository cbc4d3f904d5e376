// A sandbox that stays in a distribution of WSL. The mxc-exec inside holds it, and WSL ends a distribution in
// which no wsl.exe runs anything: so one wsl.exe stays, the keeper, and in it the `start --foreground` that
// made the sandbox. Each of the two ends with the other.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "persistent/folder_windows.h"
#include "persistent/record.h"

namespace mxc::session {

// Asks the mxc-exec inside whether it could. Errors: kUnavailable, kSetupFailed, and those that it refuses
// with.
[[nodiscard]] Status TryInWsl(const WslRun& run);

// `record` is of a sandbox without a keeper; half-way it is written down that there may be one. Errors: as
// TryInWsl. The keeper is ended then.
[[nodiscard]] Status StartInWsl(const SandboxFolder& folder, Record record);

[[nodiscard]] bool KeeperRuns(const Record& record);

// Ends sandbox and keeper, and what is left of them where one has gone without the other. What the sandbox
// has left. Errors: kSetupFailed: it may still be there, and it is worth another try.
[[nodiscard]] Result<std::vector<Warning>> EndInWsl(const SandboxFolder& folder, const Record& record);

}  // namespace mxc::session
