// Direct execution: the command as it is, without any isolation. Only with --allow-unsandboxed.
#pragma once

#include "mxc/backend.h"

namespace mxc::none {

[[nodiscard]] const Backend& NoneBackend();

}  // namespace mxc::none
