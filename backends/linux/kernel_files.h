// Files of /proc that the kernel guards by their owner alone: a caller with uid 0 reads them inside a sandbox
// although it holds no capability there. An ordinary caller cannot open them, inside or out.
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"

namespace mxc::linux_backend {

// Those that exist here, for Facts::kernel_files; empty for an ordinary caller.
[[nodiscard]] std::vector<std::string> KernelFilesHere(const Host& host);

}  // namespace mxc::linux_backend
