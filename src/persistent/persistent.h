// Persistent sandboxes, for the program: provisioned once, then started, used and stopped by calls that know
// nothing of each other but the identifier.
//
//   Result<Provisioned> made = Provision(plan, limits, stages);
//   ... its identifier is told ...
//   made->Keep();
//   Result<std::vector<Warning>> started = Start(id);
//   Result<Entry> entry = Enter(id);
//   ... the command of a PersistentLaunch, by RunPlan with entry->connection ...
//   Status gone = Deprovision(id);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "persistent/id.h"

namespace mxc::session {

// In milliseconds; 0: for ever.
struct SessionLimits {
  std::uint64_t idle_ms = 0;      // without a command in it
  std::uint64_t lifetime_ms = 0;  // since provision
};

// What the daemon asks of the stages around it. What they say is for whoever has asked the daemon.
struct Stages {
  // The plan of each start: the same configuration, and what the host has now. `told` takes what is to be
  // said about it, `limits` how long the sandbox stays from now on, `basis` what reports of its commands are
  // made by (Follow).
  std::function<Result<Plan>(std::vector<Warning>& told, SessionLimits& limits, std::string& basis)> plan =
      {};
  // What the commands have left, when the sandbox has been stopped.
  std::function<std::vector<Warning>(const Plan& plan)> review = {};
};

// A sandbox of which nobody knows yet. On Linux it ends with this process, unless it is kept: whoever is
// killed before the identifier is told leaves nothing behind.
struct Provisioned {
  std::string id = {};
  UniqueFd daemon = {};  // empty: no process of this machine holds it
  void Keep();
  // In place of it, where there is a daemon: until the sandbox has ended. It is stopped when a signal asks
  // this process to end, or nobody can read standard output any more; a second signal is not waited with.
  // Errors: kStaleId: its daemon was killed.
  struct End {
    std::vector<Warning> left = {};
    int signal = 0;      // that asked for it
    bool ended = false;  // by now, and `left` is all
  };
  [[nodiscard]] Result<End> Wait();
  // What was left has been told; else the daemon tells whoever asks for the sandbox next.
  void Heard();
};

// Leaves a daemon behind; on Windows a record, whose plan every start takes. Errors: kUnsupportedPhase,
// kSetupFailed.
[[nodiscard]] Result<Provisioned> Provision(Plan plan, const SessionLimits& limits, const Stages& stages);

// Of all: kNotProvisioned, kStaleId, kSetupFailed. What is returned is what the stages have said.
[[nodiscard]] Result<std::vector<Warning>> Start(const SandboxId& id);  // and kAlreadyStarted; as the stages
// And kNotStarted, kAlreadyStopped.
[[nodiscard]] Result<std::vector<Warning>> Stop(const SandboxId& id);
// Clears away what a killed daemon left, too.
[[nodiscard]] Result<std::vector<Warning>> Deprovision(const SandboxId& id);

// A way in for one command, and what the policy says about every command.
struct Entry {
  UniqueFd connection = {};   // Linux; it stays open while the command runs, of a remote one as a lock
  UniqueFd multiplexer = {};  // a reference to its /dev/ptmx; empty: it has none
  Plan plan = {};             // its command is empty; the environment is the default one
};
[[nodiscard]] Result<Entry> Enter(const SandboxId& id);  // and kNotStarted

// What a launcher needs to tell what was refused while its command ran.
struct Followed {
  UniqueFd records = {};   // decisions of the sandbox's gateway from now on (RunGateway::Follow)
  std::string basis = {};  // as Stages::plan has said at the last start
};
// Errors: as Enter. Nothing on Windows, and of a sandbox on another machine.
[[nodiscard]] Result<Followed> Follow(const SandboxId& id);

// Starts the command of a PersistentLaunch and leaves it to the sandbox, with which it ends: its streams are
// the null device, and nobody is told how it ends. Of the audit log's two records it has the first.
// `connection`: borrowed, of its Entry. Errors: as RunPlan; kUnsupported on Windows.
[[nodiscard]] Status StartInBackground(const Plan& plan, int connection);

inline constexpr const char* kDead = "dead";  // its daemon was killed, or its record cannot be read
struct Listed {
  std::string id = {};
  std::string state = {};                     // "provisioned", "started", "stopped", "expired", or kDead
  std::optional<std::uint64_t> commands = 0;  // nothing: nobody on this machine counts them
  std::uint64_t age_ms = 0;
  std::uint64_t idle_ms = 0;
  std::int64_t daemon = 0;  // Linux
};
[[nodiscard]] std::vector<Listed> List();
// Removes the names of dead sandboxes; their identifiers.
[[nodiscard]] std::vector<std::string> Reap();

}  // namespace mxc::session
