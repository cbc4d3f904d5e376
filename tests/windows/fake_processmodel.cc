// Stands in for processmodel.dll of a Windows with a base container: keeps what it is given, confines
// nothing.
#include <windows.h>

#include <string>

namespace {

std::string last;
std::wstring identity;
int open_environments = 0;
bool at_once = false;

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

// Starts the command as it is told to, and where the test says so at once.
__declspec(dllexport) BOOL
    Experimental_CreateProcessInSandbox(LPCWSTR program, LPWSTR line, LPSECURITY_ATTRIBUTES process,
                                        LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                        LPVOID environment, LPCWSTR cwd, const STARTUPINFOW* startup,
                                        LPCWSTR name, const BYTE* bytes, UINT32 size,
                                        PROCESS_INFORMATION* made) {
  if (line == nullptr || bytes == nullptr || inherit) {
    ::SetLastError(ERROR_INVALID_PARAMETER);
    return FALSE;
  }
  last.assign(reinterpret_cast<const char*>(bytes), size);
  identity = name;
  STARTUPINFOW copy = *startup;
  return ::CreateProcessW(program, line, process, thread, inherit,
                          at_once ? flags & ~DWORD{CREATE_SUSPENDED} : flags, environment, cwd, &copy, made);
}

__declspec(dllexport) BOOL Experimental_QuerySandboxSupport(UINT64* flags) {
  *flags = 3;
  return TRUE;
}

// Of the tests.
__declspec(dllexport) const std::string* LastSpecification() { return &last; }
__declspec(dllexport) const std::wstring* LastIdentity() { return &identity; }
__declspec(dllexport) void StartAtOnce(bool set) { at_once = set; }
__declspec(dllexport) int OpenEnvironments() { return open_environments; }
}
