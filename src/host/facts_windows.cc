// What this Windows can do, found by looking: nothing is started, nothing that stays is changed.
#include <windows.h>

#include <array>
#include <memory>
#include <string>

#include "host/windows_host.h"
#include "win32/elevation_windows.h"
#include "win32/security_environment.h"
#include "win32/security_environment_windows.h"
#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr UINT64 kSandboxEnabled = 1;  // of Experimental_QuerySandboxSupport
constexpr UINT64 kSandboxDenies = 2;
constexpr UINT64 kEnvironmentDenies = 1;  // of QueryProcessSecurityEnvironmentSupport

// GetVersionEx answers with what the manifest names; this with what is there.
std::uint32_t Build() {
  using RtlGetVersion = LONG(WINAPI*)(OSVERSIONINFOW*);
  const SystemLibrary library{L"ntdll.dll"};
  const auto get = library.Find<RtlGetVersion>("RtlGetVersion");
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  return get != nullptr && get(&version) == 0 ? version.dwBuildNumber : 0;
}

// A Windows may have the exports and not yet what stands behind them.
bool HasApiSet() {
  using IsImplemented = BOOL(WINAPI*)(PCSTR);
  const SystemLibrary library{L"kernelbase.dll"};
  const auto ask = library.Find<IsImplemented>("IsApiSetImplemented");
  return ask != nullptr && ask("api-win-appmodel-processmodel~securityenvironment") != 0;
}

// Where nothing answers the question, a call that asks for nothing does: it fails, and says whether that is
// because the contract is switched off.
bool IsOn(CreateInSandboxFunction create) {
  ::SetLastError(ERROR_SUCCESS);
  if (create(nullptr, nullptr, nullptr, nullptr, FALSE, 0, nullptr, nullptr, nullptr, nullptr, nullptr, 0,
             nullptr) != 0)
    return true;
  const DWORD error = ::GetLastError();
  return error != ERROR_CALL_NOT_IMPLEMENTED && error != static_cast<DWORD>(E_NOTIMPL);
}

void AskOlderContract(const SystemLibrary& library, WindowsFacts& facts) {
  using QuerySandbox = BOOL(WINAPI*)(UINT64*);
  const CreateInSandboxFunction create = CreateInSandbox();
  if (create == nullptr) return;
  const auto query = library.Find<QuerySandbox>("Experimental_QuerySandboxSupport");
  UINT64 flags = 0;
  if (query == nullptr) {
    facts.create_in_sandbox = IsOn(create);
    return;
  }
  if (query(&flags) == 0) return;
  facts.create_in_sandbox = (flags & kSandboxEnabled) != 0;
  facts.create_in_sandbox_denies = (flags & kSandboxDenies) != 0;
}

// A security environment that grants nothing is made and closed: the only way to know.
void AskProcessModel(WindowsFacts& facts) {
  using QueryEnvironment = HRESULT(WINAPI*)(UINT64*);
  const SystemLibrary library{L"processmodel.dll"};
  AskOlderContract(library, facts);
  facts.security_environment = HasApiSet() && SecurityEnvironment::Make(SecurityEnvironmentBytes({})).ok();
  if (!facts.security_environment) return;
  const auto query = library.Find<QueryEnvironment>("QueryProcessSecurityEnvironmentSupport");
  UINT64 flags = 0;
  facts.security_environment_denies =
      query != nullptr && SUCCEEDED(query(&flags)) && (flags & kEnvironmentDenies) != 0;
}

struct CloseKey {
  using pointer = HKEY;  // NOLINT(readability-identifier-naming): the name unique_ptr looks for
  void operator()(HKEY key) const { ::RegCloseKey(key); }
};
using UniqueKey = std::unique_ptr<HKEY, CloseKey>;

UniqueKey OpenKey(HKEY parent, const wchar_t* name) {
  HKEY key = nullptr;
  return UniqueKey{::RegOpenKeyExW(parent, name, 0, KEY_READ, &key) == ERROR_SUCCESS ? key : nullptr};
}

