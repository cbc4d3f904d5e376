#include "win32/security_environment_windows.h"

#include "win32/system_library_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

using CreateFunction = HRESULT(WINAPI*)(const void*, UINT32, UINT32, HANDLE*);
using CloseFunction = void(WINAPI*)(HANDLE);

const SystemLibrary& ProcessModel() {
  static const SystemLibrary library{L"processmodel.dll"};
  return library;
}

}  // namespace

Result<SecurityEnvironment> SecurityEnvironment::Make(const std::string& bytes) {
  const auto create = ProcessModel().Find<CreateFunction>("CreateProcessSecurityEnvironment");
  if (create == nullptr || !ProcessModel().Has("CloseProcessSecurityEnvironment")) {
    return Unavailable("this Windows has no base container (processmodel.dll)", {},
                       "--probe says what this Windows has");
  }
  HANDLE handle = nullptr;
  const HRESULT result = create(bytes.data(), static_cast<UINT32>(bytes.size()), 0, &handle);
  if (SUCCEEDED(result) && handle != nullptr) return SecurityEnvironment(handle);
  return WindowsError(ErrorCode::kSetupFailed, "make the security environment of the base container",
                      static_cast<DWORD>(SUCCEEDED(result) ? E_UNEXPECTED : result));
}

SecurityEnvironment::~SecurityEnvironment() {
  const auto close = ProcessModel().Find<CloseFunction>("CloseProcessSecurityEnvironment");
  if (handle_ != nullptr && close != nullptr) close(handle_);
}

CreateInSandboxFunction CreateInSandbox() {
  return ProcessModel().Find<CreateInSandboxFunction>("Experimental_CreateProcessInSandbox");
}

}  // namespace mxc
