#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/quoted.h"
#include "kubernetes/pod_document.h"
#include "kubernetes/remote/pod_sandbox.h"
#include "plan/make_plan.h"
#include "policy/paths/paths.h"
#include "policy/process.h"
#include "report/report.h"

namespace mxc::kubernetes {
namespace {

// How long a command may take in what is left of the claim's time, which begins anew with it.
std::uint32_t LongestInPod(const KubernetesLaunch& launch) {
  const KeptPod& kept = *launch.kept;
  const std::int64_t now_s = static_cast<std::int64_t>(std::time(nullptr)) + kept.clock_ahead_s;
  std::int64_t left_s = launch.run.ttl_s;
  if (kept.ends_s != 0) left_s = std::clamp<std::int64_t>(kept.ends_s - now_s, 1, left_s);
  return LongestCommandMs(static_cast<std::uint32_t>(left_s));
}

}  // namespace

Status KeepProgramApart(const Policy& policy, const Plan& plan) {
  const PodRun& run = std::get<KubernetesLaunch>(plan.launch).run;
  for (const std::string& path : {run.program, std::string("/tmp")}) {
    for (const PathRule& rule : policy.paths) {
      if (rule.access != Access::kReadWrite || !IsAtOrBelow(path, rule.path)) continue;
      return Conflict(fmt::format("in a pod that stays, {} may not be written: a command could replace "
                                  "the mxc-exec that holds the commands after it",
                                  Quoted(path)),
                      rule.pointer,
                      "grant a directory below, or run each command by itself, without a phase");
    }
  }
  return Done{};
}

Result<Plan> PlanInPod(const ProcessConfig& written, Plan plan) {
  auto& launch = std::get<KubernetesLaunch>(plan.launch);
  const std::uint32_t longest = LongestInPod(launch);
  plan.timeout_ms = written.timeout_ms == 0 ? longest : std::min(written.timeout_ms, longest);
  if (written.timeout_ms > longest)
    PrintWarning(fmt::format("the command is ended after {} ms: the claim has no more time", longest));
  Result<std::string> config = WithCommand(
      RevealedText(launch.run.config), {.argv = written.argv,
                                        .command_line = written.command_line,
                                        .cwd = written.cwd,
                                        .environment = written.environment.value_or(std::vector<Variable>{}),
                                        .exact = written.environment && !KeepsStandardEnvironment(written),
                                        .timeout_ms = plan.timeout_ms});
  if (!config) return config.error();
  launch.run.config = {Secret{std::move(*config)}};
  Process process{.argv = written.argv, .command_line = written.command_line};
  if (process.argv.empty()) process.argv = {"/bin/sh", "-c", written.command_line};
  plan.command = process.argv.front();
  plan.shape = ShapeOf(process);
  plan.cwd = written.cwd.empty() ? launch.run.workspace : written.cwd;
  return plan;
}

}  // namespace mxc::kubernetes
