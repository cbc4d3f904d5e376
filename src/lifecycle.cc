#include "lifecycle.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/terminal.h"
#include "ceiling/cut_command.h"
#include "dispatch.h"
#include "flag_values.h"
#include "lifecycle_parts.h"
#include "persistent/persistent.h"
#include "plan_run.h"
#include "policy/paths/rules.h"
#include "policy/records.h"
#include "report/hidden_values.h"
#include "report/log.h"
#include "report/prose.h"
#include "report/report.h"
#include "repositories.h"
#include "review/await_approval.h"
#include "run/config_lock_watch.h"
#include "run/run.h"
#include "run_report.h"
#include "run_summary.h"

namespace mxc {
namespace {

using Object = nlohmann::ordered_json;

int Print(const Object& object) {
  fmt::print("{}\n", EscapedJson(object.dump(-1, ' ', false, Object::error_handler_t::replace)));
  return 0;
}

int Succeed(Object result = Object::object()) { return Print({{"result", std::move(result)}}); }

// The reader of standard output gets the envelope, people the text.
int Refuse(const Error& error) {
  PrintErrorText(error);
  fmt::print("{}\n", Envelope(error));
  return 1;
}

// ... of a request that came to nothing yet. Whoever reads status lines learns it there, too.
int RefuseEarly(const Error& error, const Options& options) {
  Result<StatusReport> status = StatusReport::Open(options.status_fd, "");
  if (status) status->ReportFailure(error, 1);
  return Refuse(error);
}

// ... which may say what the commands of a sandbox have left.
int Refuse(const Error& error, session::Receipt& receipt) {
  int status = 0;
  const bool delivered = IsDelivered([&] { status = Refuse(error); });
  if (std::fflush(stdout) == 0 || delivered) receipt.Give();
  return status;
}

// Warnings beside the answer are for people. Those that cannot be written stay for the next request.
int PrintAnswer(const Result<std::vector<Warning>>& warnings, session::Receipt& receipt, bool gone = false) {
  if (!warnings) return Refuse(warnings.error(), receipt);
  const bool delivered = DeliverWarnings(*warnings);
  if (!delivered && gone) return Refuse(NotReported());
  if (delivered) receipt.Give();
  return Succeed();
}

// ... in the status lines; people and the caller are told elsewhere.
Error Told(Error error, StatusReport& status) {
  status.ReportFailure(error, 1);
  return error;
}

// ... of a sandbox that was not entered. What is wrong with the places of the records may quote a value that
// is not known here.
Error ToldOfEntry(Error error, const Options& options) {
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  return status ? Told(std::move(error), *status) : std::move(error);
}

// Of another containment a sandbox would not be what its identifier says.
Error OtherContainment(const Plan& before) {
  return Unavailable(fmt::format("what the sandbox was provisioned with, the containment '{}', is not to be "
                                 "had here any more",
                                 Name(before.containment)),
                     "/sandboxId", "see what `mxc-exec --probe` says, or provision another");
}

// What people would be told, had they not been told it before; a few.
std::vector<Warning> FreshWarnings(const Plan& plan, const std::vector<Warning>& before) {
  constexpr std::size_t kMost = 16;
  std::vector<Warning> fresh;
  for (const Warning& warning : plan.warnings) {
    const bool known = std::any_of(before.begin(), before.end(),
                                   [&](const Warning& other) { return other.message == warning.message; });
    if (!known && IsPrinted(warning) && fresh.size() < kMost) fresh.push_back(warning);
  }
  return fresh;
}

int ProvisionPhase(Config config, const std::vector<FlagPlace>& flags, const Options& options,
                   const Host& host) {
  config.process = {.command_line = ":",
                    .workspace = config.process.workspace};  // what the request would run, if it ran anything
  if (options.mode == Mode::kDryRun) {
    const Result<Prepared> prepared = PrepareSandbox(config, options, host);
    return prepared ? Succeed() : Refuse(prepared.error());
  }
  Result<NewSandbox> made = MakeSandbox(config, flags, options, host);
  if (!made) return Refuse(made.error());
  const Result<session::SandboxId> id = session::ParseSandboxId(made->sandbox.id);
  Object answer{{"sandboxId", options.for_sdk && id ? id->TextForSdk() : made->sandbox.id}};
  // An SDK that knows the containment's own prefix takes no more of it.
  if (!options.for_sdk || answer["sandboxId"] != made->sandbox.id)
    answer["metadata"] = {{"containment", Name(made->containment)}, {"tier", Name(made->tier)}};
  const int status = Succeed(std::move(answer));
  if (std::fflush(stdout) == 0) {
    made->sandbox.Keep();
  } else if (id) {
    session::Receipt receipt;
    static_cast<void>(session::Deprovision(*id, receipt));
  }
  return status;
}

// The host has gone on since `start`: where a file stands now decides.
Status KeepRecordsApart(session::Entered& entry, const Host& host, Options& options, std::string& problem) {
  Policy policy = VisibleOf(entry);
  Audit& audit = entry.plan.audit;
  Result<std::string> path = CheckRecord({.name = "audit path", .path = audit.path}, host, policy);
  if (!path) return path.error();
  audit.path = std::move(*path);
  policy.audit = audit;
  return KeepRecordsApart(policy, host, options, problem);
}

// A command that names no directory, in a sandbox that was given none, where that shows the caller's. False:
// it does not.
bool StandWhereTheCallerDoes(const session::Entered& entry, const Host& host, Config& config) {
  const std::string here = host.WorkingDirectory();
  if (!config.process.cwd.empty() || entry.plan.cwd_written) return true;
  if (!here.starts_with('/') || (here != "/" && !RuleSet(VisibleOf(entry).paths).Visible(here))) return false;
  config.process.cwd = here;  // PlanOf names it as it stands inside
  return true;
}

// `here`: "": the caller's has been removed.
void WarnOfOtherDirectory(const std::string& cwd, const std::string& here) {
  if (cwd == here) return;
  const std::string reason =
      here.empty() ? "the caller's directory is gone" : "the sandbox does not show " + Quoted(here);
  PrintWarning(fmt::format("the command starts in {}, because {}; --cwd names another", Quoted(cwd), reason));
}

std::string Span(std::uint64_t ms) {
  constexpr std::uint64_t kMinute = 60;
  constexpr std::uint64_t kHour = 60 * kMinute;
  constexpr std::uint64_t kDay = 24 * kHour;
  const std::uint64_t seconds = ms / 1000;
  if (seconds < kMinute) return fmt::format("{} s", seconds);
  if (seconds < kHour) return fmt::format("{} min", seconds / kMinute);
  return seconds < kDay ? fmt::format("{} h", seconds / kHour) : fmt::format("{} d", seconds / kDay);
}

int PrintTable(const std::vector<session::Listed>& sandboxes) {
  std::vector<std::vector<Cell>> rows{
      {{.text = "ID"}, {.text = "STATE"}, {.text = "AGE"}, {.text = "COMMANDS"}}};
  for (const session::Listed& listed : sandboxes) {
    const bool dead = listed.state == session::kDead;
    rows.push_back({{.text = listed.id},
                    {.text = listed.state, .style = dead ? Style::kError : Style::kPlain},
                    {.text = dead ? "" : Span(listed.age_ms)},
                    {.text = dead || !listed.commands ? "" : std::to_string(*listed.commands)}});
  }
  constexpr int kAnswerStream = 1;
  fmt::print("{}",
             sandboxes.empty() ? "You have no sandboxes.\n" : TableText(rows, TakesColours(kAnswerStream)));
  return 0;
}

}  // namespace

Result<NewSandbox> MakeSandbox(const Config& config, const std::vector<FlagPlace>& flags, Options options,
                               const Host& host) {
  const auto prepare = [&] {
    Result<Prepared> sandbox = PrepareSandbox(config, options, host);
    if (sandbox) NameFlags(flags, options.HasConfig(), sandbox->plan.warnings);
    return sandbox;
  };
  Result<Prepared> prepared = prepare();
  if (!prepared) return prepared.error();
  std::string problem;
  if (Status apart = KeepRecordsApart(prepared->policy, host, options, problem); !apart) return apart.error();
  Log log{false, options.log_file, problem};
  if (!problem.empty()) PrintWarning(problem);
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return status.error();
  PrintWarnings(prepared->plan, log);
  status->ReportBackend(prepared->plan, "a persistent sandbox");
  const Plan& plan = prepared->plan;
  const auto anew = [&, known = plan.warnings](std::vector<Warning>& told, session::SessionLimits& limits,
                                               std::string& basis) mutable -> Result<Plan> {
    Result<Prepared> again = prepare();
    if (!again) return again.error();
    if (again->plan.containment != plan.containment || again->plan.isolation_level != plan.isolation_level)
      return OtherContainment(plan);
    told = FreshWarnings(again->plan, known);
    known = again->plan.warnings;
    limits = LimitsOf(again->session, again->policy);
    basis = PackBasis(again->policy, FormOf(config, options), host, flags);
    return std::move(again->plan);
  };
  const auto review = [&host](const Plan& stopped) {
    return ReviewRepositories(stopped.git, {}, {}, host).warnings;
  };
  Result<session::Provisioned> made = session::Provision(plan, LimitsOf(prepared->session, prepared->policy),
                                                         {.plan = anew, .review = review});
  if (!made) return Told(made.error(), *status);
  return NewSandbox{.sandbox = std::move(*made), .containment = plan.containment, .tier = plan.tier};
}

Error NotReported() {
  return {.code = ErrorCode::kOutputLost,
          .message =
              "the sandbox has ended, and what its commands have left could not be written to standard "
              "error: it stays until somebody has asked for that",
          .hint = "call this again with a standard error that can be written"};
}

Result<std::vector<Warning>> StartSandbox(const session::SandboxId& id, const Host& host,
                                          session::Receipt& receipt) {
  Result<std::vector<Warning>> told = session::Start(id, receipt);
  const auto hint = Dispatch(id.containment).refusal_hint;
  if (!told && told.error().code == ErrorCode::kUnavailable && told.error().hint.empty() && hint != nullptr)
    told.error().hint = hint(host);
  return told;
}

Error NoReport(Containment containment) {
  return Unsupported(
      fmt::format("--report: of a sandbox of '{}' nobody here is told what it refuses", Name(containment)),
      {}, "leave it out");
}

// Of a sandbox without a gateway nobody decides anything that would have to be followed. What is not asked
// for is not missed.
Result<session::Followed> FollowCommand(const session::SandboxId& id, const Plan& plan,
                                        const Options& options) {
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  const bool gateway = sandbox != nullptr && sandbox->gateway;
  if (!options.report && !gateway) return session::Followed{};
  Result<session::Followed> followed = session::Follow(id);
  if (!followed && !options.report) return session::Followed{};
  return followed;
}

// A shell's command may keep what it writes.
bool Redirects(const std::vector<std::string>& argv) {
  return std::any_of(argv.begin(), argv.end(),
                     [](const std::string& word) { return word.find('>') != std::string::npos; });
}

std::string NothingIsKept(const session::SandboxId& id) {
  return fmt::format(
      "what the command writes is lost: its streams are /dev/null; `mxc-exec exec --background {} -- sh -c "
      "'CMD >/tmp/log 2>&1'` keeps it inside",
      id.Text());
}

// What goes wrong once the command runs is told as after a run: standard output was the command's.
Result<int> RunInSandbox(const session::SandboxId& id, Config config, Options options, const Host& host,
                         session::Receipt& receipt) {
  Result<session::Entered> entry = session::Enter(id, receipt);
  if (!entry) return ToldOfEntry(entry.error(), options);
  std::string problem;
  if (Status apart = KeepRecordsApart(*entry, host, options, problem); !apart) return apart.error();
  Log log{false, options.log_file, problem};
  if (!problem.empty()) PrintWarning(problem);
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return status.error();
  Cuts cuts;
  if (Status cut = CutCommand(host, entry->plan, options.background, config, cuts); !cut)
    return Told(cut.error(), *status);
  for (const Warning& warning : cuts.Warnings()) {
    if (IsPrinted(warning)) PrintWarning(warning.message);
  }
  const bool stands = options.verb != Verb::kExec || StandWhereTheCallerDoes(*entry, host, config);
  const Policy visible = VisibleOf(*entry);
  Result<Plan> plan = PlanOf(config, *entry, host);
  if (!plan) return Told(plan.error(), *status);
  plan->run = RandomName();
  if (!stands) WarnOfOtherDirectory(plan->cwd, host.WorkingDirectory());
  const Process process{.argv = config.process.argv,
                        .command_line = config.process.command_line,
                        .cwd = plan->cwd,
                        .environment = CommandEnvironment(plan->launch)};
  HideValues(process.environment);
  const bool reviewed = !config.review_pointer.empty();
  if (Status approved = AwaitApproval(process, visible, *plan, id.Text(), reviewed, options.approve);
      !approved)
    return Told(approved.error(), *status);
  if (options.background) {
    if (Status started = session::StartInBackground(*plan, entry->connection.Get()); !started)
      return started.error();
    if (!Redirects(config.process.argv)) PrintWarning(NothingIsKept(id));
    return 0;
  }
  Result<session::Followed> followed = FollowCommand(id, *plan, options);
  if (!followed) return Told(followed.error(), *status);
  std::optional<RunSummary> summary;
  if (options.report) {
    summary = SummaryFrom(followed->basis, process.environment, host, *options.report == "short");
    if (!summary) return Told(NoReport(plan->containment), *status);
  }
  status->ReportBackend(*plan, "the sandbox's own");
  ConfigLockWatch config_writes = ConfigLockWatch::Start(plan->git);
  // What the commands leave is compared when the sandbox is stopped.
  const auto review = [&](const auto& /*asides*/) {
    return RepositoryReview{.warnings = HeldWarnings(config_writes.Tried(), plan->git, true, host),
                            .settled = false};
  };
  RunReporter reporter{*status, log, summary ? &*summary : nullptr, review};
  const Result<Outcome> outcome = RunPlan(*plan, reporter,
                                          {.command = entry->connection.Get(),
                                           .records = followed->records.Get(),
                                           .multiplexer = entry->multiplexer.Get(),
                                           .groups = entry->groups});
  if (!outcome && !reporter.Started()) return Told(outcome.error(), *status);
  return Finish(*plan, outcome, summary ? &*summary : nullptr, log, *status);
}

Error Tellable(const std::string& sandbox_id, Error error) {
  const Result<session::SandboxId> id = session::ParseSandboxId(sandbox_id);
  const Status hidden = id ? session::HideValuesOf(*id) : Status(Done{});
  return hidden ? std::move(error) : hidden.error();
}

int RunPhase(const Request& request, Options options, const Host& host) {
  const Result<Config>& config = request.config;
  if (!config) return RefuseEarly(config.error(), options);
  const bool reports =
      *config->phase == Phase::kProvision || (*config->phase == Phase::kExec && !options.background);
  if (options.report && !reports)
    return RefuseEarly(UsageError("--report is of commands: the phases provision and exec take it, without "
                                  "--background",
                                  "leave it out"),
                       options);
  if (!options.report && reports) options.report = request.report;
  if (options.mode == Mode::kExplain) {
    return Refuse({.code = ErrorCode::kUsage,
                   .message = "--explain shows the policy of a provision request, and this is none"});
  }
  if (*config->phase == Phase::kProvision) return ProvisionPhase(*config, request.flags, options, host);
  const Result<session::SandboxId> id = session::ParseSandboxId(config->sandbox_id);
  if (!id) return RefuseEarly(id.error(), options);
  if (options.mode == Mode::kDryRun) return Succeed();
  session::Receipt receipt;
  switch (*config->phase) {
    case Phase::kProvision:
      break;
    case Phase::kStart:
      return PrintAnswer(StartSandbox(*id, host, receipt), receipt);
    case Phase::kExec: {
      const Result<int> status = RunInSandbox(*id, *config, options, host, receipt);
      if (status) return *status;
      if (!options.quiet || (!options.status_fd && options.result_file.empty()))
        return Refuse(status.error(), receipt);
      receipt.Give();
      return 1;
    }
    case Phase::kStop:
      return PrintAnswer(session::Stop(*id, receipt), receipt);
    case Phase::kDeprovision:
      return PrintAnswer(session::Deprovision(*id, receipt), receipt, true);
  }
  return 1;
}

int PrintSandboxes(bool for_people) {
  if (for_people) return PrintTable(session::List());
  Object list = Object::array();
  for (const session::Listed& listed : session::List()) {
    Object entry{{"sandboxId", listed.id}, {"state", listed.state}};
    if (listed.state != session::kDead) {
      if (listed.commands) entry["commands"] = *listed.commands;
      entry["ageMs"] = listed.age_ms;
      entry["idleMs"] = listed.idle_ms;
    }
    if (listed.daemon != 0) entry["holder"] = listed.daemon;
    list.push_back(std::move(entry));
  }
  return Print(list);
}

int PrintReaped() { return Print({{"reaped", session::Reap()}}); }

Result<bool> EndContainer(const std::string& name, const Host& host) {
  const Result<session::SandboxId> id = session::ParseSandboxId(name);
  if (!id) return EndRunNamed(name, host);
  session::Receipt receipt;
  const Result<std::vector<Warning>> gone = session::Deprovision(*id, receipt);
  if (gone) {
    if (!DeliverWarnings(*gone)) return NotReported();
    receipt.Give();
    return true;
  }
  const ErrorCode code = gone.error().code;
  return code == ErrorCode::kStaleId || code == ErrorCode::kNotProvisioned ? Result<bool>(false)
                                                                           : gone.error();
}

}  // namespace mxc
