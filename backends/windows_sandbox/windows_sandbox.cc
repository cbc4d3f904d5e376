#include "backends/windows_sandbox/windows_sandbox.h"

#include <string>
#include <string_view>
#include <utility>

#include "backends/windows_sandbox/folders.h"
#include "mxc/windows/sandbox_command.h"

namespace mxc::windows_sandbox {
namespace {

constexpr std::string_view kRemedy =
    "as administrator, on Windows Pro, Enterprise or Education: Enable-WindowsOptionalFeature -Online "
    "-FeatureName Containers-DisposableClientVM; then restart";

Support Usable(WindowsFacts facts) {
  return {.usable = true, .tier = Tier::kVirtualMachine, .windows = std::move(facts)};
}

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) return Usable({.windows_sandbox = true});
  if (host.System() != OperatingSystem::kWindows)
    return OfAnotherSystem(Containment::kWindowsSandbox, host.System());
  WindowsFacts facts = host.Windows();
  if (facts.windows_sandbox) return Usable(std::move(facts));
  return {.code = ErrorCode::kUnavailable,
          .reason = "Windows Sandbox is not installed (WindowsSandbox.exe)",
          .remedy = std::string(kRemedy),
          .windows = std::move(facts)};
}

// A network for the machine is one that reaches everything the host reaches.
Status CheckNetwork(const Network& network) {
  const std::string hint = "deny it, or use \"processcontainer\" or \"wslc\"";
  const auto refuse = [&hint](const std::string& pointer) {
    return Unenforceable("the machine has no network", pointer, hint);
  };
  if (network.egress == RuleAction::kAllow) return refuse(network.egress_pointer);
  if (network.share_host) return refuse(network.share_host_pointer);
  if (network.ingress == RuleAction::kAllow) return refuse(network.ingress_pointer);
  if (network.host_loopback == RuleAction::kAllow) return refuse(network.host_loopback_pointer);
  if (!network.allow.empty()) return refuse(network.allow.front().pointer);
  if (!network.publish.empty()) return refuse(network.publish.front().pointer);
  if (network.proxy) return refuse(network.proxy->pointer);
  return Done{};
}

void AddLedger(const Policy& policy, Plan& plan) {
  for (const PathRule& rule : policy.paths) {
    plan.AddToLedger(rule.pointer, rule.access == Access::kDenied
                                       ? "the machine has disks of its own: nothing is shared but folders"
                                   : rule.access == Access::kReadOnly ? "a shared folder, read-only"
                                                                      : "a shared folder");
  }
  const Network& network = policy.network;
  const std::string none = "a machine without a network adapter";
  plan.AddToLedger(network.egress_pointer.empty() ? "/network" : network.egress_pointer, none);
  for (const NetworkRule& rule : network.deny) plan.AddToLedger(rule.pointer, none);
  plan.AddToLedger(network.ingress_pointer, none);
  plan.AddToLedger(network.host_loopback_pointer, none);
  plan.AddToLedger(policy.private_temp_pointer, "the machine's own");
  const Ui& ui = policy.ui;
  for (const std::string* pointer : {&ui.disabled_pointer, &ui.clipboard_pointer, &ui.injection_pointer})
    plan.AddToLedger(*pointer, "a desktop of the machine's own, without the clipboard of the host");
}

// What would only be a warning for one command is a promise to all that follow.
Status CheckUi(const Policy& policy) {
  const Ui& ui = policy.ui;
  const bool standard = ui.disabled && ui.clipboard == Clipboard::kNone && !ui.injection;
  if (!policy.stays || standard) return Done{};
  return Unenforceable("the machine has a desktop of its own, and takes nothing of the host's in", "/ui",
                       "remove the section");
}

void AddWarnings(const Policy& policy, Plan& plan) {
  const Ui& ui = policy.ui;
  if (!ui.disabled || ui.clipboard != Clipboard::kNone || ui.injection) {
    plan.warnings.push_back({.category = "ui-not-given",
                             .message = "the machine has a desktop of its own: nothing of the host's",
                             .pointer = "/ui"});
  }
  const bool written = policy.section.kind == Json::Kind::kObject && !policy.section.members.empty();
  if (written && !policy.stays) {
    plan.warnings.push_back({.category = "without-effect",
                             .message = "idleTimeoutMs and daemonPipeName belong to a helper that is not "
                                        "needed: the machine ends with the command",
                             .pointer = "/windowsSandbox"});
  }
  if (policy.stays && policy.section.Find("daemonPipeName") != nullptr) {
    plan.warnings.push_back({.category = "without-effect",
                             .message = "there is no helper that one would reach through a pipe",
                             .pointer = "/windowsSandbox/daemonPipeName"});
  }
}

Result<Plan> MakePlanFor(const Policy& policy, const Support& /*support*/) {
  if (policy.output.Pumped()) {
    return Unenforceable(
        "the output of the machine is passed on untouched: it is neither capped nor redacted", "/output",
        "remove the section");
  }
  if (Status network = CheckNetwork(policy.network); !network) return network.error();
  if (Status ui = CheckUi(policy); !ui) return ui.error();
  Result<std::vector<MappedFolder>> folders = FoldersFor(policy.paths);
  if (!folders) return folders.error();
  const std::string start = folders->empty() ? "C:\\" : folders->front().path;
  Result<WindowsSandboxRun> made =
      WithCommand({.folders = std::move(*folders), .cwd = start}, policy.process);
  if (!made) return made.error();
  WindowsSandboxRun& run = *made;
  Plan plan{.containment = Containment::kWindowsSandbox, .tier = Tier::kVirtualMachine};
  AddLedger(policy, plan);
  for (const ResourceLimit& limit : policy.resources) {
    if (limit.resource != Resource::kMemory) continue;
    run.memory_bytes = limit.amount;
    plan.AddToLedger(limit.pointer, "memory of the machine");
  }
  AddWarnings(policy, plan);
  plan.not_covered = {"the command is an administrator of its machine",
                      "a person at the desktop sees the machine's window and can use it"};
  if (!policy.process.keeps_guest_environment)
    plan.not_covered.emplace_back("variables of the machine's own stay beside those of the policy");
  plan.launch = WindowsSandboxLaunch{.run = std::move(run)};
  return plan;
}

}  // namespace

const Backend& WindowsSandboxBackend() {
  static const Backend kBackend{
      .containment = Containment::kWindowsSandbox, .probe = Probe, .plan = MakePlanFor, .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::windows_sandbox
