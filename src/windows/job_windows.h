// A job: every process of a run, ended together, also when we are.
#pragma once

#include <windows.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/windows/app_container.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

// One call of SetInformationJobObject, as data.
struct JobSetting {
  JOBOBJECTINFOCLASS kind = JobObjectExtendedLimitInformation;
  std::string bytes = {};  // of the structure that belongs to it
  const char* what = "";   // for messages
};

// What a job for this sandbox is told. `processors`: of this machine, whose whole time is the rate 10000.
[[nodiscard]] std::vector<JobSetting> JobSettings(const AppContainerSandbox& sandbox, bool confined,
                                                  std::uint32_t processors);

class Job {
 public:
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<Job> Make(const AppContainerSandbox& sandbox, bool confined);

  [[nodiscard]] Status Add(HANDLE process) const;
  // Processor time of all it ever held, in user and in kernel mode.
  [[nodiscard]] std::uint64_t CpuTimeMs() const;
  // Ends everything in it, and waits until nothing is left, at most five seconds. False: something is.
  bool End() const;

 private:
  UniqueHandle handle_ = {};
};

}  // namespace mxc
