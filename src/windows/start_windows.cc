#include "windows/start_windows.h"

#include <array>
#include <string>
#include <vector>

#include "win32/environment_block_windows.h"
#include "win32/security_environment.h"
#include "win32/security_environment_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr DWORD64 kNoWin32k = DWORD64{1} << 28U;  // PROCESS_CREATION_MITIGATION_POLICY_WIN32K_..._ALWAYS_ON
constexpr DWORD kOptOut = 1;                      // PROCESS_CREATION_ALL_APPLICATION_PACKAGES_OPT_OUT
constexpr DWORD_PTR kSecurityEnvironment =
    35 | PROC_THREAD_ATTRIBUTE_INPUT;  // of Windows with a base container

// The standard streams of this process, while it starts a command that takes over what it finds there.
class LentStreams {
 public:
  explicit LentStreams(const std::vector<HANDLE>& streams) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      own_.at(i) = ::GetStdHandle(kNames.at(i));
      ::SetStdHandle(kNames.at(i), streams.at(i));
    }
  }
  LentStreams(const LentStreams&) = delete;
  LentStreams& operator=(const LentStreams&) = delete;
  ~LentStreams() {
    for (std::size_t i = 0; i < kNames.size(); ++i) ::SetStdHandle(kNames.at(i), own_.at(i));
  }

 private:
  static constexpr std::array<DWORD, 3> kNames = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  std::array<HANDLE, 3> own_ = {};
};

Error CannotStart(const AppContainerSandbox& sandbox, DWORD number) {
  Error error =
      WindowsError(ErrorCode::kSetupFailed, "the command cannot be started in '" + sandbox.cwd + "'", number);
  if (number == ERROR_ACCESS_DISABLED_BY_POLICY) error.hint = "a policy of this machine forbids the program";
  if (number == ERROR_NOT_SUPPORTED)
    error.hint = "this Windows may not take an environment for it: --probe says what it has";
  if (number == ERROR_FILE_NOT_FOUND) error.hint = "write the absolute path of the program, with its ending";
  return error;
}

// Nothing is inherited: Windows itself gives a console program the streams of its parent.
Result<StartedCommand> StartInSandbox(const AppContainerSandbox& sandbox, const StartOrders& orders) {
  const CreateInSandboxFunction create = CreateInSandbox();
  if (create == nullptr) {
    return Unavailable("this Windows has no base container (processmodel.dll)", {},
                       "--probe says what this Windows has");
  }
  const std::string specification = SandboxSpecificationBytes(sandbox);
  std::wstring line = Wide(sandbox.command_line);
  std::wstring environment = EnvironmentBlock(sandbox.environment);
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  // A program without a console would not be given them.
  const DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT;
  PROCESS_INFORMATION made{};
  const LentStreams lent{orders.streams};
  if (create(nullptr, line.data(), nullptr, nullptr, FALSE, flags, environment.data(),
             Wide(sandbox.cwd).c_str(), &startup, Wide(orders.identity).c_str(),
             reinterpret_cast<const BYTE*>(specification.data()), static_cast<UINT32>(specification.size()),
             &made) == 0) {
    return CannotStart(sandbox, ::GetLastError());
  }
  return StartedCommand{UniqueHandle{made.hProcess}, UniqueHandle{made.hThread}, made.dwProcessId};
}

}  // namespace

std::vector<StartAttribute> StartAttributes(const AppContainerSandbox& sandbox, const StartOrders& orders) {
  std::vector<StartAttribute> attributes;
  if (orders.console != nullptr) {
    attributes.push_back({PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, orders.console, sizeof orders.console,
                          "give the command a console of its own"});
  } else {
    attributes.push_back({PROC_THREAD_ATTRIBUTE_HANDLE_LIST, const_cast<HANDLE*>(orders.streams.data()),
                          orders.streams.size() * sizeof(HANDLE), "name what the command inherits"});
  }
  if (orders.job != nullptr) {
    attributes.push_back({PROC_THREAD_ATTRIBUTE_JOB_LIST, const_cast<HANDLE*>(&orders.job), sizeof orders.job,
                          "start the command in a job"});
  }
  if (orders.environment != nullptr) {
    attributes.push_back({kSecurityEnvironment, const_cast<HANDLE*>(&orders.environment),
                          sizeof orders.environment, "put the command into its base container"});
  }
  if (orders.container == nullptr) return attributes;
  attributes.push_back({PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES, orders.container,
                        sizeof *orders.container, "put the command into its AppContainer"});
  static DWORD64 mitigations = kNoWin32k;
  if (sandbox.no_win32k) {
    attributes.push_back({PROC_THREAD_ATTRIBUTE_MITIGATION_POLICY, &mitigations, sizeof mitigations,
                          "refuse the system calls of the window manager"});
  }
  static DWORD opt_out = kOptOut;
  if (sandbox.least_privilege) {
    attributes.push_back({PROC_THREAD_ATTRIBUTE_ALL_APPLICATION_PACKAGES_POLICY, &opt_out, sizeof opt_out,
                          "take what every AppContainer may read"});
  }
  return attributes;
}

Result<StartedCommand> StartCommand(const AppContainerSandbox& sandbox, const StartOrders& orders) {
  if (!orders.identity.empty()) return StartInSandbox(sandbox, orders);
  StartAttributeList attributes;
  for (const StartAttribute& attribute : StartAttributes(sandbox, orders)) {
    if (Status added = attributes.Add(attribute); !added) return added.error();
  }
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.lpAttributeList = attributes.Get();
  const bool streams = orders.console == nullptr;
  if (streams) {
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = orders.streams.at(0);
    startup.StartupInfo.hStdOutput = orders.streams.at(1);
    startup.StartupInfo.hStdError = orders.streams.at(2);
  }
  std::wstring line = Wide(sandbox.command_line);
  std::wstring environment = EnvironmentBlock(sandbox.environment);
  DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT;
  if (orders.without_console) flags |= CREATE_NO_WINDOW;
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, streams ? TRUE : FALSE, flags,
                       environment.data(), Wide(sandbox.cwd).c_str(), &startup.StartupInfo, &made) == 0) {
    return CannotStart(sandbox, ::GetLastError());
  }
  return StartedCommand{UniqueHandle{made.hProcess}, UniqueHandle{made.hThread}, made.dwProcessId};
}

}  // namespace mxc
