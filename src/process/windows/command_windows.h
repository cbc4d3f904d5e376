// A command in a job, and in an AppContainer when it is confined: container, access, start, wait. What each
// part has done is undone by its owner, in reverse: the processes first, then what they could reach.
#pragma once

#include <cstdint>

#include "mxc/app_container.h"
#include "mxc/error.h"
#include "mxc/outcome.h"
#include "process/run.h"
#include "process/windows/interrupt_windows.h"

namespace mxc {

struct Waited {
  bool timed_out = false;
  int interrupted_by = 0;
};

// For `process` to end; timeout_ms 0: for ever.
[[nodiscard]] Waited WaitFor(HANDLE process, std::uint32_t timeout_ms, const Interrupt& interrupt);

// Milliseconds of a clock that never steps back.
[[nodiscard]] std::uint64_t Now();

struct CommandRun {
  const AppContainerSandbox& sandbox;
  bool confined = true;
  std::uint32_t timeout_ms = 0;
};
// Errors: kSetupFailed, kUnavailable.
[[nodiscard]] Result<Outcome> RunCommand(const CommandRun& run, RunObserver& observer);

}  // namespace mxc
