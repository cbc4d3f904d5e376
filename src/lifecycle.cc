#include "lifecycle.h"

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/quoted.h"
#include "lifecycle_parts.h"
#include "prepare.h"
#include "process/run.h"
#include "report/log.h"
#include "report/report.h"
#include "repositories.h"
#include "session/session.h"
#include "verdict.h"

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
  Tell(RenderText(error));
  fmt::print("{}\n", Envelope(error));
  return 1;
}

int Answer(const Status& status) { return status ? Succeed() : Refuse(status.error()); }

// What the sandbox has left is for people.
int Answer(const Result<std::vector<Warning>>& left) {
  if (!left) return Refuse(left.error());
  for (const Warning& warning : *left) Tell(fmt::format("mxc-exec: warning: {}\n", warning.message));
  return Succeed();
}

int Refuse(const Error& error, StatusReport& status) {
  status.Failed(error, 1);
  return Refuse(error);
}

// What the request would run, if it ran anything, is of no importance.
int ProvisionPhase(Config config, Options options, const Host& host) {
  config.process = {.command_line = ":"};
  Result<Prepared> prepared = PrepareSandbox(config, options, host);
  if (!prepared) return Refuse(prepared.error());
  if (options.mode == Mode::kDryRun) return Succeed();
  std::string problem;
  if (Status apart = KeepRecordsApart(prepared->policy, host, options, problem); !apart)
    return Refuse(apart.error());
  Log log{false, options.log_file, problem};
  if (!problem.empty()) TellWarning(problem);
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return Refuse(status.error());
  Warn(prepared->plan, log);
  status->Backend(prepared->plan, "a sandbox that stays");
  const session::AtStop at_stop = [&git = prepared->plan.git, &host] {
    return ReviewRepositories(git, host);
  };
  const Result<std::string> id =
      session::Provision(prepared->plan, LimitsOf(config.session, prepared->policy), at_stop);
  if (!id) return Refuse(id.error(), *status);
  const Plan& plan = prepared->plan;
  return Succeed({{"sandboxId", *id},
                  {"metadata", {{"containment", Name(plan.containment)}, {"tier", Name(plan.tier)}}}});
}

// What goes wrong once the command runs is told as after a run: standard output was the command's.
int ExecPhase(const session::SandboxId& id, const Config& config, Options options, const Host& host) {
  Result<session::Entry> entry = session::Enter(id);
  std::string problem;
  if (entry) {
    const Status apart = KeepRecordsApart(WritableOf(*entry), host, options, problem);
    if (!apart) return Refuse(apart.error());
  }
  Log log{false, options.log_file, problem};
  if (!problem.empty()) TellWarning(problem);
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return Refuse(status.error());
  if (!entry) return Refuse(entry.error(), *status);
  const Result<Plan> plan = PlanOf(config, *entry, host);
  if (!plan) return Refuse(plan.error(), *status);
  status->Backend(*plan, "the sandbox's own");
  RunReporter reporter{*status, log, nullptr};
  const Result<Outcome> outcome = RunPlan(*plan, reporter);
  if (outcome) return Finish(*plan, *outcome, log, *status);
  return reporter.Started() ? Fail(outcome.error(), log, *status) : Refuse(outcome.error(), *status);
}

}  // namespace

int RunPhase(const Result<Config>& config, const Options& options, const Host& host) {
  if (!config) return Refuse(config.error());
  if (options.mode == Mode::kExplain) {
    return Refuse({.code = ErrorCode::kUsage,
                   .message = "--explain shows the policy of a provision request, and this is none"});
  }
  if (*config->phase == Phase::kProvision) return ProvisionPhase(*config, options, host);
  const Result<session::SandboxId> id = session::ParseSandboxId(config->sandbox_id);
  if (!id) return Refuse(id.error());
  if (options.mode == Mode::kDryRun) return Succeed();
  switch (*config->phase) {
    case Phase::kProvision:
      break;
    case Phase::kStart:
      return Answer(session::Start(*id));
    case Phase::kExec:
      return ExecPhase(*id, *config, options, host);
    case Phase::kStop:
      return Answer(session::Stop(*id));
    case Phase::kDeprovision:
      return Answer(session::Deprovision(*id));
  }
  return 1;
}

int PrintSandboxes() {
  Object list = Object::array();
  for (const session::Listed& listed : session::List()) {
    Object entry{{"sandboxId", listed.id}, {"state", listed.state}};
    if (listed.state != session::kDead) {
      entry["commands"] = listed.commands;
      entry["ageMs"] = listed.age_ms;
      entry["idleMs"] = listed.idle_ms;
    }
    if (listed.holder != 0) entry["holder"] = listed.holder;
    list.push_back(std::move(entry));
  }
  return Print(list);
}

int PrintReaped() { return Print({{"reaped", session::Reap()}}); }

Result<bool> EndContainer(const std::string& name, const Host& host) {
  const Result<session::SandboxId> id = session::ParseSandboxId(name);
  if (!id) return EndRunNamed(name, host);
  const Result<std::vector<Warning>> gone = session::Deprovision(*id);
  if (gone) return true;
  const ErrorCode code = gone.error().code;
  return code == ErrorCode::kStaleId || code == ErrorCode::kNotProvisioned ? Result<bool>(false)
                                                                           : gone.error();
}

}  // namespace mxc
