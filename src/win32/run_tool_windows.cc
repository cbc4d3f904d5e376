#include "win32/run_tool_windows.h"

#include <windows.h>

#include <algorithm>
#include <array>

#include "mxc/command_line.h"
#include "win32/environment_block_windows.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

// Tools answer in a line or two; the rest is read and dropped so that they do not block.
constexpr std::size_t kMaxOutputBytes = 65536;
constexpr DWORD kLookMs = 5;  // at most so long a full pipe makes a tool wait

struct Pipe {
  UniqueHandle read = {};
  UniqueHandle write = {};
};

bool Open(Pipe& pipe) {
  SECURITY_ATTRIBUTES attributes = Inheritable();
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (::CreatePipe(&read, &write, &attributes, 0) == 0) return false;
  pipe.read.Reset(read);
  pipe.write.Reset(write);
  return ::SetHandleInformation(read, HANDLE_FLAG_INHERIT, 0) != 0;
}

// What is there, without waiting for more: a tool that the kernel does not let end holds its pipes open. A
// bounded number of times, because it may write faster than this reads.
void Take(HANDLE pipe, std::string& text) {
  std::array<char, 4096> buffer{};
  for (int left = 64; left > 0; --left) {
    DWORD size = 0;
    if (::PeekNamedPipe(pipe, nullptr, 0, nullptr, &size, nullptr) == 0 || size == 0) return;
    size = std::min(size, static_cast<DWORD>(buffer.size()));
    if (::ReadFile(pipe, buffer.data(), size, &size, nullptr) == 0) return;
    const std::size_t room = kMaxOutputBytes - std::min(kMaxOutputBytes, text.size());
    text.append(buffer.data(), std::min<std::size_t>(size, room));
  }
}

UniqueHandle KillingJob() {
  UniqueHandle job{::CreateJobObjectW(nullptr, nullptr)};
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  ::SetInformationJobObject(job.Get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

struct Tool {
  UniqueHandle process = {};
  UniqueHandle thread = {};
};

Tool Start(const std::vector<std::string>& argv, const std::vector<Variable>* environment, HANDLE out,
           HANDLE err) {
  SECURITY_ATTRIBUTES attributes = Inheritable();
  const UniqueHandle nothing{
      ::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &attributes, OPEN_EXISTING, 0, nullptr)};
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = nothing.Get();
  startup.hStdOutput = out;
  startup.hStdError = err;
  std::wstring line = Wide(JoinArguments(argv, QuoteFor::kProgram));
  PROCESS_INFORMATION made{};
  std::wstring block = environment == nullptr ? L"" : EnvironmentBlock(*environment);
  const DWORD flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT;
  if (::CreateProcessW(Wide(argv[0]).c_str(), line.data(), nullptr, nullptr, TRUE, flags,
                       environment == nullptr ? nullptr : block.data(), nullptr, &startup, &made) == 0) {
    return {};
  }
  return {UniqueHandle{made.hProcess}, UniqueHandle{made.hThread}};
}

}  // namespace

ToolRun RunTool(const std::vector<std::string>& argv, std::uint32_t limit_ms,
                const std::vector<Variable>* environment) {
  ToolRun run;
  Pipe out;
  Pipe err;
  if (argv.empty() || !Open(out) || !Open(err)) return run;
  const UniqueHandle job = KillingJob();
  const Tool tool = Start(argv, environment, out.write.Get(), err.write.Get());
  out.write.Reset();
  err.write.Reset();
  if (!tool.process) return run;
  if (::AssignProcessToJobObject(job.Get(), tool.process.Get()) == 0) {
    ::TerminateProcess(tool.process.Get(), 1);
    return run;
  }
  run.started = true;
  ::ResumeThread(tool.thread.Get());
  const std::uint64_t end = ::GetTickCount64() + limit_ms;
  do {
    run.timed_out = ::WaitForSingleObject(tool.process.Get(), kLookMs) != WAIT_OBJECT_0;
    Take(out.read.Get(), run.out);
    Take(err.read.Get(), run.err);
  } while (run.timed_out && ::GetTickCount64() < end);
  DWORD code = 0;
  ::GetExitCodeProcess(tool.process.Get(), &code);
  ::TerminateJobObject(job.Get(), 1);
  run.exit_code = static_cast<int>(code);
  return run;
}

}  // namespace mxc
