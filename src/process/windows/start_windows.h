// Starts the command of a plan, suspended, in its container and with nothing but its standard streams.
#pragma once

#include <windows.h>

#include "base/unique_handle_windows.h"
#include "mxc/app_container.h"
#include "mxc/error.h"

namespace mxc {

struct StartedCommand {
  UniqueHandle process = {};
  UniqueHandle thread = {};  // the first one, which waits for ResumeThread
  DWORD id = 0;
};

// `capabilities`: of the container; nullptr: without one. Errors: kSetupFailed.
[[nodiscard]] Result<StartedCommand> StartCommand(const AppContainerSandbox& sandbox,
                                                  SECURITY_CAPABILITIES* capabilities);

}  // namespace mxc
