#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/runtime_directory.h"
#include "lifecycle.h"
#include "plan/make_plan.h"
#include "policy/process.h"
#include "policy/resolve.h"
#include "prepare.h"
#include "process/run.h"
#include "report/log.h"
#include "report/report.h"
#include "session/session.h"
#include "verdict.h"

namespace mxc {
namespace {

using Object = nlohmann::ordered_json;

constexpr std::uint32_t kStopLimitMs = 10000;

int Print(const Object& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, Object::error_handler_t::replace));
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

int Refuse(const Error& error, StatusReport& status) {
  status.Failed(error, 1);
  return Refuse(error);
}

// Between commands something has to stay that holds them apart from the host: namespaces, and in them a /proc
// that shows the tree of each command.
bool CanStay(const Plan& plan) {
  const bool always = plan.containment == Containment::kBubblewrap || plan.containment == Containment::kLxc;
  return always || plan.rung == Rung::kNamespaces;
}

Error NoLifecycle(const Plan& plan, const Config& config) {
  Error error{
      .code = ErrorCode::kUnsupportedPhase,
      .message = fmt::format("the containment '{}' has no sandboxes that stay", Name(plan.containment)),
      .pointer = "/phase",
      .hint = "write \"containment\": \"process\", or run each command by itself, without a phase"};
  if (plan.rung == Rung::kNone) return error;
  if (plan.rung == Rung::kNamespacesOuterProc)
    error.message = "a sandbox that stays needs a /proc of its own, which the kernel refuses here";
  if (MeansProcess(config) && plan.rung == Rung::kLandlock)
    error.message = "a sandbox that stays needs namespaces, which the kernel refuses here";
  error.hint = "run each command by itself, without a phase";
  return error;
}

// The policy of a provision request: what it would run, if it ran anything, is of no importance.
Result<Prepared> PrepareSandbox(Config config, const Options& options, const Host& host) {
  config.process = {.command_line = ":"};
  Result<Prepared> prepared = Prepare(config, options, host);
  if (!prepared) return prepared;
  if (!CanStay(prepared->plan)) return NoLifecycle(prepared->plan, config);
  return prepared;
}

int ProvisionPhase(const Config& config, Options options, const Host& host) {
  Result<Prepared> prepared = PrepareSandbox(config, options, host);
  if (!prepared) return Refuse(prepared.error());
  if (options.mode == Mode::kDryRun) return Succeed();
  std::string problem;
  if (Status apart = KeepRecordsApart(prepared->policy, host, options, problem); !apart)
    return Refuse(apart.error());
  Log log{false, options.log_file, problem};
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return Refuse(status.error());
  Warn(prepared->plan, log);
  status->Backend(prepared->plan, "a sandbox that stays");
  const Result<std::string> id = session::Provision(
      prepared->plan, {.idle_ms = config.session.idle_timeout_ms, .lifetime_ms = config.session.lifetime_ms});
  if (!id) return Refuse(id.error(), *status);
  const Plan& plan = prepared->plan;
  return Succeed({{"sandboxId", *id},
                  {"metadata", {{"containment", Name(plan.containment)}, {"tier", Name(plan.tier)}}}});
}

// The sandbox's plan with the command of the request.
Plan PlanOf(const Config& config, session::Entry& entry, const Host& host) {
  Plan plan = std::move(entry.plan);
  LinuxSandbox& sandbox = *plan.sandbox;
  const ProcessConfig& written = config.process;
  Process process{.argv = written.argv, .command_line = written.command_line};
  if (process.argv.empty()) process.argv = {"/bin/sh", "-c", written.command_line};
  sandbox.argv = process.argv;
  sandbox.environment = EnvironmentOf(written, std::move(sandbox.environment));
  if (!written.cwd.empty()) sandbox.cwd = written.cwd;
  plan.child = SessionChild{.terminal = host.Interactive() ? Terminal::kPrivatePty : Terminal::kInherit,
                            .connection = entry.connection.Get()};
  plan.timeout_ms = written.timeout_ms;
  plan.command = process.argv.front();
  plan.shape = ShapeOf(process);
  plan.cwd = sandbox.cwd;
  return plan;
}

// What goes wrong once the command runs is told as after a run: standard output was the command's.
int ExecPhase(const session::SandboxId& id, const Config& config, const Options& options, const Host& host) {
  std::string problem;
  Log log{false, options.log_file, problem};
  Result<StatusReport> status = StatusReport::Open(options.status_fd, options.result_file);
  if (!status) return Refuse(status.error());
  Result<session::Entry> entry = session::Enter(id);
  if (!entry) return Refuse(entry.error(), *status);
  const Plan plan = PlanOf(config, *entry, host);
  status->Backend(plan, "the sandbox's own");
  RunReporter reporter{*status, log, nullptr};
  const Result<Outcome> outcome = RunPlan(plan, reporter);
  if (outcome) return Finish(plan, *outcome, log, *status);
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
    if (listed.holder != 0) {
      entry["commands"] = listed.commands;
      entry["ageMs"] = listed.age_ms;
      entry["idleMs"] = listed.idle_ms;
      entry["holder"] = listed.holder;
    }
    list.push_back(std::move(entry));
  }
  return Print(list);
}

int PrintReaped() { return Print({{"reaped", session::Reap()}}); }

// LXC knows what it runs by the directory and the name that the launcher gave it. With the container's
// process 1 its run ends by itself.
Result<bool> EndContainer(const std::string& name, const Host& host) {
  if (const Result<session::SandboxId> id = session::ParseSandboxId(name)) {
    const Status gone = session::Deprovision(*id);
    if (gone) return true;
    const ErrorCode code = gone.error().code;
    return code == ErrorCode::kStaleId || code == ErrorCode::kNotProvisioned ? Result<bool>(false)
                                                                             : gone.error();
  }
  const std::optional<std::string> stop = host.FindTool("lxc-stop");
  const std::optional<std::string> env = host.FindTool("env");
  if (!stop || !env) return false;
  for (const RuntimeDirectory& directory : RuntimeDirectory::Existing()) {
    const std::string place = directory.path + kLxcBelow;
    const ToolRun run =
        host.Try({*env, "XDG_RUNTIME_DIR=" + place, *stop, "-P", place, "-n", name, "-k"}, kStopLimitMs);
    if (run.started && run.exit_code == 0) return true;
  }
  return false;
}

}  // namespace mxc
