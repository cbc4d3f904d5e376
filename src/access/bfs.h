// Files that bfscfg.exe grants to a container: the brokering file system of Windows opens them for it, and no
// list changes. Some builds of Windows have the program, and on some it hangs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/windows/app_container.h"

namespace mxc {

inline constexpr std::uint32_t kBfsLimitMs = 10000;  // of one call

// Starts bfscfg.exe, the system's own and by its whole path, with these arguments and kBfsLimitMs.
using RunBfs = std::function<ToolRun(const std::vector<std::string>& arguments)>;

// For the container of this name. Errors: kSetupFailed; what was granted before stands until it is cleared.
[[nodiscard]] Status GrantByBfs(const std::vector<BfsGrant>& grants, const std::string& container,
                                const RunBfs& run);
// Everything that the container was ever granted. Errors: kSetupFailed.
[[nodiscard]] Status ClearBfs(const std::string& container, const RunBfs& run);

}  // namespace mxc
