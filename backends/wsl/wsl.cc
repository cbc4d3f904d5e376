#include "backends/wsl/wsl.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "backends/linux/guest_document.h"
#include "backends/wsl/paths.h"
#include "backends/wsl/section.h"
#include "mxc/limits.h"
#include "mxc/windows/path.h"
#include "mxc/windows/wsl_engine.h"
#include "mxc/windows/wsl_path.h"
#include "mxc/windows/wsl_run.h"

namespace mxc::wsl {
namespace {

// A distribution that is stopped takes longer to start, and is not started to answer a question.
constexpr std::uint32_t kAnswerLimitMs = 3000;
constexpr std::uint32_t kVersionWithKernel = 2;

Support Usable(WindowsFacts facts) {
  std::string program = facts.wsl;
  return {.usable = true,
          .tier = Tier::kContainer,
          .program = std::move(program),
          .features = {"filesystemDeniedPaths"},
          .windows = std::move(facts)};
}

// Docker's are no systems to run a command in.
bool IsForPrograms(const WslDistribution& distribution) {
  return distribution.version >= kVersionWithKernel && !distribution.name.starts_with("docker-desktop");
}

const WslDistribution* Choose(const WindowsFacts& facts, std::string_view name) {
  const auto fits = [name](const WslDistribution& distribution) {
    return name.empty() ? distribution.is_default : IsSameWindowsName(distribution.name, name);
  };
  const auto found = std::find_if(facts.wsl_distributions.begin(), facts.wsl_distributions.end(), fits);
  return found == facts.wsl_distributions.end() ? nullptr : &*found;
}

void Refuse(Support& support, std::string reason, std::string remedy) {
  support.usable = false;
  support.code = ErrorCode::kUnavailable;
  support.reason = std::move(reason);
  support.remedy = std::move(remedy);
}

// The mxc-exec of the default distribution, asked which of its engines can hold a run there.
void AskInside(const Host& host, Support& support) {
  const WslDistribution* distribution = Choose(support.windows, "");
  if (distribution == nullptr || !IsForPrograms(*distribution)) {
    support.warnings.emplace_back("the default distribution cannot be used: name one, wslc.distribution");
    return;
  }
  const std::string name = "the distribution '" + distribution->name + "'";
  const ToolRun run = host.Try({support.windows.wsl, "-d", distribution->name, "--exec", kProgram, "--probe"},
                               kAnswerLimitMs);
  if (run.timed_out)
    return Refuse(support, name + " did not answer in 3 s", "start it: wsl -d " + distribution->name);
  InnerProbe probe = run.started && run.exit_code == 0 ? ReadInnerProbe(WslText(run.out)) : InnerProbe{};
  if (probe.version.empty()) {
    return Refuse(support, name + " has no " + std::string(kProgram),
                  "install mxc-exec for Linux in it, or name its place: wslc.program");
  }
  if (probe.engines.empty()) {
    return Refuse(support, name + " allows neither namespaces nor bubblewrap",
                  "see why: wsl -d " + distribution->name + " --exec " + std::string(kProgram) + " --probe");
  }
  support.version = "mxc-exec " + probe.version;
  support.features.insert(support.features.end(), probe.engines.begin(), probe.engines.end());
}

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) {
    return Usable({.wsl = "C:\\Windows\\System32\\wsl.exe",
                   .wsl_distributions = {{.name = "Debian", .version = 2, .is_default = true}}});
  }
  if (host.System() != OperatingSystem::kWindows) return OfAnotherSystem(Containment::kWslc, host.System());
  WindowsFacts facts = host.Windows();
  if (facts.wsl.empty())
    return Unusable(ErrorCode::kUnavailable, "WSL is not installed", "as administrator: wsl --install");
  const bool any = std::any_of(facts.wsl_distributions.begin(), facts.wsl_distributions.end(), IsForPrograms);
  if (!any) {
    return Unusable(ErrorCode::kUnavailable, "WSL has no distribution of version 2",
                    "install one: wsl --install -d Debian; or convert one: wsl --set-version NAME 2");
  }
  Support support = Usable(std::move(facts));
  if (depth == ProbeDepth::kLive) AskInside(host, support);
  return support;
}

