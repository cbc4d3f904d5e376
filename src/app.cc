#include "app.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cleanup/recover.h"
#include "isolation_fallback.h"
#include "lifecycle.h"
#include "queries.h"
#include "read_request.h"
#include "report/report.h"
#include "repositories.h"
#include "run/config_lock_watch.h"
#include "run_report.h"
#include "run_summary.h"
#include "show_plan.h"

namespace mxc {
namespace {

std::string ReasonOf(const Config& config, const Plan& plan, const Host& host) {
  if (config.intent == Intent::kAuto) return WhyStrongest(plan.containment, host);
  return config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration";
}

// Launch and Relay: runs the plan, relays the command's streams, and reports.
int Run(Prepared& prepared, const Request& request, const Options& options, const Host& host,
        Records& records) {
  const Config& config = *request.config;
  Log& log = records.log;
  StatusReport& status = records.status;
  status.Backend(prepared.plan, ReasonOf(config, prepared.plan, host));
  std::optional<RunSummary> summary;
  if (options.report) {
    summary =
        SummaryFor(prepared.policy, FormOf(config, options), host, request.flags, *options.report == "short");
  }
  const std::vector<GuardedConfig> configs = ConfigsToGuard(prepared.plan.git, host);
  ConfigLockWatch locks = ConfigLockWatch::Start(prepared.plan.git);
  const auto review = [&] {
    std::vector<Warning> left = ReviewRepositories(prepared.plan.git, configs, host);
    if (std::optional<Warning> held = TellOfHeldConfigs(locks.Tried(), prepared.plan.git, host))
      left.push_back(std::move(*held));
    return left;
  };
  const auto paths = [&] { return PathsToGuard(prepared.policy, prepared.plan); };
  RunReporter reporter{
      status, log, summary ? &*summary : nullptr, review, {.configs = configs, .paths = paths}};
  const auto on_weaker = [&](const Plan& plan, const Error& refusal) {
    Warn(plan, log, kWeakerIsolation);
    status.Backend(plan, "the kernel refuses stronger isolation: " + refusal.message);
  };
  const Result<Outcome> outcome = RunWithFallback(config, options, host, prepared, reporter, on_weaker);
  if (summary) summary->Tell(prepared.plan, !outcome || Failed(*outcome));
  if (!outcome) return Fail(outcome.error(), log, status);
  return Finish(prepared.plan, *outcome, log, status);
}

int Start(Options options, const Host& host) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  // Read, Parse, Decode
  const Request request = ReadRequest(options, host);
  if (!options.report) options.report = request.report;
  const Result<Config>& config = request.config;
  const bool explains = options.mode == Mode::kExplain && config && config->phase == Phase::kProvision;
  if (request.lifecycle && !explains && options.verb == Verb::kNone) return RunPhase(config, options, host);

  // Resolve, Plan
  Result<Prepared> prepared = config ? Prepare(*config, options, host) : Result<Prepared>(config.error());
  if (prepared) {
    WarnOfDirectory(options, host, *prepared);
  } else {
    NameFlags(request.flags, prepared.error());
    if (!options.HasConfig()) prepared.error().hint = InFlags(std::move(prepared.error().hint));
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);

  const Policy* const resolved = prepared && !prepared->policy.as_written ? &prepared->policy : nullptr;
  Result<Records> records = OpenRecords(resolved, host, options);
  if (!records) return FailWithoutRecords(records.error(), host, options);
  auto& [log, status] = *records;
  if (!config) return Fail(config.error(), log, status);
  if (options.mode == Mode::kExplain) return ExplainPlan(prepared, options);
  if (prepared) Warn(prepared->plan, log);
  if (prepared) WarnOfOverruledFlags(prepared->plan, request.flags);
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) return DryRun(prepared, log, elapsed.count());
  if (!prepared) return Fail(prepared.error(), log, status);

  // Launch, Relay
  return Run(*prepared, request, options, host, *records);
}

// Undoes what an interrupted run left on the host. A failure to do so is only a warning.
void Recover(Mode mode) {
  const Recovery recovery = RecoverRuns();
  for (const std::string& problem : recovery.problems) TellWarning(problem);
  if (recovery.restored == 0 && mode != Mode::kRecover) return;
  Tell(recovery.restored == 0 ? "mxc-exec: nothing to recover\n"
                              : fmt::format("mxc-exec: {} put back: {}\n", recovery.what, recovery.restored));
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  if (options.mode < Mode::kVersion) Recover(options.mode);
  if (options.mode > Mode::kExplain) return RunQuery(options, host);
  if (options.verb != Verb::kNone && options.mode == Mode::kRun) return RunVerb(options, host);
  if (options.verb == Verb::kNone && !options.HasConfig() && options.command.empty()) {
    // Clients of Microsoft's lxc-exec look for this status and these words.
    Tell("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  return Start(options, host);
}

}  // namespace mxc
