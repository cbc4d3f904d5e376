// Files of /proc that reveal more than the sandbox's own processes: the caller's keys, and files that only
// their owner may read. Uid 0 reads them inside a sandbox without any capability; an ordinary caller cannot
// open them, inside or outside.
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"

namespace mxc::linux_backend {

// The files that exist here and that this caller can read, for Facts::kernel_files. `roots`: also those that
// only root can.
[[nodiscard]] std::vector<std::string> KernelFilesHere(const Host& host, bool roots = true);

}  // namespace mxc::linux_backend
