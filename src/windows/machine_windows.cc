#include "windows/machine_windows.h"

// windows.h stands before what needs it.
// clang-format off
#include <windows.h>
#include <tlhelp32.h>
// clang-format on

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "win32/wide_windows.h"
#include "windows/acl_journal_store_windows.h"
#include "windows/command_windows.h"
#include "windows/start_attributes_windows.h"

namespace mxc {
namespace {

constexpr DWORD kMachinePollMs = 20;
constexpr std::uint64_t kMachineEndLimitMs = 5000;
constexpr std::wstring_view kProcessPrefix = L"WindowsSandbox";

Error StartFailed(const char* what) { return WindowsError(ErrorCode::kSetupFailed, what, ::GetLastError()); }

}  // namespace

Status EndWithUs(HANDLE job, bool ends) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = ends ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0;
  if (::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) != 0)
    return Done{};
  return StartFailed("limit the job of a program that may outlive us");
}

std::vector<MachineProcess> MachineProcesses() {
  std::vector<MachineProcess> found;
  const UniqueHandle snapshot{::CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0)};
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = ::Process32FirstW(snapshot.Get(), &entry); more != 0;
       more = ::Process32NextW(snapshot.Get(), &entry)) {
    const DWORD id = entry.th32ProcessID;
    if (std::wstring_view(entry.szExeFile).starts_with(kProcessPrefix))
      found.push_back({.id = id, .created = CreationOf(id)});
  }
  return found;
}

bool AnyRuns(const std::vector<MachineProcess>& processes) {
  const std::vector<MachineProcess> all = MachineProcesses();
  return std::any_of(processes.begin(), processes.end(), [&all](const MachineProcess& process) {
    return std::find(all.begin(), all.end(), process) != all.end();
  });
}

Result<MachineLock> MachineLock::Take() {
  UniqueHandle mutex{::CreateMutexW(nullptr, FALSE, L"Local\\mxc-exec.windows-sandbox")};
  const DWORD waited = ::WaitForSingleObject(mutex.Get(), 0);
  if ((waited == WAIT_OBJECT_0 || waited == WAIT_ABANDONED) && MachineProcesses().empty())
    return MachineLock{std::move(mutex)};
  return Unavailable("Windows Sandbox runs already, and Windows has only one", "/containment",
                     "close it, or wait for its end");
}

Result<MachineProcess> StartMachine(const std::string& wsb_file, const BeforeStart& before) {
  std::array<wchar_t, MAX_PATH> directory{};
  ::GetSystemDirectoryW(directory.data(), MAX_PATH);
  const std::wstring program = std::wstring(directory.data()) + L"\\WindowsSandbox.exe";
  std::wstring line = L"\"" + program + L"\" \"" + Wide(wsb_file) + L"\"";
  const UniqueHandle job{::CreateJobObjectW(nullptr, nullptr)};
  if (Status limited = EndWithUs(job.Get(), true); !limited) return limited.error();
  HANDLE jobs[] = {job.Get()};
  StartAttributeList attributes;
  const StartAttribute in_job{PROC_THREAD_ATTRIBUTE_JOB_LIST, jobs, sizeof jobs,
                              "start Windows Sandbox in a job"};
  if (Status added = attributes.Add(in_job); !added) return added.error();
  STARTUPINFOEXW startup{};
  startup.lpAttributeList = attributes.Get();
  startup.StartupInfo.cb = sizeof startup;
  // None: it may outlive us, and who reads our output waits for its end.
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, FALSE,
                       CREATE_SUSPENDED | EXTENDED_STARTUPINFO_PRESENT, nullptr, directory.data(),
                       &startup.StartupInfo, &made) == 0)
    return StartFailed("start Windows Sandbox");
  const UniqueHandle process{made.hProcess};
  const UniqueHandle thread{made.hThread};
  const MachineProcess first{.id = made.dwProcessId, .created = CreationOf(made.dwProcessId)};
  const Status told = before ? before(first) : Status(Done{});
  if (!told) return told.error();  // its job ends it
  if (Status freed = EndWithUs(job.Get(), false); !freed) return freed.error();
  ::ResumeThread(thread.Get());
  return first;
}

void EndMachine() {
  const std::uint64_t start = Now();
  for (std::vector<MachineProcess> all = MachineProcesses();
       !all.empty() && Now() - start < kMachineEndLimitMs; all = MachineProcesses()) {
    for (const MachineProcess& one : all) {
      const UniqueHandle process{::OpenProcess(PROCESS_TERMINATE, FALSE, one.id)};
      if (process) ::TerminateProcess(process.Get(), 1);
    }
    ::Sleep(kMachinePollMs);
  }
}

}  // namespace mxc
