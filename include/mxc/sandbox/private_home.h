// HOME on Linux, unless the policy's environment sets it: an empty directory of the run's own, in a tmpfs of
// the sandbox, outside every grant.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "mxc/policy.h"

namespace mxc {

inline constexpr std::string_view kHomeInTemp = "/tmp/home";
// Used if the host's /tmp is granted, or if kHomeInTemp has a rule.
inline constexpr std::string_view kHomeInSharedMemory = "/dev/shm/home";

[[nodiscard]] inline std::string_view PrivateHome(const std::vector<PathRule>& rules) {
  const bool taken = std::any_of(rules.begin(), rules.end(), [](const PathRule& rule) {
    return rule.path == kHomeInTemp || (rule.path == "/tmp" && rule.access != Access::kDenied);
  });
  return taken ? kHomeInSharedMemory : kHomeInTemp;
}

}  // namespace mxc
