// A machine of Windows Sandbox that stays. The launcher of a command leaves an order where the guest can only
// read, the agent inside carries it out and answers where it can write.
//
//   SANDBOX\orders   this program, "agent", and of each command TOKEN.order, TOKEN.stdin, TOKEN.run
//   SANDBOX\answers  "ready", and of each command TOKEN.exit, TOKEN.stdout, TOKEN.stderr
//
// The launcher's files go with its last handle, however it ends. While TOKEN.run is there, and nothing else
// says it, the command is to run.
#pragma once

#include <cstddef>
#include <string>

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "run/run.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

inline constexpr const char* kOrders = "orders";
inline constexpr const char* kAnswers = "answers";
inline constexpr const char* kAgentOrder = "agent";
inline constexpr const char* kAgentReady = "ready";

// Of the folder of a sandbox.
[[nodiscard]] std::size_t RunningCommands(const std::string& folder);
// Lets a command count as running as long as the handle is open, however it is closed; for a sandbox whose
// commands need no other order. Errors: kSetupFailed.
[[nodiscard]] Result<UniqueHandle> MarkCommand(const std::string& folder);

// A command in the machine of WindowsSandboxChild::standing. Errors: kSetupFailed.
[[nodiscard]] Result<Outcome> RunInPersistentMachine(const Plan& plan, RunObserver& observer);

// The agent, in the guest. Returns when the machine is to end.
[[nodiscard]] int RunSandboxAgent(const std::string& orders, const std::string& answers);

}  // namespace mxc
