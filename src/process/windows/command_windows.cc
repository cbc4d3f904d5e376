#include "process/windows/command_windows.h"

#include <chrono>
#include <optional>
#include <utility>

#include "process/acl_journal.h"
#include "process/windows/acl_windows.h"
#include "process/windows/container_windows.h"
#include "process/windows/job_windows.h"
#include "process/windows/journal_windows.h"
#include "process/windows/start_windows.h"

namespace mxc {
namespace {

constexpr DWORD kNoWindowManager = 0xC0000142;  // STATUS_DLL_INIT_FAILED

// The access of one run: given in order, taken away with this object.
class GivenAccess {
 public:
  explicit GivenAccess(RunObserver& observer) : observer_(observer) {}
  GivenAccess(const GivenAccess&) = delete;
  GivenAccess& operator=(const GivenAccess&) = delete;
  ~GivenAccess() { TakeAway(); }

  Status Give(const std::vector<AclChange>& changes, const Container& container) {
    if (changes.empty()) return Done{};
    Result<JournalFile> file = JournalFile::Create(JournalDirectory());
    if (!file) return file.error();
    file_ = std::move(*file);
    const AclRun run{.process = static_cast<std::int64_t>(::GetCurrentProcessId()),
                     .created = CreationOf(::GetCurrentProcessId()),
                     .sid = container.SidBytes(),
                     .profile = container.ProfileToDelete()};
    journal_.emplace(store_, run, [this](const std::string& line) { return file_->Write(line); });
    const AclLock lock;
    if (Status begun = journal_->Begin(); !begun) return begun;
    for (const AclChange& change : changes) {
      if (Status applied = journal_->Apply(change); !applied) return applied;
    }
    return Done{};
  }

 private:
  void TakeAway() {
    if (!journal_) return;
    const AclLock lock;
    const Unrestored left = journal_->Undo();
    if (!left.reason) return file_->Remove();
    observer_.OnWarning({.category = "access-left",
                         .message = left.reason->message + "; the next start, or --recover, tries again"});
  }

  RunObserver& observer_;
  WindowsAcls store_;
  std::optional<JournalFile> file_;
  std::optional<AclJournal> journal_;
};

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

Waited WaitFor(HANDLE process, std::uint32_t timeout_ms, const Interrupt& interrupt) {
  const HANDLE both[] = {process, interrupt.Event()};
  const DWORD limit = timeout_ms == 0 ? INFINITE : timeout_ms;
  switch (::WaitForMultipleObjects(2, both, FALSE, limit)) {
    case WAIT_OBJECT_0:
      return {};
    case WAIT_OBJECT_0 + 1:
      // The console has told the command as well: it may end by itself.
      ::WaitForSingleObject(process, Interrupt::kGraceMs);
      return {.interrupted_by = interrupt.Number()};
    default:
      return {.timed_out = true};
  }
}

Result<Outcome> RunCommand(const CommandRun& run, RunObserver& observer) {
  const AppContainerSandbox& sandbox = run.sandbox;
  const Interrupt interrupt;
  std::optional<Container> container;
  if (run.confined) {
    Result<Container> made = Container::Make(sandbox);
    if (!made) return made.error();
    container.emplace(std::move(*made));
  }
  GivenAccess access{observer};
  if (container) {
    if (Status given = access.Give(sandbox.acl, *container); !given) return given.error();
  }
  const Result<Job> job = Job::Make(sandbox, run.confined);
  if (!job) return job.error();
  const std::uint64_t started = Now();
  const Result<StartedCommand> command =
      StartCommand(sandbox, container ? container->Capabilities() : nullptr);
  if (!command) return command.error();
  if (Status added = job->Add(command->process.Get()); !added) {
    ::TerminateProcess(command->process.Get(), 1);
    return added.error();
  }
  ::ResumeThread(command->thread.Get());
  observer.OnStarted(command->id);

  const Waited waited = WaitFor(command->process.Get(), run.timeout_ms, interrupt);
  DWORD code = 0;
  ::GetExitCodeProcess(command->process.Get(), &code);
  if (!job->End()) {
    observer.OnWarning({.category = "processes-left", .message = "a process of the run did not end in 5 s"});
  }
  WarnOfHabits(code, sandbox, observer);
  return Outcome{.exit_code = static_cast<int>(code),
                 .timed_out = waited.timed_out,
                 .interrupted_by = waited.interrupted_by,
                 .duration_ms = Now() - started};
}

}  // namespace mxc
