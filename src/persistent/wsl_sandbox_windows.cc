#include "persistent/wsl_sandbox_windows.h"

#include <windows.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "mxc/command_line.h"
#include "run/inner_report.h"
#include "win32/run_tool_windows.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/acl_journal_store_windows.h"
#include "windows/command_windows.h"
#include "windows/interrupt_windows.h"
#include "windows/machine_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/private_folder_windows.h"
#include "windows/start_windows.h"
#include "windows/wsl_call_windows.h"

namespace mxc::session {
namespace {

constexpr const char* kKeeperOut = "keeper.out";
constexpr const char* kKeeperErr = "keeper.err";
constexpr DWORD kKeeperPollMs = 20;
constexpr std::uint64_t kKeeperStartLimitMs = 120000;
constexpr std::uint32_t kTryLimitMs = 60000;
constexpr std::uint32_t kStopInsideLimitMs = 60000;  // a command may take its time to end
constexpr DWORD kKeeperEndLimitMs = 10000;           // once the sandbox has ended
constexpr std::size_t kMaxKeeperBytes = 65536;

Error WslFailed(std::string message, const WslRun& run) {
  return SetupFailed(std::move(message), "try it: wsl -d " + run.distribution);
}

Error RefusedThere(Error error, const WslRun& run) {
  error.message = "refused in the distribution '" + run.distribution + "': " + error.message;
  return error;
}

std::string SaidBy(const SandboxFolder& folder, const char* name) {
  return ReadFileText(folder.Of(name), kMaxKeeperBytes);
}

// What a call of the mxc-exec inside came to, which has failed.
Error FailureOf(const std::string& said, int exit_code, const WslRun& run) {
  const std::string text = WslText(said);
  if (std::optional<Error> error = ReadInnerError(text)) return RefusedThere(std::move(*error), run);
  const std::string first = text.substr(0, text.find('\n'));
  return WslFailed(
      "wsl.exe ended with " + std::to_string(exit_code) + (first.empty() ? std::string() : ": " + first),
      run);
}

Result<UniqueHandle> KeepersFile(const SandboxFolder& folder, const char* name) {
  SECURITY_ATTRIBUTES inheritable = Inheritable();
  UniqueHandle file{::CreateFileW(Wide(folder.Of(name)).c_str(), GENERIC_WRITE,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inheritable,
                                  CREATE_ALWAYS, 0, nullptr)};
  if (file) return file;
  return WindowsError(ErrorCode::kSetupFailed, "make '" + folder.Of(name) + "'", ::GetLastError());
}

// Suspended, in `job`, and with nothing of ours: who reads our output waits for its end.
Result<StartedCommand> StartKeeper(const SandboxFolder& folder, const Record& record, HANDLE job) {
  const WslRun& run = record.Wsl()->run;
  Result<std::string> document =
      WslStartDocument(RevealedText(run.config), record.limits.idle_ms, SandboxFolder::LifetimeLeft(record));
  if (!document) return document.error();
  Result<std::vector<Variable>> environment = WslEnvironment(std::move(*document));
  if (!environment) return environment.error();
  const Result<UniqueHandle> out = KeepersFile(folder, kKeeperOut);
  if (!out) return out.error();
  const Result<UniqueHandle> err = KeepersFile(folder, kKeeperErr);
  if (!err) return err.error();
  SECURITY_ATTRIBUTES inheritable = Inheritable();
  const UniqueHandle nothing{
      ::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inheritable, OPEN_EXISTING, 0, nullptr)};
  const AppContainerSandbox keeper{
      .command_line = JoinArguments(InWsl(run, {run.program, "start", "--foreground", "--json-errors",
                                                "--config-env", kWslConfigVariable}),
                                    QuoteFor::kProgram),
      .environment = std::move(*environment),
      .cwd = SystemDirectory()};
  return StartCommand(
      keeper, {.streams = {nothing.Get(), out->Get(), err->Get()}, .without_console = true, .job = job});
}

// The identifier of the sandbox inside, when it is started.
Result<std::string> AwaitSandbox(const SandboxFolder& folder, const WslRun& run, HANDLE keeper) {
  const Interrupt interrupt;
  const HANDLE both[] = {keeper, interrupt.Event()};
  const std::uint64_t start = Now();
  for (;;) {
    const DWORD waited = ::WaitForMultipleObjects(2, both, FALSE, kKeeperPollMs);
    if (waited == WAIT_OBJECT_0) {
      DWORD code = 0;
      ::GetExitCodeProcess(keeper, &code);
      const std::string said = SaidBy(folder, kKeeperErr);
      return FailureOf(said.empty() ? SaidBy(folder, kKeeperOut) : said, static_cast<int>(code), run);
    }
    if (waited == WAIT_OBJECT_0 + 1) return WslFailed("the start was interrupted", run);
    if (std::optional<std::string> inside = ReadWslIdentifier(WslText(SaidBy(folder, kKeeperOut))))
      return *inside;
    if (Now() - start > kKeeperStartLimitMs)
      return WslFailed("the mxc-exec inside did not start the sandbox in 120 s", run);
  }
}

Status BringUp(const SandboxFolder& folder, Record& record) {
  const UniqueHandle job{::CreateJobObjectW(nullptr, nullptr)};
  if (Status limited = EndWithUs(job.Get(), true); !limited) return limited;
  const Result<StartedCommand> keeper = StartKeeper(folder, record, job.Get());
  if (!keeper) return keeper.error();
  record.state = State::kStarting;
  record.machine = {{.id = static_cast<std::uint32_t>(keeper->id), .created = CreationOf(keeper->id)}};
  if (Status written = folder.Write(record); !written) return written;  // its job ends it
  ::ResumeThread(keeper->thread.Get());
  Result<std::string> inside = AwaitSandbox(folder, record.Wsl()->run, keeper->process.Get());
  if (!inside) return inside.error();
  record.Wsl()->inside = std::move(*inside);
  record.state = State::kStarted;
  if (Status written = folder.Write(record); !written) return written;
  return EndWithUs(job.Get(), false);
}

std::vector<Warning> WarningsIn(std::string text) {
  constexpr std::string_view kWarning = "mxc-exec: warning: ";
  std::vector<Warning> warnings;
  text += '\n';
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    if (text.starts_with(kWarning))
      warnings.push_back({.message = text.substr(kWarning.size(), end - kWarning.size())});
    text.erase(0, end + 1);
  }
  return warnings;
}

