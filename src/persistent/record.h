// What is written down about a sandbox of Windows that stays. There is no process that holds it: this record
// and the processes of its machine say everything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/plan.h"
#include "persistent/persistent.h"

namespace mxc::session {

enum class State { kProvisioned, kStarting, kStarted, kStopped };

struct Record {
  WindowsSandboxRun run = {};  // the machine; its command is empty
  Audit audit = {};
  std::vector<std::string> relaxations = {};
  std::string policy_hash = {};
  SessionLimits limits = {};
  std::uint64_t provisioned_ms = 0;  // of the host's clock
  State state = State::kProvisioned;
  std::vector<MachineProcess> machine = {};  // of kStarted; of kStarting the first one
};

[[nodiscard]] std::string RecordText(const Record& record);
// Nothing: it is none of ours, or of another form.
[[nodiscard]] std::optional<Record> ReadRecord(const std::string& text);

}  // namespace mxc::session