std::wstring TextOf(const UniqueKey& key, const wchar_t* name) {
  std::array<wchar_t, 512> text{};
  DWORD size = sizeof text;
  if (::RegGetValueW(key.get(), nullptr, name, RRF_RT_REG_SZ, nullptr, text.data(), &size) != ERROR_SUCCESS)
    return {};
  return text.data();
}

std::uint32_t NumberOf(const UniqueKey& key, const wchar_t* name) {
  DWORD number = 0;
  DWORD size = sizeof number;
  ::RegGetValueW(key.get(), nullptr, name, RRF_RT_REG_DWORD, nullptr, &number, &size);
  return number;
}

// To ask wsl.exe would start its machine.
std::vector<WslDistribution> Distributions() {
  constexpr std::uint32_t kInstalled = 1;
  std::vector<WslDistribution> distributions;
  const UniqueKey all = OpenKey(HKEY_CURRENT_USER, L"Software\\Microsoft\\Windows\\CurrentVersion\\Lxss");
  if (!all) return distributions;
  const std::wstring standard = TextOf(all, L"DefaultDistribution");
  std::array<wchar_t, 256> name{};
  for (DWORD i = 0;; ++i) {
    DWORD size = static_cast<DWORD>(name.size());
    if (::RegEnumKeyExW(all.get(), i, name.data(), &size, nullptr, nullptr, nullptr, nullptr) !=
        ERROR_SUCCESS)
      return distributions;
    const UniqueKey one = OpenKey(all.get(), name.data());
    const std::wstring written = one ? TextOf(one, L"DistributionName") : std::wstring();
    if (written.empty() || NumberOf(one, L"State") != kInstalled) continue;
    distributions.push_back({.name = Narrow(written),
                             .version = NumberOf(one, L"Version"),
                             .is_default = ::lstrcmpiW(standard.c_str(), name.data()) == 0});
  }
}

bool HasIsolationSessions() {
  return static_cast<bool>(OpenKey(HKEY_LOCAL_MACHINE,
                                   L"SOFTWARE\\Microsoft\\WindowsRuntime\\ActivatableClassId\\"
                                   L"Windows.AI.IsolationSession.IsoSessionOps"));
}

bool HypervisorPresent() {
  using GetCapability = HRESULT(WINAPI*)(int, void*, UINT32, UINT32*);
  const SystemLibrary library{L"WinHvPlatform.dll"};
  const auto get = library.Find<GetCapability>("WHvGetCapability");
  constexpr int kHypervisorPresent = 0;  // WHvCapabilityCodeHypervisorPresent
  BOOL present = FALSE;
  return get != nullptr && SUCCEEDED(get(kHypervisorPresent, &present, sizeof present, nullptr)) &&
         present != FALSE;
}

// Never from the environment, which the caller may have been given.
std::string WindowsDirectory() {
  std::array<wchar_t, MAX_PATH> directory{};
  const UINT size = ::GetSystemWindowsDirectoryW(directory.data(), MAX_PATH);
  return size == 0 || size >= MAX_PATH ? "" : Narrow({directory.data(), size});
}

}  // namespace

WindowsFacts WindowsHost::Windows() const {
  const SystemLibrary userenv{L"userenv.dll"};
  WindowsFacts facts;
  facts.build = Build();
  facts.wine = SystemLibrary{L"ntdll.dll"}.Has("wine_get_version");
  facts.app_container =
      userenv.Has("CreateAppContainerProfile") && userenv.Has("DeriveAppContainerSidFromAppContainerName");
  facts.capability_names = SystemLibrary{L"kernelbase.dll"}.Has("DeriveCapabilitySidsFromName");
  AskProcessModel(facts);
  facts.administrator = IsElevated();
  facts.bfscfg = FindTool("bfscfg").value_or("");
  facts.windows_sandbox = FindTool("WindowsSandbox").has_value();
  facts.isolation_session = HasIsolationSessions();
  facts.hypervisor = HypervisorPresent();
  facts.wsl = FindTool("wsl").value_or("");
  if (!facts.wsl.empty()) facts.wsl_distributions = Distributions();
  facts.windows_directory = WindowsDirectory();
  facts.system_drive = facts.windows_directory.substr(0, 2);
  facts.profile_directory = Environment("USERPROFILE").value_or("");
  return facts;
}

}  // namespace mxc
