// The agent: this program, started by a machine that stays when it has booted.
#include <windows.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/windows/sandbox_command.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/job_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/start_windows.h"

namespace mxc {
namespace {

constexpr DWORD kPollMs = 20;
constexpr UINT kUtf8 = 65001;
constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr const char* kParts[] = {".exit", ".stdout", ".stderr"};

UniqueHandle OpenInput(const std::string& path) {
  SECURITY_ATTRIBUTES inheritable = Inheritable();
  return UniqueHandle{
      ::CreateFileW(Wide(path).c_str(), GENERIC_READ, kShareAll, &inheritable, OPEN_EXISTING, 0, nullptr)};
}

UniqueHandle MakeOutput(const std::string& path) {
  SECURITY_ATTRIBUTES inheritable = Inheritable();
  return UniqueHandle{::CreateFileW(Wide(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    &inheritable, CREATE_NEW, 0, nullptr)};
}

std::string AllOf(const std::string& path) {
  const UniqueHandle file = OpenInput(path);
  std::string text;
  std::array<char, 65536> buffer{};
  DWORD size = 0;
  while (file &&
         ::ReadFile(file.Get(), buffer.data(), static_cast<DWORD>(buffer.size()), &size, nullptr) != 0 &&
         size > 0)
    text.append(buffer.data(), size);
  return text;
}

void Say(HANDLE file, const std::string& text) {
  DWORD size = 0;
  ::WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &size, nullptr);
  ::FlushFileBuffers(file);
}

// The machine's own variables, which those of a command come on top of.
std::vector<Variable> OwnEnvironment() {
  std::vector<Variable> environment;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* at = block; at != nullptr && *at != L'\0';) {
    const std::wstring_view entry = at;
    const std::size_t equals = entry.find(L'=');
    environment.push_back({.name = Narrow(entry.substr(0, equals)),
                           .value = Secret{Narrow(equals == entry.npos ? L"" : entry.substr(equals + 1))}});
    at += entry.size() + 1;
  }
  ::FreeEnvironmentStringsW(block);
  return environment;
}

AppContainerSandbox CommandOf(const WindowsSandboxRun& run) {
  std::array<wchar_t, MAX_PATH> system{};
  ::GetSystemDirectoryW(system.data(), MAX_PATH);
  AppContainerSandbox sandbox{
      .no_win32k = false,
      .ui_limits = 0,
      .command_line = "\"" + Narrow(system.data()) + "\\cmd.exe\" /d /s /c \"" + run.command_line + "\"",
      .environment = OwnEnvironment(),
      .cwd = run.cwd};
  sandbox.environment.insert(sandbox.environment.end(), run.environment.begin(), run.environment.end());
  return sandbox;
}

// One command, from its order until its launcher has gone.
class Ordered {
 public:
  Ordered(const std::string& orders, const std::string& answers, std::string token)
      : answer_(answers + "\\" + token), order_(orders + "\\" + token), token_(std::move(token)) {}

  void Begin() {
    exit_ = MakeOutput(answer_ + kParts[0]);
    out_ = MakeOutput(answer_ + kParts[1]);
    err_ = MakeOutput(answer_ + kParts[2]);
    const std::optional<WindowsSandboxRun> run = ReadCommandOrder(AllOf(order_ + ".order"));
    if (!run || !Start(*run)) Finish("failed");
  }

  // `wanted`: its launcher is there.
  void Look(bool wanted) {
    if (ended_) return;
    const bool over = ::WaitForSingleObject(process_.Get(), 0) == WAIT_OBJECT_0;
    if (!over && wanted) return;
    job_->End();  // with everything that it has started
    DWORD status = 0;
    ::GetExitCodeProcess(process_.Get(), &status);
    Finish("ended " + std::to_string(status));
  }

  // False while the launcher still reads.
  bool Clear() {
    for (const char* part : kParts) {
      const bool gone = ::DeleteFileW(Wide(answer_ + part).c_str()) != 0;
      if (!gone && ::GetLastError() != ERROR_FILE_NOT_FOUND) return false;
    }
    return true;
  }

