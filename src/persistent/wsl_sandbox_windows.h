// A persistent sandbox of the mxc-exec in a WSL distribution. WSL ends a distribution in which no wsl.exe
// runs anything, so one wsl.exe stays, the keeper: it runs the `start --foreground` that made the sandbox.
// Each of the two ends with the other.
#pragma once

#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "persistent/folder_windows.h"
#include "persistent/record.h"

namespace mxc::session {

// Asks the mxc-exec inside whether it could start the sandbox. Errors: kUnavailable, kSetupFailed, and that
// mxc-exec's own.
[[nodiscard]] Status TryInWsl(const WslRun& run);

// `record`: of a sandbox without a keeper. Records State::kStarting as soon as a keeper may exist. Errors: as
// TryInWsl; the keeper is ended then.
[[nodiscard]] Status StartInWsl(const SandboxFolder& folder, Record record);

[[nodiscard]] bool KeeperRuns(const Record& record);

// Ends sandbox and keeper, also if one has ended without the other. Returns what the sandbox has left.
// Errors: kSetupFailed: it may still exist; the call can be repeated.
[[nodiscard]] Result<std::vector<Warning>> EndInWsl(const SandboxFolder& folder, const Record& record);

}  // namespace mxc::session
