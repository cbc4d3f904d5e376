#include "engine/engine.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/kernel_calls.h"
#include "base/quoted.h"
#include "base/unmapped_owners.h"
#include "engine/child.h"
#include "engine/landlock_rules.h"
#include "engine/program.h"
#include "engine/report.h"
#include "engine/start.h"

namespace mxc {
namespace {

using engine::Event;
using engine::Program;
using engine::Report;
using engine::Step;

constexpr std::uint64_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
constexpr std::uint64_t kIntoCgroup = 0x200000000ULL;  // CLONE_INTO_CGROUP, of Linux 5.7

// fork with namespaces: memory is copied on write, so the child cannot change the launcher's. Older seccomp
// filters of containers refuse clone3, which they do not know; clone takes the same flags.
pid_t Clone(const Program& program, int& handle) {
  // Without a gateway the network namespace is created in parallel: network_namespace.h.
  const std::uint64_t network = program.gateway_handover >= 0 ? CLONE_NEWNET : 0ULL;
  // With its own control group the child creates this namespace after entering it: its root is the creator's
  // group.
  const std::uint64_t group = program.InGroup() ? 0ULL : CLONE_NEWCGROUP;
  const std::uint64_t flags = CLONE_PIDFD | (program.supervised ? 0ULL : kNamespaces | network | group);
  clone_args arguments{};
  arguments.flags = flags;
  if (program.unified_group >= 0) {
    arguments.flags |= kIntoCgroup;
    arguments.cgroup = static_cast<unsigned>(program.unified_group);
  }
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&handle);
  arguments.exit_signal = SIGCHLD;
  const long id = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (id >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<pid_t>(id);
  if (program.unified_group >= 0) return -1;  // which only clone3 can enter so
  return static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, &handle, nullptr, nullptr));
}

// Every signal is blocked: the child inherits that, and no handler of ours runs in it.
pid_t CloneBlocked(const Program& program, std::vector<int>& slots, int& handle) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t id = Clone(program, handle);
  if (id == 0) {
    engine::Child child{.program = program,
                        .slots = slots,
                        .command = CommandOf(program),
                        .report_to = program.report,
                        .adopts = program.supervised,
                        .landlock = program.landlock};
    engine::ChildMain(child);
  }
  const int number = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return id;
}

// The report of the sandbox's init; absent: it ended without one.
std::optional<Report> ReadReport(int fd) {
  Report report;
  ssize_t count = 0;
  do {
    count = ::read(fd, &report, sizeof report);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof report)) return std::nullopt;
  return report;
}

Error EndedEarly(int status) {
  std::string how = "exited with " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status)) how = "was killed by signal " + std::to_string(WTERMSIG(status));
  return SetupFailed("the sandbox's first process " + how + " during set-up",
                     "the kernel's log may say why; out of memory is the usual reason");
}

Result<SandboxProcess> Start(const Streams& streams, Program& program) {
  Result<engine::ReportPipe> pipe = engine::ReportPipe::Make();
  if (!pipe) return pipe.error();
  Discard discard;
  if (!program.supervised) discard = Discard::Make();
  program.discard_sender = discard.sender.Get();
  program.discard_queue = discard.queue.Get();
  engine::SetReportPipe(pipe->reader.Get(), pipe->writer.Get(), program);
  std::vector<int> slots(program.slots, -1);
  int handle = -1;
  const pid_t id = CloneBlocked(program, slots, handle);
  if (id < 0) return StepError({.step = Step::kCreate, .number = errno}, program);
  pipe->writer.Reset();
  SandboxProcess process{
      .id = id, .handle = UniqueFd{handle}, .report = std::move(pipe->reader), .discard = std::move(discard)};
  if (streams.on_created) streams.on_created(id);
  return engine::AwaitStart(std::move(process), streams, program, EndedEarly);
}

