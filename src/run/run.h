// The one machine that runs plans: StartChild starts the child, Relay stays with it until the whole tree has
// ended.
//
//   Result<Outcome> outcome = RunPlan(*plan, observer);
//
// A failed set-up is an Error (kSetupFailed), never a number that looks like the command's. Everything that
// set-up did is undone before RunPlan returns.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "cleanup/guarded_config.h"
#include "cleanup/guarded_path.h"
#include "mxc/error.h"
#include "mxc/file_call.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"

namespace mxc {

// Told of events as they happen; every function may do nothing.
class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  virtual void OnStarted(std::int64_t process_id) = 0;  // the sandbox stands, the command runs
  // Configurations that the command may write, and that are put back unless OnEnded has judged them.
  [[nodiscard]] virtual std::vector<GuardedConfig> Configs() const { return {}; }
  // What `protect` names and nothing holds: it is put back, at once and when the run has ended.
  [[nodiscard]] virtual std::vector<GuardedPath> Paths() const { return {}; }
  // Those that were put back.
  virtual void OnPutBack(const std::vector<PutBackPath>& /*paths*/) {}
  // All of it has ended, and signals that would end us still wait. True: what it left was judged.
  virtual bool OnEnded() { return false; }
  // Is somebody interested in the command's files? Every call with a path then costs some microseconds.
  [[nodiscard]] virtual bool WantsFiles() const { return false; }
  // Is standard output ours, too? Then it stays open when the command has closed its own.
  [[nodiscard]] virtual bool SpeaksOnStandardOutput() const { return false; }
  virtual void OnFile(const FileCall& /*call*/) {}
  virtual void OnNetwork(const GatewayRecord& /*record*/) {}  // a decision of the gateway
  virtual void OnWarning(const Warning& /*warning*/) {}       // "audit-failed": the run goes on without it
};

// Only our own engine's processes hand over what the kernel tells of their files.
[[nodiscard]] inline bool CanWatchFiles(const Plan& plan) {
  return std::holds_alternative<NamespacesLaunch>(plan.launch) ||
         std::holds_alternative<LxcLaunch>(plan.launch) ||
         std::holds_alternative<PersistentLaunch>(plan.launch);
}

// Of a PersistentLaunch, and borrowed.
struct SandboxConnections {
  int command = -1;      // a socket whose other end the sandbox's init has
  int records = -1;      // one on which decisions of its gateway come; -1: none do
  int multiplexer = -1;  // a reference to its /dev/ptmx; -1: terminals are this host's
};
[[nodiscard]] Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer,
                                      const SandboxConnections& connections = {});

}  // namespace mxc
