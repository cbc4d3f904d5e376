// The processes below a process, found in /proc, and the tie of a process to the one above it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace mxc {

// What /proc/PID/`file` says, "" when there is no such process (any more). Read without a stream: that throws
// when the process ends between open and read, which fails with ESRCH.
[[nodiscard]] std::string ProcessText(pid_t process, const char* file);
// -1 when there is no such process.
[[nodiscard]] pid_t ParentOf(pid_t process);
[[nodiscard]] std::vector<pid_t> ChildrenOf(pid_t process);
// Of a process with one thread; -1 when there is none, or several.
[[nodiscard]] pid_t OnlyChildOf(pid_t process);
// Empty when there is no such process (any more).
[[nodiscard]] UniqueFd HandleOf(pid_t process);
void SignalHandle(const UniqueFd& handle, int signal);
// Sends `signal` to every descendant of `root`, `root` itself excluded. Returns how many there were. A number
// that another process got in the meantime is spared.
std::size_t SignalDescendants(pid_t root, int signal);
// The kernel kills this process when `parent` ends. False: it cannot, or `parent` has ended already. Safe
// between fork and exec. macOS cannot, and says true.
[[nodiscard]] bool DieWith(pid_t parent);

}  // namespace mxc