Result<std::string> DistributionFor(const Section& section, const WindowsFacts& facts) {
  const WslDistribution* chosen = Choose(facts, section.distribution);
  const std::string pointer = section.distribution.empty() ? "/containment" : "/wslc/distribution";
  if (chosen == nullptr) {
    return Unavailable(section.distribution.empty()
                           ? "WSL has no default distribution"
                           : "WSL has no distribution '" + section.distribution + "'",
                       pointer, "wsl --list --verbose shows those there are");
  }
  if (IsForPrograms(*chosen)) return chosen->name;
  return Unavailable("the distribution '" + chosen->name + "' has no Linux kernel of its own", pointer,
                     "name one of version 2, or convert it: wsl --set-version " + chosen->name + " 2");
}

// What of the network means Windows: to the sandbox inside, the host is the distribution.
Status CheckNetwork(const Network& network) {
  if (network.share_host) {
    return Unenforceable("the distribution has a network of its own, not that of Windows",
                         network.share_host_pointer, "allow what is needed with `egress`");
  }
  if (network.host_loopback == RuleAction::kAllow) {
    return Unenforceable("the loopback inside is that of the distribution, not that of Windows",
                         network.host_loopback_pointer, "deny it");
  }
  if (network.ingress == RuleAction::kAllow) {
    return Unenforceable("nothing outside reaches into the sandbox but published ports",
                         network.ingress_pointer, "deny it, and name the ports in `publish`");
  }
  if (network.proxy) {
    return Unenforceable("a proxy is reached from Windows, not from the distribution", network.proxy->pointer,
                         "name the hosts that may be reached in `egress.allow`");
  }
  for (const NetworkRule& rule : network.allow) {
    const bool icmp = std::any_of(rule.ports.begin(), rule.ports.end(),
                                  [](const PortRange& range) { return range.protocol == Protocol::kIcmp; });
    if (icmp)
      return Unenforceable("the network gateway of mxc-exec inside carries TCP and UDP, no ICMP",
                           rule.pointer, "remove `icmp` from the rule");
  }
  return Done{};
}

void AddNetwork(const Network& network, Plan& plan) {
  const bool open = network.egress == RuleAction::kAllow;
  const bool gateway = open || !network.allow.empty() || !network.publish.empty();
  plan.AddToLedger(
      network.egress_pointer,
      gateway ? "the network gateway of mxc-exec inside" : "a network namespace without a way out",
      gateway ? Strength::kTrustedProcess : Strength::kKernel);
  for (const auto* rules : {&network.allow, &network.deny}) {
    for (const NetworkRule& rule : *rules)
      plan.AddToLedger(rule.pointer, "the network gateway of mxc-exec inside", Strength::kTrustedProcess);
  }
  for (const PublishedPort& port : network.publish)
    plan.AddToLedger(port.pointer,
                     "published in the distribution; Windows leads its loopback there (localhostForwarding)",
                     Strength::kTrustedProcess);
  plan.AddToLedger(network.ingress_pointer, "a network namespace of its own");
  plan.AddToLedger(network.host_loopback_pointer, "a network namespace of its own");
  if (network.egress_pointer.empty()) plan.AddToLedger("/network", "a network namespace without a way out");
}

// Protection is held by mounts on names, so not on drives.
void AddProtection(const Policy& policy, const std::vector<PathRule>& paths, Plan& plan) {
  const auto writable = [](const PathRule& rule) {
    return rule.access == Access::kReadWrite && (IsOnDriveInWsl(rule.path) || rule.path == "/" ||
                                                 std::string_view(kWslDrives).starts_with(rule.path));
  };
  const bool held = std::none_of(paths.begin(), paths.end(), writable);
  for (const ProtectEntry& entry : policy.protect) {
    if (held) {
      plan.AddToLedger(entry.pointer, "read-only mounts of the sandbox inside");
    } else {
      plan.warnings.push_back(
          {.category = "protection-incomplete",
           .message = "`" + entry.preset +
                      "` is kept from accidents only: a drive of Windows knows a file by many names",
           .pointer = entry.pointer});
    }
  }
}

void AddStorage(const Json& section, Plan& plan) {
  const Json* const written = section.kind == Json::Kind::kObject ? section.Find("storagePath") : nullptr;
  if (written == nullptr || written->text.empty()) return;
  plan.warnings.push_back({.category = "without-effect",
                           .message = "nothing of a run is stored: images are the distribution's",
                           .pointer = "/wslc/storagePath"});
}

