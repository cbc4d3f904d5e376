// The base container of a run: a process security environment of processmodel.dll.
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

}  // namespace mxc
