#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/peer.h"
#include "engine/persistent/exec_request.h"
#include "mxc/limits.h"
#include "persistent/daemon.h"
#include "persistent/recovery_record.h"
#include "persistent/refusals.h"
#include "persistent/reply.h"
#include "run/reached_limits.h"
#include "run/relay.h"
#include "spawn/program_pages.h"

namespace mxc::session {
namespace {

// Removing the daemon's socket ends the sandbox. inotify reports it; on file systems where it does not, the
// daemon looks this often.
constexpr std::uint64_t kLookMs = 30000;
// Limit of the sandbox's set-up, during which the daemon answers no call.
constexpr std::uint32_t kStartLimitMs = 30000;
// Least time between two readings of the processor time.
constexpr std::uint64_t kCpuTickMs = 10;
// After the limit of processor time the launcher of each command ends it and reports; it takes kTermGraceMs
// for one that ignores SIGTERM. Then the daemon ends the sandbox.
constexpr std::uint64_t kCpuGraceMs = 3000;

bool OnlyLooks(Verb verb) { return verb == Verb::kStatus || verb == Verb::kSecrets; }

}  // namespace

SandboxDaemon::SandboxDaemon(Plan plan, const SessionLimits& limits, const Stages& stages, Place place,
                             SignalScope& signals)
    : plan_(std::move(plan)),
      limits_(limits),
      stages_(stages),
      place_(std::move(place)),
      signals_(signals),
      names_(place_.directory.WatchNames()),
      sandbox_(plan_, signals,
               [this](const HostChanges& changes, pid_t init) {
                 return WriteRecoveryRecord(place_.directory, place_.id.Name(), changes, init);
               }),
      followers_([this](std::uint32_t mark) { return sandbox_.MarkRecords(mark); }),
      provisioned_ms_(NowMs()),
      busy_ms_(provisioned_ms_),
      look_ms_(provisioned_ms_ + kLookMs) {}

void SandboxDaemon::Run() {
  while (!done_) PollOnce();
  End();
  if (!place_.provisioner) return;
  [[maybe_unused]] const Status told = SendReply(place_.provisioner.Get(), OkText(unreported_));
}

// Stops the sandbox and reviews what its commands left.
void SandboxDaemon::StopSandbox() {
  const bool stood = sandbox_.Stands();
  sandbox_.Stop();
  followers_.End();
  cpu_end_ms_ = 0;
  if (!stood) return;
  // A service manager sends its signal to the daemon and to the provisioner that waits for it, one after the
  // other. One that has arrived by now asks for this same end, and must not interrupt the review.
  signalled_ = signals_.Ending() || signalled_;
  if (std::optional<Warning> writable = sandbox_.TakeStillWritable())
    unreported_.push_back(std::move(*writable));
  for (Warning& left : stages_.review(plan_)) unreported_.push_back(std::move(left));
  mark_ = {};
}

// The sandbox has been stopped. Stays until the user has been told the warnings of the review: by a
// provisioner that waits, or by a caller. Each of them is told until one has confirmed.
void SandboxDaemon::Await(const char* how) {
  signalled_ = false;
  expired_ = true;
  ended_how_ = how;
  done_ = unreported_.empty();
}

// The signal that ends the daemon may have ended the provisioner, too.
void SandboxDaemon::Expire(const char* how) {
  StopSandbox();
  Await(how);
  if (!done_) SendToProvisioner();
}

void SandboxDaemon::SendToProvisioner() {
  if (place_.provisioner && !SendReply(place_.provisioner.Get(), OkText(unreported_)))
    place_.provisioner.Reset();
}

// By a signal, or because the provisioner has gone. Without a command there is nothing to tell.
void SandboxDaemon::EndUnasked() {
  Expire("it was ended");
  done_ = done_ || !used_;
}

void SandboxDaemon::End() {
  StopSandbox();
  place_.directory.Remove(place_.id.Name());
}

int SandboxDaemon::PollTimeout() const {
  const std::uint64_t now = NowMs();
  std::uint64_t next = look_ms_;
  if (limits_.lifetime_ms != 0 && !expired_) next = std::min(next, provisioned_ms_ + limits_.lifetime_ms);
  if (limits_.idle_ms != 0 && !expired_ && sandbox_.Running() == 0)
    next = std::min(next, busy_ms_ + limits_.idle_ms);
  if (cpu_limit_ms_ != 0 && (sandbox_.Running() != 0 || cpu_end_ms_ != 0))
    next = std::min(next, cpu_look_ms_);
  return static_cast<int>(next > now ? next - now : 0);
}

void SandboxDaemon::OnTimers() {
  const std::uint64_t now = NowMs();
  const bool idle = limits_.idle_ms != 0 && sandbox_.Running() == 0 && now >= busy_ms_ + limits_.idle_ms;
  const bool old = limits_.lifetime_ms != 0 && now >= provisioned_ms_ + limits_.lifetime_ms;
  if ((idle || old) && !expired_ && !done_) Expire("its time was over");
  OnCpuTime(now);
  if (now < look_ms_) return;
  look_ms_ = now + kLookMs;
  if (now >= busy_ms_ + kLookMs) ReleaseProgramPages();
  done_ = done_ || !place_.directory.Has(place_.id.Name());
}

// The next reading comes before all processors together can have used up the rest.
void SandboxDaemon::OnCpuTime(std::uint64_t now) {
  if (cpu_limit_ms_ == 0 || !sandbox_.Stands() || now < cpu_look_ms_) return;
  const std::uint64_t used = CpuTimeMs(sandbox_.Groups());
  const auto processors = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  if (used < cpu_limit_ms_) {
    cpu_look_ms_ = now + std::max((cpu_limit_ms_ - used) / processors, kCpuTickMs);
    return;
  }
  if (cpu_end_ms_ == 0) cpu_end_ms_ = now + kCpuGraceMs;
  cpu_look_ms_ = now + kCpuTickMs;
  if (sandbox_.Running() != 0 && now < cpu_end_ms_) return;
  StopSandbox();
  stopped_ = true;
}

bool SandboxDaemon::CpuTimeIsUp() const {
  return cpu_limit_ms_ != 0 && sandbox_.Stands() && CpuTimeMs(sandbox_.Groups()) >= cpu_limit_ms_;
}

void SandboxDaemon::PollOnce() {
  enum Slot : std::size_t { kCalls, kSignals, kInit, kEnds, kRecords, kNames, kProvisioner, kCallers };
  const auto readable = [](int fd) { return pollfd{.fd = fd, .events = POLLIN, .revents = 0}; };
  std::vector<pollfd> polls = {readable(place_.socket.Get()),     readable(signals_.Descriptor()),
                               readable(sandbox_.Init()),         readable(sandbox_.Ends()),
                               readable(sandbox_.Records()),      readable(names_.Get()),
                               readable(place_.provisioner.Get())};
  for (const Caller& caller : callers_) polls.push_back(readable(caller.connection.Get()));
  const std::size_t follower = polls.size();
  for (const int descriptor : followers_.Descriptors()) polls.push_back(readable(descriptor));
  if (::poll(polls.data(), polls.size(), PollTimeout()) < 0) return;  // EINTR
  if (polls[kSignals].revents != 0) signalled_ = signals_.Ending();
  if (std::exchange(signalled_, false)) OnSignal();
  for (std::size_t i = polls.size(); i-- > follower;) {
    if (polls[i].revents != 0) followers_.OnEvent(i - follower);
  }
  OnSandbox(polls[kInit].revents, polls[kEnds].revents, polls[kRecords].revents);
  if (polls[kNames].revents != 0) OnNames();
  if (polls[kProvisioner].revents != 0) OnProvisioner();
  for (std::size_t i = callers_.size(); i-- > 0 && !done_;) {
    const auto caller = callers_.begin() + static_cast<std::ptrdiff_t>(i);
    if (polls[kCallers + i].revents != 0 && !Serve(*caller)) callers_.erase(caller);
  }
  if (polls[kCalls].revents != 0 && !done_) Accept();
  OnTimers();
  if (signalled_ && !done_) OnSignal();
}

// The first signal ends the sandbox; a second one ends a daemon that still waits to tell the warnings.
void SandboxDaemon::OnSignal() {
  done_ = expired_;
  if (!expired_) EndUnasked();
}

void SandboxDaemon::OnNames() {
  StateDirectory::DrainWatch(names_);
  done_ = done_ || !place_.directory.Has(place_.id.Name());
}

// A word of the provisioner's: kKeep, kEnd or kReported. A closed connection ends the sandbox, as kEnd does.
void SandboxDaemon::OnProvisioner() {
  char word = 0;
  const bool there = ::recv(place_.provisioner.Get(), &word, 1, MSG_DONTWAIT) == 1;
  if (!there || word != kEnd) place_.provisioner.Reset();
  if (expired_) {
    done_ = done_ || (there && word == kReported);
  } else if (!there || word == kEnd) {
    EndUnasked();
  }
}

void SandboxDaemon::OnSandbox(short init, short ends, short records) {
  if (records != 0) {
    const bool gone = (records & POLLHUP) != 0;
    sandbox_.TakeRecords(gone, [this](std::uint32_t mark) { followers_.OnMark(mark); });
    if (gone) followers_.OnGatewayEnd();
  }
  if (ends != 0) sandbox_.TakeEnds();
  if (ends != 0) busy_ms_ = NowMs();
  // Process 1 of the sandbox was killed, perhaps for lack of memory.
  if (init == 0) return;
  StopSandbox();
  stopped_ = true;
}

// Serves the call at once if it has arrived, as it mostly has.
void SandboxDaemon::Accept() {
  Caller caller{.connection = UniqueFd{::accept4(place_.socket.Get(), nullptr, nullptr, SOCK_CLOEXEC)}};
  if (!caller.connection || PeerOutsideSandboxes(caller.connection.Get()) == 0 || !Serve(caller)) return;
  if (callers_.size() == static_cast<std::size_t>(kMaxCallers)) callers_.erase(callers_.begin());
  callers_.push_back(std::move(caller));
}

bool SandboxDaemon::Serve(Caller& caller) {
  if (caller.sent != 0) {
    OnReceipt(caller);
    return false;
  }
  const UniqueFd& connection = caller.connection;
  const Call call = ReceiveCall(connection.Get(), place_.id.Name());
  if (call.state == Call::State::kNone) return true;
  if (call.state == Call::State::kWrong) return false;
  if (!OnlyLooks(call.verb)) busy_ms_ = NowMs();
  const std::string answer = Answer(call.verb, caller);
  if (answer.empty()) return false;
  const Status sent = SendReply(connection.Get(), answer);
  [[maybe_unused]] const Status told = sent ? sent : SendReply(connection.Get(), ErrorText(sent.error()));
  if (!sent && caller.sent != 0 && expired_) SendToProvisioner();
  return sent && caller.sent != 0;
}

// The caller has told the user, or it has gone: the warnings stay for the next one then.
void SandboxDaemon::OnReceipt(const Caller& caller) {
  char word = 0;
  if (::recv(caller.connection.Get(), &word, 1, MSG_DONTWAIT) == 1 && word == kReported) {
    const std::size_t reported =
        std::max(caller.sent, reported_) - reported_;  // another caller may have been first
    unreported_.erase(unreported_.begin(), unreported_.begin() + static_cast<std::ptrdiff_t>(reported));
    reported_ += reported;
  } else if (expired_) {
    SendToProvisioner();
  }
  if (!expired_ || !unreported_.empty()) return;
  End();
  done_ = true;
}

// The reply. Empty: it has been sent already.
std::string SandboxDaemon::Answer(Verb verb, Caller& caller) {
  const UniqueFd& connection = caller.connection;
  const auto text = [&](const Status& status) {
    if (!status) return ErrorText(status.error());
    if (!unreported_.empty()) caller.sent = reported_ + unreported_.size();
    return OkText(unreported_);
  };
  const auto error_of = [](const Status& status) {
    return status ? std::string() : ErrorText(status.error());
  };
  if (expired_ && !OnlyLooks(verb)) {
    caller.sent = reported_ + unreported_.size();
    return verb == Verb::kDeprovision ? OkText(unreported_)
                                      : ErrorText(SandboxExpired(ended_how_, unreported_));
  }
  switch (verb) {
    case Verb::kStart:
      return text(Start());
    case Verb::kStop:
      return text(Stop());
    case Verb::kExec:
      return error_of(Enter(connection));
    case Verb::kFollow:
      return error_of(Follow(connection));
    case Verb::kDeprovision:
      StopSandbox();
      Await("it was ended");
      if (done_ || !used_) {
        End();
        done_ = true;
        return OkText(unreported_);
      }
      return text(Done{});
    case Verb::kStatus:
      return ListedText(Look());
    case Verb::kSecrets:
      return SecretsText(CommandEnvironment(plan_.launch));
  }
  return ErrorText({.code = ErrorCode::kMalformed, .message = "an unknown request"});
}

Listed SandboxDaemon::Look() const {
  const std::size_t commands = sandbox_.Running();
  return {.id = place_.id.Text(),
          .state = State(),
          .commands = commands,
          .age_ms = NowMs() - provisioned_ms_,
          .idle_ms = commands == 0 ? NowMs() - busy_ms_ : 0,
          .daemon = ::getpid()};
}

std::string SandboxDaemon::State() const {
  if (expired_) return "expired";
  if (sandbox_.Stands()) return "started";
  return stopped_ ? "stopped" : "provisioned";
}

// Resolves and plans again: files of the host may have changed since provision or the last start.
Status SandboxDaemon::Renew() {
  std::vector<Warning> told;
  SessionLimits limits = limits_;
  std::string basis;
  Result<Plan> plan = stages_.plan(told, limits, basis);
  if (!plan) return plan.error();
  if (EntryText(*plan, {}).size() > kMaxReplyBytes) return ReplyTooLong();
  limits_ = limits;
  plan_ = std::move(*plan);
  basis_ = std::move(basis);
  std::move(told.begin(), told.end(), std::back_inserter(unreported_));
  plan_.timeout_ms = kStartLimitMs;  // commands bring their own
  cpu_limit_ms_ = CpuTimeLimitMs(plan_);
  return Done{};
}

// Each start opens the log anew: its place may have changed to one that is refused.
Status SandboxDaemon::OpenAudit() {
  audit_.reset();
  if (plan_.audit.path.empty()) return Done{};
  Result<AuditLog> log = AuditLog::Open(plan_.audit);
  if (!log) return plan_.audit.on_failure == Audit::OnFailure::kRefuse ? Status(log.error()) : Done{};
  audit_.emplace(std::move(*log));
  return Done{};
}

Status SandboxDaemon::Start() {
  if (CpuTimeIsUp()) StopSandbox();
  if (sandbox_.Stands()) return AlreadyStarted();
  if (Status renewed = Renew(); !renewed) return renewed;
  if (Status opened = OpenAudit(); !opened) return opened;
  mark_ = RunMark::Set(plan_.git.since, plan_.git.roots);
  const Status started = sandbox_.Start([this](const GatewayRecord& record) {
    if (audit_ && !audit_->Network(record)) audit_.reset();
    followers_.OnRecord(record);
  });
  entry_ = EntryText(plan_, sandbox_.Groups());
  return started;
}

Status SandboxDaemon::Stop() {
  if (!sandbox_.Stands()) return NothingToStop(stopped_);
  StopSandbox();
  stopped_ = true;
  return Done{};
}

Status SandboxDaemon::Follow(const UniqueFd& connection) {
  if (!sandbox_.Stands()) return NotStarted(stopped_);
  UniqueFd kept{::fcntl(connection.Get(), F_DUPFD_CLOEXEC, 3)};
  if (!kept) return SystemError(ErrorCode::kSetupFailed, "keep a connection", errno);
  return followers_.Add(std::move(kept), BasisText(basis_)) ? Status(Done{}) : TooManyCommands();
}

Status SandboxDaemon::Enter(const UniqueFd& connection) {
  if (!sandbox_.Stands() || CpuTimeIsUp()) return NotStarted(stopped_ || sandbox_.Stands());
  if (sandbox_.Running() >= kMaxSessionCommands) return TooManyCommands();
  if (Status sent = SendReply(connection.Get(), entry_, sandbox_.Multiplexer()); !sent) return sent;
  used_ = true;
  if (sandbox_.Admit(connection.Get())) return Done{};
  // The launcher has got its reply and reads reports now: it learns from this one that no supervisor comes.
  [[maybe_unused]] const ssize_t told =
      ::send(connection.Get(), &engine::kNobody, sizeof engine::kNobody, MSG_NOSIGNAL | MSG_DONTWAIT);
  return Done{};
}

}  // namespace mxc::session
