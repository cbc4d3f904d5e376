// Sandboxes of Windows that stay: a record, and while it is started a machine of Windows Sandbox, or a keeper
// of one in WSL. Each call looks at both, and at nothing that it remembers.
#include <windows.h>

#include <algorithm>
#include <utility>

#include "mxc/limits.h"
#include "persistent/folder_windows.h"
#include "persistent/persistent.h"
#include "persistent/refusals.h"
#include "persistent/start_windows.h"
#include "persistent/wsl_sandbox_windows.h"
#include "report/hidden_values.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/machine_windows.h"
#include "windows/persistent_machine_windows.h"

namespace mxc::session {
namespace {

constexpr DWORD kLockMs = 420000;  // who starts a virtual machine holds the lock until it is up

// The lock that a call holds while it changes a sandbox. If the call is killed, its last record stays.
class Transition {
 public:
  explicit Transition(DWORD limit_ms) : mutex_(::CreateMutexW(nullptr, FALSE, L"Local\\mxc-exec.sandboxes")) {
    const DWORD waited = ::WaitForSingleObject(mutex_.Get(), limit_ms);
    held_ = waited == WAIT_OBJECT_0 || waited == WAIT_ABANDONED;
  }
  Transition(const Transition&) = delete;
  Transition& operator=(const Transition&) = delete;
  ~Transition() {
    if (held_) ::ReleaseMutex(mutex_.Get());
  }
  [[nodiscard]] Status Held() const {
    if (held_) return Done{};
    return SetupFailed("another call has been changing a sandbox for too long");
  }

