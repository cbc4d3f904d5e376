// A job: every process of a run, ended together, also when we are.
#pragma once

#include <cstdint>

#include "base/unique_handle_windows.h"
#include "mxc/app_container.h"
#include "mxc/error.h"

namespace mxc {

class Job {
 public:
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<Job> Make(const AppContainerSandbox& sandbox, bool confined);

  [[nodiscard]] Status Add(HANDLE process) const;
  // Ends everything in it, and waits until nothing is left, at most five seconds. False: something is.
  bool End() const;

 private:
  UniqueHandle handle_ = {};
};

}  // namespace mxc
