// The engines that build a LinuxSandbox, for tests of what all of them hold.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace mxc::test {

[[nodiscard]] inline bool HasLxc() { return ::access("/usr/bin/lxc-start", X_OK) == 0; }

inline constexpr const char* kNoLxc = "LXC is not installed";

// Without LXC the other two; the tests named after it say that they are skipped.
[[nodiscard]] inline std::vector<const char*> Engines() {
  std::vector<const char*> engines = {"namespaces", "bubblewrap"};
  if (HasLxc()) engines.push_back("lxc");
  return engines;
}

// Of a table whose rows the same code judges behind every engine: each row runs in one engine as root and in
// the next one as a user, and every engine has its share of the rows.
[[nodiscard]] inline const char* EngineOfRow(std::size_t row, uid_t caller,
                                             const std::vector<const char*>& engines = Engines()) {
  return engines[(row + (caller == 0 ? 0 : 1)) % engines.size()];
}

}  // namespace mxc::test
