// The whole of a run, in order: audit, cleanup process, files, streams, start, relay. What each part has done
// is undone by its owner, in reverse.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quoted.h"
#include "base/remove_tree.h"
#include "base/undo.h"
#include "cleanup/host_resources.h"
#include "mxc/limit_hint.h"
#include "remote/remote.h"
#include "run/audited.h"
#include "run/bubblewrap_status.h"
#include "run/call_watch.h"
#include "run/loopback_watch.h"
#include "run/reached_limits.h"
#include "run/relay.h"
#include "run/run.h"
#include "run/run_gateway.h"
#include "run/seal_mounts.h"
#include "run/signals.h"
#include "run/start.h"
#include "run/stop.h"
#include "stdio/stdio_setup.h"

namespace mxc {
namespace {

// The line of bubblewrap's own in what the child wrote, when it passed through our hands.
std::string ToolMessage(const StdioSetup& stdio) {
  constexpr std::string_view kPrefix = "bwrap: ";
  for (const Stream* stream : stdio.Outputs()) {
    const std::string_view head = stream->Head();
    const std::size_t begin = head.rfind(kPrefix);
    if (begin == std::string_view::npos || (begin != 0 && head[begin - 1] != '\n')) continue;
    const std::string_view line = head.substr(begin + kPrefix.size());
    return std::string(line.substr(0, line.find_first_of("\r\n")));
  }
  return {};
}

// The tool's processes have ended: as many, asked for again, meet the limit that it met.
bool ProcessesAreUsedUp() {
  constexpr int kOfTool = 3;  // bwrap, process 1 of the sandbox, the command
  std::vector<pid_t> started;
  bool used_up = false;
  for (int count = 0; count < kOfTool && !used_up; ++count) {
    const pid_t process = ::fork();
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
      while (::getppid() != 1) ::pause();
      ::_exit(0);
    }
    used_up = process < 0 && errno == EAGAIN;
    if (process > 0) started.push_back(process);
  }
  for (const pid_t process : started) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  return used_up;
}

// bubblewrap could not make the place of a mask: what is masked there has gone since the plan was made.
// Before its command begins bubblewrap says nothing else.
bool IsOutdated(const Plan& plan, std::string_view text) {
  const auto* const launch = std::get_if<BubblewrapLaunch>(&plan.launch);
  if (launch == nullptr) return false;
  const std::optional<std::string> mask = MaskWithoutPlace(text, launch->sandbox);
  struct stat status {};
  return mask && ::lstat(mask->c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// The child ended without saying how its command did.
//
// bubblewrap explains itself on its standard error, which is the command's: what comes first is quoted, where
// the stream is read; else it stands on standard error, right above our envelope.
Error NotReported(const Plan& plan, const RelayResult& result, const StdioSetup& stdio, Reporting reporting) {
  if (reporting == Reporting::kPersistent) {
    return {
        .code = ErrorCode::kSetupFailed,
        .message =
            "the sandbox ended, or something in it killed the command's supervisor, before the command ended",
        .hint = "the sandbox may have been stopped meanwhile"};
  }
  if (result.signal != 0) {
    return {
        .code = ErrorCode::kSetupFailed,
        .message = fmt::format("the sandbox was killed by signal {} before its command ended", result.signal),
        .hint =
            "the command did it itself (`kill -9 0`), or something outside of mxc-exec, for example for lack "
            "of memory"};
  }
  const std::string text = ToolMessage(stdio);
  if (!text.empty()) {
    return {.code = ErrorCode::kSetupFailed,
            .message = "the sandbox could not be set up: " + text,
            .hint = std::string(HintIn(text)),
            .outdated = IsOutdated(plan, text)};
  }
  return {.code = ErrorCode::kSetupFailed,
          .message = "the sandbox could not be set up; the reason is on standard error, above",
          .hint = std::string(ProcessesAreUsedUp() ? HintOf(EAGAIN) : "")};
}

// The launcher reports it: the command may have ended before, and would only get SIGPIPE.
std::optional<Error> LostOutput(const StdioSetup& stdio) {
  for (const Stream* stream : stdio.Outputs()) {
    if (stream->Failure() == 0) continue;
    const bool error = stream == stdio.streams[STDERR_FILENO].get();
    Error lost =
        SystemError(ErrorCode::kOutputLost,
                    error ? "standard error could not be written" : "standard output could not be written",
                    stream->Failure());
    lost.hint = "what the command wrote there is incomplete";
    return lost;
  }
  return std::nullopt;
}

// It has refused everything since.
Error LostGateway() {
  return {.code = ErrorCode::kSetupFailed,
          .message =
              "the network gateway ended before the run or not in time behind it: records of what it "
              "passed and refused are lost",
          .hint = "something outside of the sandbox killed or stopped it, for example for lack of memory"};
}

Outcome MakeOutcome(const RelayResult& result, const StdioSetup& stdio, Reporting reporting,
                    std::uint64_t duration_ms) {
  const auto truncated = [&](int number) {
    const auto& stream = stdio.streams.at(static_cast<std::size_t>(number));
    return stream && stream->Truncated();
  };
  return {.exit_code = result.exit_code,
          .signal = result.signal,
          .timed_out = result.timed_out,
          .interrupted_by = result.interrupted_by,
          .exited_when_asked = result.interrupted_by != 0 && result.exited &&
                               (result.reported || reporting == Reporting::kExitStatus),
          .stdout_truncated = truncated(STDOUT_FILENO),
          .stderr_truncated = truncated(STDERR_FILENO),
          .cpu_time_out = result.cpu_time_out,
          .duration_ms = duration_ms};
}

Error WentOn() {
  return {
      .code = ErrorCode::kSetupFailed,
      .message =
          "the command was ended: it went on to change what `protect` names, which was put back each time",
      .pointer = "/filesystem/protect",
      .hint =
          "run it where user namespaces are allowed, which hold these files, or leave the preset out of "
          "`protect`"};
}

// For a report of files that the kernel has not let us watch.
Warning Unwatched() {
  return {.category = "files-unwatched",
          .message =
              "what the command tried on files is not known: the kernel gives no second listener, and a "
              "sandbox around this one watches already"};
}

// As of a shell whose line ends with `&`.
Warning Left(const Plan& plan, const std::string& name) {
  const bool stays = std::holds_alternative<PersistentLaunch>(plan.launch);
  return {
      .category = "process-left",
      .message = fmt::format("{} went on in the background and was ended with the command: {}`mxc-exec exec "
                             "--background ID -- CMD` is for what must keep running",
                             Quoted(name), stays ? "" : "in a sandbox of `mxc-exec start`, ")};
}

constexpr std::size_t kMostPorts = 100;  // a program may listen at one port after another

// Servers in a network of the sandbox's own that nobody outside reaches. Which ports a persistent sandbox has
// published is not in the plan of its command.
std::optional<Warning> Unpublished(const Plan& plan, const std::set<std::uint16_t>& listened) {
  constexpr std::uint16_t kFirstOfTests = 32768;  // that the kernel chooses (ip_local_port_range)
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  if (std::holds_alternative<PersistentLaunch>(plan.launch) || sandbox == nullptr ||
      !sandbox->private_network)
    return std::nullopt;
  std::string ports;
  for (const std::uint16_t port : listened) {
    const auto leads = [port](const PublishedPort& published) { return published.guest == port; };
    const bool published =
        plan.egress && std::any_of(plan.egress->publish.begin(), plan.egress->publish.end(), leads);
    if (!published && port < kFirstOfTests) ports += " " + std::to_string(port);
  }
  if (ports.empty()) return std::nullopt;
  return Warning{.category = "port-unpublished",
                 .message = fmt::format("the command listened inside, where nobody outside reaches it: "
                                        "--publish{} lets programs of this machine connect",
                                        ports)};
}

// A command of a persistent sandbox has the sandbox's.
bool HasGateway(const Plan& plan) {
  const auto* const persistent = std::get_if<PersistentLaunch>(&plan.launch);
  return persistent != nullptr ? persistent->sandbox.gateway : plan.egress.has_value();
}

UniqueFd CopyOf(int borrowed) { return UniqueFd{::fcntl(borrowed, F_DUPFD_CLOEXEC, 3)}; }

RelayResult Stay(const Plan& plan, Started& started, RunTree& tree, SignalScope& signals, StdioSetup& stdio,
                 RunGateway& gateway, CallWatch& watch, std::uint64_t started_ms,
                 const std::vector<RunGroup>& groups, const std::function<void(std::int64_t)>& on_sandbox) {
  Relay relay({.child = started.child,
               .tree = tree,
               .signals = signals,
               .status = std::move(started.status),
               .timeout_ms = plan.timeout_ms,
               .started_ms = started_ms,
               .outputs = stdio.Outputs(),
               .terminal_input = stdio.streams[0].get(),
               .input = stdio.input.get(),
               .terminal = stdio.Shown(),
               .on_sandbox = on_sandbox,
               .reports = started.reports ? &*started.reports : nullptr,
               .gateway = &gateway,
               .watch = watch,
               .cpu_time_limit_ms = CpuTimeLimitMs(plan),
               .cpu_time_used = [&groups] { return CpuTimeMs(groups); }});
  return relay.Run();
}

// What this run creates and changes on the host.
Result<HostChanges> ChangesOf(const Plan& plan, RunObserver& observer) {
  Result<HostChanges> changes = NameGuarded(plan.setup);
  if (!changes) return changes;
  changes->terminal = ModesToChange(plan);
  changes->configs = observer.Configs();
  changes->paths = observer.Paths();
  changes->ways = plan.git.ways;
  return changes;
}

Result<RunGateway> ConnectGateway(const Plan& plan, RunObserver& observer, int records) {
  const auto on_record = [&observer](const GatewayRecord& record) { observer.OnNetwork(record); };
  return records < 0 ? RunGateway::Start(plan, on_record) : RunGateway::Follow(CopyOf(records), on_record);
}

// `loopback` and `listened` are borrowed.
Result<CallWatch> StartWatch(const Plan& plan, RunObserver& observer, LoopbackWatch& loopback,
                             std::set<std::uint16_t>& listened) {
  CallWatch::Wanted wanted{.connections = HasGateway(plan)};
  if (observer.WantsFiles() && CanWatchFiles(plan)) {
    wanted.on_file = [&observer](const FileCall& call) { observer.OnFile(call); };
    wanted.on_loopback = [&loopback](int thread, std::uint16_t port) {
      loopback.Connects("/proc/" + std::to_string(thread) + "/net", port);
    };
    wanted.on_listen = [&listened](std::uint16_t port) {
      if (listened.size() < kMostPorts) listened.insert(port);
    };
  }
  return CallWatch::Start(std::move(wanted));
}

// Why a run that has ended counts as failed; none: the command's status stands.
std::optional<Error> FailureOf(const Plan& plan, const RelayResult& result, const Outcome& outcome,
                               const StdioSetup& stdio, Reporting reporting, const PutBackReport& put_back,
                               bool lost_gateway) {
  if (put_back.ended) return WentOn();
  if (result.Stopped()) return std::nullopt;
  // Memory may have run out for the sandbox's own first process.
  const bool starved = result.signal == SIGKILL && Has(outcome.reached, Resource::kMemory);
  if (reporting != Reporting::kExitStatus && !result.reported && !starved)
    return NotReported(plan, result, stdio, reporting);
  if (lost_gateway) return LostGateway();
  return LostOutput(stdio);
}

// Before the review, which judges what nobody changes any more. A command of a persistent sandbox ends
// without one.
void Seal(const Plan& plan, const Started& started, RunObserver& observer) {
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  if (sandbox == nullptr || std::holds_alternative<PersistentLaunch>(plan.launch)) return;
  const UniqueFd mounts = started.discard.Mounts();
  // No command has run: inside bubblewrap, none does before the namespace was sent.
  const bool tool = std::holds_alternative<BubblewrapLaunch>(plan.launch);
  if (!mounts && (tool || !started.running)) return;
  if (const std::optional<Warning> warning = SealMounts(mounts, *sandbox)) observer.OnWarning(*warning);
}

void WarnOfRun(const Plan& plan, const Started& started, const CallWatch& watch, bool stopped,
               const Outcome& outcome, RunObserver& observer) {
  if (watch.WantsFiles() && !watch.Watched()) observer.OnWarning(Unwatched());
  for (const Warning& warning : ReachedWarnings(plan, outcome)) observer.OnWarning(warning);
  if (!started.reports) return;
  if (const std::optional<int> full = started.reports->FullTmp())
    observer.OnWarning(FullTmpWarning(plan, *full));
  if (!started.reports->Left().empty() && !stopped) observer.OnWarning(Left(plan, started.reports->Left()));
}

Result<Outcome> RunChild(const Plan& plan, RunObserver& observer, const SandboxConnections& connections) {
  const std::uint64_t started_ms = NowMs();
  if (Status streams = CheckStandardStreams(); !streams) return streams.error();
  SignalScope signals;
  if (Status begun = signals.Begin(); !begun) return begun.error();
  if (Status made = MakeOwnDirectories(plan.setup); !made) return made.error();
  Result<HostChanges> changes = ChangesOf(plan, observer);
  if (!changes) return changes.error();
  Result<HostResources> resources = PrepareHostResources(std::move(*changes));
  if (!resources) return resources.error();
  Undo undo;
  Result<StdioSetup> stdio = SetUpStdio(plan, observer.SpeaksOnStandardOutput(), resources->changes.terminal,
                                        undo, connections.multiplexer);
  if (!stdio) return stdio.error();
  // /dev/null takes the place of standard input when nobody reads it any more; bubblewrap does until it ends.
  const bool begins_anew = std::holds_alternative<BubblewrapLaunch>(plan.launch);
  const UniqueFd input = begins_anew ? CopyOf(STDIN_FILENO) : UniqueFd{};

  const Reporting reporting = std::visit([](const auto& launch) { return ReportingOf(launch); }, plan.launch);
  RunTree tree(reporting);
  Result<RunGateway> gateway = ConnectGateway(plan, observer, connections.records);
  if (!gateway) return gateway.error();
  LoopbackWatch loopback("/proc/self/net");
  std::set<std::uint16_t> listened;
  Result<CallWatch> watch = StartWatch(plan, observer, loopback, listened);
  if (!watch) return watch.error();
  const std::vector<RunGroup>& groups =
      connections.groups.empty() ? resources->changes.groups : connections.groups;
  const ReachCounts reached_before = CountReached(connections.groups);
  Result<Started> started = StartChild({.plan = plan,
                                        .stdio = *stdio,
                                        .signals = signals,
                                        .cleanup_process = resources->cleanup_process,
                                        .groups = resources->groups,
                                        .gateway = *gateway,
                                        .watch = *watch,
                                        .connection = connections.command,
                                        .started_ms = started_ms});
  if (!started) return started.error();
  tree.Follow(started->child, std::move(started->guard));
  if (started->container > 0) tree.FoundSandbox(started->container);
  stdio->CloseChildEnds();
  if (reporting != Reporting::kStatusPipe && started->running)
    observer.OnStarted(started->container > 0 ? started->container : started->child.id);

  RelayResult result = Stay(plan, *started, tree, signals, *stdio, *gateway, *watch, started_ms, groups,
                            [&](std::int64_t process) {
                              resources->cleanup_process.Watch(static_cast<pid_t>(process));
                              observer.OnStarted(process);
                            });
  // lxc-start has ended because process 1 had, and that reports before it ends by itself.
  if (reporting == Reporting::kContainer && !result.reported) {
    result.signal = SIGKILL;
    result.exit_code = 128 + SIGKILL;
  }
  if (stdio->input) stdio->input->Finish();
  gateway->Finish({.wanted = !result.Stopped(), .interrupt = signals.Descriptor(), .interrupted = [&] {
                     return signals.Ending();
                   }});
  if (gateway->Lost()) observer.OnWarning({.category = "gateway-ended", .message = LostGateway().message});
  stdio->DiscardTerminalAnswers();
  undo.Run();
  Seal(plan, *started, observer);
  const PutBackReport put_back = resources->cleanup_process.PutBack();
  observer.OnPutBack(put_back.paths);
  if (observer.OnEnded()) resources->cleanup_process.KeepConfigs();
  for (const std::uint16_t port : loopback.Missed()) observer.OnMissedLoopback(port);
  [[maybe_unused]] const std::vector<TakenSignal> late = signals.Take();  // they wanted the end that has come
  if (!started->temp.empty()) RemoveTree(started->temp.c_str());
  Outcome outcome = MakeOutcome(result, *stdio, reporting, NowMs() - started_ms);
  outcome.reached = ReachedLimits(plan, groups, reached_before, outcome);
  if (std::optional<Error> failure =
          FailureOf(plan, result, outcome, *stdio, reporting, put_back, gateway->Lost())) {
    if (failure->outdated && input) ::dup2(input.Get(), STDIN_FILENO);  // NOLINT(android-cloexec-dup)
    return *failure;
  }
  WarnOfRun(plan, *started, *watch, result.Stopped(), outcome, observer);
  if (const std::optional<Warning> closed = Unpublished(plan, listened)) observer.OnWarning(*closed);
  return outcome;
}

}  // namespace

Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer, const SandboxConnections& connections) {
  const Remote* const remote = RemoteOf(plan.containment);
  return RunAudited(plan, observer, [&](RunObserver& recorder) {
    return remote != nullptr ? remote->run(plan, recorder) : RunChild(plan, recorder, connections);
  });
}

}  // namespace mxc
