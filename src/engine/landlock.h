// Landlock as a second layer under the mounts: read and execute everywhere, write only below writable mounts.
// A mistake in the mount tree alone then opens nothing for writing.
#pragma once

#include <cstdint>

namespace mxc::engine {

enum class Grant {
  kRead,         // read, list, execute
  kReadMounted,  // the same and truncate, which a read-only mount refuses by itself
  kReadFile,     // read and execute one file
  kList,         // list directories
  kWriteTree,    // everything except creating device nodes
  kWriteFile,    // read, write, truncate one file
  kWriteDevices  // read, write, truncate, ioctl; no creating
};

// A ruleset. Without Landlock, or with ABI 1, which forbids every rename between directories, it is empty and
// restricts nothing.
struct LandlockRules {
  int ruleset = -1;
  std::uint64_t handled = 0;
};

// What a ruleset handles besides files, if the kernel knows it.
struct LandlockScope {
  bool tcp = false;    // ABI 4: TCP sockets can be neither bound nor connected
  bool scopes = true;  // ABI 6: abstract sockets and signals stay inside
};

// All return -1 and set errno if the kernel refuses what its ABI version promises.
[[nodiscard]] int BeginLandlock(LandlockRules& rules, const LandlockScope& scope = {});
[[nodiscard]] int Allow(const LandlockRules& rules, int borrowed_fd, Grant grant);
// Lets the command open its standard streams again through /proc/self/fd.
[[nodiscard]] int AllowStandardStreams(const LandlockRules& rules);
[[nodiscard]] int Restrict(const LandlockRules& rules);
// From now on this process and its descendants can only send signals to each other. Fails without ABI 6.
[[nodiscard]] int ScopeSignals();

}  // namespace mxc::engine
