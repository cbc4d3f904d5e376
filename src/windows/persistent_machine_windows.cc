// The launcher's side of a command in a machine that stays.
#include "windows/persistent_machine_windows.h"

#include <windows.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/own_files.h"
#include "mxc/windows/sandbox_command.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/guest_file_windows.h"
#include "windows/interrupt_windows.h"
#include "windows/machine_windows.h"

namespace mxc {
namespace {

constexpr DWORD kAnswerPollMs = 20;
constexpr std::uint64_t kMachineLookMs = 250;       // each look lists all processes of the host
constexpr std::uint64_t kAnswerLimitMs = 30000;     // for the agent to take an order up
constexpr std::uint64_t kCommandEndLimitMs = 5000;  // ... and to end a command
constexpr std::size_t kMaxExitBytes = 4096;

// A file that is there as long as its handle, whoever closes it.
Result<UniqueHandle> Leave(const std::string& path, const std::string& text) {
  UniqueHandle file{::CreateFileW(Wide(path).c_str(), GENERIC_WRITE | DELETE,
                                  FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, CREATE_NEW,
                                  FILE_FLAG_DELETE_ON_CLOSE, nullptr)};
  DWORD size = 0;
  if (file && ::WriteFile(file.Get(), text.data(), static_cast<DWORD>(text.size()), &size, nullptr) != 0)
    return file;
  return WindowsError(ErrorCode::kSetupFailed, "write '" + path + "'", ::GetLastError());
}

class PersistentMachineCommand {
 public:
  PersistentMachineCommand(const Plan& plan, RunObserver& observer)
      : plan_(plan),
        observer_(observer),
        orders_(std::get<WindowsSandboxLaunch>(plan.launch).persistent + "\\" + kOrders),
        answers_(std::get<WindowsSandboxLaunch>(plan.launch).persistent + "\\" + kAnswers) {}

  Status Order() {
    const Result<std::string> input = AllInput();
    if (!input) return input.error();
    const std::pair<const char*, std::string> files[] = {
        {".order", CommandOrderText(std::get<WindowsSandboxLaunch>(plan_.launch).run)},
        {".stdin", *input},
        {".run", ""}};
    for (const auto& [name, text] : files) {  // the last one says that the others are whole
      Result<UniqueHandle> file = Leave(orders_ + "\\" + token_ + name, text);
      if (!file) return file.error();
      left_.push_back(std::move(*file));
    }
    return Done{};
  }

  Result<Outcome> Wait() {
    const Interrupt interrupt;
    const std::uint64_t ordered = Now();
    for (;;) {
      const bool told = ::WaitForSingleObject(interrupt.Event(), kAnswerPollMs) == WAIT_OBJECT_0;
      const bool there = IsThere();
      if (Status taken = Take(); !taken) return taken.error();
      std::uint32_t status = 0;
      if (ReadGuestStatus(said_, token_, status)) {
        PassOn();
        return Outcome{.exit_code = static_cast<int>(status), .duration_ms = Running()};
      }
      if (said_.starts_with(token_ + " failed"))
        return SetupFailed("the machine could not start the command", "its directory may be gone");
      if (told) return End({.interrupted_by = interrupt.Number(), .duration_ms = Running()});
      if (plan_.timeout_ms != 0 && Running() >= plan_.timeout_ms)
        return End({.timed_out = true, .duration_ms = Running()});
      if (!there) return SetupFailed("the sandbox was stopped before the command ended");
      if (started_ms_ == 0 && Now() - ordered > kAnswerLimitMs)
        return SetupFailed("the agent in the machine does not answer",
                           "stop the sandbox, and start it again");
    }
  }

 private:
  [[nodiscard]] std::uint64_t Running() const { return started_ms_ == 0 ? 0 : Now() - started_ms_; }

  bool IsThere() {
    if (Now() - looked_ms_ >= kMachineLookMs) {
      there_ = !MachineProcesses().empty();
      looked_ms_ = Now();
    }
    return there_;
  }

  // The files of the answer are all there when the first word is.
  Status Take() {
    if (!exit_.IsOpen()) {
      const Result<bool> open = exit_.Open(answers_, token_ + ".exit");
      if (!open) return open.error();
      if (!*open) return Done{};
    }
    said_ += exit_.Take(kMaxExitBytes - std::min(kMaxExitBytes, said_.size()));
    if (started_ms_ == 0 && said_.starts_with(token_ + " started")) {
      for (const auto& [output, name] : {std::pair(&out_, ".stdout"), std::pair(&err_, ".stderr")}) {
        const Result<bool> open = output->File().Open(answers_, token_ + name);
        if (!open) return open.error();
        if (!*open) return SetupFailed("the machine has taken the output of the command away");
      }
      started_ms_ = Now();
      observer_.OnStarted(OwnProcessId());
    }
    PassOn();
    return Done{};
  }

  void PassOn() {
    if (started_ms_ == 0) return;
    out_.PassOn();
    err_.PassOn();
  }

  // Without its order the agent ends the command, and says so.
  Outcome End(Outcome outcome) {
    left_.clear();
    const std::uint64_t start = Now();
    std::uint32_t status = 0;
    while (started_ms_ != 0 && Now() - start < kCommandEndLimitMs && IsThere() &&
           !ReadGuestStatus(said_, token_, status)) {
      ::Sleep(kAnswerPollMs);
      if (!Take()) break;
    }
    PassOn();
    return outcome;
  }

  const Plan& plan_;
  RunObserver& observer_;
  std::string orders_;
  std::string answers_;
  std::string token_ = RandomName() + RandomName();
  std::vector<UniqueHandle> left_ = {};
  GuestOutput out_{STD_OUTPUT_HANDLE};
  GuestOutput err_{STD_ERROR_HANDLE};
  GuestFile exit_ = {};
  std::string said_ = {};
  std::uint64_t started_ms_ = 0;
  std::uint64_t looked_ms_ = 0;
  bool there_ = false;
};

}  // namespace

std::size_t RunningCommands(const std::string& folder) {
  WIN32_FIND_DATAW found{};
  const HANDLE search = ::FindFirstFileW(Wide(folder + "\\" + kOrders + "\\*.run").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return 0;
  std::size_t count = 1;
  while (::FindNextFileW(search, &found) != 0) ++count;
  ::FindClose(search);
  return count;
}

Result<UniqueHandle> MarkCommand(const std::string& folder) {
  return Leave(folder + "\\" + kOrders + "\\" + RandomName() + ".run", "");
}

Result<Outcome> RunInPersistentMachine(const Plan& plan, RunObserver& observer) {
  PersistentMachineCommand command{plan, observer};
  if (Status ordered = command.Order(); !ordered) return ordered.error();
  return command.Wait();
}

}  // namespace mxc
