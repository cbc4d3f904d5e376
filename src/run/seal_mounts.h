// Makes the mounts of an ended sandbox read-only, for whoever got a descriptor from its command.
//
// An open directory keeps its mount when the mount namespace ends. A process that was sent one, in another
// sandbox for instance, could change rights, create and delete through it after the end of the run has been
// judged. On a read-only mount the kernel refuses that with EROFS. It refuses to make a mount read-only,
// with EBUSY, as long as a file there is open for writing.
#pragma once

#include <optional>

#include "base/unique_fd.h"
#include "mxc/policy.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

// `mounts`: the mount namespace of a sandbox whose processes have ended. Enters it in a process that shares
// the caller's memory, and waits for that. The warning names grants that stay writable.
[[nodiscard]] std::optional<Warning> SealMounts(const UniqueFd& mounts, const LinuxSandbox& sandbox);

}  // namespace mxc
