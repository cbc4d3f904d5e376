// The sandbox's own network namespace, created in parallel. It takes longest of all namespaces and the mounts
// do not depend on it, so a second task with the same memory creates it while the first builds the mount
// tree.
//
//   NetworkAhead network;
//   network.Begin(child);   // needs the capabilities of the new user namespace
//   ...
//   network.Join(child);    // needs them, too; `lo` may not be up yet
//   ...
//   network.AwaitUp(child); // `lo` is up, and the task has closed its descriptors
//   ...
//   network.Reap(child);    // the task has ended, so that RLIMIT_NPROC does not count it
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
  // All do nothing if the policy shares the host's network, or if the gateway's set-up creates the namespace.
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
  cpu_set_t allowed_ = {};  // the processors that both tasks may use
  bool moved_ = false;
  std::atomic<int> state_ = kPending;
  int namespace_ = -1;  // descriptor of the namespace, once it exists
  alignas(16) std::array<std::byte, 16384> stack_;
};

}  // namespace mxc::engine
