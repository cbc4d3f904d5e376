// A policy without a command (--policy): one of our configurations, or what the published SDKs call a policy,
// from which they make one.
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

// The document becomes a configuration without a command: `timeoutMs`, `allowOutbound`, `allowWindows` and
// `allowInputInjection` stand where configurations have them. `name`: of the file, for messages. Errors:
// kUsage, when it has a command or a phase.
[[nodiscard]] Status MakeConfigurationOfPolicy(const std::string& name, Json& document);

}  // namespace mxc