 private:
  UniqueHandle mutex_;
  bool held_ = false;
};

// Whether its virtual machine, or its keeper in WSL, runs.
bool Stands(const Record& record) {
  return record.Wsl() != nullptr ? KeeperRuns(record) : AnyRuns(record.machine);
}

bool Runs(const Record& record) { return record.state == State::kStarted && Stands(record); }

// Whether a call was killed after it had started a virtual machine and before it had recorded all the
// machine's processes. Only one machine runs at a time, so every process younger than the first is part of
// it.
bool IsLeftHalfWay(const Record& record) {
  if (record.state != State::kStarting || record.machine.empty()) return false;
  if (record.Wsl() != nullptr) return KeeperRuns(record);
  const std::vector<MachineProcess> all = MachineProcesses();
  return !all.empty() && std::all_of(all.begin(), all.end(), [&record](const MachineProcess& process) {
    return process.created >= record.machine.front().created;
  });
}

// Ends the sandbox with its virtual machine or keeper. The caller holds the lock, so no other call starts
// one.
Result<std::vector<Warning>> End(const SandboxFolder& folder, const Record& record) {
  if (record.Wsl() != nullptr) return EndInWsl(folder, record);
  if (Runs(record) || IsLeftHalfWay(record)) EndMachine();
  return std::vector<Warning>{};
}

// The record, as stopped if its virtual machine or keeper has ended.
Record Settled(Record record) {
  const bool gone = record.state == State::kStarted && !Stands(record);
  if (gone) record.state = State::kStopped;
  return record;
}

// `read`: what folder.Read() has returned. From now on hides the values of its variables.
Result<Record> UsableRecord(const SandboxFolder& folder, std::optional<Record> read) {
  if (!folder.IsThere()) return SandboxFolder::AnyWasMade() ? NoSuchSandbox() : NotProvisioned();
  if (!read) return SandboxDied("its record cannot be read");
  if (const WslSandbox* const wsl = read->Wsl()) HideValuesIn(RevealedText(wsl->run.config));
  if (folder.IsOver(*read)) return NoSuchSandbox();
  return Settled(std::move(*read));
}

Result<Record> Find(const SandboxFolder& folder) { return UsableRecord(folder, folder.Read()); }

// Cleans up what a killed keeper left in a WSL sandbox, and keeps the sandbox itself.
void EndLeftInside(const SandboxFolder& folder, Record record) {
  const bool was_started = record.state == State::kStarted;
  if (record.Wsl() == nullptr || Stands(record) || (!was_started && record.state != State::kStarting)) return;
  if (!End(folder, record)) return;
  record.state = was_started ? State::kStopped : State::kProvisioned;
  record.machine.clear();
  record.Wsl()->inside.clear();
  static_cast<void>(folder.Write(record));  // if that fails, the next sweep tries again
}

// Removes sandboxes whose time is over and, with `dead`, what killed calls have left. Returns their names.
std::vector<std::string> Sweep(bool dead) {
  std::vector<std::string> swept;
  const Transition transition{dead ? kLockMs : 0};
  if (!transition.Held()) return swept;
  for (const SandboxFolder& folder : SandboxFolder::All()) {
    const std::optional<Record> record = folder.Read();
    const bool stays = record && !folder.IsOver(*record);
    if (stays && dead) EndLeftInside(folder, *record);
    if (stays || (!record && !dead)) continue;
    if (record && !End(folder, *record)) continue;  // the next one tries again
    if (folder.Remove()) swept.push_back(folder.Id().Text());
  }
  return swept;
}

Record RecordOf(Plan plan, const SessionLimits& limits) {
  Record record{.audit = std::move(plan.audit),
                .relaxations = std::move(plan.relaxations),
                .policy_hash = std::move(plan.policy_hash),
                .limits = limits,
                .provisioned_ms = ClockMs()};
  if (auto* const wsl = std::get_if<WslLaunch>(&plan.launch)) {
    record.sandbox = WslSandbox{.run = std::move(wsl->run)};
  } else {
    record.sandbox = std::move(std::get<WindowsSandboxLaunch>(plan.launch).run);
  }
  return record;
}

Launch LaunchOf(Record record, const std::string& folder) {
  if (WslSandbox* const wsl = record.Wsl())
    return WslLaunch{.run = std::move(wsl->run), .persistent = folder, .inside = std::move(wsl->inside)};
  return WindowsSandboxLaunch{.run = std::move(std::get<WindowsSandboxRun>(record.sandbox)),
                              .persistent = folder};
}

}  // namespace

Result<Followed> Follow(const SandboxId& /*id*/) { return Followed{}; }

Result<Provisioned> Provision(Plan plan, const SessionLimits& limits, const Stages& /*stages*/) {
  const Result<SandboxId> id = NewSandboxId(plan.containment);
  if (!id) return id.error();
  Sweep(false);
  Record record = RecordOf(std::move(plan), limits);
  if (record.Wsl() != nullptr) {
    if (Status fit = TryInWsl(record.Wsl()->run); !fit) return fit.error();
  }
  const SandboxFolder folder{*id};
  if (Status made = folder.Make(); !made) return made.error();
  const Status written = folder.Write(record);
  if (written) return Provisioned{.id = id->Text()};
  static_cast<void>(folder.Remove());
  return written.error();
}

Result<std::vector<Warning>> Start(const SandboxId& id, Receipt& /*receipt*/) {
  const Transition transition{kLockMs};
  if (Status held = transition.Held(); !held) return held.error();
  const SandboxFolder folder{id};
  Result<Record> record = Find(folder);
  if (!record) return record.error();
  if (record->state == State::kStarted) return AlreadyStarted();
  const Result<std::vector<Warning>> left = End(folder, *record);
  if (!left) return left;
  const bool wsl = record->Wsl() != nullptr;
  Status started = wsl ? StartInWsl(folder, std::move(*record)) : Boot(folder, std::move(*record));
  if (!started) return started.error();
  return left;
}

Result<std::vector<Warning>> Stop(const SandboxId& id, Receipt& /*receipt*/) {
  const Transition transition{kLockMs};
  if (Status held = transition.Held(); !held) return held.error();
  const SandboxFolder folder{id};
  Result<Record> record = Find(folder);
  if (!record) return record.error();
  const bool half_way = IsLeftHalfWay(*record);
  if (record->state != State::kStarted && !half_way) return NothingToStop(record->state == State::kStopped);
  const Result<std::vector<Warning>> left = End(folder, *record);
  if (!left) return left;
  record->state = State::kStopped;
  record->machine.clear();
  if (WslSandbox* const wsl = record->Wsl()) wsl->inside.clear();
  if (Status written = folder.Write(*record); !written) return written.error();
  return left;
}

Result<std::vector<Warning>> Deprovision(const SandboxId& id, Receipt& /*receipt*/) {
  const Transition transition{kLockMs};
  if (Status held = transition.Held(); !held) return held.error();
  const SandboxFolder folder{id};
  const std::optional<Record> record = folder.Read();
  const Result<Record> found = UsableRecord(folder, record);
  Result<std::vector<Warning>> left = record ? End(folder, *record) : std::vector<Warning>{};
  if (!left) return left;
  const bool dead = folder.IsThere() && !record;
  if (folder.IsThere()) {
    if (Status removed = folder.Remove(); !removed) return removed.error();
  }
  if (!found && !dead) return found.error();
  return left;
}

Result<Entered> Enter(const SandboxId& id, Receipt& /*receipt*/) {
  const SandboxFolder folder{id};
  Result<Record> record = Find(folder);
  if (!record) return record.error();
  if (record->state != State::kStarted) return NotStarted(record->state == State::kStopped);
  if (RunningCommands(folder.Path()) >= kMaxSessionCommands) return TooManyCommands();
  const Tier tier = record->Wsl() != nullptr ? Tier::kContainer : Tier::kVirtualMachine;
  Plan plan{.policy_hash = std::move(record->policy_hash),
            .containment = id.containment,
            .tier = tier,
            .audit = std::move(record->audit),
            .relaxations = std::move(record->relaxations)};
  plan.launch = LaunchOf(std::move(*record), folder.Path());
  return Entered{.plan = std::move(plan)};
}

Status HideValuesOf(const SandboxId& id) {
  const SandboxFolder folder{id};
  const Result<Record> record = Find(folder);
  return record || !folder.IsThere() ? Status(Done{}) : record.error();
}

void Provisioned::Keep() {}

Result<Provisioned::End> Provisioned::Wait() { return End{}; }  // there is no daemon

void Provisioned::Reported() {}

void Receipt::Give() {}

Status StartInBackground(const Plan& /*plan*/, int /*connection*/) {
  return Unsupported("Windows has no commands in the background of a sandbox", {},
                     "leave --background out, and let the call wait");
}

std::vector<Listed> List() {
  Sweep(false);
  std::vector<Listed> all;
  for (const SandboxFolder& folder : SandboxFolder::All()) {
    const std::optional<Record> read = folder.Read();
    if (!read) {
      all.push_back({.id = folder.Id().Text(), .state = kDead});
      continue;
    }
    const Record record = Settled(*read);
    const std::size_t commands = RunningCommands(folder.Path());
    const bool started = record.state == State::kStarted;
    const bool stopped = record.state == State::kStopped;
    all.push_back({.id = folder.Id().Text(),
                   .state = started ? "started" : (stopped ? "stopped" : "provisioned"),
                   .commands = commands,
                   .age_ms = ClockMs() - record.provisioned_ms,
                   .idle_ms = commands == 0 ? ClockMs() - folder.UsedMs() : 0});
  }
  return all;
}

std::vector<std::string> Reap() { return Sweep(true); }

}  // namespace mxc::session
