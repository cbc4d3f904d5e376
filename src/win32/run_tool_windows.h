// One short-lived helper: started without a window, without input and with no handle of ours but the pipes
// that are read, with bounds; it and what it starts are never left behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/host.h"
#include "mxc/secret.h"

namespace mxc {

// argv[0]: absolute path. Ended after `limit_ms`. `environment`: borrowed; nullptr: ours.
[[nodiscard]] ToolRun RunTool(const std::vector<std::string>& argv, std::uint32_t limit_ms,
                              const std::vector<Variable>* environment = nullptr);

}  // namespace mxc
