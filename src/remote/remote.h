// Sandboxes on other machines. No child of ours is the sandbox, and no daemon here keeps one that stays: the
// program on the other machine runs the command, and the containment knows the way there. What the stages
// need of it is one table, which src/dispatch.cc finds by the containment; they name none.
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

// Of folders that stand on this one.
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

// Those that stay, for the functions of persistent/persistent.h. What a call needs of one is a record in the
// caller's StateDirectory, under the name of its identifier, where others have the socket of their daemon.
struct RemoteSandboxes {
  // Errors: kConflict: what the policy grants would let one command choose what holds those after it.
  Status (*check)(const Policy& policy, const Plan& plan) = nullptr;
  // Errors: nothing of it is left, or the message says what.
  Result<session::Provisioned> (*provision)(Plan plan, const session::SessionLimits& limits) = nullptr;
  Status (*start)(const session::SandboxId& id) = nullptr;
  Status (*stop)(const session::SandboxId& id) = nullptr;  // and every command that runs in it
  Result<std::vector<Warning>> (*deprovision)(const session::SandboxId& id) = nullptr;
  Result<session::Entered> (*enter)(const session::SandboxId& id) = nullptr;
  // The plan of such an entry, with the command of a request. What is to be said about it is told.
  Result<Plan> (*with_command)(const ProcessConfig& written, Plan plan) = nullptr;
  Status (*start_in_background)(const Plan& plan) = nullptr;
  // As its record and this machine's clock have it: nobody is asked. Hides the values of its variables.
  session::Listed (*look)(const session::StateDirectory& directory, const session::SandboxId& id) = nullptr;
  // Removes a record whose sandbox cannot be there any more. False: it may be.
  bool (*remove_dead)(const session::StateDirectory& directory, const session::SandboxId& id) = nullptr;
};

struct Remote {
  // From the first word to the other machine to the end of the command; what was made for this run alone is
  // gone then. The audit log is the caller's.
  Result<Outcome> (*run)(const Plan& plan, RunObserver& observer) = nullptr;
  // This program as it is called on the other machine; `run_main`: entry.h. The exit status; nothing: these
  // are none of its arguments.
  std::optional<int> (*run_there)(int argc, char** argv, int (*run_main)(int argc, char** argv)) = nullptr;
  // Removes what killed launchers have left where the plan would run. Names.
  Result<std::vector<std::string>> (*reap)(const Plan& plan) = nullptr;
  RemoteSandboxes sandboxes = {};  // of a containment that is `persistent`
};

// Of each that is `remote` in its traits; null for the others, and on systems that cannot reach it.
[[nodiscard]] const Remote* RemoteOf(Containment containment);

}  // namespace mxc
