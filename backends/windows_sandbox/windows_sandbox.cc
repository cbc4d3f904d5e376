#include "backends/windows_sandbox/windows_sandbox.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "backends/windows_sandbox/folders.h"
#include "mxc/command_line.h"
#include "mxc/windows_path.h"
#include "mxc/windows_sandbox_run.h"

namespace mxc::windows_sandbox {
namespace {

// cmd.exe takes 8191 characters of a line; our own words around the command take some.
constexpr std::size_t kMaxLine = 8000;
constexpr std::string_view kRemedy =
    "as administrator, on Windows Pro, Enterprise or Education: Enable-WindowsOptionalFeature -Online "
    "-FeatureName Containers-DisposableClientVM; then restart";

Support Usable(WindowsFacts facts) {
  return {.usable = true, .tier = Tier::kVirtualMachine, .windows = std::move(facts)};
}

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) return Usable({.windows_sandbox = true});
  if (host.System() != OperatingSystem::kWindows) {
    return {.code = ErrorCode::kUnsupported,
            .reason = "the windows_sandbox backend belongs to Windows",
            .remedy = "use a containment of this system"};
  }
  WindowsFacts facts = host.Windows();
  if (facts.windows_sandbox) return Usable(std::move(facts));
  return {.code = ErrorCode::kUnavailable,
          .reason = "Windows Sandbox is not installed (WindowsSandbox.exe)",
          .remedy = std::string(kRemedy),
          .windows = std::move(facts)};
}

Error Refuse(ErrorCode code, std::string message, std::string pointer, std::string hint) {
  return {
      .code = code, .message = std::move(message), .pointer = std::move(pointer), .hint = std::move(hint)};
}

// A network for the machine is one that reaches everything the host reaches.
Status CheckNetwork(const Network& network) {
  const std::string hint = "deny it, or use \"processcontainer\" or \"wslc\"";
  const auto refuse = [&hint](const std::string& pointer) {
    return Refuse(ErrorCode::kUnenforceable, "the machine has no network", pointer, hint);
  };
  if (network.egress == Verdict::kAllow) return refuse(network.egress_pointer);
  if (network.share_host) return refuse(network.share_host_pointer);
  if (network.ingress == Verdict::kAllow) return refuse(network.ingress_pointer);
  if (network.host_loopback == Verdict::kAllow) return refuse(network.host_loopback_pointer);
  if (!network.allow.empty()) return refuse(network.allow.front().pointer);
  if (!network.publish.empty()) return refuse(network.publish.front().pointer);
  if (network.proxy) return refuse(network.proxy->pointer);
  return Done{};
}

Result<std::string> CommandLine(const Process& process) {
  std::string line =
      process.command_line.empty() ? JoinArguments(process.argv, QuoteFor::kCmd) : process.command_line;
  const char* const pointer = process.command_line.empty() ? "/process/argv" : "/process/commandLine";
  const std::string hint = "put it into a script in a folder that the policy grants, and run that";
  if (line.find_first_of(std::string("\0\r\n", 3)) != std::string::npos)
    return Refuse(ErrorCode::kConflict, "the command has more than one line", pointer, hint);
  if (line.size() > kMaxLine)
    return Refuse(ErrorCode::kConflict, "the command is longer than cmd.exe takes", pointer, hint);
  return line;
}

Status CheckEnvironment(const Process& process) {
  for (const Variable& variable : process.environment) {
    const std::string& value = variable.value.Reveal();
    const bool lines = value.find_first_of(std::string("\0\r\n", 3)) != std::string::npos;
    if (!lines && variable.name.size() + value.size() <= kMaxLine) continue;
    return Refuse(ErrorCode::kConflict,
                  "the variable '" + variable.name + "' has " +
                      (lines ? "more than one line" : "more characters than cmd.exe takes"),
                  "/process/env", "put the value into a file in a folder that the policy grants");
  }
  return Done{};
}

Result<std::string> Directory(const Process& process, const std::vector<MappedFolder>& folders) {
  if (process.cwd_pointer.empty()) return folders.empty() ? std::string("C:\\") : folders.front().path;
  const bool shared = std::any_of(folders.begin(), folders.end(), [&](const MappedFolder& folder) {
    return IsAtOrBelowOnWindows(process.cwd, folder.path);
  });
  if (shared) return process.cwd;
  return Refuse(ErrorCode::kConflict, "cwd '" + process.cwd + "' is not in a folder of the policy",
                process.cwd_pointer, "choose a directory the policy grants");
}

