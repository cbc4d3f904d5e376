#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "isolation_fallback.h"
#include "lifecycle_parts.h"
#include "mxc/windows/path.h"
#include "mxc/windows/sandbox_command.h"
#include "mxc/windows/wsl_path.h"
#include "mxc/windows/wsl_sandbox.h"
#include "plan/make_plan.h"
#include "policy/as_written.h"
#include "policy/process.h"
#include "policy/resolve.h"

namespace mxc {
namespace {

// Where the records of sandboxes are, as the file system writes it; empty: they are nowhere.
std::string PlaceOfRecords(const Host& host) {
  const std::optional<std::string> local = host.Environment("LOCALAPPDATA");
  if (!local) return {};
  const Result<std::string> real = host.ReadLink(*local);
  return (real ? *real : *local) + "\\mxc-exec";
}

bool Overlap(const std::string& path, const std::string& other, const Launch& launch) {
  const auto* const wsl = std::get_if<WslLaunch>(&launch);
  if (wsl == nullptr) return IsAtOrBelowOnWindows(path, other) || IsAtOrBelowOnWindows(other, path);
  const Result<std::string> inside = PathInWsl(path, wsl->run.distribution, "");
  const Result<std::string> place = PathInWsl(other, wsl->run.distribution, "");
  return inside && place && (IsAtOrBelowInWsl(*inside, *place) || IsAtOrBelowInWsl(*place, *inside));
}

// Of the record that each phase reads: what is run on this machine, and secrets of the environment.
Status KeepStateApart(const Prepared& prepared, const Host& host) {
  const std::string place = PlaceOfRecords(host);
  for (const PathRule& rule : prepared.policy.paths) {
    if (rule.access == Access::kDenied || place.empty()) continue;
    if (!Overlap(rule.path, place, prepared.plan.launch)) continue;
    return Conflict(
        fmt::format("{} reaches what mxc-exec keeps of sandboxes, in {}", Quoted(rule.path), Quoted(place)),
        rule.pointer, "grant the directories that the commands need, one by one");
  }
  return Done{};
}

const std::vector<MappedFolder>& FoldersOf(const Launch& launch) {
  const auto* const wsl = std::get_if<WslLaunch>(&launch);
  return wsl != nullptr ? wsl->run.folders : std::get<WindowsSandboxLaunch>(launch).run.folders;
}

// `cwd`: as it is to be inside.
Status PutIntoWsl(const ProcessConfig& written, const std::string& cwd, WslLaunch& launch) {
  WslCommand command{.argv = written.argv,
                     .command_line = written.command_line,
                     .environment = written.environment.value_or(std::vector<Variable>{}),
                     .exact = written.environment && !KeepsStandardEnvironment(written),
                     .timeout_ms = written.timeout_ms};
  if (!cwd.empty()) {
    Result<std::string> inside = PathInWsl(cwd, launch.run.distribution, written.cwd_pointer);
    if (!inside) return inside.error();
    command.cwd = std::move(*inside);
  }
  launch.run.config = {Secret{WslExecDocument(launch.inside, command)}};
  return Done{};
}

}  // namespace

// Of the others nothing stays between two commands, whether this host has them or not.
Result<Prepared> PrepareSandbox(const Config& config, const Options& options, const Host& host) {
  const Result<Containment> containment =
      SelectContainment(config, host.System(), {.experimental = options.experimental});
  if (!containment) return containment.error();
  if (TraitsOf(*containment).persistent) {
    Result<Prepared> prepared = Prepare(config, options, host);
    const Status apart = prepared ? KeepStateApart(*prepared, host) : Status(Done{});
    return apart ? std::move(prepared) : Result<Prepared>(apart.error());
  }
  return Error{.code = ErrorCode::kUnsupportedPhase,
               .message = fmt::format("the containment '{}' has no persistent sandboxes", Name(*containment)),
               .pointer = "/phase",
               .hint =
                   "write \"containment\": \"windows_sandbox\" or \"wslc\", or run each command by itself, "
                   "without a phase"};
}

// Of the two places where a document may say how long, the shorter counts.
session::SessionLimits LimitsOf(const SessionConfig& config, const Policy& policy) {
  session::SessionLimits limits{.idle_ms = config.idle_timeout_ms, .lifetime_ms = config.lifetime_ms};
  const Json* const written = policy.section.Find("idleTimeoutMs");
  if (written == nullptr || written->integer == 0) return limits;
  limits.idle_ms = limits.idle_ms == 0 ? written->integer : std::min(limits.idle_ms, written->integer);
  return limits;
}

Policy VisibleOf(const session::Entered& entry) {
  Policy policy{.containment = entry.plan.containment,
                .system = OperatingSystem::kWindows,
                .path_style = PathStyle::kWindows};
  for (const MappedFolder& folder : FoldersOf(entry.plan.launch)) {
    const Access access = folder.read_only ? Access::kReadOnly : Access::kReadWrite;
    policy.paths.push_back({.path = folder.path, .access = access});
  }
  return policy;
}

Result<Plan> PlanOf(const Config& config, session::Entered& entry, const Host& /*host*/) {
  Plan plan = std::move(entry.plan);
  const ProcessConfig& written = config.process;
  Process process{.argv = written.argv, .command_line = written.command_line};
  process.environment = EnvironmentOf(written, {});
  if (!written.cwd.empty()) {
    Result<std::string> cwd = NormaliseWritten(
        {.path = written.cwd, .pointer = written.cwd_pointer},
        {.system = OperatingSystem::kWindows, .with_guest = TraitsOf(plan.containment).linux_guest});
    if (!cwd) return cwd.error();
    process.cwd = std::move(*cwd);
    process.cwd_pointer = written.cwd_pointer;
  }
  plan.cwd = process.cwd;
  if (auto* const wsl = std::get_if<WslLaunch>(&plan.launch)) {
    if (Status put = PutIntoWsl(written, process.cwd, *wsl); !put) return put.error();
  } else {
    WindowsSandboxRun& folders = std::get<WindowsSandboxLaunch>(plan.launch).run;
    Result<WindowsSandboxRun> run = WithCommand(std::move(folders), process);
    if (!run) return run.error();
    plan.cwd = run->cwd;
    folders = std::move(*run);
  }
  if (process.argv.empty()) process.argv = {written.command_line};
  plan.timeout_ms = written.timeout_ms;
  plan.command = process.argv.front();
  plan.shape = ShapeOf(process);
  return plan;
}

bool EndRunNamed(const std::string& /*name*/, const Host& /*host*/) { return false; }

}  // namespace mxc
