// A run in Windows Sandbox. The machine is started with a folder of the run; its script runs the command
// there, and what the command writes is passed on while it grows.
#include <windows.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mxc/windows/sandbox_run.h"
#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/guest_file_windows.h"
#include "windows/interrupt_windows.h"
#include "windows/machine_windows.h"
#include "windows/private_folder_windows.h"
#include "windows/run_folder_windows.h"
#include "windows/virtual_windows.h"

namespace mxc {
namespace {

constexpr DWORD kSandboxPollMs = 100;
constexpr std::uint64_t kShutDownLimitMs = 30000;
constexpr std::size_t kMaxSaidBytes = 4096;

Error SandboxFailed(std::string message, std::string hint = {}) {
  return SetupFailed(std::move(message), std::move(hint));
}

std::string Lines(const std::vector<Variable>& environment) {
  std::string text;
  for (const Variable& variable : environment) text += variable.name + "=" + variable.value.Reveal() + "\r\n";
  return text;
}

class Machine {
 public:
  Machine(const Plan& plan, const RunFolder& folder, RunObserver& observer)
      : plan_(plan), folder_(folder), observer_(observer) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    if (started_) EndMachine();  // what still runs holds the folder
  }

  Status Prepare() {
    const WindowsSandboxRun& run = std::get<WindowsSandboxLaunch>(plan_.launch).run;
    const Result<std::string> input = AllInput();
    if (!input) return input.error();
    const std::string shared = folder_.Of("shared");
    if (::CreateDirectoryW(Wide(shared).c_str(), nullptr) == 0)
      return WindowsError(ErrorCode::kSetupFailed, "make '" + shared + "'", ::GetLastError());
    const std::pair<const char*, std::string> files[] = {
        {"run.wsb", WsbText(run, shared)},
        {"shared\\run.cmd", GuestScript(folder_.Token())},
        {"shared\\command", run.command_line + "\r\n"},
        {"shared\\environment", Lines(run.environment)},
        {"shared\\cwd", run.cwd + "\r\n"},
        {"shared\\stdin", *input},
    };
    for (const auto& [name, text] : files) {
      if (Status written = WriteFileText(folder_.Of(name), text); !written) return written;
    }
    if (Status made = exit_.Make(folder_.Of("shared\\exit")); !made) return made;
    if (Status made = out_.File().Make(folder_.Of("shared\\stdout")); !made) return made;
    return err_.File().Make(folder_.Of("shared\\stderr"));
  }

  Status Start() {
    const Result<MachineProcess> first = StartMachine(folder_.Of("run.wsb"));
    if (!first) return first.error();
    started_ = true;
    id_ = first->id;
    return Done{};
  }

  Result<Outcome> Wait() {
    const Interrupt interrupt;
    const std::uint64_t start = Now();
    std::uint64_t running_since = 0;
    for (;;) {
      const bool told = ::WaitForSingleObject(interrupt.Event(), kSandboxPollMs) == WAIT_OBJECT_0;
      const bool there = !MachineProcesses().empty();
      out_.PassOn();
      err_.PassOn();
      said_ += exit_.Take(kMaxSaidBytes - std::min(kMaxSaidBytes, said_.size()));
      const bool runs = said_.starts_with(folder_.Token() + " started");
      if (runs && running_since == 0) {
        running_since = Now();
        observer_.OnStarted(id_);
      }
      std::uint32_t status = 0;
      if (runs && ReadGuestStatus(said_, folder_.Token(), status)) return End(status, running_since);
      const std::uint64_t since = running_since == 0 ? 0 : Now() - running_since;
      if (told) return Outcome{.interrupted_by = interrupt.Number(), .duration_ms = since};
      if (runs && plan_.timeout_ms != 0 && since >= plan_.timeout_ms)
        return Outcome{.timed_out = true, .duration_ms = since};
      if (!there && (seen_ || Now() - start > kMachineAppearLimitMs))
        return SandboxFailed(
            runs ? "the machine ended before the command" : "the machine ended while it started",
            "open the Windows Sandbox by hand and see what it says");
      seen_ = seen_ || there;
      if (!runs && Now() - start > kMachineStartLimitMs)
        return SandboxFailed("the machine did not start the command in 360 s");
    }
  }

 private:
  // The machine shuts itself down; what the command wrote last may still be on its way.
  Outcome End(std::uint32_t status, std::uint64_t since) {
    const std::uint64_t end = Now();
    while (!MachineProcesses().empty() && Now() - end < kShutDownLimitMs) ::Sleep(kSandboxPollMs);
    out_.PassOn();
    err_.PassOn();
    return {.exit_code = static_cast<int>(status), .duration_ms = end - since};
  }

  const Plan& plan_;
  const RunFolder& folder_;
  RunObserver& observer_;
  GuestOutput out_{STD_OUTPUT_HANDLE};
  GuestOutput err_{STD_ERROR_HANDLE};
  GuestFile exit_ = {};
  std::string said_ = {};
  bool started_ = false;
  bool seen_ = false;
  DWORD id_ = 0;
};

}  // namespace

Result<Outcome> RunInWindowsSandbox(const Plan& plan, RunObserver& observer) {
  const Result<MachineLock> lock = MachineLock::Take();
  if (!lock) return lock.error();
  const Result<RunFolder> folder = RunFolder::Make();
  if (!folder) return folder.error();
  Machine machine{plan, *folder, observer};
  if (Status prepared = machine.Prepare(); !prepared) return prepared.error();
  if (Status started = machine.Start(); !started) return started.error();
  return machine.Wait();
}

}  // namespace mxc
