#include "backends/appcontainer/appcontainer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "backends/appcontainer/access.h"
#include "backends/appcontainer/base.h"
#include "backends/appcontainer/network.h"
#include "backends/appcontainer/section.h"
#include "mxc/command_line.h"
#include "mxc/plan.h"
#include "mxc/policy.h"
#include "mxc/windows/app_container.h"

namespace mxc::appcontainer {
namespace {

constexpr std::size_t kMaxName = 64;            // CreateAppContainerProfile
constexpr std::size_t kMaxCommandLine = 32767;  // CreateProcess, in UTF-16 units with the end
constexpr std::uint32_t kAssumedBuild = 26100;  // Windows 11 24H2

Support Usable(WindowsFacts facts) {
  Support support{.usable = true, .tier = Tier::kProcess, .features = {"filesystemDeniedPaths"}};
  if (facts.security_environment) {
    support.features.emplace_back("ingressHostLoopbackAllow");
    support.features.emplace_back("proxyEnforcement");
  }
  support.windows = std::move(facts);
  return support;
}

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) {
    return Usable({.build = kAssumedBuild,
                   .app_container = true,
                   .capability_names = true,
                   .administrator = true,
                   .bfscfg = "C:\\Windows\\System32\\bfscfg.exe",
                   .system_drive = "C:",
                   .windows_directory = "C:\\Windows",
                   .profile_directory = "C:\\Users\\user"});
  }
  if (host.System() != OperatingSystem::kWindows)
    return OfAnotherSystem(Containment::kProcessContainer, host.System());
  WindowsFacts facts = host.Windows();
  const bool container = HasAppContainer(facts) || facts.security_environment || facts.create_in_sandbox;
  if (!facts.wine && container) return Usable(std::move(facts));
  Support support = Unusable(ErrorCode::kUnavailable,
                             facts.wine ? "Wine has no AppContainer"
                                        : "this Windows has no AppContainer (userenv.dll, kernelbase.dll)",
                             "it takes Windows 10 or later");
  support.windows = std::move(facts);
  return support;
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == ' ';
}

// A profile that stays is found again by its name; one that goes needs none.
Result<std::string> ProfileName(const Policy& policy) {
  if (policy.destroy_on_exit) return std::string();
  const std::string& name = policy.container_id;
  if (!name.empty() && name.size() <= kMaxName && std::all_of(name.begin(), name.end(), IsNameCharacter))
    return name;
  return Conflict("'" + name + "' is no name of an AppContainer that stays", "/containerId",
                  "write 1 to 64 letters, digits, '-', '_' and '.', or leave destroyOnExit true");
}

Result<std::string> CommandLine(const Process& process) {
  std::string line =
      process.command_line.empty() ? JoinArguments(process.argv, QuoteFor::kProgram) : process.command_line;
  const char* const pointer = process.command_line.empty() ? "/process/argv" : "/process/commandLine";
  if (line.find('\0') != std::string::npos)
    return Conflict("the command holds a NUL character", pointer, "remove it");
  // UTF-16 never takes more units than UTF-8 takes bytes.
  if (line.size() < kMaxCommandLine) return line;
  return Conflict("the command is longer than Windows allows, 32766 characters", pointer,
                  "put it into a script, and run that");
}

Status PlanBfs(const Policy& policy, const WindowsFacts& facts, AppContainerSandbox& sandbox) {
  Result<BfsAccess> access = BfsAccessFor(policy, sandbox.least_privilege, facts);
  if (!access) return access.error();
  sandbox.bfs = std::move(access->grants);
  sandbox.acl = std::move(access->denials);
  sandbox.bfs_kept = policy.windows.policy_preserved && !sandbox.name.empty();
  if (!sandbox.bfs_kept || sandbox.acl.empty()) return Done{};
  return Conflict("what bfscfg.exe grants would stay, and the denials in lists would not",
                  "/lifecycle/preservePolicy", "remove it, or the denied paths");
}

Status PlanAcl(const Policy& policy, const WindowsFacts& facts, AppContainerSandbox& sandbox) {
  Result<std::vector<AclChange>> acl = AclFor(policy, sandbox.least_privilege, facts);
  if (!acl) return acl.error();
  sandbox.acl = std::move(*acl);
  if (sandbox.acl.empty() || policy.windows.acl_changes_allowed) return Done{};
  return Unenforceable("the paths of the policy need entries in access control lists, which it forbids",
                       "/fallback/allowDaclMutation", "allow them, or remove the paths");
}

Status PlanAccess(const Policy& policy, const WindowsFacts& facts, AppContainerSandbox& sandbox, Plan& plan) {
  const bool bfs = BfsHolds(policy, sandbox.least_privilege, facts);
  if (Status planned = bfs ? PlanBfs(policy, facts, sandbox) : PlanAcl(policy, facts, sandbox); !planned)
    return planned;
  for (const BfsGrant& grant : sandbox.bfs)
    plan.ledger.push_back({grant.pointer, Strength::kKernel, "a grant by bfscfg.exe for the container"});
  for (const AclChange& change : sandbox.acl) {
    plan.ledger.push_back({change.pointer, Strength::kKernel,
                           change.type == AceType::kAllow
                               ? "an entry for the container in the object's list"
                               : "a denial for the container in the object's list"});
  }
  for (const PathRule& rule : policy.paths) {
    const auto same = [&](const auto& held) { return held.path == rule.path; };
    const bool held = std::any_of(sandbox.acl.begin(), sandbox.acl.end(), same) ||
                      std::any_of(sandbox.bfs.begin(), sandbox.bfs.end(), same);
    if (!held)
      plan.ledger.push_back({rule.pointer, Strength::kKernel,
                             rule.access == Access::kDenied
                                 ? "not there, and nothing can be created in its place"
                                 : "no entry: the lists of Windows let every AppContainer read it"});
  }
  return Done{};
}

