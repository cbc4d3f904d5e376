// Start of a plan's child, whatever it is, with everything that has been made ready for it.
//
//   Result<Started> started = StartChild({.plan = plan, .wiring = *wiring, ...});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "cgroup/control_groups.h"
#include "cleanup/cleanup_process.h"
#include "engine/engine.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "run/call_watch.h"
#include "run/run_gateway.h"
#include "run/signals.h"
#include "spawn/process_group_guard.h"
#include "spawn/spawn.h"
#include "stdio/stdio_setup.h"

namespace mxc {

// What stands before the child is started. All borrowed.
struct LaunchContext {
  const Plan& plan;
  const StdioSetup& stdio;
  SignalScope& signals;
  const CleanupProcess& cleanup_process;
  const GroupHandles& groups;
  RunGateway& gateway;
  CallWatch& watch;
  int session = -1;              // init's end of a socket, for a persistent sandbox that is being made
  int connection = -1;           // to a persistent sandbox that runs (PersistentLaunch)
  std::uint64_t started_ms = 0;  // of NowMs()
};

// A started child, and what stays open for it.
struct Started {
  ChildProcess child = {};
  UniqueFd status = {};  // bubblewrap's status pipe
  UniqueFd block = {};   // bubblewrap runs the command when this closes, or earlier when told so
  ProcessGroupGuard guard = {};
  Discard discard = {};
  std::optional<CommandReports> reports = {};  // of our engine
  pid_t container = -1;                        // process 1 of a container that the child made
  std::string temp = {};                       // what init removes, unless it was killed
  bool running = true;  // false: set-up was given up and is to be ended; the relay knows why
};

// Errors: kSetupFailed; nothing is left of the child then.
[[nodiscard]] Result<Started> StartChild(const LaunchContext& context);

}  // namespace mxc
