// The start of a sandbox of Windows that stays.
#pragma once

#include "mxc/error.h"
#include "persistent/folder_windows.h"
#include "persistent/record.h"

namespace mxc::session {

// Until the agent in the machine says that it is ready. `record` is of a sandbox without a machine; half-way
// it is written down that one may be there. Errors: kUnavailable, kSetupFailed; the machine is ended then.
[[nodiscard]] Status Boot(const SandboxFolder& folder, Record record);

}  // namespace mxc::session
