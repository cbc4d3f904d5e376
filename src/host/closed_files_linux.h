// What a directory tree keeps from others: Host::ListClosed. It runs at every launch.
#pragma once

#include <string>
#include <vector>

namespace mxc {

// Paths below `directory`, not in order.
[[nodiscard]] std::vector<std::string> FindClosedFiles(const std::string& directory);

}  // namespace mxc
