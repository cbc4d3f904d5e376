#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/pipe.h"
#include "base/unique_fd.h"
#include "kubernetes/claim.h"
#include "kubernetes/kubectl.h"
#include "kubernetes/pod_program.h"
#include "kubernetes/remote/pod_record.h"
#include "kubernetes/remote/pod_sandbox.h"
#include "persistent/refusals.h"
#include "report/hidden_values.h"
#include "run/signals.h"

namespace mxc::kubernetes {
namespace {

using session::Entered;
using session::Listed;
using session::NewSandboxId;
using session::Provisioned;
using session::SandboxId;
using session::SessionLimits;
using session::StateDirectory;

// How long one that was let in may take to start its command, and to tell its end; less where the claim ends
// soon, which would leave nothing to be stopped.
constexpr std::uint64_t kLetInMs = 60000;
constexpr std::uint64_t kPartOfTheRest = 2;
constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20U;

std::uint64_t WallMs(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1000000;
}

std::uint64_t WallMs() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return WallMs(now);
}

std::string FreshName(const SandboxId& id) { return "." + id.Name(); }
std::string LockName(const SandboxId& id) { return "." + id.Name() + ".lock"; }

// At one stroke. When it was written is when its sandbox was used last.
Status WritePodRecord(const StateDirectory& directory, const SandboxId& id, const PodRecord& record) {
  const std::string fresh = FreshName(id);
  ::unlinkat(directory.Descriptor(), fresh.c_str(), 0);
  const UniqueFd file{::openat(directory.Descriptor(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (file && WriteAll(file.Get(), PodRecordText(record)) &&
      ::renameat(directory.Descriptor(), fresh.c_str(), directory.Descriptor(), id.Name().c_str()) == 0)
    return Done{};
  const int number = errno;
  ::unlinkat(directory.Descriptor(), fresh.c_str(), 0);
  return SystemError(ErrorCode::kSetupFailed, "write to '" + directory.Path() + "'", number);
}

// A file of the caller's own that nobody else can read or write, under one name. What its record says is
// done with the caller's rights in a cluster.
UniqueFd OpenPodRecord(const StateDirectory& directory, const SandboxId& id, std::size_t& size,
                       std::uint64_t& used_ms) {
  UniqueFd file{
      ::openat(directory.Descriptor(), id.Name().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat status {};
  const bool ours = file && ::fstat(file.Get(), &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == ::geteuid() && (status.st_mode & 077U) == 0 && status.st_nlink == 1;
  if (!ours || static_cast<std::size_t>(status.st_size) > kMaxRecordBytes) return {};
  size = static_cast<std::size_t>(status.st_size);
  used_ms = WallMs(status.st_mtim);
  return file;
}

struct FoundPod {
  PodRecord record = {};
  std::uint64_t used_ms = 0;
};

const KubernetesLaunch& LaunchOf(const PodRecord& record) {
  return std::get<KubernetesLaunch>(record.plan.launch);
}

// From now on hides the values of its variables: pods and their claims are told of as the policy names them.
std::optional<FoundPod> ReadPod(const StateDirectory& directory, const SandboxId& id) {
  std::size_t size = 0;
  FoundPod found;
  const UniqueFd file = OpenPodRecord(directory, id, size, found.used_ms);
  if (!file) return std::nullopt;
  std::string text(size, '\0');
  if (::read(file.Get(), text.data(), size) != static_cast<ssize_t>(size)) return std::nullopt;
  std::optional<PodRecord> record = ReadPodRecord(text);
  if (!record) return std::nullopt;
  found.record = std::move(*record);
  HideValuesIn(RevealedText(LaunchOf(found.record).run.config));
  return found;
}

// The cluster has deleted its claim so long ago at least, if clocks can be trusted.
bool IsOver(const FoundPod& found, std::uint64_t since_ms = 0) {
  const KubernetesLaunch& launch = LaunchOf(found.record);
  const std::uint64_t then = WallMs() - since_ms;
  const std::int64_t server_s = static_cast<std::int64_t>(then / 1000) + launch.kept->clock_ahead_s;
  if (launch.kept->ends_s != 0 && server_s > launch.kept->ends_s) return true;
  return then > found.used_ms + std::uint64_t{launch.run.ttl_s} * 1000;
}

// The directory that has the name, wherever the sandbox may have been provisioned.
Result<StateDirectory> DirectoryOf(const SandboxId& id) {
  std::vector<StateDirectory> directories = StateDirectory::Existing();
  if (directories.empty()) return session::NotProvisioned();
  for (StateDirectory& directory : directories)
    if (directory.Has(id.Name())) return std::move(directory);
  return session::NoSuchSandbox();
}

Error Unrecorded() {
  return session::SandboxDied("its record cannot be read, or is of another version of mxc-exec");
}

Error ByASignal() { return SetupFailed("a signal has ended the wait for the cluster"); }

// The wait was ended by a signal.
Error Told(const Error& error) {
  return error.code == ErrorCode::kInternal && error.message.empty() ? ByASignal() : error;
}

// Its claim, with the caller's signals and kubectl around it.
class PodCall {
 public:
  explicit PodCall(const PodRun& run)
      : kubectl_(run, {.fd = signals_.Descriptor(),
                       .ending = [this] { return signals_.Ending(); },
                       .tick =
                           [this] {
                             if (claim_) claim_->Renew();
                           }}) {}
  PodCall(const PodCall&) = delete;
  PodCall& operator=(const PodCall&) = delete;
  ~PodCall() = default;

  template <class Known>
  Claim& About(const Known& known) {
    return claim_.emplace(kubectl_, known);
  }
  [[nodiscard]] const Kubectl& Tool() const { return kubectl_; }
  [[nodiscard]] Status Begun() const { return begun_; }
  [[nodiscard]] bool Ending() { return signals_.Ending(); }

 private:
  SignalScope signals_ = {};
  Status begun_ = signals_.Begin();
  Kubectl kubectl_;
  std::optional<Claim> claim_ = {};
};

Result<KeptPod> BindForLong(PodCall& call, Claim& claim, const SandboxId& id, const SessionLimits& limits) {
  const Result<BoundPod> pod = claim.Bind();
  if (!pod) return pod.error();
  Result<std::string> program = ProgramIn(call.Tool(), *pod, "mxc-" + id.token);
  if (!program) return program.error();
  Result<KeptPod> kept = claim.Keep(*pod, limits.lifetime_ms);
  if (!kept) return kept;
  if (call.Ending()) return ByASignal();
  kept->program = std::move(*program);
  return kept;
}

// Of the two that bound it without a command the shorter counts.
void Shorten(const SessionLimits& limits, PodRun& run) {
  const std::uint64_t idle_s = std::max<std::uint64_t>(limits.idle_ms / 1000, 1);
  if (limits.idle_ms != 0 && idle_s < run.ttl_s) run.ttl_s = static_cast<std::uint32_t>(idle_s);
}

struct OpenPod {
  StateDirectory directory;
  PodRecord record = {};
};

Result<OpenPod> Open(const SandboxId& id) {
  Result<StateDirectory> directory = DirectoryOf(id);
  if (!directory) return directory.error();
  std::optional<FoundPod> found = ReadPod(*directory, id);
  if (!found) return Unrecorded();
  return OpenPod{.directory = std::move(*directory), .record = std::move(found->record)};
}

// An exec holds it shared from before it reads the record until it ends. Whoever has it alone after the
// record says that no command is let in knows that none is about to start.
Result<UniqueFd> LockOf(const StateDirectory& directory, const SandboxId& id) {
  UniqueFd file{::openat(directory.Descriptor(), LockName(id).c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (file) return file;
  return SystemError(ErrorCode::kSetupFailed, "open the lock of the sandbox in '" + directory.Path() + "'",
                     errno);
}

void RemoveRecord(const StateDirectory& directory, const SandboxId& id) {
  directory.Remove(id.Name());
  ::unlinkat(directory.Descriptor(), LockName(id).c_str(), 0);
}

// With the state that it comes to, and the clock as it was found.
Status WriteState(OpenPod& open, const SandboxId& id, PodSandboxState state, const Claim& claim) {
  open.record.state = state;
  std::get<KubernetesLaunch>(open.record.plan.launch).kept->clock_ahead_s = claim.Clock().AheadSeconds();
  return WritePodRecord(open.directory, id, open.record);
}

// Every command: also one that was let in before and has not been started yet.
Status EndCommands(const PodCall& call, const BoundPod& pod, const KeptPod& kept, const UniqueFd& lock,
                   std::uint64_t claim_ends_ms) {
  const std::uint64_t now = NowMs();
  const std::uint64_t rest = claim_ends_ms - std::min(now, claim_ends_ms);
  for (const std::uint64_t limit = now + std::min(kLetInMs, rest / kPartOfTheRest);; Pause()) {
    const bool alone = ::flock(lock.Get(), LOCK_EX | LOCK_NB) == 0;
    Status ended = EndInPod(call.Tool(), pod, kept.program, kept.claim + ".");
    if (!ended || alone) return ended;
    if (NowMs() > limit)
      return Error{.code = ErrorCode::kSetupFailed,
                   .message = "the mxc-exec of a command that was let in before does not end",
                   .pointer = "/sandboxId",
                   .hint = "end it, or take its output, and stop the sandbox again"};
  }
}

// Of sandboxes that have been over for a day, whatever the environment of the call that has made them: only
// one with the same $XDG_RUNTIME_DIR would find them, and a record has the environment of a policy.
void RemoveOldRecords() {
  constexpr std::uint64_t kDayMs = std::uint64_t{24} * 60 * 60 * 1000;
  for (const StateDirectory& directory : StateDirectory::OfAllCalls()) {
    for (const std::string& name : directory.Names()) {
      const Result<SandboxId> id = session::ParseSandboxName(name);
      if (!id) continue;
      const std::optional<FoundPod> found = ReadPod(directory, *id);  // nothing of a sandbox of this machine
      if (found && IsOver(*found, kDayMs)) RemoveRecord(directory, *id);
    }
  }
}

}  // namespace

Result<Provisioned> ProvisionPod(Plan plan, const SessionLimits& limits) {
  const Result<SandboxId> id = NewSandboxId(plan.containment);
  if (!id) return id.error();
  const Result<StateDirectory> directory = StateDirectory::Open();
  if (!directory) return directory.error();
  RemoveOldRecords();
  PodRecord record{.plan = std::move(plan), .provisioned_ms = WallMs()};
  auto& launch = std::get<KubernetesLaunch>(record.plan.launch);
  Shorten(limits, launch.run);
  PodCall call(launch.run);
  if (Status begun = call.Begun(); !begun) return begun.error();
  Claim& claim = call.About(id->token);
  Result<KeptPod> kept = BindForLong(call, claim, *id, limits);
  Status done = kept ? Status(Done{}) : Status(kept.error());
  if (kept) {
    launch.kept = std::move(*kept);
    done = WritePodRecord(*directory, *id, record);
  }
  if (done) return Provisioned{.id = id->Text()};
  Error error = Told(done.error());
  if (Status deleted = claim.Delete(); !deleted) error.message += "; " + deleted.error().message;
  return error;
}

Status StartPod(const SandboxId& id) {
  Result<OpenPod> open = Open(id);
  if (!open) return open.error();
  if (open->record.state == PodSandboxState::kStarted) return session::AlreadyStarted();
  const KubernetesLaunch& launch = LaunchOf(open->record);
  PodCall call(launch.run);
  if (Status begun = call.Begun(); !begun) return begun;
  Claim& claim = call.About(*launch.kept);
  if (const Result<BoundPod> pod = claim.Rejoin(); !pod) return Told(pod.error());
  return WriteState(*open, id, PodSandboxState::kStarted, claim);
}

Status StopPod(const SandboxId& id) {
  Result<OpenPod> open = Open(id);
  if (!open) return open.error();
  if (open->record.state != PodSandboxState::kStarted)
    return session::NothingToStop(open->record.state == PodSandboxState::kStopped);
  const Result<UniqueFd> lock = LockOf(open->directory, id);
  if (!lock) return lock.error();
  const KubernetesLaunch& launch = LaunchOf(open->record);
  PodCall call(launch.run);
  if (Status begun = call.Begun(); !begun) return begun;
  Claim& claim = call.About(*launch.kept);
  const Result<BoundPod> pod = claim.Rejoin();
  if (!pod) return Told(pod.error());
  // No other is let in from here on.
  if (Status written = WriteState(*open, id, PodSandboxState::kStopped, claim); !written) return written;
  Status ended = EndCommands(call, *pod, *launch.kept, *lock, claim.EndsAt());
  if (ended) return ended;
  if (Status written = WriteState(*open, id, PodSandboxState::kStarted, claim); !written) return written;
  return ended;
}

Result<std::vector<Warning>> DeprovisionPod(const SandboxId& id) {
  const Result<StateDirectory> directory = DirectoryOf(id);
  if (!directory) return directory.error();
  const std::optional<FoundPod> found = ReadPod(*directory, id);
  std::vector<Warning> told;
  if (found) {
    const KubernetesLaunch& launch = LaunchOf(found->record);
    PodCall call(launch.run);
    if (Status begun = call.Begun(); !begun) return begun.error();
    if (Status deleted = call.About(*launch.kept).DeleteKept(); !deleted) return Told(deleted.error());
  } else {
    told.push_back({.category = "claim-left",
                    .message = Unrecorded().message + "; the cluster deletes its claim when its time is over",
                    .pointer = "/sandboxId"});
  }
  RemoveRecord(*directory, id);
  return told;
}

Result<Entered> EnterPod(const SandboxId& id) {
  const Result<StateDirectory> directory = DirectoryOf(id);
  if (!directory) return directory.error();
  Result<UniqueFd> lock = LockOf(*directory, id);
  if (!lock) return lock.error();
  if (::flock(lock->Get(), LOCK_SH | LOCK_NB) != 0) return session::NotStarted(true);  // it is being stopped
  Result<OpenPod> open = Open(id);
  if (!open) return open.error();
  if (open->record.state != PodSandboxState::kStarted)
    return session::NotStarted(open->record.state == PodSandboxState::kStopped);
  ::utimensat(open->directory.Descriptor(), id.Name().c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return Entered{.connection = std::move(*lock), .plan = std::move(open->record.plan)};
}

Listed ListedPod(const StateDirectory& directory, const SandboxId& id) {
  const std::optional<FoundPod> found = ReadPod(directory, id);
  Listed listed{.id = id.Text(), .state = session::kDead};
  if (!found) return listed;
  const bool started = found->record.state == PodSandboxState::kStarted;
  const bool stopped = found->record.state == PodSandboxState::kStopped;
  listed.state = IsOver(*found) ? "expired" : started ? "started" : stopped ? "stopped" : "provisioned";
  listed.commands = std::nullopt;
  const std::uint64_t now = WallMs();
  listed.age_ms = now - std::min(now, found->record.provisioned_ms);
  listed.idle_ms = now - std::min(now, found->used_ms);
  return listed;
}

bool RemoveDeadPod(const StateDirectory& directory, const SandboxId& id) {
  const std::optional<FoundPod> found = ReadPod(directory, id);
  if (!directory.Has(id.Name()) || (found && !IsOver(*found))) return false;
  RemoveRecord(directory, id);
  return true;
}

}  // namespace mxc::kubernetes