void PlanUi(const Policy& policy, AppContainerSandbox& sandbox, Plan& plan) {
  sandbox.no_win32k = policy.ui.disabled;
  const std::string mechanism = "limits of the job: " + UiLimitNames(sandbox.ui_limits) +
                                (sandbox.no_win32k ? "; system calls of the window manager are refused" : "");
  for (const std::string* pointer :
       {&policy.ui.disabled_pointer, &policy.ui.clipboard_pointer, &policy.ui.injection_pointer}) {
    plan.AddToLedger(*pointer, mechanism);
  }
}

// The base container changes no list, so it needs no leave to, and what it knows of paths it says itself.
void PlanBase(const Policy& policy, BaseContract contract, Plan& plan) {
  const bool older = contract == BaseContract::kCreateInSandbox;
  const std::string by =
      older ? "by the base container" : "by the security environment of the base container";
  for (const PathRule& rule : policy.paths) {
    plan.ledger.push_back(
        {rule.pointer, Strength::kKernel, (rule.access == Access::kDenied ? "denied " : "granted ") + by});
  }
  if (older)
    plan.not_covered.emplace_back("the caller's console: the command shares it, and could type into it");
}

Status PlanContainer(const Policy& policy, const Section& section, const WindowsFacts& facts,
                     AppContainerSandbox& sandbox, Plan& plan) {
  sandbox.base = BaseContainerFor(policy, section, facts);
  if (sandbox.base) {
    PlanBase(policy, sandbox.base->contract, plan);
    return Done{};
  }
  if (HasAppContainer(facts)) return PlanAccess(policy, facts, sandbox, plan);
  return Unavailable(
      "the base container of this Windows does not hold the policy, and this Windows has "
      "no AppContainer",
      {}, "docs/backends/processcontainer.md says what each holds");
}

// The older contract starts programs itself, and takes no console for them.
Terminal TerminalFor(const Policy& policy, const AppContainerSandbox& sandbox) {
  const bool older = sandbox.base && sandbox.base->contract == BaseContract::kCreateInSandbox;
  return policy.interactive && !older ? Terminal::kPrivatePty : Terminal::kInherit;
}

// Those that a job does not hold get no entry in the ledger, which refuses them.
JobLimits PlanLimits(const Policy& policy, Plan& plan) {
  JobLimits limits;
  const auto hold = [&plan](const ResourceLimit& limit, std::uint64_t& field, std::string mechanism) {
    field = limit.amount;
    plan.ledger.push_back({limit.pointer, Strength::kKernel, std::move(mechanism)});
  };
  for (const ResourceLimit& limit : policy.resources) {
    switch (limit.resource) {
      case Resource::kMemory:
        hold(limit, limits.memory_bytes, "committed memory of the job");
        break;
      case Resource::kCpus:
        hold(limit, limits.cpu_permille, "rate of the job, as its share of all processors");
        break;
      case Resource::kProcesses:
        hold(limit, limits.processes, "active processes of the job; threads are not counted");
        plan.not_covered.emplace_back("threads are not counted: the limit is one of processes");
        break;
      case Resource::kCpuTime:
        hold(limit, limits.cpu_time_ms, "counted by the job; the launcher ends it");
        break;
      case Resource::kOpenFiles:
      case Resource::kTmp:
      case Resource::kFileSize:
        break;
    }
  }
  return limits;
}

Result<Plan> MakeAppContainerPlan(const Policy& policy, const Support& support) {
  Result<Section> section = ReadSection(policy.section);
  if (!section) return section.error();
  Result<std::string> name = ProfileName(policy);
  if (!name) return name.error();
  Result<std::string> line = CommandLine(policy.process);
  if (!line) return line.error();

  AppContainerSandbox sandbox{.name = std::move(*name),
                              .capabilities = std::move(section->capabilities),
                              .least_privilege = section->least_privilege,
                              .ui_limits = UiLimits(policy.ui, *section, support.windows.build),
                              .command_line = std::move(*line),
                              .environment = policy.process.environment,
                              .cwd = policy.process.cwd};
  Plan plan{.containment = Containment::kProcessContainer, .tier = Tier::kProcess};
  if (!sandbox.least_privilege)
    plan.not_covered.emplace_back(
        "files that every AppContainer may read stay readable: Windows and installed programs");
  plan.not_covered.emplace_back("names and existence of files: their directories' lists decide");
  if (section->learning_mode) sandbox.capabilities.emplace_back("learningModeLogging");
  if (Status done = PlanContainer(policy, *section, support.windows, sandbox, plan); !done)
    return done.error();
  if (Status done = PlanNetwork(policy, *section, support.windows, sandbox, plan); !done) return done.error();
  PlanUi(policy, sandbox, plan);
  if (!policy.private_temp_pointer.empty())
    plan.ledger.push_back(
        {policy.private_temp_pointer, Strength::kKernel, "a folder of the container's own, named by TEMP"});
  sandbox.limits = PlanLimits(policy, plan);
  const bool denies = std::any_of(sandbox.acl.begin(), sandbox.acl.end(),
                                  [](const AclChange& change) { return change.type == AceType::kDeny; });
  if (denies)
    plan.not_covered.emplace_back(
        "a directory can be moved with what is denied in it; the denial goes along");
  const Terminal terminal = TerminalFor(policy, sandbox);
  plan.launch = AppContainerLaunch{.sandbox = std::move(sandbox), .terminal = terminal};
  return plan;
}

}  // namespace

const Backend& AppContainerBackend() {
  static const Backend kBackend{.containment = Containment::kProcessContainer,
                                .probe = Probe,
                                .plan = MakeAppContainerPlan,
                                .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::appcontainer
