// Configurations that are generated for a command (--base).
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

// restrictive: the read-only system, and nothing of the caller's. build: the working directory to write, and
// the caller's toolchains. agent: the same with ~/.local/bin and ~/.local/lib to read, and every preset of
// `protect`. None has a network; flags add to each. Errors: kUsage for another name, or where there is no
// working directory.
[[nodiscard]] Status AddBase(const std::string& base, const Host& host, Json& document);

}  // namespace mxc
