// The temporary directory of one run.
#pragma once

#include <string>

#include "mxc/error.h"

namespace mxc {

// A new directory of mode 0700 below the caller's own, with a `home` in it; its path holds no links.
// Errors: kSetupFailed.
[[nodiscard]] Result<std::string> MakeTemp();
void RemoveTemp(const std::string& directory);

}  // namespace mxc
