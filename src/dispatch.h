// The one place that maps a containment to code: its backend, and what runs it on another machine (RemoteOf).
#pragma once

#include "mxc/backend.h"
#include "remote/remote.h"

namespace mxc {

[[nodiscard]] const Backend& Dispatch(Containment containment);

}  // namespace mxc
