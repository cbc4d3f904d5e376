#include "app.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quoted.h"
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
int Run(Prepared& prepared, const Request& request, const Options& options, const Host& host,
        Records& records) {
  const Config& config = *request.config;
  auto& [log, status] = records;
  status.Backend(prepared.plan, ReasonOf(config));
  std::optional<RunSummary> summary;
  if (options.report) summary = SummaryFor(prepared.policy, FormOf(config, options), host, request.flags);
  ConfigLockWatch locks = ConfigLockWatch::Start(prepared.plan.git);
  const auto review = [&] {
    std::vector<Warning> left = ReviewRepositories(prepared.plan.git, host);
    if (std::optional<Warning> held = TellOfHeldConfigs(locks.Tried(), prepared.plan.git, host))
      left.push_back(std::move(*held));
    return left;
  };
  RunReporter reporter{status, log, summary ? &*summary : nullptr, review, ConfigsToGuard(prepared.plan.git)};
  const auto on_weaker = [&](const Plan& plan, const Error& refusal) {
    Warn(plan, log, kWeakerIsolation);
    status.Backend(plan, "the kernel refuses stronger isolation: " + refusal.message);
  };
  const Result<Outcome> outcome = RunWithFallback(config, options, host, prepared, reporter, on_weaker);
  if (summary) summary->Tell(prepared.plan);
  if (!outcome) return Fail(outcome.error(), log, status);
  return Finish(prepared.plan, *outcome, log, status);
}

// A command that is not where its caller stands fails in ways that do not say so. A configuration says where.
void WarnOfDirectory(const Options& options, const Host& host, Prepared& prepared) {
  const Policy& policy = prepared.policy;
  const std::string here = host.WorkingDirectory();
  if (options.HasConfig() || !options.cwd.empty() || !here.starts_with('/')) return;
  const bool granted = std::any_of(policy.paths.begin(), policy.paths.end(),
                                   [&](const PathRule& rule) { return rule.path == here; });
  const bool own_temp = here == "/tmp" && TraitsOf(policy.containment).isolates && !granted;
  if (policy.process.cwd == here && !own_temp) return;
  prepared.plan.warnings.push_back(
      {.category = "directory-hidden",
       .message = own_temp
                      ? "the command's /tmp is its own, and empty: --rw . grants this one, --ro . to read"
                      : fmt::format("the command starts in {}, because {} is not granted: --rw . grants "
                                    "it, --ro . to read",
                                    Quoted(policy.process.cwd), Quoted(here))});
}

// A flag that an entry of the file overrules would seem to have had no effect.
void WarnOfOverruledFlags(const Plan& plan, const std::vector<FlagPlace>& flags) {
  for (const Warning& warning : plan.warnings) {
    const std::string_view flag = FlagAt(flags, warning.pointer);
    if (warning.category == "tightened" && !flag.empty())
      TellWarning(std::string(flag) + ": " + warning.message);
  }
}

int Start(const Options& options, const Host& host) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  // Read, Parse, Decode
  const Request request = ReadRequest(options, host);
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

  const bool resolved_here = prepared && !prepared->policy.as_written;
  Result<Records> records = OpenRecords(resolved_here ? &prepared->policy : nullptr, host, options);
  if (!records) {
    TellError(records.error());
    return ExitStatus(records.error().code);
  }
  auto& [log, status] = *records;
  if (!config) return Fail(config.error(), log, status);
  if (options.mode == Mode::kExplain) return ExplainPlan(prepared, options);
  if (prepared) {
    Warn(prepared->plan, log);
    WarnOfOverruledFlags(prepared->plan, request.flags);
  }
  LogRequest(*config, log);
  if (options.mode == Mode::kDryRun) return DryRun(prepared, log, elapsed.count());
  if (!prepared) return Fail(prepared.error(), log, status);

  // Launch, Relay
  return Run(*prepared, request, options, host, *records);
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
  if (options.mode < Mode::kVersion) Recover(options.mode);
  if (options.mode > Mode::kExplain) return RunQuery(options, host);
  if (options.verb != Verb::kNone && options.mode == Mode::kRun) return RunVerb(options, host);
  if (options.verb == Verb::kNone && !options.HasConfig() && options.command.empty()) {
    // As the reference does: its clients look for this status and these words.
    Tell("Error: No config provided. Use CONFIG_PATH, --config, --config-base64, or -- CMD ARGS...\n");
    return 1;
  }
  return Start(options, host);
}

}  // namespace mxc