// Inside the sandbox root has no CAP_DAC_OVERRIDE over the host's files: it cannot enter other users' private
// directories.
class WaysIn {
 public:
  [[nodiscard]] bool IsForLauncherAlone(const std::string& path) {
    return ::geteuid() == 0 && IsClosed(path.substr(0, path.rfind('/')));
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): no deeper than the path
  bool IsClosed(const std::string& directory) {
    if (directory.empty()) return false;
    const auto known = closed_.find(directory);
    if (known != closed_.end()) return known->second;
    struct stat status {};
    const bool others = ::lstat(directory.c_str(), &status) == 0 && status.st_uid != 0;
    const mode_t search = status.st_gid == ::getegid() ? S_IXGRP : S_IXOTH;
    const bool closed =
        (others && (status.st_mode & search) == 0) || IsClosed(directory.substr(0, directory.rfind('/')));
    return closed_[directory] = closed;
  }
  std::unordered_map<std::string, bool> closed_ = {};
};

UniqueFd CloneOf(const std::string& path) {
  const UniqueFd source{OpenReference(AT_FDCWD, path.c_str(), 0)};
  return UniqueFd{source ? CloneTree(source.Get()) : -1};
}

}  // namespace

namespace engine {

Result<std::vector<UniqueFd>> CloneAhead(Program& program) {
  std::vector<UniqueFd> trees;
  WaysIn ways;
  for (MountAction& action : program.mounts) {
    const bool bind = action.kind == MountAction::Kind::kBind;
    if (!action.unmapped_owners && (!bind || !ways.IsForLauncherAlone(action.source))) continue;
    UniqueFd tree = action.unmapped_owners ? CloneWithUnmappedOwners(action.source) : CloneOf(action.source);
    if (!tree)
      return SystemError(ErrorCode::kSetupFailed, "copy the mounts at " + Quoted(action.source), errno);
    action.tree = tree.Get();
    trees.push_back(std::move(tree));
  }
  return trees;
}

Result<ReportPipe> ReportPipe::Make() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  ReportPipe pipe{UniqueFd{ends[0]}, UniqueFd{ends[1]}};
  if (pipe.writer.Get() < 3) pipe.writer = UniqueFd{::fcntl(pipe.writer.Get(), F_DUPFD_CLOEXEC, 3)};
  if (!pipe.writer) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  return pipe;
}

Result<SandboxProcess> AwaitStart(SandboxProcess process, const Streams& streams, const Program& program,
                                  const std::function<Error(int)>& ended_early) {
  if (streams.wait && !streams.wait(process.report.Get())) return process;
  const std::optional<Report> report = ReadReport(process.report.Get());
  process.started = report && report->event == Event::kStarted;
  if (process.started) return process;
  int status = 0;
  while (::waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
  }
  return report ? StepError(*report, program) : ended_early(status);
}

}  // namespace engine

Result<SandboxProcess> StartSandbox(const SandboxRequest& request) {
  Program program;
  if (Status prepared = engine::Prepare(request, program); !prepared) return prepared.error();
  const Result<std::vector<UniqueFd>> trees = engine::CloneAhead(program);
  if (!trees) return trees.error();
  return Start(request.streams, program);
}

Result<SandboxProcess> StartSandbox(const LandlockRequest& request) {
  Program program;
  if (Status prepared = engine::Prepare(request, program); !prepared) return prepared.error();
  Result<engine::BuiltRules> rules = engine::BuildRules(request.sandbox);
  if (!rules) return rules.error();
  program.landlock = rules->rules;
  Result<SandboxProcess> process = Start(request.streams, program);
  if (process) process->temp = std::move(program.temp);
  return process;
}

bool CommandReports::TakeStop() {
  const std::optional<Report> next = ReadReport(report_.Get());
  if (next && next->event == Event::kEnded) {
    status_ = next->number;
    if (next->node > 0) full_tmp_ = next->node;
    left_.assign(next->left.data(), ::strnlen(next->left.data(), next->left.size()));
  }
  return next && next->event == Event::kStopped;
}

std::optional<int> CommandReports::Status() {
  while (!status_ && TakeStop()) {
  }
  return status_;
}

}  // namespace mxc
