// The files that sockets are bound to, wherever they are now.
#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "host/bound_sockets_linux.h"

namespace mxc {

// For each of `sockets` a reference (O_PATH) to its file; an empty descriptor where that cannot be learned.
// The kernel gives it to root (CAP_NET_ADMIN) and for a socket that is in hand, so one is copied from a
// process that has it open: to callers other than root all are empty.
[[nodiscard]] std::vector<UniqueFd> OpenSocketFiles(const std::vector<const BoundSocket*>& sockets);

}  // namespace mxc
