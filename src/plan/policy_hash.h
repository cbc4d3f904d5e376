// A hash of the policy in force, by which two runs can be compared (docs/policy/audit.md, "The hash of a
// policy").
#pragma once

#include <string>

#include "config/config.h"
#include "mxc/policy.h"

namespace mxc {

// A line for each thing that the policy allows or limits, sorted, without what differs from run to run.
// `config` is what `policy` was resolved from.
[[nodiscard]] std::string CanonicalPolicy(const Config& config, const Policy& policy);
// "sha256:" and the hash of that text.
[[nodiscard]] std::string PolicyHash(const Config& config, const Policy& policy);

}  // namespace mxc
