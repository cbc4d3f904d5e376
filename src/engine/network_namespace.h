// The sandbox's own network namespace, made on the side. It takes longest of all namespaces, and the mounts
// do not depend on it: a second task of the same memory makes it while the first builds the mount tree.
//
//   NetworkAhead network;
//   network.Begin(child);   // with the capabilities of the new user namespace
//   ...
//   network.Join(child);    // with them still; `lo` may not be up yet
//   ...
//   network.AwaitUp(child); // it is, and the task has no descriptor left to close
//   ...
//   network.Reap(child);    // the task is no more, which a limit of processes would count
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "engine/child.h"

namespace mxc::engine {

class NetworkAhead {  // NOLINT(*-member-init): stack_ is touched where it is used
 public:
  // All do nothing where the policy shares the host's network, or has a gateway set one up.
  void Begin(const Child& child);
  void Join(Child& child);
  void AwaitUp(const Child& child);
  void Reap(const Child& child);

 private:
  enum State : int { kPending, kMade, kUp, kFailed };

  static int Main(void* argument);
  int Make();  // errno, or 0
  void Publish(State state);
  void LeaveProcessor();
  void Await(const Child& child, State state);

  pid_t task_ = -1;
  cpu_set_t allowed_ = {};  // to both tasks
  bool moved_ = false;
  std::atomic<int> state_ = kPending;
  int namespace_ = -1;  // its descriptor, once it is made
  alignas(16) std::array<std::byte, 16384> stack_;
};

}  // namespace mxc::engine
