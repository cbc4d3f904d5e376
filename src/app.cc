#include "app.h"

#include <chrono>
#include <optional>
#include <vector>

#include "isolation_fallback.h"
#include "lifecycle.h"
#include "lifecycle_parts.h"
#include "queries.h"
#include "read_request.h"
#include "report/report.h"
#include "repositories.h"
#include "review/await_approval.h"
#include "run/config_lock_watch.h"
#include "run/run.h"
#include "run_report.h"
#include "run_summary.h"
#include "show_plan.h"
#include "unix_sockets/run_marks.h"

namespace mxc {
namespace {

// Launch and Relay: runs the plan, relays the command's streams, and reports. The next isolation level is
// tried when the kernel refuses this one.
int Run(Prepared& prepared, const Request& request, const Options& options, const Host& host,
        Records& records) {
  const Config& config = *request.config;
  Log& log = records.log;
  StatusReport& status = records.status;
  status.ReportBackend(prepared.plan, WhyChosen(config, prepared.plan.containment, host));
  std::optional<RunSummary> summary;
  if (options.report) {
    summary =
        SummaryFor(prepared.policy, FormOf(config, options), host, request.flags, *options.report == "short");
  }
  const std::vector<GuardedConfig> configs = ConfigsToRestore(prepared.plan.git, host);
  const RunMark mark = RunMark::Set(prepared.plan.git.since, prepared.plan.git.roots);
  ConfigLockWatch writes = ConfigLockWatch::Start(prepared.plan.git);
  // Called when the command has ended: git on the host may run what the command left in a repository.
  const auto review = [&](const auto& asides) {
    return ReviewRepositories(prepared.plan.git, configs, writes.Tried(), host, asides);
  };
  const auto paths = [&] { return ProtectedPathsToRestore(prepared.policy, prepared.plan); };
  RunReporter reporter{
      status, log, summary ? &*summary : nullptr, review, {.configs = configs, .paths = paths}};
  const auto on_weaker = [&](const Plan& plan, const Error& refusal) {
    PrintWarnings(plan, log, kWeakerIsolation);
    status.ReportBackend(plan, "the kernel refuses stronger isolation: " + refusal.message);
  };
  const Result<Outcome> outcome = RunWithFallback(config, options, host, prepared, reporter, on_weaker);
  return Finish(prepared.plan, outcome, summary ? &*summary : nullptr, log, status);
}

// A dry run of `start` plans the persistent sandbox that `start` would make.
Result<Prepared> PrepareForVerb(const Config& config, const Options& options, const Host& host) {
  const bool persistent = options.verb == Verb::kStart && options.mode == Mode::kDryRun;
  return persistent ? PrepareSandbox(config, options, host) : Prepare(config, options, host);
}

int PrepareAndRun(Options options, const Host& host) {
  using Clock = std::chrono::steady_clock;
  if (options.force_reclaim)
    PrintWarning("--force-reclaim has no effect: mxc-exec ends only machines that it has started");
  const auto start = Clock::now();
  Request request = ReadRequest(options, host);  // Read, Parse, Expand, Decode
  if (!request.config) request.config = Tellable(request.sandbox_id, request.config.error());
  const Result<Config>& config = request.config;
  if (const Status own = CheckRecordsOfCaller(host, options); !own)
    return FailWithoutRecords(Tellable(request.sandbox_id, own.error()), host, options);
  const bool explains = options.mode == Mode::kExplain && config && config->phase == Phase::kProvision;
  if (request.lifecycle && !explains && options.verb == Verb::kNone) return RunPhase(request, options, host);
  if (!options.report) options.report = request.report;

  // Resolve, Plan: plan_run.cc. The operator's ceiling cuts the Config before Resolve, and the path entries
  // within it.
  Result<Prepared> prepared = config ? PrepareForVerb(*config, options, host) : config.error();
  if (prepared) {
    WarnOfDirectory(options, host, *prepared);
    WarnOfGrantedRoot(options, prepared->plan);
    NameFlags(request.flags, options.HasConfig(), prepared->plan.warnings);
  } else {
    NameFlags(request.flags, options.HasConfig(), prepared.error());
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);

  // Only now do we know where the command may write, so only now can we refuse records there.
  Result<Records> records = OpenRecords(prepared ? &prepared->policy : nullptr, host, options);
  if (!records) return FailWithoutRecords(records.error(), host, options);
  auto& [log, status] = *records;
  if (!config) return Fail(config.error(), log, status);
  if (options.mode == Mode::kExplain) return ExplainPlan(prepared, options);
  if (prepared) PrintWarnings(prepared->plan, log);
  if (prepared) WarnOfOverruledFlags(prepared->plan, request.flags);
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) return DryRun(prepared, options, log, elapsed.count());
  if (!prepared) return Fail(prepared.error(), log, status);
  const Status approved = AwaitApproval(prepared->policy, prepared->plan, options.approve);
  if (!approved) return Fail(approved.error(), log, status);

  // Launch, Relay: isolation_fallback.cc and run/
  return Run(*prepared, request, options, host, *records);
}

}  // namespace

int RunApp(const Options& options, const Host& host) {
  if (RecoversFirst(options.mode) && !options.shell) RecoverAndReport(options.mode == Mode::kRecover);
  if (!NeedsPolicy(options.mode)) return RunQuery(options, host);
  if (options.verb != Verb::kNone && options.mode == Mode::kRun) return RunVerb(options, host);
  const bool asks = options.HasConfig() || !options.command.empty() || !options.operation.empty();
  if (options.verb == Verb::kNone && !asks) {
    ReportNothingToRun();
    return 1;
  }
  return PrepareAndRun(options, host);
}

}  // namespace mxc
