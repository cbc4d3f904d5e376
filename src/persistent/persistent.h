// Persistent sandboxes: provisioned once, then started, used and stopped by calls that share only the
// identifier.
//
//   Result<Provisioned> made = Provision(plan, limits, stages);
//   ... its identifier is told ...
//   made->Keep();
//   Result<std::vector<Warning>> started = Start(id, receipt);
//   ... its warnings are told ...
//   receipt.Give();
//   Result<Entered> entered = Enter(id, receipt);
//   ... the command of a PersistentLaunch, by RunPlan with entered->connection ...
//   Result<std::vector<Warning>> left = Deprovision(id, receipt);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "cgroup/run_group.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "persistent/id.h"

namespace mxc::session {

// In milliseconds; 0: for ever.
struct SessionLimits {
  std::uint64_t idle_ms = 0;      // without a running command
  std::uint64_t lifetime_ms = 0;  // since provision
};

// Callbacks of the daemon into Resolve, Plan and review. Its caller gets their warnings and errors.
struct Stages {
  // Plans a start: the same configuration on the present host. Outputs: `told` warnings, `limits` the
  // time-outs from now on, `basis` the basis of its commands' reports (Follow).
  std::function<Result<Plan>(std::vector<Warning>& told, SessionLimits& limits, std::string& basis)> plan =
      {};
  // Judges what the commands have left; called when the sandbox has been stopped.
  std::function<std::vector<Warning>(const Plan& plan)> review = {};
};

// A new sandbox whose identifier nobody knows yet. On Linux it ends with this process until Keep: if the
// process is killed before it has told the identifier, nothing stays behind.
struct Provisioned {
  std::string id = {};
  UniqueFd daemon = {};  // empty: there is no daemon on this machine
  void Keep();
  // Instead of Keep, if there is a daemon: waits until the sandbox has ended. Stops it if a signal asks this
  // process to end, or if standard output has no reader any more; returns at once at a second signal. Errors:
  // kStaleId: its daemon was killed.
  struct End {
    std::vector<Warning> left = {};
    int signal = 0;      // the signal that asked for the end; 0: none
    bool ended = false;  // the sandbox has ended, and `left` is complete
  };
  [[nodiscard]] Result<End> Wait();
  // To be called when `left` has been reported to the user. Without this the next caller gets it.
  void Reported();
};

// Starts a daemon; on Windows writes a record with the plan for every start. Errors: kUnsupportedPhase,
// kSetupFailed.
[[nodiscard]] Result<Provisioned> Provision(Plan plan, const SessionLimits& limits, const Stages& stages);

// What a daemon has sent a caller, as warnings or in an error, it sends the next one again until a caller has
// given its receipt. Empty: there is nothing to confirm.
class Receipt {
 public:
  Receipt() = default;
  explicit Receipt(UniqueFd daemon) : daemon_(std::move(daemon)) {}
  // To be called when the warnings have been reported to the user. Returns when the daemon knows: a sandbox
  // that stayed for this alone is gone then.
  void Give();

 private:
  UniqueFd daemon_ = {};
};

// These return the warnings of the stages. Errors of all: kNotProvisioned, kStaleId, kSetupFailed.
// Also kAlreadyStarted and the errors of the stages.
[[nodiscard]] Result<std::vector<Warning>> Start(const SandboxId& id, Receipt& receipt);
// Also kNotStarted, kAlreadyStopped.
[[nodiscard]] Result<std::vector<Warning>> Stop(const SandboxId& id, Receipt& receipt);
// Also removes what a killed daemon has left. If there are warnings of what commands have left, the sandbox
// has ended, and its name stays until the receipt is given.
[[nodiscard]] Result<std::vector<Warning>> Deprovision(const SandboxId& id, Receipt& receipt);

// A connection for one command, and the sandbox's plan.
struct Entered {
  UniqueFd connection = {};   // Linux; stays open while the command runs; for a remote sandbox, a lock
  UniqueFd multiplexer = {};  // a reference to the sandbox's /dev/ptmx; empty: it has none
  Plan plan = {};             // without a command; with the default environment
  std::vector<RunGroup> groups = {};  // its control groups, in which limits are counted
};
// The values of its variables are hidden from then on (HideValues). Also kNotStarted: of a daemon's sandbox
// they are not hidden then.
[[nodiscard]] Result<Entered> Enter(const SandboxId& id, Receipt& receipt);
// The same for a caller that has something to say before it enters; of a sandbox that is not there, nothing.
// Errors: nobody says what the values are.
[[nodiscard]] Status HideValuesOf(const SandboxId& id);

// What a launcher needs to report refusals of its command.
struct Followed {
  UniqueFd records = {};   // decisions of the sandbox's gateway from now on (RunGateway::Follow)
  std::string basis = {};  // from Stages::plan at the last start
};
// Errors: as Enter. Empty on Windows, and for a sandbox on another machine.
[[nodiscard]] Result<Followed> Follow(const SandboxId& id);

// Starts the command of a PersistentLaunch in the background: it ends with the sandbox at the latest, its
// streams are /dev/null, and nobody gets its status. The audit log gets only the first of the two records.
// `connection`: borrowed, Entered::connection. Errors: as RunPlan; kUnsupported on Windows.
[[nodiscard]] Status StartInBackground(const Plan& plan, int connection);

inline constexpr const char* kDead = "dead";  // its daemon was killed, or its record cannot be read
struct Listed {
  std::string id = {};
  std::string state = {};                     // "provisioned", "started", "stopped", "expired", or kDead
  std::optional<std::uint64_t> commands = 0;  // running ones; absent: nobody on this machine counts them
  std::uint64_t age_ms = 0;
  std::uint64_t idle_ms = 0;
  std::int64_t daemon = 0;  // Linux: the daemon's process
};
[[nodiscard]] std::vector<Listed> List();
// Removes dead sandboxes, and on Linux temporary files of killed runs; returns the identifiers of the
// sandboxes.
[[nodiscard]] std::vector<std::string> Reap();

}  // namespace mxc::session
