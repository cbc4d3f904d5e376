// Makes sure that a file whose content is about to be judged cannot change afterwards.
#pragma once

#include <cstddef>
#include <string>

#include "mxc/error.h"

namespace mxc {

// Afterwards no open descriptor, mapping, descriptor in flight through a socket or other name leads to the
// content of the regular file at the canonical `path`. Replaces it by a copy if somebody has it open for
// writing, if it has several names, or if the kernel cannot tell. True: somebody had it open. Errors:
// kSetupFailed, also if git has it locked (".lock"), and for a file to copy that has more than `limit` bytes,
// or holes.
[[nodiscard]] Result<bool> DetachWriters(const std::string& path, std::size_t limit);

}  // namespace mxc
