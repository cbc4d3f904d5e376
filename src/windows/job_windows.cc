#include "windows/job_windows.h"

#include <algorithm>

#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr DWORD kJobPollMs = 10;
constexpr DWORD kMaxPolls = 500;

template <class Information>
JobSetting Setting(JOBOBJECTINFOCLASS kind, const Information& information, const char* what) {
  return {kind, {reinterpret_cast<const char*>(&information), sizeof information}, what};
}

JobSetting Extended(const JobLimits& wanted) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  DWORD& flags = limits.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (wanted.memory_bytes != 0) {
    flags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
    limits.JobMemoryLimit = wanted.memory_bytes;
  }
  if (wanted.processes != 0) {
    constexpr std::uint64_t kMost = MAXDWORD;
    flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    limits.BasicLimitInformation.ActiveProcessLimit = static_cast<DWORD>(std::min(wanted.processes, kMost));
  }
  return Setting(JobObjectExtendedLimitInformation, limits, "limit the job");
}

// The rate counts ten-thousandths of all processors together; what comes to all of them is no limit.
std::uint32_t Rate(std::uint64_t permille, std::uint32_t processors) {
  constexpr std::uint64_t kWhole = 10000;
  const std::uint64_t rate = permille * (kWhole / 1000) / std::max(processors, 1U);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rate, 1, kWhole));
}

}  // namespace

std::vector<JobSetting> JobSettings(const AppContainerSandbox& sandbox, bool confined,
                                    std::uint32_t processors) {
  std::vector<JobSetting> settings = {Extended(sandbox.limits)};
  if (sandbox.limits.cpu_permille != 0) {
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
    rate.ControlFlags = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
    rate.CpuRate = Rate(sandbox.limits.cpu_permille, processors);
    settings.push_back(Setting(JobObjectCpuRateControlInformation, rate, "limit the rate of the job"));
  }
  if (confined && sandbox.ui_limits != 0) {
    const JOBOBJECT_BASIC_UI_RESTRICTIONS ui{.UIRestrictionsClass = sandbox.ui_limits};
    settings.push_back(Setting(JobObjectBasicUIRestrictions, ui, "limit what the job may do with windows"));
  }
  return settings;
}

Result<Job> Job::Make(const AppContainerSandbox& sandbox, bool confined) {
  Job job;
  job.handle_.Reset(::CreateJobObjectW(nullptr, nullptr));
  if (!job.handle_) return WindowsError(ErrorCode::kSetupFailed, "make a job", ::GetLastError());
  const DWORD processors = ::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  for (JobSetting& setting : JobSettings(sandbox, confined, processors)) {
    if (::SetInformationJobObject(job.handle_.Get(), setting.kind, setting.bytes.data(),
                                  static_cast<DWORD>(setting.bytes.size())) == 0) {
      return WindowsError(ErrorCode::kSetupFailed, setting.what, ::GetLastError());
    }
  }
  return job;
}

Status Job::Add(HANDLE process) const {
  if (::AssignProcessToJobObject(handle_.Get(), process) != 0) return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "put the command into its job", ::GetLastError());
}

std::uint64_t Job::CpuTimeMs() const {
  constexpr std::int64_t kUnitsPerMs = 10000;  // of 100 ns
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION now{};
  if (::QueryInformationJobObject(handle_.Get(), JobObjectBasicAccountingInformation, &now, sizeof now,
                                  nullptr) == 0)
    return 0;
  return static_cast<std::uint64_t>((now.TotalUserTime.QuadPart + now.TotalKernelTime.QuadPart) /
                                    kUnitsPerMs);
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
    ::Sleep(kJobPollMs);
  }
  return false;
}

}  // namespace mxc
