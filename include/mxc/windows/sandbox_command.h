// A command in a machine of Windows Sandbox: the one a run starts, and those of a machine that stays.
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

// What the agent of a machine that stays is told, by the program of which it is a copy. Nothing: it is
// something else.
struct AgentOrder {
  std::string token = {};
  std::uint64_t idle_ms = 0;      // without a command, then the machine ends; 0: never
  std::uint64_t lifetime_ms = 0;  // from now
};
[[nodiscard]] std::string AgentOrderText(const AgentOrder& order);
[[nodiscard]] std::optional<AgentOrder> ReadAgentOrder(const std::string& text);
// command_line, environment and cwd.
[[nodiscard]] std::string CommandOrderText(const WindowsSandboxRun& run);
[[nodiscard]] std::optional<WindowsSandboxRun> ReadCommandOrder(const std::string& text);

}  // namespace mxc
