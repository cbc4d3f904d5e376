// Sandboxes on other machines. The program on the other machine runs the command, and the containment
// connects to it; no child process and no daemon on this machine holds the sandbox. The stages call it
// through one table, which src/dispatch.cc finds by the containment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Declared in folders that include this one.
class RunObserver;
struct ProcessConfig;
namespace session {
class StateDirectory;
struct Entered;
struct Listed;
struct Provisioned;
struct SandboxId;
struct SessionLimits;
}  // namespace session

// Persistent ones, for the functions of persistent/persistent.h. What a call needs of one is in a record in
// the caller's StateDirectory, named after its identifier, where local sandboxes have the socket of their
// daemon.
struct RemoteSandboxes {
  // Errors: kConflict, if the policy grants what would let one command choose the policy of later ones.
  Status (*check)(const Policy& policy, const Plan& plan) = nullptr;
  // On an error nothing is left of it, or the message names what is.
  Result<session::Provisioned> (*provision)(Plan plan, const session::SessionLimits& limits) = nullptr;
  Status (*start)(const session::SandboxId& id) = nullptr;
  Status (*stop)(const session::SandboxId& id) = nullptr;  // and every command that runs in it
  Result<std::vector<Warning>> (*deprovision)(const session::SandboxId& id) = nullptr;
  Result<session::Entered> (*enter)(const session::SandboxId& id) = nullptr;
  // The plan of such an entry, with the command of a request. Reports its warnings.
  Result<Plan> (*with_command)(const ProcessConfig& written, Plan plan) = nullptr;
  Status (*start_in_background)(const Plan& plan) = nullptr;
  // From its record and this machine's clock alone. Hides the values of its variables.
  session::Listed (*look)(const session::StateDirectory& directory, const session::SandboxId& id) = nullptr;
  // Removes a record whose sandbox cannot be there any more. False: it may be.
  bool (*remove_dead)(const session::StateDirectory& directory, const session::SandboxId& id) = nullptr;
};

struct Remote {
  // Connects, runs the command and removes what was created for this run alone. The caller writes the audit
  // log.
  Result<Outcome> (*run)(const Plan& plan, RunObserver& observer) = nullptr;
  // This program as it is called on the other machine; `run_main`: entry.h. Returns the exit status; nothing
  // if the arguments are not those of such a call.
  std::optional<int> (*run_there)(int argc, char** argv, int (*run_main)(int argc, char** argv)) = nullptr;
  // Removes what killed launchers have left where the plan would run. Returns the names.
  Result<std::vector<std::string>> (*reap)(const Plan& plan) = nullptr;
  RemoteSandboxes sandboxes = {};  // of a containment that is `persistent`
};

// Set for each containment that is `remote` in its traits; null for the others, and on systems that cannot
// reach it.
[[nodiscard]] const Remote* RemoteOf(Containment containment);

}  // namespace mxc
