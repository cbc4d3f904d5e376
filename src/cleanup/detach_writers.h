// Makes sure that a file whose content is about to be judged cannot change afterwards.
#pragma once

#include <cstddef>
#include <string>

#include "mxc/error.h"

namespace mxc {

// Cuts every other access to the content of the regular file at the canonical `path`: open descriptors,
// mappings, descriptors in flight through a socket, other names. Replaces it by a copy if a process has it
// open for writing, if it has several names, or if the kernel cannot tell. True: a process had it open.
// Errors: kSetupFailed, also if git has it locked (".lock"), and for a file to copy that has more than
// `limit` bytes, or holes.
[[nodiscard]] Result<bool> DetachWriters(const std::string& path, std::size_t limit);

}  // namespace mxc