void AddUi(const Ui& ui, Plan& plan) {
  for (const std::string* pointer : {&ui.disabled_pointer, &ui.clipboard_pointer, &ui.injection_pointer})
    plan.AddToLedger(*pointer, "the sandbox inside has no display");
  if (ui.disabled && ui.clipboard == Clipboard::kNone && !ui.injection) return;
  plan.warnings.push_back({.category = "ui-not-given",
                           .message = "the sandbox inside has neither windows nor a clipboard",
                           .pointer = "/ui"});
}

// A name of a drive is itself; in lists that may hold patterns that has to be said.
std::vector<PathRule> AsLiterals(std::vector<PathRule> paths) {
  for (PathRule& rule : paths) {
    if (rule.access == Access::kReadWrite || !IsOnDriveInWsl(rule.path)) continue;
    std::string text;
    for (const char c : rule.path) {
      if (c == '[') text += '\\';
      text += c;
    }
    rule.path = std::move(text);
  }
  return paths;
}

// Windows' own names, for what on Windows is to stay out of the command's reach.
std::vector<MappedFolder> OnWindows(const std::vector<PathRule>& rules) {
  std::vector<MappedFolder> folders;
  for (const PathRule& rule : rules) {
    if (rule.access != Access::kDenied && IsOnDrive(rule.path))
      folders.push_back({.path = rule.path, .read_only = rule.access == Access::kReadOnly});
  }
  return folders;
}

std::vector<TextPart> ConfigFor(const Policy& policy, const Section& section,
                                const std::vector<PathRule>& paths, const std::string& cwd) {
  constexpr std::uint64_t kMegabyte = 1U << 20U;
  constexpr std::uint64_t kThousandths = 1000;
  std::vector<ResourceLimit> limits;
  if (section.memory_mb != 0)
    limits.push_back({.resource = Resource::kMemory, .amount = section.memory_mb * kMegabyte});
  if (section.cpus != 0)
    limits.push_back({.resource = Resource::kCpus, .amount = section.cpus * kThousandths});
  return linux_backend::GuestDocument(policy, {.paths = AsLiterals(paths),
                                               .image = section.image,
                                               .cwd = cwd,
                                               .timeout_ms = policy.process.timeout_ms,
                                               .minimum_tier = Tier::kContainer,
                                               .limits = std::move(limits),
                                               .ports = section.ports});
}

Result<Plan> MakeWslPlan(const Policy& policy, const Support& support) {
  Result<Section> section = ReadSection(policy.section);
  if (!section) return section.error();
  const Result<std::string> distribution = DistributionFor(*section, support.windows);
  if (!distribution) return distribution.error();
  if (Status network = CheckNetwork(policy.network); !network) return network.error();
  const Result<std::vector<PathRule>> paths = TranslateRules(policy.paths, *distribution);
  if (!paths) return paths.error();
  const Result<std::string> cwd = PathInWsl(policy.process.cwd, *distribution, policy.process.cwd_pointer);
  if (!cwd) return cwd.error();

  Plan plan{.containment = Containment::kWslc, .tier = Tier::kContainer};
  for (const PathRule& rule : *paths)
    plan.AddToLedger(rule.pointer, "the mount tree of the sandbox inside: " + rule.path);
  plan.AddToLedger(policy.private_temp_pointer, "a tmpfs of the sandbox inside");
  AddNetwork(policy.network, plan);
  AddProtection(policy, *paths, plan);
  AddUi(policy.ui, plan);
  AddStorage(policy.section, plan);
  for (const ResourceLimit& limit : policy.resources)
    plan.AddToLedger(limit.pointer, "a limit of Linux, or mxc-exec inside refuses to start");
  plan.not_covered = {"the kernel is shared with every distribution of the user",
                      "files on a drive carry no rights of Linux: what Windows lets the user do is possible"};
  plan.launch = WslLaunch{.run = {.distribution = *distribution,
                                  .program = section->program,
                                  .config = ConfigFor(policy, *section, *paths, *cwd),
                                  .folders = OnWindows(policy.paths)}};
  return plan;
}

}  // namespace

const Backend& WslBackend() {
  static const Backend kBackend{
      .containment = Containment::kWslc, .probe = Probe, .plan = MakeWslPlan, .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::wsl
