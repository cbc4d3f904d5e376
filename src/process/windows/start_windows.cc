#include "process/windows/start_windows.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/wide_windows.h"
#include "mxc/windows_path.h"

namespace mxc {
namespace {

constexpr DWORD64 kNoWin32k = DWORD64{1} << 28U;  // PROCESS_CREATION_MITIGATION_POLICY_WIN32K_..._ALWAYS_ON
constexpr DWORD kOptOut = 1;                      // PROCESS_CREATION_ALL_APPLICATION_PACKAGES_OPT_OUT
constexpr DWORD kMaxAttributes = 4;

// Copies of our standard streams that a child may inherit. Ours stay as they are.
class StandardStreams {
 public:
  Status Copy() {
    constexpr std::array<DWORD, 3> kNames = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const HANDLE ours = ::GetStdHandle(kNames.at(i));
      const bool there = ours != nullptr && ours != INVALID_HANDLE_VALUE;
      HANDLE copy = nullptr;
      if (there && ::DuplicateHandle(::GetCurrentProcess(), ours, ::GetCurrentProcess(), &copy, 0, TRUE,
                                     DUPLICATE_SAME_ACCESS) == 0) {
        return WindowsError(ErrorCode::kSetupFailed, "hand a standard stream on", ::GetLastError());
      }
      copies_.at(i) = there ? UniqueHandle{copy} : OpenNothing();
      list_.push_back(copies_.at(i).Get());
    }
    return Done{};
  }

  void FillIn(STARTUPINFOW& startup) const {
    startup.dwFlags |= STARTF_USESTDHANDLES;
    startup.hStdInput = copies_[0].Get();
    startup.hStdOutput = copies_[1].Get();
    startup.hStdError = copies_[2].Get();
  }
  [[nodiscard]] std::vector<HANDLE>& List() { return list_; }

 private:
  static UniqueHandle OpenNothing() {
    SECURITY_ATTRIBUTES inheritable{};
    inheritable.nLength = sizeof inheritable;
    inheritable.bInheritHandle = TRUE;
    return UniqueHandle{::CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, OPEN_EXISTING, 0,
                                      nullptr)};
  }

  std::array<UniqueHandle, 3> copies_ = {};
  std::vector<HANDLE> list_ = {};
};

class Attributes {
 public:
  Attributes() {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, kMaxAttributes, 0, &size);
    memory_ = std::make_unique<std::byte[]>(size);
    ready_ = ::InitializeProcThreadAttributeList(Get(), kMaxAttributes, 0, &size) != 0;
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() {
    if (ready_) ::DeleteProcThreadAttributeList(Get());
  }

  // `value` must live as long as this object.
  Status Add(DWORD_PTR attribute, void* value, std::size_t size, const char* what) {
    if (ready_ && ::UpdateProcThreadAttribute(Get(), 0, attribute, value, size, nullptr, nullptr) != 0)
      return Done{};
    return WindowsError(ErrorCode::kSetupFailed, what, ::GetLastError());
  }
  [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST Get() const {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get());
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  bool ready_ = false;
};

// Sorted as Windows wants it, each name once, the last value of a name; an empty name before '=' ends the
// block.
std::wstring EnvironmentBlock(const std::vector<Variable>& environment) {
  std::vector<const Variable*> sorted;
  for (const Variable& variable : environment) {
    std::erase_if(sorted,
                  [&](const Variable* known) { return IsSameWindowsName(known->name, variable.name); });
    if (!variable.name.empty()) sorted.push_back(&variable);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Variable* left, const Variable* right) {
    return ::CompareStringOrdinal(Wide(left->name).c_str(), -1, Wide(right->name).c_str(), -1, TRUE) ==
           CSTR_LESS_THAN;
  });
  std::wstring block;
  for (const Variable* variable : sorted) {
    block += Wide(variable->name) + L"=" + Wide(variable->value.Reveal());
    block += L'\0';
  }
  if (block.empty()) block += L'\0';
  return block + L'\0';
}

Error CannotStart(const AppContainerSandbox& sandbox, DWORD number) {
  Error error =
      WindowsError(ErrorCode::kSetupFailed, "the command cannot be started in '" + sandbox.cwd + "'", number);
  if (number == ERROR_ACCESS_DISABLED_BY_POLICY) error.hint = "a policy of this machine forbids the program";
  if (number == ERROR_FILE_NOT_FOUND) error.hint = "write the absolute path of the program, with its ending";
  return error;
}

}  // namespace

Result<StartedCommand> StartCommand(const AppContainerSandbox& sandbox, SECURITY_CAPABILITIES* capabilities) {
  StandardStreams streams;
  if (Status copied = streams.Copy(); !copied) return copied.error();
  std::vector<HANDLE>& handles = streams.List();
  Attributes attributes;
  Status added = attributes.Add(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                handles.size() * sizeof(HANDLE), "name what the command inherits");
  if (added && capabilities != nullptr) {
    added = attributes.Add(PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES, capabilities, sizeof *capabilities,
                           "put the command into its AppContainer");
  }
  DWORD64 mitigations = kNoWin32k;
  if (added && capabilities != nullptr && sandbox.no_win32k) {
    added = attributes.Add(PROC_THREAD_ATTRIBUTE_MITIGATION_POLICY, &mitigations, sizeof mitigations,
                           "refuse the system calls of the window manager");
  }
  DWORD opt_out = kOptOut;
  if (added && capabilities != nullptr && sandbox.least_privilege) {
    added = attributes.Add(PROC_THREAD_ATTRIBUTE_ALL_APPLICATION_PACKAGES_POLICY, &opt_out, sizeof opt_out,
                           "take what every AppContainer may read");
  }
  if (!added) return added.error();

  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.lpAttributeList = attributes.Get();
  streams.FillIn(startup.StartupInfo);
  std::wstring line = Wide(sandbox.command_line);
  std::wstring environment = EnvironmentBlock(sandbox.environment);
  const DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT;
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, flags, environment.data(),
                       Wide(sandbox.cwd).c_str(), &startup.StartupInfo, &made) == 0) {
    return CannotStart(sandbox, ::GetLastError());
  }
  return StartedCommand{UniqueHandle{made.hProcess}, UniqueHandle{made.hThread}, made.dwProcessId};
}

}  // namespace mxc
