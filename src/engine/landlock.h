// Landlock as a second layer under the mounts: reading and executing everywhere, writing only where a mount
// is meant to be written. A mistake in the mount tree then does not yet open anything.
#pragma once

#include <cstdint>

namespace mxc::engine {

enum class Grant {
  kRead,         // read, list, execute
  kReadMounted,  // the same below a read-only mount, and what that refuses by itself: to truncate
  kReadFile,     // read and execute one file
  kList,         // list directories
  kWriteTree,    // everything but making device nodes
  kWriteFile,    // read, write, truncate one file
  kWriteDevices  // read, write, truncate, ioctl; nothing can be made
};

// A ruleset in the making. Where the kernel has no Landlock, or one that would forbid every rename between
// directories (ABI 1), it is empty and adds nothing.
struct LandlockRules {
  int ruleset = -1;
  std::uint64_t handled = 0;
};

// What a ruleset handles beside files, as far as the kernel knows it.
struct LandlockScope {
  bool tcp = false;    // ABI 4: none can be bound or connected
  bool scopes = true;  // ABI 6: abstract sockets and signals stay inside
};

// All return -1 and set errno when the kernel refuses what it should take.
[[nodiscard]] int BeginLandlock(LandlockRules& rules, const LandlockScope& scope = {});
[[nodiscard]] int Allow(const LandlockRules& rules, int borrowed_fd, Grant grant);
// What was opened for the command before it was confined may be opened again through /proc/self/fd.
[[nodiscard]] int AllowStandardStreams(const LandlockRules& rules);
[[nodiscard]] int Restrict(const LandlockRules& rules);
// From here on this process and its descendants can send signals to each other only. Fails without ABI 6.
[[nodiscard]] int ScopeSignals();

}  // namespace mxc::engine