 private:
  bool Start(const WindowsSandboxRun& run) {
    const UniqueHandle input = OpenInput(order_ + ".stdin");
    const AppContainerSandbox sandbox = CommandOf(run);
    Result<Job> job = Job::Make(sandbox, false);
    if (!input || !out_ || !err_ || !exit_ || !job) return false;
    Result<StartedCommand> started =
        StartCommand(sandbox, {.streams = {input.Get(), out_.Get(), err_.Get()}});
    if (!started) return false;
    process_ = std::move(started->process);
    job_.emplace(std::move(*job));
    if (!job_->Add(process_.Get())) {
      ::TerminateProcess(process_.Get(), 1);
      return false;
    }
    Say(exit_.Get(), token_ + " started\n");
    ::ResumeThread(started->thread.Get());
    return true;
  }

  void Finish(const std::string& word) {
    for (const UniqueHandle* output : {&out_, &err_}) ::FlushFileBuffers(output->Get());
    Say(exit_.Get(), token_ + " " + word + "\n");
    for (UniqueHandle* file : {&out_, &err_, &exit_}) file->Reset();
    ended_ = true;
  }

  std::string answer_;
  std::string order_;
  std::string token_;
  UniqueHandle exit_ = {};
  UniqueHandle out_ = {};
  UniqueHandle err_ = {};
  UniqueHandle process_ = {};
  std::optional<Job> job_ = {};
  bool ended_ = false;
};

class Agent {
 public:
  Agent(const std::string& orders, const std::string& answers) : orders_(orders), answers_(answers) {}

  // Until the machine has been idle, or there, for too long.
  void Run(const AgentOrder& order) {
    const std::uint64_t start = Now();
    std::uint64_t busy = start;
    for (;; ::Sleep(kPollMs)) {
      LookAround();
      const std::uint64_t now = Now();
      if (!commands_.empty()) busy = now;
      if (order.idle_ms != 0 && now - busy >= order.idle_ms) return;
      if (order.lifetime_ms != 0 && now - start >= order.lifetime_ms) return;
    }
  }

 private:
  void LookAround() {
    const std::set<std::string> wanted = Wanted();
    for (const std::string& token : wanted) {
      if (commands_.contains(token)) continue;
      commands_.emplace(token, std::make_unique<Ordered>(orders_, answers_, token)).first->second->Begin();
    }
    std::erase_if(commands_, [&wanted](const auto& entry) {
      const bool there = wanted.contains(entry.first);
      entry.second->Look(there);
      return !there && entry.second->Clear();
    });
  }

  [[nodiscard]] std::set<std::string> Wanted() const {
    std::set<std::string> wanted;
    WIN32_FIND_DATAW found{};
    const HANDLE search = ::FindFirstFileW(Wide(orders_ + "\\*.run").c_str(), &found);
    if (search == INVALID_HANDLE_VALUE) return wanted;
    do {
      const std::string name = Narrow(found.cFileName);
      wanted.insert(name.substr(0, name.rfind('.')));
    } while (::FindNextFileW(search, &found) != 0);
    ::FindClose(search);
    return wanted;
  }

  std::string orders_;
  std::string answers_;
  std::map<std::string, std::unique_ptr<Ordered>> commands_ = {};
};

}  // namespace

int RunSandboxAgent(const std::string& orders, const std::string& answers) {
  const std::optional<AgentOrder> order = ReadAgentOrder(AllOf(orders + "\\" + kAgentOrder));
  const UniqueHandle ready = MakeOutput(answers + "\\" + kAgentReady);
  if (!order || !ready) return 1;
  ::SetConsoleCP(kUtf8);
  ::SetConsoleOutputCP(kUtf8);
  Say(ready.Get(), order->token + " ready\n");
  Agent(orders, answers).Run(*order);
  return 0;
}

}  // namespace mxc
