// Lowers a Policy to kernel mechanisms. Every Linux engine renders the same value, so a difference between
// them is a bug in one of them.
//
//   Result<Lowered> lowered = LowerPolicy(policy, {.kernel_files = KernelFilesHere(host)});
//   // lowered->sandbox.mounts, in order, into an empty root
//
// Pure: it does not look at the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mxc/egress.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::linux_backend {

// Sizes of the sandbox's own tmpfs mounts.
inline constexpr std::uint64_t kTmpBytes = 1ULL << 30;             // /tmp, or the one with HOME
inline constexpr std::uint64_t kSharedMemoryBytes = 256ULL << 20;  // /dev/shm without HOME
inline constexpr std::uint64_t kMaskBytes = 4096;                  // a denied directory: nothing fits in

// Facts of the host that are not in a Policy.
struct Facts {
  // Existing files of /proc that only uid 0 may open; masked for a root caller.
  std::vector<std::string> kernel_files = {};
  bool outer_proc = false;  // the kernel refuses a new /proc here
  // The engine sets rlimits inside the new user namespace, which counts its own processes.
  bool counts_own_tasks = false;
  const char* why_unsized = nullptr;  // why /tmp cannot be given a size; nullptr: it can
  // The engine's own processes in the run's control groups: init, and its parent if that is in them.
  std::uint64_t engine_tasks = 1;
  // Why the network gateway cannot run here; empty: it can, or it was not tried.
  std::string why_no_gateway = {};
};

struct Lowered {
  LinuxSandbox sandbox = {};
  std::optional<EgressRules> egress = {};
  std::vector<SetupAction> setup = {};   // placeholders for denied paths that do not exist, control groups
  std::vector<Enforcement> ledger = {};  // of the clauses about files, network and resources
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};
};

// Errors: kUnenforceable, with the pointer of a clause that neither mounts nor the network gateway, control
// groups or rlimits can enforce.
[[nodiscard]] Result<Lowered> LowerPolicy(const Policy& policy, const Facts& facts = {});

}  // namespace mxc::linux_backend
