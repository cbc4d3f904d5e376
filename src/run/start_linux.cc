#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "base/process_tree.h"
#include "engine/engine.h"
#include "run/bubblewrap_status.h"
#include "run/relay.h"
#include "run/start.h"
#include "spawn/descriptor_limit.h"
#include "spawn/inherited_files.h"

namespace mxc {
namespace {

// Until `fd` is readable; false when the time is over or a signal wants the run to end.
bool WaitFor(int fd, const LaunchContext& context) {
  for (;;) {
    int left = -1;
    if (context.plan.timeout_ms != 0) {
      const std::uint64_t end = context.started_ms + context.plan.timeout_ms;
      const std::uint64_t now = NowMs();
      left = now >= end ? 0 : static_cast<int>(std::min<std::uint64_t>(end - now, 1U << 30U));
    }
    pollfd polls[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                      {.fd = context.signals.Descriptor(), .events = POLLIN, .revents = 0},
                      {.fd = context.watch.Events(), .events = POLLIN, .revents = 0}};
    const int count = ::poll(polls, std::size(polls), left);
    if (polls[2].revents != 0)
      context.watch.Take(polls[2].revents);  // set-up ends with a call that waits for it
    if (polls[0].revents != 0) return true;
    if (count == 0 && left == 0) return false;
    if (count > 0 && context.signals.Ending()) return false;
  }
}

// The process that bubblewrap names; nothing when it failed before it could, or took too long. It writes one
// object, in pieces.
std::optional<pid_t> SandboxProcessOf(const UniqueFd& info, const LaunchContext& context) {
  SandboxStatus status;
  std::array<char, 512> buffer{};
  for (bool complete = false; !complete;) {
    if (!WaitFor(info.Get(), context)) return std::nullopt;
    const ssize_t count = ::read(info.Get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    const std::string_view text{buffer.data(), static_cast<std::size_t>(count)};
    status.Feed(text);
    complete = text.find('}') != std::string_view::npos;
  }
  status.Feed("\n");
  if (!status.ChildId()) return std::nullopt;
  return static_cast<pid_t>(*status.ChildId());
}

// Sends the byte for which bubblewrap waits before it runs the command. If it has failed or is late, the
// relay will notice.
Status ConnectGateway(const OpenedFiles& files, const LaunchContext& context) {
  if (context.gateway.Rules() == nullptr) return Done{};
  const std::optional<pid_t> process = SandboxProcessOf(files.info, context);
  if (!process) return Done{};
  if (Status connected = context.gateway.Connect(*process); !connected) return connected;
  context.gateway.CloseHandover();
  if (::write(files.block.Get(), "x", 1) == 1) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "release the command", errno);
}

void End(const ChildProcess& child) {
  SignalHandle(child.handle, SIGKILL);
  while (::waitpid(child.id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int TerminalOf(const StdioSetup& stdio) { return stdio.terminal ? stdio.terminal->Inner() : -1; }

// `tool`: bwrap, whose children are tied to it by a process group that ends with us.
Result<Started> StartExec(const Exec& exec, bool tool, const LaunchContext& context) {
  Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size(), exec.limits.open_files);
  if (!limit) return limit.error();
  // For each command, where its calls are told; for a persistent sandbox, where commands come in.
  const int socket = context.session >= 0 ? context.session : context.watch.WatchSocket();
  Discard discard = tool ? Discard::Make() : Discard{};
  Result<OpenedFiles> files =
      OpenFiles(exec.files, limit->Lowest(), std::array{discard.sender.Get(), socket});
  if (!files) return files.error();
  Result<ProcessGroupGuard> guard = tool ? ProcessGroupGuard::Start(context.cleanup_process.Pipe())
                                         : Result<ProcessGroupGuard>(ProcessGroupGuard{});
  if (!guard) return guard.error();
  if (Status verified = VerifyPaths(exec.verified); !verified) return verified.error();
  Result<ChildProcess> child = Spawn({.exec = exec,
                                      .files = files->files,
                                      .open_files = limit->Original(),
                                      .standard = context.stdio.standard,
                                      .controlling_terminal = TerminalOf(context.stdio),
                                      .ignores_keys = tool,
                                      .group = guard->Group(),
                                      .group_entrances = context.groups.Entrances()});
  if (!child) return child.error();
  context.cleanup_process.Watch(child->id);
  // The child has its own ends; ours would keep the pipes open.
  files->files.clear();
  context.watch.CloseWatchSocket();
  if (Status connected = ConnectGateway(*files, context); !connected) {
    guard->Kill();
    End(*child);
    return connected.error();
  }
  return Started{.child = std::move(*child),
                 .status = std::move(files->status),
                 .block = std::move(files->block),
                 .guard = std::move(*guard),
                 .discard = std::move(discard)};
}

Streams StreamsOf(const LaunchContext& context) {
  return {.standard = context.stdio.standard,
          .controlling_terminal = TerminalOf(context.stdio),
          .on_created = [&](pid_t id) { context.cleanup_process.Watch(id); },
          .cleanup_process = context.cleanup_process.Pipe(),
          .wait = [&](int fd) { return WaitFor(fd, context); }};
}

Groups GroupsOf(const LaunchContext& context) {
  return {.entrances = context.groups.OtherEntrances(), .unified = context.groups.UnifiedDirectory()};
}

Result<Started> FromSandbox(Result<SandboxProcess> process) {
  if (!process) return process.error();
  Started started{.child = {.id = process->id, .handle = std::move(process->handle)},
                  .guard = std::move(process->guard),
                  .discard = std::move(process->discard),
                  .container = process->container,
                  .temp = std::move(process->temp),
                  .running = process->started};
  started.reports.emplace(std::move(process->report));
  return started;
}

Result<Started> Start(const DirectLaunch& launch, const LaunchContext& context) {
  return StartExec(launch.command, false, context);
}

Result<Started> Start(const BubblewrapLaunch& launch, const LaunchContext& context) {
  return StartExec(launch.bwrap, true, context);
}

SandboxRequest RequestOf(const LinuxSandbox& sandbox, const LaunchContext& context) {
  return {.sandbox = sandbox,
          .streams = StreamsOf(context),
          .egress = context.gateway.Rules(),
          .gateway_handover = context.gateway.Handover(),
          .watch_socket = context.watch.WatchSocket(),
          .watch_files = context.watch.WantsFiles(),
          .session = context.session};
}

// What init has by now.
void CloseWhatInitHas(const LaunchContext& context) {
  context.gateway.CloseHandover();
  context.watch.CloseWatchSocket();
}

Result<Started> Start(const NamespacesLaunch& launch, const LaunchContext& context) {
  SandboxRequest request = RequestOf(launch.sandbox, context);
  request.groups = GroupsOf(context);
  Result<SandboxProcess> process = StartSandbox(request);
  CloseWhatInitHas(context);
  return FromSandbox(std::move(process));
}

Result<Started> Start(const LxcLaunch& launch, const LaunchContext& context) {
  SandboxRequest inside = RequestOf(launch.sandbox, context);
  inside.groups = {.entrances = context.groups.Entrances()};
  Result<SandboxProcess> process = StartContainer({.container = launch, .inside = std::move(inside)});
  CloseWhatInitHas(context);
  return FromSandbox(std::move(process));
}

Result<Started> Start(const LandlockLaunch& launch, const LaunchContext& context) {
  return FromSandbox(StartSandbox(LandlockRequest{
      .sandbox = launch.sandbox, .streams = StreamsOf(context), .groups = GroupsOf(context)}));
}

// Its last report comes when nothing of the command is left. The supervisor may end later.
Result<Started> Start(const PersistentLaunch& launch, const LaunchContext& context) {
  Result<Started> started = FromSandbox(StartInSession({.connection = context.connection,
                                                        .sandbox = launch.sandbox,
                                                        .streams = StreamsOf(context),
                                                        .watch_socket = context.watch.WatchSocket(),
                                                        .watch_files = context.watch.WantsFiles()}));
  context.watch.CloseWatchSocket();
  if (started) started->child.report.Reset(::fcntl(context.connection, F_DUPFD_CLOEXEC, 3));
  return started;
}

// A core limit of 1 prevents a dump to a program that core_pattern names, but not one to a socket
// (Linux 6.16). So coredump_filter excludes all mappings; every descendant inherits that, also through
// execve(2). If /proc is read-only, we are in a sandbox already, which has done this.
void LeaveMemoryOutOfCores() {
  const UniqueFd filter{::open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)};
  [[maybe_unused]] const ssize_t written = ::write(filter.Get(), "0", 1);
}

// Of another system: such a plan is shown here and never run, and the request was refused long before.
template <class OtherLaunch>
Result<Started> Start(const OtherLaunch& /*launch*/, const LaunchContext& /*context*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "Linux has no launcher for this plan"};
}

}  // namespace

Result<Started> StartChild(const LaunchContext& context) {
  LeaveMemoryOutOfCores();
  Result<Started> started =
      std::visit([&](const auto& launch) { return Start(launch, context); }, context.plan.launch);
  if (started) return started;
  // The child itself knows only that it was not let in.
  std::optional<Error> refusal = context.cleanup_process.Refusal();
  return refusal ? Result<Started>(std::move(*refusal)) : std::move(started);
}

}  // namespace mxc
