#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/path.h"
#include "cgroup/cgroup_files.h"
#include "cgroup/systemd_scope.h"
#include "hash/pinned_program.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

// Of the call and of what follows it.
constexpr std::uint32_t kLimitMs = 10000;
constexpr useconds_t kScopePauseUs = 300;

Error NoScope(const std::string& reason) {
  return SetupFailed(
      "systemd gave no scope for the limits of the run: " + reason,
      "`busctl` (with `--user` for an ordinary caller) says whether its manager answers; without "
      "memoryMb, cpus, cpuTimeMs and processes the run needs no scope");
}

// systemd moves them after it has answered.
bool Holds(const std::string& directory, const std::vector<pid_t>& processes) {
  const std::vector<pid_t> members = MembersIn(ReadGroupFile(directory + "/cgroup.procs"));
  return std::all_of(processes.begin(), processes.end(), [&members](pid_t process) {
    return std::find(members.begin(), members.end(), process) != members.end();
  });
}

}  // namespace

std::vector<std::string> ScopeCall(const ScopeRequest& request, const std::string& name,
                                   const std::vector<pid_t>& processes) {
  std::vector<std::string> call = {request.busctl,
                                   "--address=" + request.address,
                                   "--allow-interactive-authorization=no",
                                   "call",
                                   "org.freedesktop.systemd1",
                                   "/org/freedesktop/systemd1",
                                   "org.freedesktop.systemd1.Manager",
                                   "StartTransientUnit",
                                   "ssa(sv)a(sa(sv))",
                                   name,
                                   "fail",
                                   "5"};
  for (const char* word : {"Description", "s", "a run of mxc-exec", "CollectMode", "s", "inactive-or-failed",
                           "Delegate", "b", "true", "Slice", "s"})
    call.emplace_back(word);
  call.push_back(request.slice);
  for (const char* word : {"PIDs", "au"}) call.emplace_back(word);
  call.push_back(std::to_string(processes.size()));
  for (const pid_t process : processes) call.push_back(std::to_string(process));
  call.emplace_back("0");  // no units beside it
  return call;
}

// It answers with the path of a job, `o "/org/freedesktop/systemd1/job/20"`, or says why not.
std::string ScopeRefusal(const ToolRun& call) {
  if (call.timed_out) return "its manager does not answer";
  if (!call.started) return "busctl does not start";
  if (call.exit_code == 0 && call.out.starts_with("o \"/")) return {};
  constexpr std::string_view kFailed = "Call failed: ";
  std::string_view said = std::string_view(call.err).substr(0, call.err.find('\n'));
  if (said.starts_with(kFailed)) said.remove_prefix(kFailed.size());
  return said.empty() ? fmt::format("busctl ended with status {}", call.exit_code) : std::string(said);
}

Status AskForScope(const ScopeRequest& request, const std::string& directory,
                   const std::vector<pid_t>& processes) {
  using Clock = std::chrono::steady_clock;
  const std::string name{NameOf(directory)};
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(kLimitMs);
  const Result<PinnedProgram> busctl = OpenPinned(request.busctl, request.sha256);
  if (!busctl) return busctl.error();
  std::vector<std::string> call = ScopeCall(request, name, processes);
  call.front() = busctl->executable;
  const std::string refusal = ScopeRefusal(RunTool(call, kLimitMs));
  if (!refusal.empty()) return NoScope(refusal);
  while (!Holds(directory, processes)) {
    if (Clock::now() > end) return NoScope("the processes of the run did not get to " + directory);
    ::usleep(kScopePauseUs);
  }
  return Done{};
}

}  // namespace mxc
