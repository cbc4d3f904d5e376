// The containment `isolation_session`: a user of its own, made by a service of Windows. The plan is made and
// shown; this build starts none.
#pragma once

#include "mxc/backend.h"

namespace mxc::isolation_session {

[[nodiscard]] const Backend& IsolationSessionBackend();

}  // namespace mxc::isolation_session
