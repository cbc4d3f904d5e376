// The whole of a run, in order: audit, guardian, files, streams, start, relay. What each part has done is
// undone by its owner, in reverse.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/undo.h"
#include "process/descriptor_limit.h"
#include "process/files.h"
#include "process/group_guard.h"
#include "process/guardian.h"
#include "process/launch.h"
#include "process/linux/engine.h"
#include "process/linux/remove_tree.h"
#include "process/process_tree.h"
#include "process/reached_limits.h"
#include "process/relay.h"
#include "process/run.h"
#include "process/run_gateway.h"
#include "process/sandbox_status.h"
#include "process/signals.h"
#include "process/stop.h"
#include "process/wiring.h"
#include "report/audit.h"

namespace mxc {
namespace {

void WarnOfAudit(const Error& error, RunObserver& observer) {
  observer.OnWarning({.category = "audit-failed", .message = error.message, .pointer = "/audit"});
}

// Reports a failure of the audit log, or returns it when the policy wants the run refused.
Status AuditFailure(const Plan& plan, const Error& error, RunObserver& observer) {
  if (plan.audit.on_failure == Audit::OnFailure::kRefuse) return error;
  WarnOfAudit(error, observer);
  return Done{};
}

Result<std::optional<AuditLog>> BeginAudit(const Plan& plan, RunObserver& observer) {
  std::optional<AuditLog> none;
  if (plan.audit.path.empty()) return none;
  Result<AuditLog> log = AuditLog::Open(plan.audit.path);
  const Status written = log ? log->Begin(plan) : Status(log.error());
  if (written) return std::optional<AuditLog>(std::move(*log));
  if (Status failure = AuditFailure(plan, written.error(), observer); !failure) return failure.error();
  return none;
}

// What stands on the host for the run.
struct Ground {
  Guarded guarded = {};
  Guardian guardian = {};
  GroupHandles groups = {};
};

Result<Ground> PrepareGround(const std::vector<Step>& setup) {
  Ground ground;
  for (const Step& step : setup) {
    if (const auto* file = std::get_if<Placeholder>(&step)) ground.guarded.placeholders.push_back(file->path);
  }
  Result<std::vector<RunGroup>> groups = NameGroups(setup);
  if (!groups) return groups.error();
  ground.guarded.groups = std::move(*groups);
  Result<Guardian> guardian = Guardian::Start(ground.guarded);
  if (!guardian) return guardian.error();
  ground.guardian = std::move(*guardian);
  Result<GroupHandles> handles = GroupHandles::Open(ground.guarded.groups);
  if (!handles) return handles.error();
  ground.groups = std::move(*handles);
  return ground;
}

// The line of bubblewrap's own in what the child wrote, when it passed through our hands.
std::string ToolMessage(const Wiring& wiring) {
  constexpr std::string_view kPrefix = "bwrap: ";
  for (const Stream* stream : wiring.Outputs()) {
    const std::string_view head = stream->Head();
    const std::size_t begin = head.rfind(kPrefix);
    if (begin == std::string_view::npos || (begin != 0 && head[begin - 1] != '\n')) continue;
    const std::string_view line = head.substr(begin + kPrefix.size());
    return std::string(line.substr(0, line.find_first_of("\r\n")));
  }
  return {};
}

// The child ended without saying how its command did.
//
// bubblewrap explains itself on its standard error, and that is the command's, which is inherited untouched:
// a copy of it cannot be had without a pipe in between, a second run would not be the same run. So the text
// is quoted where the streams are pumped anyway; else it stands on standard error, right above our envelope.
Error NotReported(const RelayResult& result, const Wiring& wiring) {
  if (result.signal != 0) {
    return {
        .code = ErrorCode::kSetupFailed,
        .message = fmt::format("the sandbox was killed by signal {} before its command ended", result.signal),
        .hint = "something outside of mxc-exec did it, for example for lack of memory"};
  }
  const std::string text = ToolMessage(wiring);
  if (!text.empty()) {
    return {.code = ErrorCode::kSetupFailed, .message = "the sandbox could not be set up: " + text};
  }
  return {.code = ErrorCode::kSetupFailed,
          .message = "the sandbox could not be set up; the reason is on standard error, above"};
}

Outcome MakeOutcome(const RelayResult& result, const Wiring& wiring, std::uint64_t duration_ms) {
  const auto truncated = [&](int number) {
    const auto& stream = wiring.streams.at(static_cast<std::size_t>(number));
    return stream && stream->Truncated();
  };
  return {.exit_code = result.exit_code,
          .signal = result.signal,
          .timed_out = result.timed_out,
          .interrupted_by = result.interrupted_by,
          .stdout_truncated = truncated(STDOUT_FILENO),
          .stderr_truncated = truncated(STDERR_FILENO),
          .cpu_time_out = result.cpu_time_out,
          .duration_ms = duration_ms};
}

// A started child, and what stays open for it.
struct Started {
  ChildProcess child = {};
  UniqueFd status = {};  // bubblewrap's status pipe
  GroupGuard guard = {};
  std::function<std::optional<int>()> command_status = nullptr;
  std::string temp = {};  // what init removes, unless it was killed
};

// The process that bubblewrap names; nothing when it failed before it could. It writes one object, in pieces.
std::optional<pid_t> SandboxProcessOf(const UniqueFd& info) {
  SandboxStatus status;
  std::array<char, 512> buffer{};
  for (bool complete = false; !complete;) {
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

// bubblewrap waits for our byte before it runs the command. Nothing to do when it has failed: the relay will
// see how.
Status ConnectGateway(const OpenedFiles& files, RunGateway& gateway) {
  if (gateway.Rules() == nullptr) return Done{};
  const std::optional<pid_t> process = SandboxProcessOf(files.info);
  if (!process) return Done{};
  if (Status connected = gateway.Connect(*process); !connected) return connected;
  gateway.CloseDoor();
  if (::write(files.block.Get(), "x", 1) == 1) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "release the command", errno);
}

void End(const ChildProcess& child) {
  SignalHandle(child.handle, SIGKILL);
  while (::waitpid(child.id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<Started> Start(const Exec& exec, const Plan& /*plan*/, const Wiring& wiring,
                      const GroupHandles& groups, RunGateway& gateway) {
  Result<DescriptorLimit> limit = DescriptorLimit::Reserve(exec.files.size(), exec.limits.open_files);
  if (!limit) return limit.error();
  Result<OpenedFiles> files = OpenFiles(exec.files, limit->Lowest());
  if (!files) return files.error();
  Result<GroupGuard> guard =
      exec.reporting == Reporting::kStatusPipe ? GroupGuard::Start() : Result<GroupGuard>(GroupGuard{});
  if (!guard) return guard.error();
  Result<ChildProcess> child =
      Launch({.exec = exec,
              .files = files->files,
              .open_files = limit->Original(),
              .standard = wiring.standard,
              .controlling_terminal = wiring.terminal ? wiring.terminal->Inner() : -1,
              .group = guard->Group(),
              .group_entrances = groups.Entrances()});
  if (!child) return child.error();
  // The child has its ends: ours would keep the pipes open.
  files->files.clear();
  if (Status connected = ConnectGateway(*files, gateway); !connected) {
    guard->Kill();
    End(*child);
    return connected.error();
  }
  return Started{.child = std::move(*child), .status = std::move(files->status), .guard = std::move(*guard)};
}

Streams StreamsOf(const Wiring& wiring) {
  return {.standard = wiring.standard,
          .controlling_terminal = wiring.terminal ? wiring.terminal->Inner() : -1};
}

Groups GroupsOf(const GroupHandles& groups) {
  return {.entrances = groups.LegacyEntrances(), .unified = groups.UnifiedDirectory()};
}

Result<Started> FromSandbox(Result<SandboxProcess> process) {
  if (!process) return process.error();
  Started started{.child = {.id = process->id, .handle = std::move(process->handle)},
                  .temp = std::move(process->temp)};
  started.command_status = [report = std::make_shared<UniqueFd>(std::move(process->report))] {
    return CommandStatus(*report);
  };
  return started;
}

Result<Started> Start(const SandboxChild& /*child*/, const Plan& plan, const Wiring& wiring,
                      const GroupHandles& groups, RunGateway& gateway) {
  Result<SandboxProcess> process = StartSandbox(SandboxRequest{.sandbox = *plan.sandbox,
                                                               .streams = StreamsOf(wiring),
                                                               .egress = gateway.Rules(),
                                                               .gateway_door = gateway.Door(),
                                                               .groups = GroupsOf(groups)});
  gateway.CloseDoor();
  return FromSandbox(std::move(process));
}

Result<Started> Start(const LandlockChild& /*child*/, const Plan& plan, const Wiring& wiring,
                      const GroupHandles& groups, RunGateway& /*gateway*/) {
  Result<SandboxProcess> process = StartSandbox(
      LandlockRequest{.sandbox = *plan.landlock, .streams = StreamsOf(wiring), .groups = GroupsOf(groups)});
  return FromSandbox(std::move(process));
}

Reporting ReportingOf(const Plan& plan) {
  if (std::holds_alternative<LandlockChild>(plan.child)) return Reporting::kSupervisor;
  const auto* exec = std::get_if<Exec>(&plan.child);
  return exec != nullptr ? exec->reporting : Reporting::kInit;
}

RelayResult Stay(const Plan& plan, Started& started, RunTree& tree, SignalScope& signals, Wiring& wiring,
                 RunGateway& gateway, std::uint64_t started_ms, const std::vector<RunGroup>& groups,
                 const std::function<void(std::int64_t)>& on_sandbox) {
  Relay relay({.child = started.child,
               .tree = tree,
               .signals = signals,
               .status = std::move(started.status),
               .timeout_ms = plan.timeout_ms,
               .started_ms = started_ms,
               .outputs = wiring.Outputs(),
               .input = wiring.streams[0].get(),
               .terminal = wiring.terminal ? &*wiring.terminal : nullptr,
               .on_sandbox = on_sandbox,
               .command_status = started.command_status,
               .gateway = &gateway,
               .cpu_time_limit_ms = CpuTimeLimitMs(plan),
               .cpu_time_used = [&groups] { return CpuTimeMs(groups); }});
  return relay.Run();
}

Result<Outcome> RunChild(const Plan& plan, RunObserver& observer) {
  const std::uint64_t started_ms = NowMs();
  FillStandardStreams();
  if (Status streams = CheckStandardStreams(); !streams) return streams.error();
  SignalScope signals;
  if (Status begun = signals.Begin(); !begun) return begun.error();
  Result<Ground> ground = PrepareGround(plan.setup);
  if (!ground) return ground.error();
  Undo undo;
  Result<Wiring> wiring = Wire(plan, undo);
  if (!wiring) return wiring.error();

  const Reporting reporting = ReportingOf(plan);
  RunTree tree(reporting);
  Result<RunGateway> gateway =
      RunGateway::Start(plan, [&](const GatewayRecord& record) { observer.OnNetwork(record); });
  if (!gateway) return gateway.error();
  Result<Started> started =
      std::visit([&](const auto& child) { return Start(child, plan, *wiring, ground->groups, *gateway); },
                 plan.child);
  if (!started) return started.error();
  tree.Follow(started->child, std::move(started->guard));
  ground->guardian.Watch(started->child.id);
  wiring->CloseChildEnds();
  if (reporting != Reporting::kStatusPipe) observer.OnStarted(started->child.id);

  const std::vector<RunGroup>& groups = ground->guarded.groups;
  const RelayResult result =
      Stay(plan, *started, tree, signals, *wiring, *gateway, started_ms, groups, [&](std::int64_t process) {
        ground->guardian.Watch(static_cast<pid_t>(process));
        observer.OnStarted(process);
      });
  gateway->Finish();
  undo.Run();
  if (!started->temp.empty()) RemoveTree(started->temp.c_str());
  Outcome outcome = MakeOutcome(result, *wiring, NowMs() - started_ms);
  outcome.reached = ReachedLimits(plan, groups, outcome);
  // Memory may have run out for the sandbox's own first process.
  const bool starved = result.signal == SIGKILL && Has(outcome.reached, Resource::kMemory);
  if (reporting != Reporting::kExitStatus && !result.reported && !result.Stopped() && !starved)
    return NotReported(result, *wiring);
  for (const Warning& warning : ReachedWarnings(plan, outcome)) observer.OnWarning(warning);
  return outcome;
}

// Decisions of the gateway go to the audit log as well.
class Recorder final : public RunObserver {
 public:
  Recorder(RunObserver& observer, std::optional<AuditLog>& audit) : observer_(observer), audit_(audit) {}
  void OnStarted(std::int64_t process_id) override { observer_.OnStarted(process_id); }
  void OnWarning(const Warning& warning) override { observer_.OnWarning(warning); }
  void OnNetwork(const GatewayRecord& record) override {
    observer_.OnNetwork(record);
    if (!audit_ || failed_) return;
    const Status written = audit_->Network(record);
    failed_ = !written.ok();  // said once
    if (failed_) WarnOfAudit(written.error(), observer_);
  }

 private:
  RunObserver& observer_;
  std::optional<AuditLog>& audit_;
  bool failed_ = false;
};

}  // namespace

Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer) {
  Result<std::optional<AuditLog>> audit = BeginAudit(plan, observer);
  if (!audit) return audit.error();
  Recorder recorder(observer, *audit);
  Result<Outcome> outcome = RunChild(plan, recorder);
  if (!*audit) return outcome;
  // Too late to refuse: the command has run, and its outcome is what the caller needs.
  if (Status ended = (*audit)->End(outcome); !ended) WarnOfAudit(ended.error(), observer);
  return outcome;
}

}  // namespace mxc
