// The record of a persistent sandbox on Windows. There is no daemon: this record and the processes of its
// virtual machine, or its keeper, are its whole state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mxc/plan.h"
#include "mxc/windows/wsl_sandbox.h"
#include "persistent/persistent.h"

namespace mxc::session {

enum class State { kProvisioned, kStarting, kStarted, kStopped };

struct Record {
  std::variant<WindowsSandboxRun, WslSandbox> sandbox = {};  // a WindowsSandboxRun without a command
  Audit audit = {};
  std::vector<std::string> relaxations = {};
  std::string policy_hash = {};
  SessionLimits limits = {};
  std::uint64_t provisioned_ms = 0;  // of the host's clock
  State state = State::kProvisioned;
  // In kStarted the processes of the virtual machine, in kStarting the first one; in WSL the keeper.
  std::vector<MachineProcess> machine = {};

  [[nodiscard]] const WslSandbox* Wsl() const { return std::get_if<WslSandbox>(&sandbox); }
  [[nodiscard]] WslSandbox* Wsl() { return std::get_if<WslSandbox>(&sandbox); }
};

[[nodiscard]] std::string RecordText(const Record& record);
// Absent: it is no record, or one of another version.
[[nodiscard]] std::optional<Record> ReadRecord(const std::string& text);

}  // namespace mxc::session
