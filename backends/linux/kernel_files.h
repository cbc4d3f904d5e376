// Files of /proc that tell of more than the sandbox's own processes: the caller's keys, and what the kernel
// guards by its owner alone. A caller with uid 0 reads that inside a sandbox although it holds no capability
// there; an ordinary caller cannot open it, inside or out.
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"

namespace mxc::linux_backend {

// Those that exist here and that this caller can read, for Facts::kernel_files. `roots`: also what only root
// can.
[[nodiscard]] std::vector<std::string> KernelFilesHere(const Host& host, bool roots = true);

}  // namespace mxc::linux_backend
