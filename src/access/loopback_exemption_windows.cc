#include "access/loopback_exemption_windows.h"

#include <windows.h>

#include <string>

#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

using GetConfig = DWORD(WINAPI*)(DWORD* count, SID_AND_ATTRIBUTES** containers);
using SetConfig = DWORD(WINAPI*)(DWORD count, SID_AND_ATTRIBUTES* containers);

constexpr const wchar_t* kFirewall = L"FirewallAPI.dll";

Error NoExemptions() {
  return Unavailable("this Windows has no exemptions for the loopback (FirewallAPI.dll)", {},
                     "remove the proxy");
}

Error CannotExempt(const char* what, DWORD number) {
  if (number != ERROR_ACCESS_DENIED)
    return WindowsError(ErrorCode::kSetupFailed, std::string(what) + " the exemptions for the loopback",
                        number);
  return Unavailable("the exemptions for the loopback are an administrator's to change", {},
                     "start it from an elevated prompt");
}

}  // namespace

Result<std::vector<Exemption>> WindowsExemptions::Read() {
  const SystemLibrary library{kFirewall};
  const auto get = library.Find<GetConfig>("NetworkIsolationGetAppContainerConfig");
  if (get == nullptr) return NoExemptions();
  DWORD count = 0;
  SID_AND_ATTRIBUTES* containers = nullptr;
  if (const DWORD number = get(&count, &containers); number != ERROR_SUCCESS)
    return CannotExempt("read", number);
  std::vector<Exemption> exemptions;
  for (DWORD i = 0; containers != nullptr && i < count; ++i) {
    const auto* sid = static_cast<const char*>(containers[i].Sid);
    exemptions.push_back(
        {.sid = {sid, ::GetLengthSid(containers[i].Sid)}, .attributes = containers[i].Attributes});
    ::HeapFree(::GetProcessHeap(), 0, containers[i].Sid);
  }
  ::HeapFree(::GetProcessHeap(), 0, containers);
  return exemptions;
}

Status WindowsExemptions::Write(const std::vector<Exemption>& exemptions) {
  const SystemLibrary library{kFirewall};
  const auto set = library.Find<SetConfig>("NetworkIsolationSetAppContainerConfig");
  if (set == nullptr) return NoExemptions();
  std::vector<SID_AND_ATTRIBUTES> containers;
  for (const Exemption& exemption : exemptions)
    containers.push_back(
        {.Sid = const_cast<char*>(exemption.sid.data()), .Attributes = exemption.attributes});
  const DWORD number = set(static_cast<DWORD>(containers.size()), containers.data());
  return number == ERROR_SUCCESS ? Status(Done{}) : CannotExempt("write", number);
}

}  // namespace mxc
