// What the phases of the lifecycle and the verbs have in common, and what they ask of each system that has
// persistent sandboxes.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "config/config.h"
#include "flag_places.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "persistent/persistent.h"
#include "plan_run.h"

namespace mxc {

// The stages of a provision request. Errors: those of Prepare, and kUnsupportedPhase for a containment of
// which nothing would stay between two commands.
[[nodiscard]] Result<Prepared> PrepareSandbox(const Config& config, const Options& options, const Host& host);
[[nodiscard]] session::SessionLimits LimitsOf(const SessionConfig& config, const Policy& policy);
// What of the sandbox's policy decides where files of ours may be: what its commands can read and write.
[[nodiscard]] Policy VisibleOf(const session::Entered& entry);
// A sandbox that a call has made, and whose identifier it has to tell.
struct NewSandbox {
  session::Provisioned sandbox = {};
  Containment containment = Containment::kNone;
  Tier tier = Tier::kNone;
};
// Resolve, Plan, Provision. The configuration's command is not run; its directory and environment are those
// of every command that has none of its own. `flags`: what of the configuration they gave. Errors: those of
// the stages.
[[nodiscard]] Result<NewSandbox> MakeSandbox(const Config& config, const std::vector<FlagPlace>& flags,
                                             Options options, const Host& host);
// Builds a sandbox that has been provisioned. Errors: those of session::Start; where the kernel refuses it,
// with what a run says about that.
[[nodiscard]] Result<std::vector<Warning>> StartSandbox(const session::SandboxId& id, const Host& host,
                                                        session::Receipt& receipt);
// For a sandbox that was to be removed: what its commands have left could not be reported.
[[nodiscard]] Error NotReported();
// Runs the command of an exec request. The exit status. Errors: it has not been started; `receipt` is for
// what they say of the sandbox.
[[nodiscard]] Result<int> RunInSandbox(const session::SandboxId& id, Config config, Options options,
                                       const Host& host, session::Receipt& receipt);
// The sandbox's plan, taken out of `entry`, with the command of the request. Errors: kConflict.
[[nodiscard]] Result<Plan> PlanOf(const Config& config, session::Entered& entry, const Host& host);
// A run with this `containerId`. False: there is none.
[[nodiscard]] bool EndRunNamed(const std::string& name, const Host& host);

}  // namespace mxc
