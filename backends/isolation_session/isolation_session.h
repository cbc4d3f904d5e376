// The containment `isolation_session`: a separate user that a service of Windows creates. Its plan is only
// shown; no build starts one.
#pragma once

#include "mxc/backend.h"

namespace mxc::isolation_session {

[[nodiscard]] const Backend& IsolationSessionBackend();

}  // namespace mxc::isolation_session
