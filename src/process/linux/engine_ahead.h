// The sandbox's own network namespace, made on the side. It is the dearest of the namespaces and the mounts
// do not depend on it: a second task of the same memory makes it while the first builds the mount tree.
//
//   NetworkAhead network;
//   network.Begin(child);   // with the capabilities of the new user namespace
//   ...
//   network.Join(child);    // with them still; `lo` may not be up yet
//   ...
//   network.Finish(child);  // it is, and the task is no more; before any descriptor is closed in bulk
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "process/linux/engine_child.h"

namespace mxc::engine {

class NetworkAhead {
 public:
  // All do nothing where the policy shares the host's network, or has a gateway set one up.
  void Begin(const Child& child);
  void Join(const Child& child);
  void Finish(const Child& child);

 private:
  static constexpr int kPending = -1;
  static constexpr int kFailed = -2;

  static int Main(void* argument);
  int Make();  // errno, or 0
  void Publish(int state);

  pid_t task_ = -1;
  std::atomic<int> namespace_ = kPending;           // its descriptor, as soon as there is one
  alignas(16) std::array<std::byte, 16384> stack_;  // NOLINT(*-member-init): touched where it is used
};

}  // namespace mxc::engine
