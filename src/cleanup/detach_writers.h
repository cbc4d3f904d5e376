// A file whose content is about to be judged: what it holds then must be what it holds later.
#pragma once

#include <cstddef>
#include <string>

#include "mxc/error.h"

namespace mxc {

// Afterwards nothing that a process has open or mapped, or that is on its way through a socket, and no other
// name leads to the content of the regular file at `path`, which is canonical. Where somebody has it open for
// writing, where it has several names, and where the kernel does not tell, a copy takes its place. True:
// somebody had it open. Errors: kSetupFailed, also for the lock that git writes such a file under, for one of
// more than `limit` bytes that would have to be copied, and for one with holes.
[[nodiscard]] Result<bool> DetachWriters(const std::string& path, std::size_t limit);

}  // namespace mxc
