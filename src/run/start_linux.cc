#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "base/process_tree.h"
#include "engine/engine.h"
#include "run/bubblewrap_status.h"
#include "run/descriptor_limit.h"
#include "run/inherited_files.h"
#include "run/relay.h"
#include "run/start.h"

namespace mxc {
namespace {

// Until `fd` is readable; false when the time is over or a signal wants the run to end.
bool WaitFor(int fd, const Ready& ready) {
  for (;;) {
    int left = -1;
    if (ready.plan.timeout_ms != 0) {
      const std::uint64_t end = ready.started_ms + ready.plan.timeout_ms;
      const std::uint64_t now = NowMs();
      left = now >= end ? 0 : static_cast<int>(std::min<std::uint64_t>(end - now, 1U << 30U));
    }
    pollfd polls[] = {
        {.fd = fd, .events = POLLIN, .revents = 0},
        {.fd = ready.signals.Descriptor(), .events = POLLIN, .revents = 0},
        {.fd = ready.files != nullptr ? ready.files->Events() : -1, .events = POLLIN, .revents = 0}};
    const int count = ::poll(polls, std::size(polls), left);
    if (polls[2].revents != 0)
      ready.files->Take(polls[2].revents);  // set-up ends with a call that waits for it
    if (polls[0].revents != 0) return true;
    if (count == 0 && left == 0) return false;
    if (count > 0 && ready.signals.Ending()) return false;
  }
}

// The process that bubblewrap names; nothing when it failed before it could, or took too long. It writes one
// object, in pieces.
std::optional<pid_t> SandboxProcessOf(const UniqueFd& info, const Ready& ready) {
  SandboxStatus status;
  std::array<char, 512> buffer{};
  for (bool complete = false; !complete;) {
    if (!WaitFor(info.Get(), ready)) return std::nullopt;
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

// bubblewrap waits for our byte before it runs the command. Nothing to do when it has failed or is late: the
// relay will see how.
Status ConnectGateway(const OpenedFiles& files, const Ready& ready) {
  if (ready.gateway.Rules() == nullptr) return Done{};
  const std::optional<pid_t> process = SandboxProcessOf(files.info, ready);
  if (!process) return Done{};
  if (Status connected = ready.gateway.Connect(*process); !connected) return connected;
  ready.gateway.CloseDoor();
  if (::write(files.block.Get(), "x", 1) == 1) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "release the command", errno);
}

void End(const ChildProcess& child) {
  SignalHandle(child.handle, SIGKILL);
  while (::waitpid(child.id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int TerminalOf(const Wiring& wiring) { return wiring.terminal ? wiring.terminal->Inner() : -1; }

Result<Started> Start(const Exec& exec, const Ready& ready) {
  Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size(), exec.limits.open_files);
  if (!limit) return limit.error();
  Result<OpenedFiles> files = OpenFiles(exec.files, limit->Lowest(), ready.session);
  if (!files) return files.error();
  Result<GroupGuard> guard = exec.reporting == Reporting::kStatusPipe
                                 ? GroupGuard::Start(ready.guardian.Pipe())
                                 : Result<GroupGuard>(GroupGuard{});
  if (!guard) return guard.error();
  if (Status verified = VerifyPaths(exec.verified); !verified) return verified.error();
  Result<ChildProcess> child = Launch({.exec = exec,
                                       .files = files->files,
                                       .open_files = limit->Original(),
                                       .standard = ready.wiring.standard,
                                       .controlling_terminal = TerminalOf(ready.wiring),
                                       .group = guard->Group(),
                                       .group_entrances = ready.groups.Entrances()});
  if (!child) return child.error();
  ready.guardian.Watch(child->id);
  // The child has its ends: ours would keep the pipes open.
  files->files.clear();
  if (Status connected = ConnectGateway(*files, ready); !connected) {
    guard->Kill();
    End(*child);
    return connected.error();
  }
  return Started{.child = std::move(*child),
                 .status = std::move(files->status),
                 .block = std::move(files->block),
                 .guard = std::move(*guard)};
}

Streams StreamsOf(const Ready& ready) {
  return {.standard = ready.wiring.standard,
          .controlling_terminal = TerminalOf(ready.wiring),
          .on_created = [&](pid_t id) { ready.guardian.Watch(id); },
          .guardian = ready.guardian.Pipe(),
          .wait = [&](int fd) { return WaitFor(fd, ready); }};
}

Groups GroupsOf(const Ready& ready) {
  return {.entrances = ready.groups.LegacyEntrances(), .unified = ready.groups.UnifiedDirectory()};
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

Result<Started> Start(const SandboxChild& /*child*/, const Ready& ready) {
  Result<SandboxProcess> process =
      StartSandbox(SandboxRequest{.sandbox = *ready.plan.sandbox,
                                  .streams = StreamsOf(ready),
                                  .egress = ready.gateway.Rules(),
                                  .gateway_door = ready.gateway.Door(),
                                  .groups = GroupsOf(ready),
                                  .watch_door = ready.files != nullptr ? ready.files->Door() : -1,
                                  .session = ready.session});
  ready.gateway.CloseDoor();
  if (ready.files != nullptr) ready.files->CloseDoor();
  return FromSandbox(std::move(process));
}

Result<Started> Start(const LxcChild& child, const Ready& ready) {
  Result<SandboxProcess> process =
      StartContainer({.container = child,
                      .inside = {.sandbox = *ready.plan.sandbox,
                                 .streams = StreamsOf(ready),
                                 .egress = ready.gateway.Rules(),
                                 .gateway_door = ready.gateway.Door(),
                                 .groups = {.entrances = ready.groups.Entrances()},
                                 .watch_door = ready.files != nullptr ? ready.files->Door() : -1,
                                 .session = ready.session}});
  if (ready.files != nullptr) ready.files->CloseDoor();
  ready.gateway.CloseDoor();
  return FromSandbox(std::move(process));
}

Result<Started> Start(const LandlockChild& /*child*/, const Ready& ready) {
  Result<SandboxProcess> process = StartSandbox(LandlockRequest{
      .sandbox = *ready.plan.landlock, .streams = StreamsOf(ready), .groups = GroupsOf(ready)});
  return FromSandbox(std::move(process));
}

// Such a plan is shown here and never run; the request was refused long before.
Result<Started> Start(const SeatbeltChild& /*child*/, const Ready& /*ready*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "Seatbelt belongs to macOS"};
}

// Its last report comes when nothing of the command is left; how long the supervisor takes to end then is
// nobody's business.
Result<Started> Start(const SessionChild& child, const Ready& ready) {
  Result<Started> started = FromSandbox(StartInSession(
      {.connection = child.connection, .sandbox = *ready.plan.sandbox, .streams = StreamsOf(ready)}));
  if (started) started->child.report.Reset(::fcntl(child.connection, F_DUPFD_CLOEXEC, 3));
  return started;
}

Result<Started> Start(const AppContainerChild& /*child*/, const Ready& /*ready*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "AppContainers belong to Windows"};
}

Result<Started> Start(const WslChild& /*child*/, const Ready& /*ready*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "WSL belongs to Windows"};
}

Result<Started> Start(const WindowsSandboxChild& /*child*/, const Ready& /*ready*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "Windows Sandbox belongs to Windows"};
}

}  // namespace

Result<Started> StartChild(const Ready& ready) {
  return std::visit([&](const auto& child) { return Start(child, ready); }, ready.plan.child);
}

}  // namespace mxc
