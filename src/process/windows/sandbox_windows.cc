// A run in Windows Sandbox. The machine is started with a folder of the run; its script runs the command
// there, and what the command writes is passed on while it grows.
// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <tlhelp32.h>
// clang-format on

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_handle_windows.h"
#include "base/wide_windows.h"
#include "mxc/windows_sandbox_run.h"
#include "process/windows/command_windows.h"
#include "process/windows/interrupt_windows.h"
#include "process/windows/run_folder_windows.h"
#include "process/windows/virtual_windows.h"

namespace mxc {
namespace {

constexpr DWORD kPollMs = 100;
constexpr std::uint64_t kStartLimitMs = 360000;  // a first start unpacks the machine
constexpr std::uint64_t kAppearLimitMs = 30000;  // until a process of the machine is there
constexpr std::uint64_t kShutDownLimitMs = 30000;
constexpr std::uint64_t kEndLimitMs = 5000;
constexpr std::size_t kMaxInputBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxExitBytes = 4096;
constexpr std::wstring_view kProcessPrefix = L"WindowsSandbox";

Error SetupFailed(std::string message, std::string hint = {}) {
  return {.code = ErrorCode::kSetupFailed, .message = std::move(message), .hint = std::move(hint)};
}

// There is one machine at a time, whoever started it: all processes of that name are the machine's.
std::vector<DWORD> MachineProcesses() {
  std::vector<DWORD> found;
  const UniqueHandle snapshot{::CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0)};
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = ::Process32FirstW(snapshot.Get(), &entry); more != 0;
       more = ::Process32NextW(snapshot.Get(), &entry)) {
    if (std::wstring_view(entry.szExeFile).starts_with(kProcessPrefix)) found.push_back(entry.th32ProcessID);
  }
  return found;
}

void EndMachine() {
  for (const DWORD id : MachineProcesses()) {
    const UniqueHandle process{::OpenProcess(PROCESS_TERMINATE, FALSE, id)};
    if (process) ::TerminateProcess(process.Get(), 1);
  }
}

// A file that the guest writes and the host reads. The handle is kept, and does not let the name go to
// another file or a link.
class Shared {
 public:
  Status Make(const std::string& path) {
    // cmd.exe shares what it writes with readers only.
    file_.Reset(::CreateFileW(Wide(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                              CREATE_NEW, 0, nullptr));
    if (file_) return Done{};
    return WindowsError(ErrorCode::kSetupFailed, "make '" + path + "'", ::GetLastError());
  }

  // What came since; at most `limit` bytes.
  std::string Take(std::size_t limit) {
    std::string text(limit, '\0');
    DWORD size = 0;
    OVERLAPPED position{};
    position.Offset = static_cast<DWORD>(taken_);
    position.OffsetHigh = static_cast<DWORD>(taken_ >> 32U);
    if (::ReadFile(file_.Get(), text.data(), static_cast<DWORD>(limit), &size, &position) == 0) size = 0;
    text.resize(size);
    taken_ += size;
    return text;
  }

 private:
  UniqueHandle file_ = {};
  std::uint64_t taken_ = 0;
};

bool WriteAll(HANDLE stream, std::string_view text) {
  while (!text.empty()) {
    DWORD size = 0;
    if (::WriteFile(stream, text.data(), static_cast<DWORD>(text.size()), &size, nullptr) == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

class Output {
 public:
  explicit Output(DWORD stream) : stream_(::GetStdHandle(stream)) {}
  Status Make(const std::string& path) { return file_.Make(path); }
  // Everything there is. A reader that went away does not concern the command.
  void PassOn() {
    constexpr std::size_t kChunk = 65536;
    for (;;) {
      const std::string text = file_.Take(kChunk);
      if (text.empty()) return;
      open_ = open_ && WriteAll(stream_, text);
    }
  }

 private:
  HANDLE stream_;
  Shared file_ = {};
  bool open_ = true;
};

// All of standard input, unless it is a console: nobody waits for a machine to type into.
Result<std::string> Input() {
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  DWORD mode = 0;
  std::string text;
  if (input == nullptr || input == INVALID_HANDLE_VALUE || ::GetConsoleMode(input, &mode) != 0) return text;
  std::array<char, 65536> buffer{};
  DWORD size = 0;
  while (::ReadFile(input, buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) != 0 &&
         size > 0) {
    text.append(buffer.data(), size);
    if (text.size() > kMaxInputBytes)
      return SetupFailed("standard input is longer than 64 MiB",
                         "put it into a file in a folder that the policy grants");
  }
  return text;
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
    if (!started_) return;
    EndMachine();
    const std::uint64_t end = Now();  // what still runs holds the folder
    while (!MachineProcesses().empty() && Now() - end < kEndLimitMs) ::Sleep(kPollMs);
  }

  Status Prepare() {
    const WindowsSandboxRun& run = *plan_.windows_sandbox;
    const Result<std::string> input = Input();
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
      if (Status written = folder_.Write(name, text); !written) return written;
    }
    if (Status made = exit_.Make(folder_.Of("shared\\exit")); !made) return made;
    if (Status made = out_.Make(folder_.Of("shared\\stdout")); !made) return made;
    return err_.Make(folder_.Of("shared\\stderr"));
  }

  Status Start() {
    std::array<wchar_t, MAX_PATH> directory{};
    ::GetSystemDirectoryW(directory.data(), MAX_PATH);
    const std::wstring program = std::wstring(directory.data()) + L"\\WindowsSandbox.exe";
    std::wstring line = L"\"" + program + L"\" \"" + Wide(folder_.Of("run.wsb")) + L"\"";
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION made{};
    if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, FALSE, 0, nullptr, directory.data(),
                         &startup, &made) == 0)
      return WindowsError(ErrorCode::kSetupFailed, "start Windows Sandbox", ::GetLastError());
    started_ = true;
    id_ = made.dwProcessId;
    ::CloseHandle(made.hThread);
    ::CloseHandle(made.hProcess);
    return Done{};
  }

