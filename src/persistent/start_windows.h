// Starts a persistent sandbox in Windows Sandbox.
#pragma once

#include "mxc/error.h"
#include "persistent/folder_windows.h"
#include "persistent/record.h"

namespace mxc::session {

// Starts the virtual machine and waits until its agent is ready. `record`: of a sandbox without one. Records
// State::kStarting as soon as a machine may exist. Errors: kUnavailable, kSetupFailed; the machine is ended
// then.
[[nodiscard]] Status Boot(const SandboxFolder& folder, Record record);

}  // namespace mxc::session
