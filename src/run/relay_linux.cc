#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <limits>
#include <vector>

#include "mxc/limits.h"
#include "run/relay.h"
#include "spawn/program_pages.h"

namespace mxc {
namespace {

// Interval for checking the processor time.
constexpr std::uint64_t kCpuTimeTickMs = 10;
// After this time the launcher releases memory, because it will mostly wait (ReleaseProgramPages).
constexpr std::uint64_t kSettledMs = 200;
// bubblewrap writes its first line in eight pieces; waking up for each would delay it.
constexpr std::uint64_t kRestOfLineMs = 2;
// How long a terminal's output may be silent after the tree has ended, if a process outside it keeps it open.
// A pipe says how much it holds (Stream::EndSource).
constexpr std::uint64_t kDrainMs = 100;
// Interval for checking whether our job is in the terminal's foreground again.
constexpr std::uint64_t kJobTickMs = 100;

// Programs handle these when they are asked to end; of others most know nothing.
bool AsksToEnd(int number) {
  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

constexpr idtype_t kPidfd = static_cast<idtype_t>(3);  // P_PIDFD, which old headers lack

}  // namespace

std::uint64_t NowMs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

RelayResult Relay::Run() {
  OnSignals();  // what arrived during set-up
  while (!Done()) PollOnce();
  return result_;
}

bool Relay::Done() const {
  return tree_ended_ && std::all_of(in_.outputs.begin(), in_.outputs.end(),
                                    [](const Stream* stream) { return stream->Finished(); });
}

// -1: until something happens.
int Relay::PollTimeout() const {
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  if (stage_ == Stage::kRunning && in_.timeout_ms != 0) next = in_.started_ms + in_.timeout_ms;
  if (stage_ == Stage::kRunning && in_.cpu_time_limit_ms != 0) next = std::min(next, cpu_time_check_);
  if (stop_deadline_ != 0) next = std::min(next, stop_deadline_);
  if (drain_deadline_ != 0) next = std::min(next, drain_deadline_);
  if (rest_of_line_ != 0) next = std::min(next, rest_of_line_);
  if (!settled_) next = std::min(next, in_.started_ms + kSettledMs);
  const std::uint64_t now = NowMs();
  if (in_background_) next = std::min(next, now + kJobTickMs);
  const bool idling = std::any_of(in_.outputs.begin(), in_.outputs.end(),
                                  [](const Stream* stream) { return stream->Idling(); });
  if (idling && idle_deadline_ != 0) next = std::min(next, idle_deadline_);
  if (next == std::numeric_limits<std::uint64_t>::max()) return -1;
  return static_cast<int>(std::min<std::uint64_t>(next > now ? next - now : 0, 1U << 30));
}

// A background job may write to the terminal. The kernel stops it if it sets the terminal's modes, and its
// input goes to the foreground job.
void Relay::LookAtJob() {
  if (in_.input != nullptr) in_.input->Look();
  in_background_ = in_.input != nullptr && in_.input->InBackground();
  if (in_.terminal == nullptr || in_.terminal->Follow()) return;
  if (MayStop() && in_.terminal->WasSet()) in_.terminal->Suspend(SIGTTOU);
  in_background_ = !in_.terminal->Follow() || in_background_;
}

void Relay::PollOnce() {
  enum Slot : std::size_t {
    kChild,
    kSandbox,
    kStatus,
    kSignals,
    kRecords,
    kCalls,
    kInput,
    kInputPipe,
    kReports,
    kFirstStream
  };
  LookAtJob();
  std::vector<Stream*> streams = in_.outputs;
  if (in_.terminal_input != nullptr) streams.push_back(in_.terminal_input);
  StandardInput* const input = child_ended_ ? nullptr : in_.input;

  const bool stops = WatchesStops();
  const auto readable = [](int fd) { return pollfd{.fd = fd, .events = POLLIN, .revents = 0}; };
  std::vector<pollfd> polls = {
      readable(child_ended_ || (stops && in_.child.report) ? -1 : in_.child.End().Get()),
      readable(in_.tree.SandboxHandle()),
      readable(rest_of_line_ == 0 ? in_.status.Get() : -1),
      readable(in_.signals.Descriptor()),
      readable(in_.gateway != nullptr ? in_.gateway->Records() : -1),
      readable(in_.watch.Events()),
      input != nullptr ? input->PollSource() : readable(-1),
      input != nullptr ? input->PollTarget() : readable(-1),
      readable(stops ? in_.reports->Descriptor() : -1)};
  for (const Stream* stream : streams) {
    polls.push_back(stream->PollSource());
    polls.push_back(stream->PollTarget());
  }
  if (in_.terminal_input != nullptr && in_background_) polls[polls.size() - 2].fd = -1;
  const int count = ::poll(polls.data(), polls.size(), PollTimeout());
  if (count < 0) return;            // EINTR
  if (in_background_) LookAtJob();  // before anything is shown
  if (polls[kSignals].revents != 0) OnSignals();
  if (polls[kStatus].revents != 0) OnStatus();
  if (polls[kCalls].revents != 0) in_.watch.Take(polls[kCalls].revents);
  if (polls[kRecords].revents != 0) in_.gateway->TakeRecords((polls[kRecords].revents & POLLHUP) != 0);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const short source = polls[kFirstStream + 2 * i].revents;
    if (source != 0) idle_deadline_ = NowMs() + OutputFilter::kIdleMs;
    if (source != 0 && drain_deadline_ != 0) drain_deadline_ = NowMs() + kDrainMs;
    streams[i]->OnSource(source);
    streams[i]->OnTarget(polls[kFirstStream + 2 * i + 1].revents);
  }
  if (input != nullptr) {
    input->OnSource(polls[kInput].revents);
    input->OnTarget(polls[kInputPipe].revents);
  }
  if (polls[kReports].revents != 0) OnReport();
  if (polls[kChild].revents != 0) OnChildEnd();
  if (polls[kSandbox].revents != 0) OnSandboxEnd();
  OnTimers(count == 0);
}

// bubblewrap names its process 1 before it starts the command, which a signal is for.
void Relay::OnSignals() {
  if (in_.status) OnStatus();
  for (const TakenSignal& signal : in_.signals.Take()) OnSignal(signal);
}

// A key of a private terminal is no signal to us: that terminal turns it into one for its own foreground.
void Relay::OnSignal(const TakenSignal& signal) {
  if (signal.number == SIGWINCH) {
    if (in_.terminal != nullptr) in_.terminal->CopyWindowSize();
    return;
  }
  if (signal.number == SIGCONT) {
    if (in_.terminal != nullptr) in_.terminal->OnContinue();
    return;
  }
  if (!EndsRun(signal.number)) {
    if (!child_ended_) in_.tree.SignalCommand(signal.number);
    return;
  }
  // A second one means "now".
  const bool again = result_.interrupted_by != 0;
  if (!again && !result_.timed_out) result_.interrupted_by = signal.number;
  if (again) return Kill();
  Stop(AsksToEnd(signal.number) ? signal.number : SIGTERM, signal.by_kernel && in_.tree.SharesProcessGroup());
}

void Relay::OnStatus() {
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while ((count = ::read(in_.status.Get(), buffer.data(), buffer.size())) > 0) {
    report_.Feed({buffer.data(), static_cast<std::size_t>(count)});
  }
  if (count == 0) in_.status.Reset();
  rest_of_line_ = in_.status && report_.InALine() ? NowMs() + kRestOfLineMs : 0;
  if (report_.ChildId() && in_.on_sandbox) {
    in_.tree.FoundSandbox(static_cast<pid_t>(*report_.ChildId()));
    in_.on_sandbox(*report_.ChildId());
    in_.on_sandbox = nullptr;
  }
  // Now, and not when all is over: its guard ends while the tool does.
  if (report_.ExitCode()) in_.tree.CommandEnded();
}

void Relay::TakeEnd(int code, int status) {
  const bool exited = code == CLD_EXITED;
  result_.exited = exited;
  result_.signal = exited ? 0 : status;
  result_.exit_code = exited ? status : 128 + status;
}

void Relay::TakeCommandStatus() {
  const std::optional<int> status = in_.reports != nullptr ? in_.reports->Status() : std::nullopt;
  if (!status) return;
  result_.reported = true;
  const bool exited = WIFEXITED(*status);
  TakeEnd(exited ? CLD_EXITED : CLD_KILLED, exited ? WEXITSTATUS(*status) : WTERMSIG(*status));
}

bool Relay::WatchesStops() const {
  return in_.terminal_input != nullptr && in_.reports != nullptr && !reports_ended_ && !child_ended_;
}

// A stopped launcher enforces no time-out.
bool Relay::MayStop() const {
  return in_.timeout_ms == 0 && in_.cpu_time_limit_ms == 0 && stage_ == Stage::kRunning;
}

// A command that was stopped from the keyboard stops the caller's job. One that stops itself does not: it
// would stop everything else in our job.
void Relay::OnReport() {
  if (!in_.reports->TakeStop()) {
    reports_ended_ = true;
    // In a persistent sandbox this was what told its end.
    if (in_.child.report) OnChildEnd();
    return;
  }
  if (MayStop() && in_.terminal->IsSuspend(in_.terminal_input->LastByte())) in_.terminal->Suspend(SIGTSTP);
  in_.tree.Continue();
}

void Relay::OnChildEnd() {
  siginfo_t info{};
  if (::waitid(kPidfd, static_cast<id_t>(in_.child.handle.Get()), &info, WEXITED) != 0 && errno == EINTR)
    return;
  child_ended_ = true;
  TakeEnd(info.si_code, info.si_status);
  TakeCommandStatus();
  // bubblewrap writes its last line before it ends, so it is in the pipe by now.
  if (in_.status) OnStatus();
  if (report_.ExitCode()) {
    result_.reported = true;
    result_.signal = 0;
    result_.exit_code = *report_.ExitCode();
    result_.exited = result_.exit_code < 128;  // bubblewrap tells a signal as a shell does
  }
  in_.tree.Finish();
  if (in_.tree.SandboxHandle() < 0) OnSandboxEnd();
}

// Process 1 of a sandbox ends after every other process in it; without a sandbox Finish has seen to that.
void Relay::OnSandboxEnd() {
  in_.tree.SandboxEnded();
  if (!child_ended_ || tree_ended_) return;
  tree_ended_ = true;
  drain_deadline_ = NowMs() + kDrainMs;
  for (Stream* stream : in_.outputs) stream->EndSource();
}

// `silent`: nothing but time has passed.
void Relay::OnTimers(bool silent) {
  const std::uint64_t now = NowMs();
  if (stage_ == Stage::kRunning && in_.timeout_ms != 0 && now >= in_.started_ms + in_.timeout_ms) {
    result_.timed_out = true;
    Stop(SIGTERM);
  } else if (stop_deadline_ != 0 && now >= stop_deadline_) {
    Kill();
  }
  if (stage_ == Stage::kRunning && in_.cpu_time_limit_ms != 0 && now >= cpu_time_check_) OnCpuTime(now);
  if (!settled_ && now >= in_.started_ms + kSettledMs) {
    ReleaseProgramPages();
    settled_ = true;
  }
  if (rest_of_line_ != 0 && now >= rest_of_line_) OnStatus();
  if (!silent) return;
  if (idle_deadline_ != 0 && now >= idle_deadline_) {
    for (Stream* stream : in_.outputs) stream->OnIdle();
    idle_deadline_ = 0;
  }
  if (drain_deadline_ != 0 && now >= drain_deadline_) OnDrainDeadline();
}

// The next check comes before all processors together could use the rest up.
void Relay::OnCpuTime(std::uint64_t now) {
  const std::uint64_t used = in_.cpu_time_used();
  if (used >= in_.cpu_time_limit_ms) {
    result_.cpu_time_out = true;
    Stop(SIGTERM);
    return;
  }
  const auto processors = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_time_check_ = now + std::max((in_.cpu_time_limit_ms - used) / processors, kCpuTimeTickMs);
}

// Drops sources that were polled and stayed silent. A source that was not polled, because our own reader is
// slow, gets more time.
void Relay::OnDrainDeadline() {
  bool waiting = false;
  for (Stream* stream : in_.outputs) {
    if (stream->PollSource().fd >= 0) stream->CloseSource();
    waiting = waiting || stream->SourceOpen();
  }
  drain_deadline_ = waiting ? NowMs() + kDrainMs : 0;
}

// `told`: the command has got the signal already.
void Relay::Stop(int number, bool told) {
  if (stage_ != Stage::kRunning) return;
  stage_ = Stage::kTerminating;
  stop_deadline_ = NowMs() + kTermGraceMs;
  if (child_ended_ || (!told && !in_.tree.Terminate(number))) Kill();
}

// The second time there is nothing left to kill: the reader of our output takes too long.
void Relay::Kill() {
  if (stage_ == Stage::kKilled || tree_ended_) {
    for (Stream* stream : in_.outputs) stream->Abandon();
  }
  stage_ = Stage::kKilled;
  stop_deadline_ = tree_ended_ ? 0 : NowMs() + kTermGraceMs;
  if (!child_ended_) in_.tree.Kill();
}

}  // namespace mxc
