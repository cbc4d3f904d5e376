// Starts the child of a plan, whatever its launch, with everything that was prepared for it.
//
//   Result<Started> started = StartChild({.plan = plan, .stdio = *stdio, ...});
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

// Everything that exists before the child is started. All borrowed.
struct LaunchContext {
  const Plan& plan;
  const StdioSetup& stdio;
  SignalScope& signals;
  const CleanupProcess& cleanup_process;
  const GroupHandles& groups;
  RunGateway& gateway;
  CallWatch& watch;
  int session = -1;              // init's end of a socket, if the child is a persistent sandbox
  int connection = -1;           // to the running persistent sandbox of a PersistentLaunch
  std::uint64_t started_ms = 0;  // of NowMs()
};

// A started child and the resources that it needs.
struct Started {
  ChildProcess child = {};
  UniqueFd status = {};  // bubblewrap's status pipe
  UniqueFd block = {};   // bubblewrap runs the command when it reads from this pipe, or when it closes
  ProcessGroupGuard guard = {};
  Discard discard = {};
  std::optional<CommandReports> reports = {};  // of our engine
  pid_t container = -1;                        // process 1 of the container that the child created
  std::string temp = {};                       // a directory that init removes, unless it was killed
  bool running = true;  // false: set-up was interrupted and must be ended; the relay knows why
};

// Errors: kSetupFailed; the child has ended then.
[[nodiscard]] Result<Started> StartChild(const LaunchContext& context);

}  // namespace mxc