void Add(Plan& plan, const std::string& pointer, std::string mechanism) {
  if (!pointer.empty()) plan.ledger.push_back({pointer, Strength::kKernel, std::move(mechanism)});
}

void AddLedger(const Policy& policy, Plan& plan) {
  for (const PathRule& rule : policy.paths) {
    Add(plan, rule.pointer,
        rule.access == Access::kDenied     ? "the machine has disks of its own: nothing is shared but folders"
        : rule.access == Access::kReadOnly ? "a shared folder, read-only"
                                           : "a shared folder");
  }
  const Network& network = policy.network;
  const std::string none = "a machine without a network adapter";
  Add(plan, network.egress_pointer.empty() ? "/network" : network.egress_pointer, none);
  for (const NetworkRule& rule : network.deny) Add(plan, rule.pointer, none);
  Add(plan, network.ingress_pointer, none);
  Add(plan, network.host_loopback_pointer, none);
  Add(plan, policy.private_temp_pointer, "the machine's own");
  const Ui& ui = policy.ui;
  for (const std::string* pointer : {&ui.disabled_pointer, &ui.clipboard_pointer, &ui.injection_pointer})
    Add(plan, *pointer, "a desktop of the machine's own, without the clipboard of the host");
}

void AddWarnings(const Policy& policy, Plan& plan) {
  const Ui& ui = policy.ui;
  if (!ui.disabled || ui.clipboard != Clipboard::kNone || ui.injection) {
    plan.warnings.push_back({.category = "ui-not-given",
                             .message = "the machine has a desktop of its own: nothing of the host's",
                             .pointer = "/ui"});
  }
  if (policy.section.kind == Json::Kind::kObject && !policy.section.members.empty()) {
    plan.warnings.push_back({.category = "without-effect",
                             .message = "idleTimeoutMs and daemonPipeName belong to a helper that is not "
                                        "needed: the machine ends with the command",
                             .pointer = "/windowsSandbox"});
  }
}

Result<Plan> MakePlanFor(const Policy& policy, const Support& /*support*/) {
  if (policy.output.Pumped()) {
    return Refuse(ErrorCode::kUnenforceable,
                  "the output of the machine is passed on untouched: it is neither capped nor redacted",
                  "/output", "remove the section");
  }
  if (Status network = CheckNetwork(policy.network); !network) return network.error();
  if (Status environment = CheckEnvironment(policy.process); !environment) return environment.error();
  Result<std::vector<MappedFolder>> folders = FoldersFor(policy.paths);
  if (!folders) return folders.error();
  Result<std::string> line = CommandLine(policy.process);
  if (!line) return line.error();
  Result<std::string> cwd = Directory(policy.process, *folders);
  if (!cwd) return cwd.error();

  WindowsSandboxRun run{.folders = std::move(*folders),
                        .command_line = std::move(*line),
                        .environment = policy.process.environment,
                        .cwd = std::move(*cwd)};
  Plan plan{.containment = Containment::kWindowsSandbox,
            .tier = Tier::kVirtualMachine,
            .child = WindowsSandboxChild{}};
  AddLedger(policy, plan);
  for (const ResourceLimit& limit : policy.resources) {
    if (limit.resource != Resource::kMemory) continue;
    run.memory_bytes = limit.amount;
    Add(plan, limit.pointer, "memory of the machine");
  }
  AddWarnings(policy, plan);
  plan.not_covered = {"the command is an administrator of its machine",
                      "a person at the desktop sees the machine's window and can use it"};
  if (!policy.process.keeps_guest_environment)
    plan.not_covered.emplace_back("variables of the machine's own stay beside those of the policy");
  plan.windows_sandbox = std::move(run);
  return plan;
}

}  // namespace

const Backend& WindowsSandboxBackend() {
  static constexpr Backend kBackend{
      .containment = Containment::kWindowsSandbox, .probe = Probe, .plan = MakePlanFor};
  return kBackend;
}

}  // namespace mxc::windows_sandbox
