// What is written down about a sandbox of Windows that stays. There is no daemon that holds it: this record
// and the processes of its machine, or its keeper, say everything.
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
  std::variant<WindowsSandboxRun, WslSandbox> sandbox = {};  // the command of the first is empty
  Audit audit = {};
  std::vector<std::string> relaxations = {};
  std::string policy_hash = {};
  SessionLimits limits = {};
  std::uint64_t provisioned_ms = 0;  // of the host's clock
  State state = State::kProvisioned;
  // Of kStarted the processes of the machine, of kStarting the first one; in WSL its keeper.
  std::vector<MachineProcess> machine = {};

  [[nodiscard]] const WslSandbox* Wsl() const { return std::get_if<WslSandbox>(&sandbox); }
  [[nodiscard]] WslSandbox* Wsl() { return std::get_if<WslSandbox>(&sandbox); }
};

[[nodiscard]] std::string RecordText(const Record& record);
// Nothing: it is none of ours, or of another form.
[[nodiscard]] std::optional<Record> ReadRecord(const std::string& text);

}  // namespace mxc::session
