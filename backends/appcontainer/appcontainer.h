// The containment `processcontainer`: an AppContainer, a job, and access control entries for its identity.
#pragma once

#include "mxc/backend.h"

namespace mxc::appcontainer {

[[nodiscard]] const Backend& AppContainerBackend();
[[nodiscard]] Explanation Explain();  // its part of --explain

}  // namespace mxc::appcontainer
