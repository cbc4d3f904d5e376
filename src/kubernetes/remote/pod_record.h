// What is written down about a sandbox in a cluster that stays. No process holds it: this record, and the
// claim that it names, say everything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mxc/plan.h"

namespace mxc::kubernetes {

enum class PodSandboxState { kProvisioned, kStarted, kStopped };

struct PodRecord {
  Plan plan = {};                    // of a KubernetesLaunch with its `kept`; of every command
  std::uint64_t provisioned_ms = 0;  // of this machine's clock, since 1970
  PodSandboxState state = PodSandboxState::kProvisioned;
};

// With the environment of the policy, secrets included: it is for a file that its user alone can read.
[[nodiscard]] std::string PodRecordText(const PodRecord& record);
// Nothing: it is none of ours, or of another version: of that is the mxc-exec in the pod as well.
[[nodiscard]] std::optional<PodRecord> ReadPodRecord(const std::string& text);

}  // namespace mxc::kubernetes
