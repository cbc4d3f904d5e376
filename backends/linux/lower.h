// Lowering: what a Policy means in the kernel's words. Every Linux engine renders the same value, so a
// difference between them is a bug in one of them.
//
//   Result<Lowered> lowered = LowerPolicy(policy, {.kernel_files = KernelFilesHere(host)});
//   // lowered->sandbox.mounts, in order, into an empty root
//
// Pure: asks nothing of the machine.
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

// The sandbox's own parts of the tree.
inline constexpr std::uint64_t kTmpBytes = 1ULL << 30;             // /tmp, or what HOME is in
inline constexpr std::uint64_t kSharedMemoryBytes = 256ULL << 20;  // /dev/shm without HOME
inline constexpr std::uint64_t kMaskBytes = 4096;                  // a denied directory: nothing fits in

// Facts of the host that no Policy holds.
struct Facts {
  // Files of /proc that only uid 0 may open, as they exist here; masked for a root caller.
  std::vector<std::string> kernel_files = {};
  bool outer_proc = false;  // the kernel refuses a new /proc here
  // The engine sets rlimits inside of the new user namespace, and that counts its processes on its own.
  bool counts_own_tasks = false;
  const char* why_unsized = nullptr;  // why /tmp cannot be given a size; nullptr: it can
  // Processes of the engine's own in the run's control groups: init, and what waits for it.
  std::uint64_t engine_tasks = 1;
  std::string why_no_gateway =
      {};  // why the network gateway cannot stand here; empty: it can, or nobody has tried
};

struct Lowered {
  LinuxSandbox sandbox = {};
  std::optional<EgressRules> egress = {};
  std::vector<SetupAction> setup = {};   // placeholders for denied paths that do not exist, control groups
  std::vector<Enforcement> ledger = {};  // of the clauses about files, network and resources
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};
};

// Errors: kUnenforceable, with the pointer of the clause, for what no mount tree, no network gateway, no
// control group and no rlimit can hold.
[[nodiscard]] Result<Lowered> LowerPolicy(const Policy& policy, const Facts& facts = {});

}  // namespace mxc::linux_backend
