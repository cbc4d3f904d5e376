// Which policy was in force, in a form that two runs can be compared by (docs/policy/audit.md, "The hash of a
// policy").
#pragma once

#include <string>

#include "config/config.h"
#include "mxc/policy.h"

namespace mxc {

// What the policy allows and limits, a line each, sorted; nothing that differs from run to run. `config` is
// what `policy` was resolved from.
[[nodiscard]] std::string CanonicalPolicy(const Config& config, const Policy& policy);
// "sha256:" and the hash of that text.
[[nodiscard]] std::string PolicyHash(const Config& config, const Policy& policy);

}  // namespace mxc