Result<std::vector<Warning>> StopInside(const WslRun& run, const std::string& inside) {
  const ToolRun said =
      RunTool(InWsl(run, {run.program, "stop", "--json-errors", inside}), kStopInsideLimitMs);
  if (!said.started) return std::vector<Warning>{};  // without WSL there is no distribution
  if (said.timed_out) return WslFailed("the mxc-exec inside did not end the sandbox in 60 s", run);
  const std::string errors = WslText(said.err);
  if (said.exit_code == 0) return WarningsIn(errors);
  const std::optional<Error> error = ReadInnerError(errors);
  const bool gone =
      error && (error->code == ErrorCode::kStaleId || error->code == ErrorCode::kNotProvisioned);
  if (gone) return std::vector<Warning>{};
  return FailureOf(errors.empty() ? said.out : errors, said.exit_code, run);
}

// By itself when its sandbox has ended, which is waited for if it may be.
void EndKeeper(const MachineProcess& keeper, bool by_itself) {
  const UniqueHandle process{::OpenProcess(SYNCHRONIZE | PROCESS_TERMINATE, FALSE, keeper.id)};
  if (!process || CreationOf(keeper.id) != keeper.created) return;
  if (by_itself && ::WaitForSingleObject(process.Get(), kKeeperEndLimitMs) == WAIT_OBJECT_0) return;
  ::TerminateProcess(process.Get(), 1);
  ::WaitForSingleObject(process.Get(), kKeeperEndLimitMs);
}

}  // namespace

Status TryInWsl(const WslRun& run) {
  if (Status checked = CheckInWsl(run); !checked) return checked;
  Result<std::string> document = WslProvisionDocument(RevealedText(run.config));
  if (!document) return document.error();
  const Result<std::vector<Variable>> environment = WslEnvironment(std::move(*document));
  if (!environment) return environment.error();
  const ToolRun said = RunTool(InWsl(run, {run.program, "--dry-run", "--config-env", kWslConfigVariable}),
                               kTryLimitMs, &*environment);
  if (said.timed_out) return WslFailed("the mxc-exec inside did not answer in 60 s", run);
  if (said.started && said.exit_code == 0) return Done{};
  return FailureOf(said.out.empty() ? said.err : said.out, said.exit_code, run);
}

Status StartInWsl(const SandboxFolder& folder, Record record) {
  if (Status checked = CheckInWsl(record.Wsl()->run); !checked) return checked;
  record.machine.clear();
  record.Wsl()->inside.clear();
  if (record.state == State::kStarting) record.state = State::kProvisioned;
  const Record before = record;
  ::CreateDirectoryW(Wide(folder.Of(kOrders)).c_str(), nullptr);  // where commands are counted
  Status brought = BringUp(folder, record);
  if (brought) return brought;
  static_cast<void>(EndInWsl(folder, record));
  if (Status written = folder.Write(before); !written) return written;
  return brought;
}

bool KeeperRuns(const Record& record) {
  return std::any_of(record.machine.begin(), record.machine.end(), [](const MachineProcess& keeper) {
    return keeper.created != 0 && CreationOf(keeper.id) == keeper.created;
  });
}

Result<std::vector<Warning>> EndInWsl(const SandboxFolder& folder, const Record& record) {
  const WslSandbox& sandbox = *record.Wsl();
  std::string inside = sandbox.inside;
  // The call that started it was killed before it could write that down.
  if (inside.empty() && record.state == State::kStarting)
    inside = ReadWslIdentifier(WslText(SaidBy(folder, kKeeperOut))).value_or("");
  const bool kept = KeeperRuns(record);
  Result<std::vector<Warning>> ended = std::vector<Warning>{};
  if (!inside.empty() && (kept || DistributionRuns(sandbox.run.distribution)))
    ended = StopInside(sandbox.run, inside);
  if (kept) EndKeeper(record.machine.front(), !inside.empty() && ended);
  return ended;
}

}  // namespace mxc::session
