#include "app.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "answer.h"
#include "dispatch.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "process/run.h"
#include "report/log.h"
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
  RunReporter(StatusReport& status, Log& log) : status_(status), log_(log) {}
  void OnStarted(std::int64_t process_id) override { status_.Started(process_id); }
  void OnWarning(const Warning& warning) override {
    status_.Warn(warning);
    log_.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
    fmt::print(stderr, "mxc-exec: warning: {}\n", warning.message);
  }

 private:
  StatusReport& status_;
  Log& log_;
};

Result<Prepared> Prepare(const Config& config, const Options& options, const Host& host) {
  const bool own_engine = Dispatch(Containment::kNamespaces).probe(host, ProbeDepth::kQuick).usable;
  Result<Policy> policy =
      Resolve(config, host,
              {.experimental = options.experimental,
               .allow_unsandboxed = options.allow_unsandboxed,
               .linux_process = own_engine ? Containment::kNamespaces : Containment::kBubblewrap});
  if (!policy) return policy.error();

  const Backend& backend = Dispatch(policy->containment);
  Result<Plan> plan = MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kQuick));
  if (!plan) return plan.error();
  return Prepared{std::move(*policy), std::move(*plan)};
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

void Warn(const Plan& plan, Log& log) {
  for (const Warning& warning : plan.warnings) {
    log.Line(fmt::format("Warning: {} ({})", warning.message, warning.category));
    // A grant that is not there explains most failures of the command: say it where the user looks.
    if (warning.category == "path-missing") fmt::print(stderr, "mxc-exec: warning: {}\n", warning.message);
  }
}

int DryRun(const Result<Prepared>& prepared, Log& log, std::int64_t elapsed_ms) {
  if (!prepared && ExitStatus(prepared.error().code) != 255) {
    fmt::print(stderr, "{}", RenderError(prepared.error()));
    return ExitStatus(prepared.error().code);
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
  fmt::print(stderr, "{}", RenderError(prepared.error()));
  return 255;
}

int ExitStatusOf(const Outcome& outcome) {
  if (outcome.timed_out) return 255;
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
  fmt::print(stderr, "{}", RenderError(error));
  return exit_status;
}

int Run(const Plan& plan, const Config& config, Log& log, StatusReport& status) {
  status.Backend(
      plan, config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration");
  RunReporter reporter{status, log};
  const Result<Outcome> outcome = RunPlan(plan, reporter);
  if (!outcome) return Fail(outcome.error(), log, status);

  const int exit_status = ExitStatusOf(*outcome);
  log.Line(fmt::format("Runner completed in {}ms", outcome->duration_ms));
  log.Line(fmt::format("Exit code: {} (0x{:08X})", exit_status, exit_status));
  status.Ended(plan, *outcome, exit_status);
  if (outcome->timed_out) fmt::print(stderr, "{}", RenderError(TimedOut(plan)));
  return exit_status;
}

int Explain(const Result<Prepared>& prepared, const Options& options) {
  if (!prepared) {
    fmt::print(stderr, "{}", RenderError(prepared.error()));
    return ExitStatus(prepared.error().code);
  }
  const auto describe = options.explain_json ? DescribeJson : DescribeText;
  fmt::print("{}", describe(prepared->policy, prepared->plan));
  return 0;
}

int Execute(const Options& options, const Host& host, Log& log, StatusReport& status) {
  const auto start = std::chrono::steady_clock::now();
  const Result<Config> config = ReadRequest(options, host);
  if (!config) return Fail(config.error(), log, status);

  const Result<Prepared> prepared = Prepare(*config, options, host);
  if (options.mode == Mode::kExplain) return Explain(prepared, options);
  if (prepared) Warn(prepared->plan, log);
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    return DryRun(prepared, log, std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count());
  }
  if (!prepared) return Fail(prepared.error(), log, status);
  return Run(prepared->plan, *config, log, status);
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  const bool runs =
      options.mode == Mode::kRun || options.mode == Mode::kDryRun || options.mode == Mode::kExplain;
  if (!runs) return Answer(options, host);
  if (!options.HasConfig() && options.command.empty()) {
    fmt::print(stderr,
               "Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  std::string problem;
  Log log{options.debug || options.mode == Mode::kDryRun, options.log_file, problem};
  if (!problem.empty()) fmt::print(stderr, "mxc-exec: warning: {}\n", problem);

  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) {
    fmt::print(stderr, "{}", RenderError(status.error()));
    return ExitStatus(status.error().code);
  }
  return Execute(options, host, log, *status);
}

}  // namespace mxc
