// The sandbox's own network namespace, made on the side. It is the dearest of the namespaces and the mounts
// do not depend on it: a second task of the same memory makes it while the first builds the mount tree.
//
//   NetworkAhead network;
//   network.Begin(child);  // with the capabilities of the new user namespace
//   ...
//   network.Join(child);   // before the old root is gone: the task looks at /proc there
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

#include "process/linux/engine_child.h"

namespace mxc::engine {

class NetworkAhead {
 public:
  // Both do nothing where the policy shares the host's network, or has a gateway set one up.
  void Begin(const Child& child);
  void Join(const Child& child);

 private:
  static int Main(void* argument);

  pid_t task_ = -1;
  int namespace_ = -1;
  alignas(16) std::array<std::byte, 16384> stack_;  // NOLINT(*-member-init): touched where it is used
};

}  // namespace mxc::engine
