#include "app.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "answer.h"
#include "dispatch.h"
#include "ladder.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/records.h"
#include "policy/resolve.h"
#include "process/run.h"
#include "report/log.h"
#include "report/network_summary.h"
#include "report/report.h"
#include "request.h"

namespace mxc {
namespace {

// Everything the stages before Launch find out.
struct Prepared {
  Policy policy = {};
  Plan plan = {};
};

class RunReporter final : public RunObserver {
 public:
  RunReporter(StatusReport& status, Log& log, NetworkSummary* summary)
      : status_(status), log_(log), summary_(summary) {}
  void OnStarted(std::int64_t process_id) override { status_.Started(process_id); }
  void OnNetwork(const GatewayRecord& record) override {
    status_.Network(record);
    if (summary_ != nullptr) summary_->Add(record);
  }
  void OnWarning(const Warning& warning) override {
    status_.Warn(warning);
    log_.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
    Tell(fmt::format("mxc-exec: warning: {}\n", warning.message));
  }

 private:
  StatusReport& status_;
  Log& log_;
  NetworkSummary* summary_;  // nullptr: not asked for
};

constexpr std::string_view kWeaker = "weaker-isolation";

Warning WeakerIsolation() {
  return {.category = std::string(kWeaker),
          .message =
              "there are no namespaces here: Landlock and seccomp alone hold this run (tier process); "
              "TMPDIR stands for /tmp, and `mxc-exec --explain` lists what is not covered"};
}

// Which containment, and how far down the ladder; without it what the configuration and this host say.
using Choice = std::optional<Descent>;

// Whoever asks about a containment by flag wants to see it; what a document says is judged as a run would be.
bool IsShownOnly(const Options& options) {
  return options.mode == Mode::kExplain || (options.mode == Mode::kDryRun && !options.containment.empty());
}

Result<Prepared> PrepareOn(const Choice& choice, const Config& config, const Options& options,
                           const Host& host) {
  const bool any = MeansProcess(config);
  ResolveOptions resolving{.experimental = options.experimental,
                           .allow_unsandboxed = options.allow_unsandboxed,
                           .shown_only = IsShownOnly(options)};
  std::optional<Found> found;
  if (any && host.System() == OperatingSystem::kLinux) {
    if (!choice) found = LinuxProcess(host);
    resolving.linux_process = choice ? choice->containment : found->containment;
  }
  Result<Policy> policy = Resolve(config, host, resolving);
  if (!policy) return policy.error();

  const Backend& backend = Dispatch(policy->containment);
  // A plan that is shown and not run must be the one that would run: only then is it tried out.
  const bool shown = options.mode == Mode::kExplain && !choice;
  const ProbeDepth depth = shown ? ProbeDepth::kLive : ProbeDepth::kQuick;
  const bool looked = found && !shown && !policy->as_written;
  Support support = looked ? std::move(found->support)
                           : backend.probe(host, policy->as_written ? ProbeDepth::kAssumed : depth);
  if (choice) support.rung = choice->rung;
  if (support.rung == Rung::kNamespacesOuterProc) support.landlock_abi = host.LandlockAbi();
  Result<Plan> plan = MakePlan(backend, *policy, support);
  if (!plan) return plan.error();
  if (any && plan->rung == Rung::kLandlock) plan->warnings.push_back(WeakerIsolation());
  return Prepared{std::move(*policy), std::move(*plan)};
}

// Why the weaker rung does not do either, with what the user can do about the first.
Error Both(const Error& refusal, Error weaker) {
  weaker.message += "; and more is not to be had here: " + refusal.message;
  if (!refusal.hint.empty()) weaker.hint = refusal.hint;
  return weaker;
}

// What this host lacks can be seen before the kernel is asked; then the last rung is next.
Result<Prepared> Prepare(const Config& config, const Options& options, const Host& host) {
  Result<Prepared> first = PrepareOn({}, config, options, host);
  const bool lacking = !first && first.error().code == ErrorCode::kUnavailable;
  if (!lacking || !MeansProcess(config) || host.System() != OperatingSystem::kLinux) return first;
  Result<Prepared> weaker =
      PrepareOn(Descent{Containment::kLandlock, Rung::kLandlock}, config, options, host);
  if (weaker) return weaker;
  if (weaker.error().code == ErrorCode::kUnavailable) return first;
  return Both(first.error(), weaker.error());
}

// The lines of contract 1.4, to the letter.
void LogRequest(const Config& config, Log& log) {
  for (const Warning& note : config.notes) log.Line("Note: " + note.message);
  std::size_t length = config.process.command_line.size();
  for (const std::string& argument : config.process.argv) length += argument.size() + 1;
  log.Line(fmt::format("Script code length: {}", length));
  log.Line("Working directory: " + config.process.cwd);
  log.Line(fmt::format("Script timeout: {}", config.process.timeout_ms));
  log.Line("Container name: " + config.container_id);
}

// All warnings of a plan, or those of one category.
void Warn(const Plan& plan, Log& log, std::string_view category = "") {
  for (const Warning& warning : plan.warnings) {
    if (!category.empty() && warning.category != category) continue;
    log.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
    // A grant that is not there explains most failures of the command: say it where the user looks.
    // So does weaker isolation, which nobody asked for by name.
    const bool shown = warning.category == "path-missing" || warning.category == kWeaker ||
                       warning.category == "protection-incomplete";
    if (shown) Tell(fmt::format("mxc-exec: warning: {}\n", warning.message));
  }
}

int DryRun(const Result<Prepared>& prepared, Log& log, std::int64_t elapsed_ms) {
  if (!prepared && ExitStatus(prepared.error().code) != 255) {
    Tell(RenderError(prepared.error()));
    return ExitStatus(prepared.error().code);
  }
  if (prepared && prepared->policy.as_written) {
    fmt::print("{}", DescribeText(prepared->policy, prepared->plan));
  }
  log.Line(fmt::format("Runner completed in {}ms", elapsed_ms));
  // The configuration is valid for a build that has the backend: the reference's verdict, with the truth
  // beside it.
  const bool only_not_built = !prepared && prepared.error().code == ErrorCode::kNotBuilt;
  if (only_not_built) log.Line("Note: a run would be refused: " + prepared.error().message);
  if (prepared || only_not_built) {
    log.Line("Dry run completed. Result: validation passed");
    return 0;
  }
  log.Line("Dry run completed. Result: validation failed: " + prepared.error().message);
  Tell(RenderError(prepared.error()));
  return 255;
}

// 128 + SIGXCPU, what a shell reports when the kernel ends a process for it.
constexpr int kCpuTimeStatus = 152;

int ExitStatusOf(const Outcome& outcome) {
  if (outcome.timed_out) return 255;
  if (outcome.cpu_time_out) return kCpuTimeStatus;
  return outcome.interrupted_by != 0 ? 128 + outcome.interrupted_by : outcome.exit_code;
}

Error TimedOut(const Plan& plan) {
  return {.code = ErrorCode::kTimeout,
          .message = fmt::format("script timed out after {}ms", plan.timeout_ms),
          .pointer = "/process/timeout"};
}

int Fail(const Error& error, Log& log, StatusReport& status) {
  const int exit_status = ExitStatus(error.code);
  log.Line("Error: " + error.message);
  status.Failed(error, exit_status);
  Tell(RenderError(error));
  return exit_status;
}

// As the file at hand writes it, so that the advice fits.
NetworkForm FormOf(const Config& config) {
  const bool legacy =
      config.dialect == Dialect::kLegacy || config.network.egress_pointer == "/network/defaultPolicy";
  return legacy ? NetworkForm::kLegacy : NetworkForm::kDirectional;
}

std::string ReasonOf(const Config& config) {
  return config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration";
}

// The run was refused by the kernel before it began; a weaker rung is taken where the policy holds on it.
Result<Outcome> ClimbDown(const Config& config, const Options& options, const Host& host, Prepared& prepared,
                          RunReporter& reporter, Log& log, StatusReport& status) {
  Result<Outcome> outcome = RunPlan(prepared.plan, reporter);
  while (!outcome && outcome.error().code == ErrorCode::kUnavailable) {
    const Error refusal = outcome.error();
    const Choice next = NextBelow(prepared.plan.rung, MeansProcess(config));
    if (!next) return refusal;
    Result<Prepared> weaker = PrepareOn(next, config, options, host);
    if (!weaker) return Both(refusal, weaker.error());
    prepared = std::move(*weaker);
    Warn(prepared.plan, log, kWeaker);
    status.Backend(prepared.plan, "the kernel refuses more: " + refusal.message);
    outcome = RunPlan(prepared.plan, reporter);
  }
  return outcome;
}

int Run(Prepared& prepared, const Config& config, const Options& options, const Host& host, Log& log,
        StatusReport& status) {
  status.Backend(prepared.plan, ReasonOf(config));
  NetworkSummary summary{FormOf(config)};
  RunReporter reporter{status, log, options.report ? &summary : nullptr};
  const Result<Outcome> outcome = ClimbDown(config, options, host, prepared, reporter, log, status);
  if (options.report && prepared.plan.egress) fmt::print(stderr, "{}", summary.Text());
  if (!outcome) return Fail(outcome.error(), log, status);

  const Plan& plan = prepared.plan;
  const int exit_status = ExitStatusOf(*outcome);
  log.Line(fmt::format("Runner completed in {}ms", outcome->duration_ms));
  log.Line(fmt::format("Exit code: {} (0x{:08X})", exit_status, exit_status));
  status.Ended(plan, *outcome, exit_status);
  if (outcome->timed_out) Tell(RenderError(TimedOut(plan)));
  return exit_status;
}

int Explain(const Result<Prepared>& prepared, const Options& options) {
  if (!prepared) {
    Tell(RenderError(prepared.error()));
    return ExitStatus(prepared.error().code);
  }
  const auto describe = options.explain_json ? DescribeJson : DescribeText;
  fmt::print("{}", describe(prepared->policy, prepared->plan));
  return 0;
}

// A verdict that the command could rewrite is none. A log is only left out: it decides nothing.
Status KeepRecordsApart(const Policy& policy, const Host& host, Options& options, std::string& problem) {
  if (Status log = CheckRecord({.name = "log file", .path = options.log_file}, host, policy); !log) {
    problem = log.error().message + "; no log is written";
    options.log_file.clear();
  }
  if (Status result = CheckRecord({.name = "--result", .path = options.result_file}, host, policy); !result)
    return result;
  if (!options.status_fd) return Done{};
  const std::string path = PathOfDescriptor(*options.status_fd, host);
  return CheckRecord({.name = "--status-fd", .path = path}, host, policy);
}

int Execute(const Options& options, const Host& host, const Result<Config>& config,
            Result<Prepared>& prepared, Log& log, StatusReport& status, std::int64_t elapsed_ms) {
  if (!config) return Fail(config.error(), log, status);
  if (options.mode == Mode::kExplain) return Explain(prepared, options);
  if (prepared) Warn(prepared->plan, log);
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) return DryRun(prepared, log, elapsed_ms);
  if (!prepared) return Fail(prepared.error(), log, status);
  return Run(*prepared, *config, options, host, log, status);
}

// Nothing is written before it is known where the command may write.
int Start(Options options, const Host& host) {
  const auto start = std::chrono::steady_clock::now();
  const Result<Config> config = ReadRequest(options, host);
  Result<Prepared> prepared = config ? Prepare(*config, options, host) : Result<Prepared>(config.error());
  const auto elapsed = std::chrono::steady_clock::now() - start;
  std::string problem;
  const bool here = prepared && !prepared->policy.as_written;
  const Status records = here ? KeepRecordsApart(prepared->policy, host, options, problem) : Status(Done{});
  if (!records) {
    Tell(RenderError(records.error()));
    return ExitStatus(records.error().code);
  }
  Log log{options.debug || options.mode == Mode::kDryRun, options.log_file, problem};
  if (!problem.empty()) Tell(fmt::format("mxc-exec: warning: {}\n", problem));

  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) {
    Tell(RenderError(status.error()));
    return ExitStatus(status.error().code);
  }
  return Execute(options, host, config, prepared, log, *status,
                 std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count());
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  const bool runs =
      options.mode == Mode::kRun || options.mode == Mode::kDryRun || options.mode == Mode::kExplain;
  if (!runs) return Answer(options, host);
  if (!options.HasConfig() && options.command.empty()) {
    Tell("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  return Start(options, host);
}

}  // namespace mxc
