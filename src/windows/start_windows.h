// Starts the command of a plan, suspended, in its container and with nothing but its standard streams.
#pragma once

#include <windows.h>

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/windows/app_container.h"
#include "win32/unique_handle_windows.h"
#include "windows/start_attributes_windows.h"

namespace mxc {

struct StartedCommand {
  UniqueHandle process = {};
  UniqueHandle thread = {};  // the first one, which waits for ResumeThread
  DWORD id = 0;
};

// What the command is started with. Borrowed.
struct StartOrders {
  std::vector<HANDLE> streams = {};            // input, output, errors: all that it inherits
  HPCON console = nullptr;                     // instead of them
  SECURITY_CAPABILITIES* container = nullptr;  // of its AppContainer; nullptr: none
  HANDLE environment = nullptr;                // of its base container; nullptr: none
  std::string identity = {};                   // of a base container of the older contract; empty: none
  bool without_console = false;                // it gets none of the caller's either
  HANDLE job = nullptr;                        // that holds it before it runs; nullptr: none
};

// They point into the orders.
[[nodiscard]] std::vector<StartAttribute> StartAttributes(const AppContainerSandbox& sandbox,
                                                          const StartOrders& orders);

// Errors: kSetupFailed; kUnavailable where Windows lacks the older contract.
[[nodiscard]] Result<StartedCommand> StartCommand(const AppContainerSandbox& sandbox,
                                                  const StartOrders& orders);

}  // namespace mxc
