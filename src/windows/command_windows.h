// A command in a job, and in an AppContainer when it is confined: container, access, start, wait. What each
// part has done is undone by its owner, in reverse: the processes first, then what they could reach.
#pragma once

#include <cstdint>
#include <functional>

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "mxc/windows/app_container.h"
#include "run/run.h"
#include "windows/interrupt_windows.h"

namespace mxc {

struct Waited {
  bool timed_out = false;
  bool cpu_time_out = false;
  int interrupted_by = 0;
  // We end it, for whatever reason.
  [[nodiscard]] bool Stopped() const { return timed_out || cpu_time_out || interrupted_by != 0; }
};

// Processor time that is counted while one waits. A limit of 0: there is none.
struct CpuTime {
  std::uint64_t limit_ms = 0;
  std::function<std::uint64_t()> used_ms = nullptr;
};

// For `process` to end; timeout_ms 0: for ever.
[[nodiscard]] Waited WaitFor(HANDLE process, std::uint32_t timeout_ms, const Interrupt& interrupt,
                             const CpuTime& cpu_time = {});

// Milliseconds of a clock that never steps back.
[[nodiscard]] std::uint64_t Now();

struct CommandRun {
  const AppContainerSandbox& sandbox;
  const Plan& plan;  // what becomes of its output
  bool confined = true;
  Terminal terminal = Terminal::kInherit;
  std::uint32_t timeout_ms = 0;
};
// Errors: kSetupFailed, kUnavailable.
[[nodiscard]] Result<Outcome> RunCommand(const CommandRun& run, RunObserver& observer);

}  // namespace mxc
