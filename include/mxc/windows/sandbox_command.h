// A command in Windows Sandbox: that of a run, and those of a persistent machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/windows/sandbox_run.h"

namespace mxc {

// `run` with the command of `process`; without a directory of its own it stays where `run` is. Errors:
// kConflict for what cmd.exe does not take, and for a directory that the machine does not share.
[[nodiscard]] Result<WindowsSandboxRun> WithCommand(WindowsSandboxRun run, const Process& process);

// The orders to the agent in a persistent machine, which is a copy of this program. ReadAgentOrder returns
// nothing for any other text.
struct AgentOrder {
  std::string token = {};
  std::uint64_t idle_ms = 0;      // without a command, until the machine ends; 0: never
  std::uint64_t lifetime_ms = 0;  // from now
};
[[nodiscard]] std::string AgentOrderText(const AgentOrder& order);
[[nodiscard]] std::optional<AgentOrder> ReadAgentOrder(const std::string& text);
// command_line, environment and cwd.
[[nodiscard]] std::string CommandOrderText(const WindowsSandboxRun& run);
[[nodiscard]] std::optional<WindowsSandboxRun> ReadCommandOrder(const std::string& text);

}  // namespace mxc
