// The engines that build a LinuxSandbox, for tests of what all of them hold.
#pragma once

#include <unistd.h>

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

}  // namespace mxc::test
