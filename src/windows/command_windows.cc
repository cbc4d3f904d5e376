#include "windows/command_windows.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "mxc/limits.h"
#include "win32/security_environment.h"
#include "win32/security_environment_windows.h"
#include "windows/container_windows.h"
#include "windows/given_access_windows.h"
#include "windows/job_windows.h"
#include "windows/start_windows.h"
#include "windows/streams_windows.h"

namespace mxc {
namespace {

constexpr DWORD kNoWindowManager = 0xC0000142;  // STATUS_DLL_INIT_FAILED
constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kLongest = INFINITE - 1;  // of one wait

// The container of one run: the base container, or an AppContainer and the access it is given.
class Confinement {
 public:
  explicit Confinement(RunObserver& observer) : access_(observer) {}
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;
  ~Confinement() {
    if (made_up_) DeleteProfile(identity_);
  }

  Status Make(const AppContainerSandbox& sandbox) {
    if (sandbox.base && sandbox.base->contract == BaseContract::kCreateInSandbox) {
      made_up_ = sandbox.name.empty();
      identity_ = made_up_ ? "mxc-" + RandomName() : sandbox.name;
      return Done{};
    }
    if (sandbox.base) {
      Result<SecurityEnvironment> made = SecurityEnvironment::Make(SecurityEnvironmentBytes(sandbox));
      if (!made) return made.error();
      environment_.emplace(std::move(*made));
      return Done{};
    }
    Result<Container> made = Container::Make(sandbox);
    if (!made) return made.error();
    container_.emplace(std::move(*made));
    return access_.Give(sandbox, {.name = container_->Name(),
                                  .sid = container_->SidBytes(),
                                  .profile_to_delete = container_->ProfileToDelete()});
  }
  [[nodiscard]] SECURITY_CAPABILITIES* Capabilities() {
    return container_ ? container_->Capabilities() : nullptr;
  }
  [[nodiscard]] HANDLE Environment() const { return environment_ ? environment_->Get() : nullptr; }
  [[nodiscard]] const std::string& Identity() const { return identity_; }

 private:
  std::string identity_;  // of a base container of the older contract
  bool made_up_ = false;  // for this run; the profile that Windows makes for it goes with it
  std::optional<SecurityEnvironment> environment_;
  std::optional<Container> container_;
  GivenAccess access_;  // taken away before the profile goes
};

// Until processor time must be looked at again: all processors together cannot use the rest up sooner. 0: it
// is used up.
std::uint64_t NextLook(const CpuTime& cpu_time) {
  constexpr std::uint64_t kTickMs = 10;
  if (cpu_time.limit_ms == 0) return kForever;
  const std::uint64_t used = cpu_time.used_ms();
  if (used >= cpu_time.limit_ms) return 0;
  const std::uint64_t processors = std::max<DWORD>(::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1);
  return std::max((cpu_time.limit_ms - used) / processors, kTickMs);
}

void WarnOfHabits(DWORD code, const AppContainerSandbox& sandbox, RunObserver& observer) {
  if (code != kNoWindowManager || !sandbox.no_win32k) return;
  observer.OnWarning(
      {.category = "needs-windows",
       .message = "the program ended because it needs the window manager: \"ui\": {\"disable\": false}",
       .pointer = "/ui/disable"});
}

}  // namespace

std::uint64_t Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

Waited WaitFor(HANDLE process, std::uint32_t timeout_ms, const Interrupt& interrupt,
               const CpuTime& cpu_time) {
  const HANDLE both[] = {process, interrupt.Event()};
  const std::uint64_t end = timeout_ms == 0 ? kForever : Now() + timeout_ms;
  for (;;) {
    const std::uint64_t look = NextLook(cpu_time);
    if (look == 0) return {.cpu_time_out = true};
    const std::uint64_t now = Now();
    const std::uint64_t left = std::min(look, end > now ? end - now : 0);
    switch (::WaitForMultipleObjects(2, both, FALSE, static_cast<DWORD>(std::min(left, kLongest)))) {
      case WAIT_OBJECT_0:
        return {};
      case WAIT_OBJECT_0 + 1:
        // The console has told the command as well: it may end by itself.
        ::WaitForSingleObject(process, Interrupt::kGraceMs);
        return {.interrupted_by = interrupt.Number()};
      case WAIT_TIMEOUT:
        if (Now() >= end) return {.timed_out = true};
        break;
      default:
        return {.timed_out = true};
    }
  }
}

Result<Outcome> RunCommand(const CommandRun& run, RunObserver& observer) {
  const AppContainerSandbox& sandbox = run.sandbox;
  const Interrupt interrupt;
  Confinement confinement{observer};
  if (run.confined) {
    if (Status made = confinement.Make(sandbox); !made) return made.error();
  }
  const Result<Job> job = Job::Make(sandbox, run.confined);
  if (!job) return job.error();
  CommandStreams streams;
  if (Status opened = streams.Open(run.plan, run.terminal); !opened) return opened.error();
  const std::uint64_t started = Now();
  const Result<StartedCommand> command =
      StartCommand(sandbox, {.streams = streams.List(),
                             .console = streams.Console(),
                             .container = confinement.Capabilities(),
                             .environment = confinement.Environment(),
                             .identity = confinement.Identity(),
                             .without_console = run.confined && ConsoleStreams() == 0});
  if (!command) return command.error();
  if (Status added = job->Add(command->process.Get()); !added) {
    ::TerminateProcess(command->process.Get(), 1);
    return added.error();
  }
  streams.Started();
  if (::ResumeThread(command->thread.Get()) != 1) {
    // Not the older contract's promise. What it started before the job held it, nothing would end.
    job->End();
    return SetupFailed("the command did not wait until its job held it",
                       "another containment, or a newer Windows: --probe says what this one has");
  }
  observer.OnStarted(command->id);

  const CpuTime cpu_time{sandbox.limits.cpu_time_ms, [&job] { return job->CpuTimeMs(); }};
  const Waited waited = WaitFor(command->process.Get(), run.timeout_ms, interrupt, cpu_time);
  DWORD code = 0;
  ::GetExitCodeProcess(command->process.Get(), &code);
  if (!job->End()) {
    observer.OnWarning({.category = "processes-left", .message = "a process of the run did not end in 5 s"});
  }
  streams.Finish(waited.Stopped() ? kTermGraceMs : 0);
  WarnOfHabits(code, sandbox, observer);
  std::vector<Resource> reached;
  if (waited.cpu_time_out) reached.push_back(Resource::kCpuTime);
  return Outcome{.exit_code = static_cast<int>(code),
                 .timed_out = waited.timed_out,
                 .interrupted_by = waited.interrupted_by,
                 .stdout_truncated = streams.Truncated(1),
                 .stderr_truncated = streams.Truncated(2),
                 .cpu_time_out = waited.cpu_time_out,
                 .reached = std::move(reached),
                 .duration_ms = Now() - started};
}

}  // namespace mxc
