#include "process/windows/job_windows.h"

#include "base/wide_windows.h"

namespace mxc {
namespace {

constexpr DWORD kPollMs = 10;
constexpr DWORD kMaxPolls = 500;

template <class Information>
Status Set(HANDLE job, JOBOBJECTINFOCLASS kind, Information information, const char* what) {
  if (::SetInformationJobObject(job, kind, &information, sizeof information) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, what, ::GetLastError());
}

}  // namespace

Result<Job> Job::Make(const AppContainerSandbox& sandbox, bool confined) {
  Job job;
  job.handle_.Reset(::CreateJobObjectW(nullptr, nullptr));
  if (!job.handle_) return WindowsError(ErrorCode::kSetupFailed, "make a job", ::GetLastError());
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (sandbox.memory_bytes != 0) {
    limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
    limits.JobMemoryLimit = sandbox.memory_bytes;
  }
  Status set = Set(job.handle_.Get(), JobObjectExtendedLimitInformation, limits, "limit the job");
  if (!set) return set.error();
  if (!confined || sandbox.ui_limits == 0) return job;
  const JOBOBJECT_BASIC_UI_RESTRICTIONS ui{.UIRestrictionsClass = sandbox.ui_limits};
  set = Set(job.handle_.Get(), JobObjectBasicUIRestrictions, ui, "limit what the job may do with windows");
  if (!set) return set.error();
  return job;
}

Status Job::Add(HANDLE process) const {
  if (::AssignProcessToJobObject(handle_.Get(), process) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "put the command into its job", ::GetLastError());
}

bool Job::End() const {
  constexpr UINT kStatus = 255;
  ::TerminateJobObject(handle_.Get(), kStatus);
  for (DWORD poll = 0; poll < kMaxPolls; ++poll) {
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION now{};
    if (::QueryInformationJobObject(handle_.Get(), JobObjectBasicAccountingInformation, &now, sizeof now,
                                    nullptr) == 0)
      return false;
    if (now.ActiveProcesses == 0) return true;
    ::Sleep(kPollMs);
  }
  return false;
}

}  // namespace mxc
