// Runs a plan: StartChild starts the child, Relay passes its streams on until the whole process tree has
// ended.
//
//   Result<Outcome> outcome = RunPlan(*plan, observer);
//
// A failed set-up is an Error (kSetupFailed), never a status that could be the command's. All set-up actions
// are undone before RunPlan returns.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "cgroup/run_group.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_path.h"
#include "mxc/error.h"
#include "mxc/file_call.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"

namespace mxc {

// Gets events as they happen. Every function may do nothing.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  virtual void OnStarted(std::int64_t process_id) = 0;  // the sandbox is set up, the command runs
  // Configurations that the command may write. They are restored unless OnEnded has judged them.
  [[nodiscard]] virtual std::vector<GuardedConfig> Configs() const { return {}; }
  // Protected paths that no mount protects: they are restored at once and when the run has ended.
  [[nodiscard]] virtual std::vector<GuardedPath> Paths() const { return {}; }
  // The paths that were restored.
  virtual void OnPutBack(const std::vector<PutBackPath>& /*paths*/) {}
  // The whole process tree has ended; signals that would end the launcher are still blocked. Returns whether
  // the files that it left were judged.
  virtual bool OnEnded() { return false; }
  // Whether to report the command's files. Each of its calls with a path then costs some microseconds.
  [[nodiscard]] virtual bool WantsFiles() const { return false; }
  // Whether the launcher writes to standard output, too. Then it stays open when the command closes its own.
  [[nodiscard]] virtual bool SpeaksOnStandardOutput() const { return false; }
  virtual void OnFile(const FileCall& /*call*/) {}
  virtual void OnNetwork(const GatewayRecord& /*record*/) {}  // a decision of the gateway
  // The command has tried a port of its loopback where nobody listens; at the host's, a program does. At the
  // end, where files are wanted.
  virtual void OnMissedLoopback(std::uint16_t /*port*/) {}
  virtual void OnWarning(const Warning& /*warning*/) {}  // "audit-failed": the run goes on without it
};

// Only our own engine hands the seccomp listener over, with which the launcher sees files.
[[nodiscard]] inline bool CanWatchFiles(const Plan& plan) {
  return std::holds_alternative<NamespacesLaunch>(plan.launch) ||
         std::holds_alternative<LxcLaunch>(plan.launch) ||
         std::holds_alternative<PersistentLaunch>(plan.launch);
}

// The sandbox that a PersistentLaunch runs in. Its descriptors are borrowed.
struct SandboxConnections {
  int command = -1;                   // a socket to the sandbox's init
  int records = -1;                   // a socket with the decisions of its gateway; -1: none
  int multiplexer = -1;               // a reference to its /dev/ptmx; -1: terminals are the host's
  std::vector<RunGroup> groups = {};  // its control groups, in which limits are counted
};
[[nodiscard]] Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer,
                                      const SandboxConnections& connections = {});

}  // namespace mxc
