#include "app.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>

#include "cleanup/recover.h"
#include "isolation_fallback.h"
#include "lifecycle.h"
#include "queries.h"
#include "read_request.h"
#include "report/report.h"
#include "repositories.h"
#include "run_report.h"
#include "run_summary.h"
#include "show_plan.h"

namespace mxc {
namespace {

PolicyForm FormOf(const Config& config, const Options& options) {
  if (!options.HasConfig()) return PolicyForm::kFlags;
  const bool legacy =
      config.dialect == Dialect::kLegacy || config.network.egress_pointer == "/network/defaultPolicy";
  return legacy ? PolicyForm::kLegacy : PolicyForm::kDirectional;
}

std::string ReasonOf(const Config& config) {
  return config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration";
}

// Launch and Relay: runs the plan, passes its streams on, and reports.
int Run(Prepared& prepared, const Config& config, const Options& options, const Host& host,
        Records& records) {
  auto& [log, status] = records;
  status.Backend(prepared.plan, ReasonOf(config));
  std::optional<RunSummary> summary;
  if (options.report) summary = SummaryFor(prepared.policy, FormOf(config, options), host);
  RunReporter reporter{status, log, summary ? &*summary : nullptr,
                       [&] { return ReviewRepositories(prepared.plan.git, host); }};
  const auto on_weaker = [&](const Plan& plan, const Error& refusal) {
    Warn(plan, log, kWeakerIsolation);
    status.Backend(plan, "the kernel refuses stronger isolation: " + refusal.message);
  };
  const Result<Outcome> outcome = RunWithFallback(config, options, host, prepared, reporter, on_weaker);
  if (summary) summary->Tell(prepared.plan);
  if (!outcome) return Fail(outcome.error(), log, status);
  return Finish(prepared.plan, *outcome, log, status);
}

int Start(const Options& options, const Host& host) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  // Read, Parse, Decode
  const Request request = ReadRequest(options, host);
  const Result<Config>& config = request.config;
  const bool explains = options.mode == Mode::kExplain && config && config->phase == Phase::kProvision;
  if (request.lifecycle && !explains) return RunPhase(config, options, host);

  // Resolve, Plan
  Result<Prepared> prepared = config ? Prepare(*config, options, host) : Result<Prepared>(config.error());
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);

  const bool resolved_here = prepared && !prepared->policy.as_written;
  Result<Records> records = OpenRecords(resolved_here ? &prepared->policy : nullptr, host, options);
  if (!records) {
    Tell(RenderError(records.error()));
    return ExitStatus(records.error().code);
  }
  auto& [log, status] = *records;
  if (!config) return Fail(config.error(), log, status);
  if (options.mode == Mode::kExplain) return ExplainPlan(prepared, options);
  if (prepared) Warn(prepared->plan, log);
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) return DryRun(prepared, log, elapsed.count());
  if (!prepared) return Fail(prepared.error(), log, status);

  // Launch, Relay
  return Run(*prepared, *config, options, host, *records);
}

// Windows: puts back access control lists that an interrupted run has left changed. What fails is a warning.
void Recover(Mode mode) {
  const Recovery recovery = RecoverRuns();
  for (const std::string& problem : recovery.problems) TellWarning(problem);
  if (recovery.restored == 0 && mode != Mode::kRecover) return;
  Tell(recovery.restored == 0
           ? "mxc-exec: nothing to recover\n"
           : fmt::format("mxc-exec: access control lists put back: {}\n", recovery.restored));
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  if (options.mode != Mode::kPrinted) Recover(options.mode);
  const bool needs_request =
      options.mode == Mode::kRun || options.mode == Mode::kDryRun || options.mode == Mode::kExplain;
  if (!needs_request) return RunQuery(options, host);
  if (!options.HasConfig() && options.command.empty()) {
    // As the reference does: its clients look for this status and these words.
    Tell("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  return Start(options, host);
}

}  // namespace mxc
