// The phases after provision, as their launcher sees them.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "engine/run_temp.h"
#include "persistent/daemon.h"
#include "persistent/directory.h"
#include "persistent/message.h"
#include "persistent/persistent.h"
#include "persistent/refusals.h"
#include "persistent/reply.h"
#include "remote/remote.h"
#include "report/hidden_values.h"
#include "report/report.h"

namespace mxc::session {
namespace {

constexpr int kAnswerMs = 2000;

// A connection to the daemon, looked for in every state directory. `refused` gets the directory where the
// name exists and no daemon answers.
Result<UniqueFd> Reach(const SandboxId& id, std::optional<StateDirectory>& refused) {
  std::vector<StateDirectory> directories = StateDirectory::Existing();
  if (directories.empty()) return NotProvisioned();
  for (StateDirectory& directory : directories) {
    UniqueFd daemon = directory.Connect(id.Name());
    if (daemon) return daemon;
    if (errno == ENOENT) continue;
    if (errno != ECONNREFUSED)
      return SystemError(ErrorCode::kSetupFailed, "reach the sandbox's daemon", errno);
    refused.emplace(std::move(directory));
    return SandboxDied("its daemon was killed");
  }
  return NoSuchSandbox();
}

Result<std::string> Ask(const UniqueFd& daemon, Verb verb, const SandboxId& id,
                        UniqueFd* multiplexer = nullptr) {
  if (Status called = SendCall(daemon.Get(), verb, id.Name()); !called) return called.error();
  return ReceiveReply(daemon.Get(), multiplexer);
}

// As Ask, of what must not wait for a daemon that is stopped, or busy with commands; `silent` says so.
Result<std::string> AskBriefly(const UniqueFd& daemon, Verb verb, const SandboxId& id, std::string silent) {
  if (Status called = SendCall(daemon.Get(), verb, id.Name()); !called) return called.error();
  pollfd answer{.fd = daemon.Get(), .events = POLLIN, .revents = 0};
  if (::poll(&answer, 1, kAnswerMs) != 1) return SetupFailed(std::move(silent));
  return ReceiveReply(daemon.Get());
}

Result<std::vector<Warning>> Do(UniqueFd daemon, Verb verb, const SandboxId& id, Receipt& receipt) {
  const Result<std::string> reply = Ask(daemon, verb, id);
  if (!reply) return reply.error();
  receipt = Receipt(std::move(daemon));
  return ParseOk(*reply);
}

Result<std::vector<Warning>> Do(const SandboxId& id, Verb verb, Receipt& receipt) {
  std::optional<StateDirectory> refused;
  Result<UniqueFd> daemon = Reach(id, refused);
  if (!daemon) return daemon.error();
  return Do(std::move(*daemon), verb, id, receipt);
}

bool IsNowhere(const Error& error) {
  return error.code == ErrorCode::kStaleId || error.code == ErrorCode::kNotProvisioned;
}

// For a sandbox on another machine, which has no daemon here; else null.
const RemoteSandboxes* RemoteSandboxesOf(const SandboxId& id) {
  const Remote* const remote = RemoteOf(id.containment);
  return remote == nullptr ? nullptr : &remote->sandboxes;
}

Result<std::vector<Warning>> Quietly(const Status& done) {
  if (!done) return done.error();
  return std::vector<Warning>{};
}

// The sandbox, alive or dead, that a name in the directory stands for; nullopt: it is none of ours.
std::optional<Listed> Look(const StateDirectory& directory, const std::string& name) {
  const Result<SandboxId> id = ParseSandboxName(name);
  if (!id) return std::nullopt;
  if (const auto* const remote = RemoteSandboxesOf(*id)) return remote->look(directory, *id);
  const UniqueFd daemon = directory.Connect(name);
  if (!daemon && errno == ECONNREFUSED) return Listed{.id = id->Text(), .state = kDead};
  if (!daemon) return std::nullopt;
  const Result<std::string> reply = Ask(daemon, Verb::kStatus, *id);
  if (!reply) return std::nullopt;
  Result<Listed> listed = ParseListed(*reply);
  if (!listed || listed->id != id->Text()) return std::nullopt;
  return std::move(*listed);
}

}  // namespace

// A daemon that is not waiting for it has closed the connection.
void Receipt::Give() {
  if (!daemon_) return;
  char word = kReported;
  if (::send(daemon_.Get(), &word, 1, MSG_NOSIGNAL) == 1) {
    while (::recv(daemon_.Get(), &word, 1, 0) > 0 || errno == EINTR) errno = 0;
  }
  daemon_.Reset();
}

Result<std::vector<Warning>> Start(const SandboxId& id, Receipt& receipt) {
  const RemoteSandboxes* const remote = RemoteSandboxesOf(id);
  return remote != nullptr ? Quietly(remote->start(id)) : Do(id, Verb::kStart, receipt);
}

Result<std::vector<Warning>> Stop(const SandboxId& id, Receipt& receipt) {
  const RemoteSandboxes* const remote = RemoteSandboxesOf(id);
  return remote != nullptr ? Quietly(remote->stop(id)) : Do(id, Verb::kStop, receipt);
}

Result<std::vector<Warning>> Deprovision(const SandboxId& id, Receipt& receipt) {
  if (const auto* const remote = RemoteSandboxesOf(id)) return remote->deprovision(id);
  std::optional<StateDirectory> refused;
  Result<UniqueFd> daemon = Reach(id, refused);
  if (refused) {
    [[maybe_unused]] const bool removed = refused->RemoveDead(id.Name());
    return std::vector<Warning>{};
  }
  if (!daemon) return daemon.error();
  return Do(std::move(*daemon), Verb::kDeprovision, id, receipt);
}

Result<Entered> Enter(const SandboxId& id, Receipt& receipt) {
  if (const auto* const remote = RemoteSandboxesOf(id)) return remote->enter(id);
  std::optional<StateDirectory> refused;
  Result<UniqueFd> daemon = Reach(id, refused);
  if (!daemon) return daemon.error();
  Entered entered;
  const Result<std::string> reply = Ask(*daemon, Verb::kExec, id, &entered.multiplexer);
  if (!reply) return reply.error();
  Result<SandboxEntry> entry = ParseEntry(*reply);
  if (!entry) {
    receipt = Receipt(std::move(*daemon));
    return entry.error();
  }
  entered.connection = std::move(*daemon);
  entered.plan = std::move(entry->plan);
  entered.groups = std::move(entry->groups);
  HideValues(CommandEnvironment(entered.plan.launch));
  return entered;
}

Status HideValuesOf(const SandboxId& id) {
  if (const auto* const remote = RemoteSandboxesOf(id)) {
    for (const StateDirectory& directory : StateDirectory::Existing())
      static_cast<void>(remote->look(directory, id));
    return Done{};
  }
  std::optional<StateDirectory> refused;
  const Result<UniqueFd> daemon = Reach(id, refused);
  if (!daemon && !refused && IsNowhere(daemon.error())) return Done{};
  if (!daemon) return daemon.error();
  const Result<std::string> reply =
      AskBriefly(*daemon, Verb::kSecrets, id, "the sandbox's daemon does not answer");
  if (!reply) return reply.error();
  const Result<std::vector<Variable>> secrets = ParseSecrets(*reply);
  if (!secrets) return secrets.error();
  HideValues(*secrets);
  return Done{};
}

Result<Followed> Follow(const SandboxId& id) {
  if (RemoteSandboxesOf(id) != nullptr) return Followed{};
  std::optional<StateDirectory> refused;
  Result<UniqueFd> daemon = Reach(id, refused);
  if (!daemon) return daemon.error();
  // The daemon asks the gateway.
  const Result<std::string> reply =
      AskBriefly(*daemon, Verb::kFollow, id, "the sandbox's network gateway does not answer");
  if (!reply) return reply.error();
  Result<std::string> basis = ParseBasis(*reply);
  if (!basis) return basis.error();
  return Followed{.records = std::move(*daemon), .basis = std::move(*basis)};
}

std::vector<Listed> List() {
  std::vector<Listed> all;
  for (const StateDirectory& directory : StateDirectory::Existing()) {
    for (const std::string& name : directory.Names()) {
      std::optional<Listed> listed = Look(directory, name);
      if (listed) all.push_back(std::move(*listed));
    }
  }
  return all;
}

std::vector<std::string> Reap() {
  std::vector<std::string> reaped;
  for (const StateDirectory& directory : StateDirectory::Existing()) {
    for (const std::string& name : directory.Names()) {
      const Result<SandboxId> id = ParseSandboxName(name);
      if (!id) continue;
      const RemoteSandboxes* const remote = RemoteSandboxesOf(*id);
      const bool removed =
          remote != nullptr ? remote->remove_dead(directory, *id) : directory.RemoveDead(name);
      if (removed) reaped.push_back(id->Text());
    }
  }
  std::size_t removed = 0;
  for (const RuntimeDirectory& place : RuntimeDirectory::ExistingTempPlaces())
    removed += engine::SweepRunTemps(place);
  if (removed != 0)
    PrintMessage(fmt::format("mxc-exec: temporary directories of killed runs removed: {}\n", removed));
  return reaped;
}

}  // namespace mxc::session
