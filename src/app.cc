#include "app.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cleanup/recover.h"
#include "isolation_fallback.h"
#include "lifecycle.h"
#include "plan/describe.h"
#include "plan_run.h"
#include "policy/denial.h"
#include "policy/resolve.h"
#include "queries.h"
#include "read_request.h"
#include "report/log.h"
#include "report/report.h"
#include "repositories.h"
#include "run/run.h"
#include "run_report.h"

namespace mxc {
namespace {

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

// A backend that another build has, or an image that another host has.
bool IsOnlyMissing(const Error& error) {
  return error.code == ErrorCode::kNotBuilt ||
         (error.code == ErrorCode::kUnavailable && error.pointer == "/lxc");
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
  const bool only_not_built = !prepared && IsOnlyMissing(prepared.error());
  if (only_not_built) log.Line("Note: a run would be refused: " + prepared.error().message);
  if (prepared || only_not_built) {
    log.Line("Dry run completed. Result: validation passed");
    return 0;
  }
  log.Line("Dry run completed. Result: validation failed: " + prepared.error().message);
  Tell(RenderError(prepared.error()));
  return 255;
}

PolicyForm FormOf(const Config& config, const Options& options) {
  if (!options.HasConfig()) return PolicyForm::kFlags;
  const bool legacy =
      config.dialect == Dialect::kLegacy || config.network.egress_pointer == "/network/defaultPolicy";
  return legacy ? PolicyForm::kLegacy : PolicyForm::kDirectional;
}

std::string ReasonOf(const Config& config) {
  return config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration";
}

// The run was refused by the kernel before it began; a weaker isolation level is taken where the policy holds
// on it.
Result<Outcome> RunWithFallback(const Config& config, const Options& options, const Host& host,
                                Prepared& prepared, RunReporter& reporter, Log& log, StatusReport& status) {
  Result<Outcome> outcome = RunPlan(prepared.plan, reporter);
  while (!outcome && outcome.error().code == ErrorCode::kUnavailable) {
    const Error refusal = outcome.error();
    const Choice next = NextFallback(prepared.plan.isolation_level, MeansProcess(config));
    if (!next) return refusal;
    Result<Prepared> weaker = PrepareOn(next, config, options, host);
    if (!weaker) return Both(refusal, weaker.error());
    prepared = std::move(*weaker);
    Warn(prepared.plan, log, kWeakerIsolation);
    status.Backend(prepared.plan, "the kernel refuses more: " + refusal.message);
    outcome = RunPlan(prepared.plan, reporter);
  }
  return outcome;
}

void Summarize(const Plan& plan, const RunSummary& summary) {
  if (plan.egress) {
    Tell(summary.network.Text());
  } else if (plan.sandbox && plan.sandbox->private_network) {
    Tell("mxc-exec: network: none, and not watched; `mxc-exec --probe` says what the gateway lacks here\n");
  }
  Tell(CanWatchFiles(plan)
           ? summary.files.Text()
           : "mxc-exec: files: not watched; the containments namespaces and lxc can say what was denied\n");
}

int Run(Prepared& prepared, const Config& config, const Options& options, const Host& host, Log& log,
        StatusReport& status) {
  status.Backend(prepared.plan, ReasonOf(config));
  DenialJudge judge(prepared.policy, host);
  const PolicyForm form = FormOf(config, options);
  RunSummary summary{.network = NetworkSummary{form},
                     .files = FileSummary{form, [&](const FileCall& call) { return judge.Judge(call); }}};
  RunReporter reporter{status, log, options.report ? &summary : nullptr,
                       [&] { return ReviewRepositories(prepared.plan.git, host); }};
  const Result<Outcome> outcome = RunWithFallback(config, options, host, prepared, reporter, log, status);
  if (options.report) Summarize(prepared.plan, summary);
  if (!outcome) return Fail(outcome.error(), log, status);

  return Finish(prepared.plan, *outcome, log, status);
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
  const Request request = ReadRequest(options, host);
  const bool explains =
      options.mode == Mode::kExplain && request.config && request.config->phase == Phase::kProvision;
  if (request.lifecycle && !explains) return RunPhase(request.config, options, host);
  const Result<Config>& config = request.config;
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
  if (!problem.empty()) TellWarning(problem);

  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) {
    Tell(RenderError(status.error()));
    return ExitStatus(status.error().code);
  }
  return Execute(options, host, config, prepared, log, *status,
                 std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count());
}

// What an earlier run could not take back stands in the way of nothing, but must not stay.
void Recover(Mode mode) {
  const Recovery recovery = RecoverRuns();
  for (const std::string& problem : recovery.problems) TellWarning(problem);
  if (recovery.restored == 0 && mode != Mode::kRecover) return;
  Tell(fmt::format("mxc-exec: access control lists put back: {}\n", recovery.restored));
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  if (options.mode != Mode::kPrinted) Recover(options.mode);
  const bool runs =
      options.mode == Mode::kRun || options.mode == Mode::kDryRun || options.mode == Mode::kExplain;
  if (!runs) return RunQuery(options, host);
  if (!options.HasConfig() && options.command.empty()) {
    Tell("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  return Start(options, host);
}

}  // namespace mxc
