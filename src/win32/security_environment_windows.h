// The base container of a run, by processmodel.dll: a process security environment, or the older contract.
#pragma once

#include <windows.h>

#include <string>
#include <utility>

#include "mxc/error.h"

namespace mxc {

class SecurityEnvironment {
 public:
  // bytes: of SecurityEnvironmentBytes. Errors: kUnavailable where Windows has none; kSetupFailed.
  [[nodiscard]] static Result<SecurityEnvironment> Make(const std::string& bytes);
  SecurityEnvironment(SecurityEnvironment&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  SecurityEnvironment& operator=(SecurityEnvironment&&) = delete;
  SecurityEnvironment(const SecurityEnvironment&) = delete;
  SecurityEnvironment& operator=(const SecurityEnvironment&) = delete;
  ~SecurityEnvironment();

  [[nodiscard]] HANDLE Get() const { return handle_; }

 private:
  explicit SecurityEnvironment(HANDLE handle) : handle_(handle) {}

  HANDLE handle_;
};

// The older contract: a CreateProcess with the name of a container and SandboxSpecificationBytes behind its
// arguments. It hands on no handles; nullptr where this Windows has none.
using CreateInSandboxFunction = BOOL(WINAPI*)(LPCWSTR program, LPWSTR line, LPSECURITY_ATTRIBUTES process,
                                              LPSECURITY_ATTRIBUTES thread, BOOL inherit, DWORD flags,
                                              LPVOID environment, LPCWSTR cwd, const STARTUPINFOW* startup,
                                              LPCWSTR identity, const BYTE* specification, UINT32 size,
                                              PROCESS_INFORMATION* made);
[[nodiscard]] CreateInSandboxFunction CreateInSandbox();

}  // namespace mxc