  Result<Outcome> Wait() {
    const Interrupt interrupt;
    const std::uint64_t start = Now();
    std::uint64_t running_since = 0;
    for (;;) {
      const bool told = ::WaitForSingleObject(interrupt.Event(), kPollMs) == WAIT_OBJECT_0;
      const bool there = !MachineProcesses().empty();
      out_.PassOn();
      err_.PassOn();
      said_ += exit_.Take(kMaxExitBytes - std::min(kMaxExitBytes, said_.size()));
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
      if (!there && (seen_ || Now() - start > kAppearLimitMs))
        return SetupFailed(
            runs ? "the machine ended before the command" : "the machine ended while it started",
            "open the Windows Sandbox by hand and see what it says");
      seen_ = seen_ || there;
      if (!runs && Now() - start > kStartLimitMs)
        return SetupFailed("the machine did not start the command in 360 s");
    }
  }

 private:
  // The machine shuts itself down; what the command wrote last may still be on its way.
  Outcome End(std::uint32_t status, std::uint64_t since) {
    const std::uint64_t end = Now();
    while (!MachineProcesses().empty() && Now() - end < kShutDownLimitMs) ::Sleep(kPollMs);
    out_.PassOn();
    err_.PassOn();
    return {.exit_code = static_cast<int>(status), .duration_ms = end - since};
  }

  const Plan& plan_;
  const RunFolder& folder_;
  RunObserver& observer_;
  Output out_{STD_OUTPUT_HANDLE};
  Output err_{STD_ERROR_HANDLE};
  Shared exit_ = {};
  std::string said_ = {};
  bool started_ = false;
  bool seen_ = false;
  DWORD id_ = 0;
};

}  // namespace

Result<Outcome> RunInWindowsSandbox(const Plan& plan, RunObserver& observer) {
  const UniqueHandle one_at_a_time{::CreateMutexW(nullptr, FALSE, L"Local\\mxc-exec.windows-sandbox")};
  const DWORD waited = ::WaitForSingleObject(one_at_a_time.Get(), 0);
  if ((waited != WAIT_OBJECT_0 && waited != WAIT_ABANDONED) || !MachineProcesses().empty()) {
    return Error{.code = ErrorCode::kUnavailable,
                 .message = "Windows Sandbox runs already, and Windows has only one",
                 .pointer = "/containment",
                 .hint = "close it, or wait for its end"};
  }
  const Result<RunFolder> folder = RunFolder::Make();
  if (!folder) return folder.error();
  Machine machine{plan, *folder, observer};
  if (Status prepared = machine.Prepare(); !prepared) return prepared.error();
  if (Status started = machine.Start(); !started) return started.error();
  return machine.Wait();
}

}  // namespace mxc
