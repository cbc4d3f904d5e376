// Stands in for processmodel.dll of a Windows with a base container: keeps what it is given, confines
// nothing.
#include <windows.h>

#include <string>

namespace {

std::string last;
int open_environments = 0;

}  // namespace

extern "C" {

__declspec(dllexport) HRESULT
    CreateProcessSecurityEnvironment(const void* bytes, UINT32 size, UINT32 flags, HANDLE* environment) {
  if (size < 8 || flags != 0) return E_INVALIDARG;
  last.assign(static_cast<const char*>(bytes), size);
  *environment = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  ++open_environments;
  return S_OK;
}

__declspec(dllexport) void CloseProcessSecurityEnvironment(HANDLE environment) {
  ::CloseHandle(environment);
  --open_environments;
}

__declspec(dllexport) HRESULT QueryProcessSecurityEnvironmentSupport(UINT64* flags) {
  *flags = 1;
  return S_OK;
}

__declspec(dllexport) BOOL Experimental_CreateProcessInSandbox() { return FALSE; }

__declspec(dllexport) BOOL Experimental_QuerySandboxSupport(UINT64* flags) {
  *flags = 3;
  return TRUE;
}

// Of the tests.
__declspec(dllexport) const std::string* LastSpecification() { return &last; }
__declspec(dllexport) int OpenEnvironments() { return open_environments; }
}
