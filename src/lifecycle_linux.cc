#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/peer.h"
#include "base/runtime_directory.h"
#include "engine/container_init.h"
#include "isolation_fallback.h"
#include "lifecycle_parts.h"
#include "plan/make_plan.h"
#include "policy/process.h"
#include "policy/resolve.h"
#include "remote/remote.h"

namespace mxc {
namespace {

constexpr std::uint32_t kStopLimitMs = 10000;

// Between commands something has to stay that holds them apart from the host: namespaces, and in them a /proc
// that shows the tree of each command.
bool CanStay(const Plan& plan) {
  return TraitsOf(plan.containment).persistent &&
         plan.isolation_level != IsolationLevel::kNamespacesOuterProc;
}

Error NoLifecycle(const Plan& plan, const Config& config) {
  Error error{
      .code = ErrorCode::kUnsupportedPhase,
      .message = fmt::format("the containment '{}' has no persistent sandboxes", Name(plan.containment)),
      .pointer = "/phase",
      .hint = "write \"containment\": \"process\", or run each command by itself, without a phase"};
  if (plan.isolation_level == IsolationLevel::kNone) return error;
  if (plan.isolation_level == IsolationLevel::kNamespacesOuterProc)
    error.message = "a persistent sandbox needs a /proc of its own, which the kernel refuses here";
  if (MeansProcess(config) && plan.isolation_level == IsolationLevel::kLandlock)
    error.message = "a persistent sandbox needs namespaces, which the kernel refuses here";
  error.hint = "run each command by itself, without a phase";
  return error;
}

}  // namespace

Result<Prepared> PrepareSandbox(const Config& config, const Options& options, const Host& host) {
  Result<Prepared> prepared = Prepare(config, options, host);
  if (!prepared) return prepared;
  if (!CanStay(prepared->plan)) return NoLifecycle(prepared->plan, config);
  prepared->plan.cwd_written = !config.process.cwd.empty();
  if (const Remote* const remote = RemoteOf(prepared->plan.containment)) {
    const Status fit = remote->sandboxes.check(prepared->policy, prepared->plan);
    if (!fit) return fit.error();
  }
  return prepared;
}

session::SessionLimits LimitsOf(const SessionConfig& config, const Policy& /*policy*/) {
  return {.idle_ms = config.idle_timeout_ms, .lifetime_ms = config.lifetime_ms};
}

// Nothing of this machine is visible on another.
Policy VisibleOf(const session::Entered& entry) {
  if (TraitsOf(entry.plan.containment).remote) return {.containment = entry.plan.containment};
  Policy policy{.containment = entry.plan.containment,
                .workspace = LinuxSandboxOf(entry.plan.launch)->workspace};
  for (const MountNode& node : LinuxSandboxOf(entry.plan.launch)->mounts) {
    if (const auto* bind = std::get_if<BindMount>(&node))
      policy.paths.push_back({.path = bind->source, .access = bind->access, .object = bind->object});
    if (const auto* mask = std::get_if<FileMask>(&node))
      policy.paths.push_back({.path = mask->target, .access = Access::kDenied, .object = mask->object});
  }
  // Of two at one place the later one shows, and a set of rules keeps the first.
  std::reverse(policy.paths.begin(), policy.paths.end());
  return policy;
}

Result<Plan> PlanOf(const Config& config, session::Entered& entry, const Host& host) {
  Plan plan = std::move(entry.plan);
  if (const Remote* const remote = RemoteOf(plan.containment))
    return remote->sandboxes.with_command(config.process, std::move(plan));
  auto& launch = std::get<PersistentLaunch>(plan.launch);
  LinuxSandbox& sandbox = launch.sandbox;
  const ProcessConfig& written = config.process;
  Process process{.argv = written.argv, .command_line = written.command_line};
  if (process.argv.empty()) process.argv = {"/bin/sh", "-c", written.command_line};
  sandbox.argv = process.argv;
  sandbox.environment = EnvironmentOf(written, std::move(sandbox.environment));
  if (!written.cwd.empty()) sandbox.cwd = sandbox.workspace.Inside(written.cwd);
  launch.terminal = host.Interactive() ? Terminal::kPrivatePty : Terminal::kInherit;
  plan.timeout_ms = written.timeout_ms;
  plan.command = process.argv.front();
  plan.shape = ShapeOf(process);
  plan.cwd = sandbox.cwd;
  return plan;
}

// LXC knows what it runs by the directory and the name that the launcher gave it. With the container's
// process 1 its run ends by itself.
bool EndRunNamed(const std::string& name, const Host& host) {
  const std::optional<std::string> stop = host.FindTool("lxc-stop");
  const std::optional<std::string> env = host.FindTool("env");
  if (!stop || !env) return false;
  for (const RuntimeDirectory& directory : RuntimeDirectory::Existing()) {
    const std::string place = directory.path + kLxcBelow;
    TakeModeBack(directory.descriptor.Get(), kLxcBelow + 1, 0700);
    // lxc-stop believes whoever answers there.
    if (!IsListenedOutsideSandboxes(LxcCommandSocket(place, name))) continue;
    const ToolRun run =
        host.Try({*env, "XDG_RUNTIME_DIR=" + place, *stop, "-P", place, "-n", name, "-k"}, kStopLimitMs);
    if (run.started && run.exit_code == 0) return true;
  }
  return false;
}

}  // namespace mxc
