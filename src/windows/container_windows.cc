#include "windows/container_windows.h"

#include <cstring>
#include <utility>

#include "base/own_files.h"
#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

using CreateProfileFunction = HRESULT(WINAPI*)(PCWSTR, PCWSTR, PCWSTR, PSID_AND_ATTRIBUTES, DWORD, PSID*);
using DeriveSidFunction = HRESULT(WINAPI*)(PCWSTR, PSID*);
using DeleteProfileFunction = HRESULT(WINAPI*)(PCWSTR);
using DeriveCapabilityFunction = BOOL(WINAPI*)(LPCWSTR, PSID**, DWORD*, PSID**, DWORD*);

constexpr HRESULT kExists = static_cast<HRESULT>(0x800700B7);  // HRESULT_FROM_WIN32(ERROR_ALREADY_EXISTS)

const SystemLibrary& Userenv() {
  static const SystemLibrary library{L"userenv.dll"};
  return library;
}

Error NoAppContainer() {
  return Unavailable("this Windows has no AppContainer (userenv.dll, kernelbase.dll)", {},
                     "it takes Windows 10 or later");
}

Error Failed(const std::string& what, HRESULT result) {
  return WindowsError(ErrorCode::kSetupFailed, what, static_cast<DWORD>(result));
}

void FreeAll(PSID* sids, DWORD count) {
  for (DWORD i = 0; i < count; ++i) ::LocalFree(sids[i]);
  ::LocalFree(sids);
}

}  // namespace

void DeleteProfile(const std::string& name) {
  const auto remove = Userenv().Find<DeleteProfileFunction>("DeleteAppContainerProfile");
  if (remove != nullptr) remove(Wide(name).c_str());
}

Container::Container(Container&& other) noexcept
    : name_(std::move(other.name_)),
      own_(std::exchange(other.own_, false)),
      sid_(std::move(other.sid_)),
      capability_sids_(std::move(other.capability_sids_)),
      attributes_(std::move(other.attributes_)),
      capabilities_(other.capabilities_) {}

Container::~Container() {
  if (own_) DeleteProfile(name_);
}

Status Container::MakeProfile() {
  const auto make = Userenv().Find<CreateProfileFunction>("CreateAppContainerProfile");
  const auto derive = Userenv().Find<DeriveSidFunction>("DeriveAppContainerSidFromAppContainerName");
  if (make == nullptr || derive == nullptr) return NoAppContainer();
  PSID sid = nullptr;
  const std::wstring name = Wide(name_);
  HRESULT result = make(name.c_str(), L"mxc-exec", L"A command run by mxc-exec", nullptr, 0, &sid);
  if (result == kExists && !own_) result = derive(name.c_str(), &sid);
  sid_.reset(sid);
  if (SUCCEEDED(result)) return Done{};
  own_ = false;
  return Failed("make the AppContainer '" + name_ + "'", result);
}

Status Container::AddCapabilities(const std::vector<std::string>& names) {
  const SystemLibrary kernel{L"kernelbase.dll"};
  const auto derive = kernel.Find<DeriveCapabilityFunction>("DeriveCapabilitySidsFromName");
  if (derive == nullptr && !names.empty()) return NoAppContainer();
  for (const std::string& name : names) {
    PSID* groups = nullptr;
    PSID* sids = nullptr;
    DWORD group_count = 0;
    DWORD count = 0;
    if (derive(Wide(name).c_str(), &groups, &group_count, &sids, &count) == 0) {
      return WindowsError(ErrorCode::kSetupFailed, "find the capability '" + name + "'", ::GetLastError());
    }
    for (DWORD i = 0; i < count; ++i) {
      const DWORD size = ::GetLengthSid(sids[i]);
      auto copy = std::make_unique<std::byte[]>(size);
      std::memcpy(copy.get(), sids[i], size);
      attributes_.push_back({.Sid = copy.get(), .Attributes = SE_GROUP_ENABLED});
      capability_sids_.push_back(std::move(copy));
    }
    FreeAll(groups, group_count);
    FreeAll(sids, count);
  }
  return Done{};
}

Result<Container> Container::Make(const AppContainerSandbox& sandbox) {
  Container container;
  container.own_ = sandbox.name.empty();
  container.name_ = container.own_ ? "mxc-" + RandomName() : sandbox.name;
  if (Status made = container.MakeProfile(); !made) return made.error();
  if (Status added = container.AddCapabilities(sandbox.capabilities); !added) return added.error();
  container.capabilities_.AppContainerSid = container.sid_.get();
  container.capabilities_.Capabilities = container.attributes_.data();
  container.capabilities_.CapabilityCount = static_cast<DWORD>(container.attributes_.size());
  return container;
}

std::string Container::SidBytes() const {
  return {static_cast<const char*>(sid_.get()), ::GetLengthSid(sid_.get())};
}

}  // namespace mxc
