#include "persistent/start_windows.h"

#include <windows.h>

#include <algorithm>

#include "base/own_files.h"
#include "mxc/windows/sandbox_command.h"
#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/guest_file_windows.h"
#include "windows/interrupt_windows.h"
#include "windows/machine_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/private_folder_windows.h"

namespace mxc::session {
namespace {

constexpr const char* kWsb = "machine.wsb";
constexpr DWORD kPollMs = 50;
constexpr std::size_t kMaxReadyBytes = 256;

// Nothing of an earlier machine is left in them.
Status FreshFolder(const std::string& path) {
  RemoveTree(path);
  if (::CreateDirectoryW(Wide(path).c_str(), nullptr) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "make '" + path + "'", ::GetLastError());
}

// The machine would only show a message of its own.
Status CheckFolders(const Record& record) {
  for (const MappedFolder& folder : std::get<WindowsSandboxRun>(record.sandbox).folders) {
    const DWORD attributes = ::GetFileAttributesW(Wide(folder.path).c_str());
    constexpr DWORD kKind = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & kKind) == FILE_ATTRIBUTE_DIRECTORY) continue;
    return SetupFailed("the folder '" + folder.path + "' of the policy is not there any more",
                       "put it back, or provision another sandbox");
  }
  return Done{};
}

Status CopyAgent(const std::string& to) {
  std::wstring own(32768, L'\0');
  own.resize(::GetModuleFileNameW(nullptr, own.data(), static_cast<DWORD>(own.size())));
  if (::CopyFileW(own.c_str(), Wide(to).c_str(), TRUE) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "copy this program to '" + to + "'", ::GetLastError());
}

Status Furnish(const SandboxFolder& folder, const Record& record, const std::string& token) {
  const std::string orders = folder.Of(kOrders);
  const std::string answers = folder.Of(kAnswers);
  for (const std::string& path : {orders, answers}) {
    if (Status made = FreshFolder(path); !made) return made;
  }
  const AgentOrder order{
      .token = token, .idle_ms = record.limits.idle_ms, .lifetime_ms = folder.LifetimeLeft(record)};
  if (Status written = WriteFileText(orders + "\\" + kAgentOrder, AgentOrderText(order)); !written)
    return written;
  if (Status copied = CopyAgent(orders + "\\" + std::string(kAgentProgram)); !copied) return copied;
  return WriteFileText(folder.Of(kWsb),
                       PersistentWsbText(std::get<WindowsSandboxRun>(record.sandbox), orders, answers));
}

Status AwaitAgent(const SandboxFolder& folder, const std::string& token) {
  const Interrupt interrupt;
  const std::uint64_t start = Now();
  GuestFile ready;
  std::string said;
  bool seen = false;
  for (;;) {
    if (::WaitForSingleObject(interrupt.Event(), kPollMs) == WAIT_OBJECT_0)
      return SetupFailed("the start was interrupted");
    if (!ready.IsOpen()) {
      const Result<bool> open = ready.Open(folder.Of(kAnswers), kAgentReady);
      if (!open) return open.error();
    }
    if (ready.IsOpen()) said += ready.Take(kMaxReadyBytes - std::min(kMaxReadyBytes, said.size()));
    if (said.starts_with(token + " ready")) return Done{};
    const bool there = !MachineProcesses().empty();
    if (!there && (seen || Now() - start > kMachineAppearLimitMs))
      return SetupFailed("the machine ended while it started",
                         "open the Windows Sandbox by hand and see what it says");
    seen = seen || there;
    if (Now() - start > kMachineStartLimitMs)
      return SetupFailed("the machine did not start its agent in 360 s");
  }
}

Status Bring(const SandboxFolder& folder, Record& record) {
  const std::string token = RandomName() + RandomName();
  if (Status furnished = Furnish(folder, record, token); !furnished) return furnished;
  const Result<MachineProcess> first =
      StartMachine(folder.Of(kWsb), [&](const MachineProcess& process) -> Status {
        record.state = State::kStarting;
        record.machine = {process};
        return folder.Write(record);
      });
  if (!first) return first.error();
  if (Status ready = AwaitAgent(folder, token); !ready) return ready;
  record.state = State::kStarted;
  record.machine = MachineProcesses();
  return folder.Write(record);
}

}  // namespace

Status Boot(const SandboxFolder& folder, Record record) {
  if (Status there = CheckFolders(record); !there) return there;
  const Result<MachineLock> lock = MachineLock::Take();
  if (!lock) return lock.error();
  record.machine.clear();
  if (record.state == State::kStarting) record.state = State::kProvisioned;
  const Record before = record;
  Status brought = Bring(folder, record);
  if (brought) return brought;
  EndMachine();
  if (Status written = folder.Write(before); !written) return written;
  return brought;
}

}  // namespace mxc::session
