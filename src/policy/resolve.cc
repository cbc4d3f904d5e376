#include "policy/resolve.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "ceiling/ceiling_files.h"
#include "ceiling/cut_config.h"
#include "ceiling/cut_entries.h"
#include "policy/as_written.h"
#include "policy/cgroups.h"
#include "policy/clauses.h"
#include "policy/client_retries.h"
#include "policy/closed.h"
#include "policy/image.h"
#include "policy/network_warnings.h"
#include "policy/own_places.h"
#include "policy/own_state.h"
#include "policy/paths/baseline.h"
#include "policy/paths/entries.h"
#include "policy/paths/homes.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/mounts.h"
#include "policy/paths/paths.h"
#include "policy/paths/pipes.h"
#include "policy/paths/rules.h"
#include "policy/paths/spelling.h"
#include "policy/paths/ways.h"
#include "policy/process.h"
#include "policy/protect/git_identity.h"
#include "policy/protect/protect.h"
#include "policy/records.h"
#include "policy/second_names.h"
#include "policy/sockets.h"
#include "policy/tools.h"
#include "policy/unreachable.h"
#include "policy/upstream.h"
#include "policy/windows.h"
#include "policy/without_shell.h"
#include "policy/workspace.h"

namespace mxc {
namespace {

std::vector<ProtectEntry> ProtectOf(const Config& config) {
  std::vector<ProtectEntry> entries;
  for (const PresetEntry& entry : config.protect)
    entries.push_back({.preset = std::string(Name(entry.preset)), .pointer = entry.pointer});
  return entries;
}

// Decode has made a shared /tmp a read-write entry like any other.
std::vector<std::string> RelaxationsOf(const Config& config) {
  const bool shared = std::any_of(config.read_write.begin(), config.read_write.end(),
                                  [](const PathEntry& entry) { return entry.pointer == "/filesystem/temp"; });
  return shared ? std::vector<std::string>{"shared-temp"} : std::vector<std::string>{};
}

// Copies the clauses that do not depend on the machine.
Policy Copy(const Config& config, Containment containment, OperatingSystem system) {
  const bool windows = system == OperatingSystem::kWindows;
  return {.containment = containment,
          .container_id = config.container_id,
          .system = system,
          .path_style = windows ? PathStyle::kWindows : PathStyle::kPosix,
          .private_temp_pointer = config.private_temp_pointer,
          .protect = ProtectOf(config),
          .network = config.network,
          .ui = config.ui,
          .destroy_on_exit = config.destroy_on_exit,
          .windows = {.acl_changes_allowed = config.acl_changes_allowed,
                      .bfs_allowed = config.bfs_allowed,
                      .loopback_exemption_allowed = config.loopback_exemption_allowed,
                      .policy_preserved = config.policy_preserved},
          .section = config.backend_section,
          .output = config.output,
          .resources = config.resources,
          .minimum_tier = config.minimum_tier,
          .stays = config.phase == Phase::kProvision,
          .relaxations = RelaxationsOf(config)};
}

// The mounts, below baseline and grants alike, because entries of the policy must hold under every name.
// Empty, with a warning, where an outer sandbox hides them.
Result<std::vector<Mount>> MountsOf(const Host& host, const std::vector<ExaminedEntry>& entries, bool image,
                                    Policy& policy) {
  if (entries.empty() && !image) return std::vector<Mount>{};
  if (TraitsOf(policy.containment).mounts || !MountsAreHidden(host)) return ReadMounts(host);
  policy.warnings.push_back(
      {.category = "kernel-mount",
       .message =
           "an outer sandbox hides the mounts: file systems of the kernel below a grant are as far out of "
           "reach as that one keeps them, and what a mount shows under a second name is not found"});
  return std::vector<Mount>{};
}

// The preset `git`, where it is in force.
const std::string* GitOf(const Config& config) {
  for (const PresetEntry& entry : config.protect) {
    if (entry.preset == Preset::kGit) return &entry.pointer;
  }
  return nullptr;
}

// "allow-safe" needs a run on this machine, which checks the file when the command has ended, and its cleanup
// process, which restores it.
Status CheckSafeConfig(const Config& config, Containment containment, OperatingSystem system) {
  const bool here = system == OperatingSystem::kLinux && !TraitsOf(containment).own_system;
  for (const PresetEntry& entry : config.protect) {
    if (!entry.safe_config || (here && config.phase != Phase::kProvision)) continue;
    return Unenforceable(here ? "configurations of git's cannot be left to a persistent sandbox"
                              : "configurations of git's are judged on this machine, and on Linux, alone",
                         entry.pointer, "write \"config\": \"read-only\"");
  }
  return Done{};
}

Status CheckTemp(const Config& config, const RuleSet& rules, const Policy& policy) {
  const PathRule* rule = rules.Find(TempOf(policy.system));
  if (config.private_temp_pointer.empty() || rule == nullptr) return Done{};
  return Conflict("`temp` is private, but " + rule->pointer + " is an entry for the host's /tmp",
                  config.private_temp_pointer, "remove one of the two");
}

// Our own engine takes the source of a grant from the launcher, which can traverse every directory.
bool LauncherCopies(Containment containment) {
  return containment == Containment::kNamespaces || containment == Containment::kLxc;
}

// After the entries of the policy: a tool that these show or deny needs no grant.
Status ExamineTools(const Config& config, const Host& host, PathWalker& walker,
                    std::vector<ExaminedEntry>& entries, Tools& tools, std::vector<Warning>& warnings) {
  tools = FindTools(host, config.tools_pointer, RulesOf(entries), walker);
  Config inherited;
  inherited.read_only = tools.entries;
  Result<std::vector<ExaminedEntry>> more =
      ExamineEntries(inherited, host, walker, warnings, GrantedLinks::kJudged);
  if (!more) return more.error();
  std::move(more->begin(), more->end(), std::back_inserter(entries));
  return Done{};
}

// Grants of paths that a ceiling's presets protect are cut like any other.
Status Protect(const Config& config, const Host& host, const MountNames& names, const Bounds& bounds,
               RuleSet& rules, Policy& policy) {
  const Result<std::vector<TakenGrant>> taken = AddProtection(config, host, names, rules, policy);
  if (!taken) return taken.error();
  for (std::size_t i = 0; bounds.ceiling != nullptr && i < bounds.ceiling->sections.size(); ++i) {
    const CeilingSection& section = bounds.ceiling->sections[i];
    for (const TakenGrant& grant : *taken) {
      for (std::size_t k = 0; k < section.require.protect.size(); ++k) {
        if (section.require.protect[k] != grant.preset) continue;
        bounds.cuts->Add(section, "/require/protect/" + std::to_string(k), grant.pointer,
                         Quoted(grant.path) + " is protected");
      }
    }
  }
  return Done{};
}

struct PathsRequest {
  const Config& config;
  const Host& host;
  const ResolveOptions& options;
  // The canonical directory of the image that takes the place of the baseline; "": none does.
  const std::string& image;
  PathWalker& walker;
  const CeilingFiles& ceiling;
};

// The entries of the policy and of tools, cut by the ceiling, under each of their names.
Result<std::vector<ExaminedEntry>> EntriesOf(const PathsRequest& request, Policy& policy, Tools& tools) {
  const auto& [config, host, options, image, walker, ceiling] = request;
  const Bounds& bounds = options.bounds;
  Result<std::vector<ExaminedEntry>> entries = ExamineEntries(config, host, walker, policy.warnings);
  if (!entries) return entries;
  YieldToPolicy(*entries);
  const bool inherits = !config.tools_pointer.empty() && policy.system == OperatingSystem::kLinux &&
                        image.empty() && TraitsOf(policy.containment).isolates;
  if (inherits) {
    if (Status added = ExamineTools(config, host, walker, *entries, tools, policy.warnings); !added)
      return added.error();
  }
  // A ceiling adds entries for what it narrows, so aliases must be denied first.
  if (bounds.ceiling != nullptr) {
    TightenAliases(*entries, policy.warnings);
    CutEntries(ceiling, *entries, *bounds.cuts);
  }
  // Which file a path inside names depends on what is granted.
  if (!image.empty()) {
    const ImageRequest inside{.host = host,
                              .walker = walker,
                              .directory = image,
                              .workspace = policy.workspace,
                              .ceiling = bounds.ceiling,
                              .cuts = bounds.cuts};
    if (Status denied = DenyByPathsInside(inside, config.denied, *entries, policy.warnings); !denied)
      return denied.error();
  }
  TightenAliases(*entries, policy.warnings);
  RepeatUnderAliases(*entries, walker);
  return entries;
}

// The order matters: each step sees the rules of those before.
Status AddBaselineAndDenials(const PathsRequest& request, const Tools& tools, const MountNames& names,
                             const std::vector<ExaminedEntry>& entries, RuleSet& rules, Policy& policy) {
  const auto& [config, host, options, image, walker, ceiling] = request;
  const std::vector<OwnPlace> own_places =
      rules.HasGrantOfPolicy() ? FindOwnPlaces(host, walker) : std::vector<OwnPlace>{};
  if (Status denied =
          ProtectOwnState(host, own_places, names, entries, options.policy_file, walker, rules, policy);
      !denied)
    return denied;
  if (image.empty()) {
    AddBaseline(host, walker, rules, policy.links);
  } else {
    AddSecretMasks(host, walker, rules);
  }
  for (const std::string& path : tools.not_tools) MaskSecret(host, walker, rules, path);
  // Under Landlock alone the command has no Unix sockets, and nothing can be masked.
  if (TraitsOf(policy.containment).mounts) {
    Status denied =
        DenySockets(host, own_places, config.tools_pointer, names, walker, rules, policy.warnings);
    if (!denied) return denied;
    if (Status piped = DenyPipes(host, walker, rules, policy.warnings); !piped) return piped;
    WarnOfOwnNodes(entries, policy.warnings);
  }
  CloseToOthers(host, policy.containment, names, walker, rules);
  if (Status held = HoldSecondNames(names, GitOf(config), walker, rules, policy.warnings); !held) return held;
  return DenyUnreachable(host, policy.containment, LauncherCopies(policy.containment), names, walker, rules);
}

// The same with an image, whose directory is a grant meanwhile; LayImage applies the denials in it to the
// paths inside.
Status AddRulesOfGrants(const PathsRequest& request, const Tools& tools, const MountNames& names,
                        const std::vector<ExaminedEntry>& entries, RuleSet& rules, Policy& policy) {
  const std::string& image = request.image;
  if (image.empty()) return AddBaselineAndDenials(request, tools, names, entries, rules, policy);
  if (Status mounted = CheckMountsOf(image, names); !mounted) return mounted;
  const bool granted = GrantImage(image, request.walker, rules);
  if (Status added = AddBaselineAndDenials(request, tools, names, entries, rules, policy); !added)
    return added;
  if (Status shown = CheckNotDenied(image, rules); !shown) return shown;
  if (granted) rules.Remove(image);
  return Done{};
}

Result<RuleSet> ResolvePaths(const PathsRequest& request, Policy& policy, Tools& tools) {
  const auto& [config, host, options, image, walker, ceiling] = request;
  Result<std::vector<ExaminedEntry>> entries = EntriesOf(request, policy, tools);
  if (!entries) return entries.error();
  RuleSet rules = RulesOf(*entries);
  if (const Status temp = CheckTemp(config, rules, policy); !temp) return temp.error();
  if (const Status links = CheckLinks(*entries, rules, policy.warnings); !links) return links.error();
  if (!TraitsOf(policy.containment).isolates) return rules;
  if (Status granted =
          GrantSockets(config.sockets, host, ceiling, options.bounds.cuts, walker, rules, policy);
      !granted)
    return granted.error();
  if (policy.system == OperatingSystem::kMacos) {
    const MountNames none({}, walker);
    if (const Status added = Protect(config, host, none, options.bounds, rules, policy); !added)
      return added.error();
    AddMacosBaseline(rules);
    return rules;
  }
  WarnOfSingleFiles(*entries, rules, policy.warnings);
  Result<std::vector<Mount>> mounts = MountsOf(host, *entries, !image.empty(), policy);
  if (!mounts) return mounts.error();
  if (Status denied = DenyKernelMounts(*mounts, *entries, walker, rules, policy.warnings); !denied)
    return denied.error();
  const MountNames names(std::move(*mounts), walker);
  if (const Status added = Protect(config, host, names, options.bounds, rules, policy); !added)
    return added.error();
  if (Status denied = AddRulesOfGrants(request, tools, names, *entries, rules, policy); !denied)
    return denied.error();
  // The path that a workspace has on the host does not exist inside.
  const std::string& workspace_pointer = config.process.workspace.pointer;
  if (!workspace_pointer.empty())
    std::erase_if(*entries, [&](const ExaminedEntry& entry) { return entry.pointer == workspace_pointer; });
  AddLinks(*entries, rules, policy.links);
  if (Status workspace = CheckWorkspaceIn(config.process.workspace, rules, policy.links); !workspace)
    return workspace.error();
  return rules;
}

Status ResolveAudit(const Config& config, const Host& host, PathWalker& walker, const RuleSet& rules,
                    Audit& audit) {
  if (config.audit.path.empty()) return Done{};
  Result<std::string> path =
      ResolveRecord({.name = "audit path", .path = config.audit.path, .pointer = config.audit_pointer}, host,
                    walker, rules);
  if (!path) return path.error();
  audit.path = std::move(*path);
  return Done{};
}

void AddWarnings(Policy& policy) {
  if (policy.identity.IsRoot()) {
    policy.warnings.push_back(
        {.category = "running-as-root", .message = "the caller is root: files inside are judged as root's"});
  }
  AddNetworkWarnings(policy);
}

// Whether the plan must decide if the command can be executed without a shell: bubblewrap can execute only
// one program, while the other engines fall back to the shell. With a private terminal another program of
// ours runs in between.
bool MayDoWithoutShell(const Policy& policy) {
  return policy.containment == Containment::kBubblewrap && !policy.interactive && !policy.stays &&
         policy.workspace.host.empty();
}

// Other systems cannot separate granted sockets from the others.
Status CheckSystemOfSockets(const Config& config, Containment containment, OperatingSystem here) {
  const ContainmentTraits& traits = TraitsOf(containment);
  const bool linux = (traits.home == OperatingSystem::kAny ? here : traits.home) == OperatingSystem::kLinux;
  if (config.sockets.empty() || (linux && !traits.own_system)) return Done{};
  return Unsupported("sockets of the host are granted on Linux only, in a sandbox on this machine",
                     "/filesystem/sockets", "remove `filesystem.sockets`");
}

void WarnOfHiddenTools(const std::vector<std::string>& hidden, Policy& policy) {
  for (const std::string& directory : hidden)
    policy.warnings.push_back({.category = "tools-hidden",
                               .message = Quoted(directory) +
                                          " of PATH is not granted by the ceiling of this "
                                          "machine, and is not on the PATH inside"});
}

void NameToolsInside(const Workspace& workspace, Tools& tools) {
  for (std::string& directory : tools.search) directory = workspace.Inside(directory);
  for (Variable& variable : tools.variables)
    variable.value = Secret{workspace.Inside(variable.value.Reveal())};
}

// Mounts the image over the root. A workspace with another path inside counts as one directory there, so its
// rules are set aside meanwhile.
Status LayImage(const PathsRequest& of, const std::string& image, RuleSet& rules, Policy& policy) {
  if (image.empty()) return Done{};
  const std::vector<PathEntry> denied = TakeDenialsIn(image, rules);
  const ImageRules request{.host = of.host, .directory = image, .denied = denied};
  const Workspace& workspace = policy.workspace;
  std::vector<PathLink>& links = policy.links;
  if (workspace.host.empty()) return LayImageUnder(request, rules, links);
  std::vector<PathRule> all = rules.Take();
  const auto within = std::stable_partition(
      all.begin(), all.end(), [&](const PathRule& rule) { return !IsAtOrBelow(rule.path, workspace.host); });
  for (auto rule = all.begin(); rule != within; ++rule) rules.Add(std::move(*rule));
  rules.Add({.path = workspace.guest,
             .access = Access::kReadWrite,
             .object = FileObject{.type = FileType::kDirectory},
             .pointer = workspace.pointer});
  if (Status laid = LayImageUnder(request, rules, links); !laid) return laid;
  std::vector<PathRule> laid = rules.Take();
  for (PathRule& rule : laid) {
    if (rule.path != workspace.guest) rules.Add(std::move(rule));
  }
  for (auto rule = within; rule != all.end(); ++rule) rules.Add(std::move(*rule));
  return Done{};
}

Status NameUpstream(const Config& config, const Host& host, const Bounds& bounds, Network& network) {
  if (config.network.upstream.pointer.empty()) return Done{};
  Result<Upstream> upstream = ReadUpstream(host, config.network.upstream.pointer);
  if (!upstream) return upstream.error();
  network.upstream = std::move(*upstream);
  if (bounds.ceiling == nullptr) return Done{};
  for (const CeilingSection& section : bounds.ceiling->sections) CutUpstream(section, network, *bounds.cuts);
  return Done{};
}

// No user of this machine: the other system checks access to files.
constexpr Identity kOfTheGuest{.uid = UINT32_MAX, .gid = UINT32_MAX};

Status ResolveForGuest(const Config& config, const Host& host, PathWalker& walker, Policy& policy) {
  policy.identity = kOfTheGuest;
  if (Status writing = ResolveWriting(config, policy); !writing) return writing;
  return ResolveAudit(config, host, walker, {}, policy.audit);
}

// The command's share of the caller's git configuration is read outside; with a ceiling, only from files that
// it grants. For files that git reads by itself it suffices that none is denied, because they describe the
// caller.
MayHandIn FilesToHandIn(const CeilingFiles& ceiling) {
  return [&ceiling](const Walked& walked, bool of_git) {
    const CeilingVerdict verdict = ceiling.Judge(walked);
    return verdict.access != Access::kDenied || (of_git && verdict.baseline && walked.links.empty());
  };
}

// Resolves everything that depends on the machine.
Status ResolveHere(Config config, const Host& host, const ResolveOptions& options, Policy& policy,
                   Tools& tools) {
  if (policy.system == OperatingSystem::kWindows) return ResolveOnWindows(config, host, policy);
  if (Status spelt = CheckSpellings(config, policy.system); !spelt) return spelt;
  PathWalker walker(host);
  if (Status named = NameWorkspace(walker, config); !named) return named;
  policy.workspace = config.process.workspace;
  if (TraitsOf(policy.containment).linux_guest) return ResolveForGuest(config, host, walker, policy);
  policy.identity = host.Caller();
  policy.audit = config.audit;
  policy.interactive = host.Interactive();
  if (NeedsCgroup(config.resources)) policy.cgroups = FindCgroups(host);
  if (Status upstream = NameUpstream(config, host, options.bounds, policy.network); !upstream)
    return upstream;
  const Result<std::string> image = ResolveImage(options.image, host, walker);
  if (!image) return image.error();
  const Result<CeilingFiles> ceiling = CeilingFiles::Resolve(options.bounds.ceiling, host, walker);
  if (!ceiling) return ceiling.error();
  const PathsRequest paths{config, host, options, *image, walker, *ceiling};
  Result<RuleSet> rules = ResolvePaths(paths, policy, tools);
  if (!rules) return rules.error();
  if (options.bounds.ceiling != nullptr) WarnOfHiddenTools(TakeHidden(*rules, walker, tools), policy);
  NameToolsInside(policy.workspace, tools);
  Result<Process> process =
      ResolveProcess(config.process, host, policy.containment, walker, *rules, *image, tools);
  if (!process) return process.error();
  policy.process = std::move(*process);
  if (TraitsOf(policy.containment).isolates && image->empty()) {
    std::optional<Warning> outside =
        ProgramOutside(policy.process, config.process, host, walker, *rules, tools);
    if (outside) policy.warnings.push_back(std::move(*outside));
  }
  const bool linux_home = policy.system == OperatingSystem::kLinux && TraitsOf(policy.containment).isolates;
  if (linux_home && !TraitsOf(policy.containment).mounts) policy.temp_place = FindTempPlace(host, walker);
  if (linux_home && KeepsStandardEnvironment(config.process)) {
    policy.home_files = GitIdentity(host, walker, *rules, FilesToHandIn(*ceiling));
    for (HomeFile& link : LinksToGrants(host, walker, *rules, policy.links, policy.home_files)) {
      link.link_to = policy.workspace.Inside(link.link_to);
      policy.home_files.push_back(std::move(link));
    }
  }
  if (MayDoWithoutShell(policy))
    policy.process.without_shell = WithoutShell(
        {.host = host, .walker = walker, .rules = *rules, .links = policy.links}, policy.process);
  if (Status audit = ResolveAudit(config, host, walker, *rules, policy.audit); !audit) return audit;
  if (linux_home) policy.git.ways = FindWays(host, *rules, policy.git, walker);
  if (Status laid = LayImage(paths, *image, *rules, policy); !laid) return laid;
  policy.paths = rules->Take();
  AddSocketVariables(config, host, options.bounds.ceiling, options.bounds.cuts, policy);
  ShortenClientRetries(config, host, policy);
  return Done{};
}

}  // namespace

Result<Policy> Resolve(const Config& config, const Host& host, const ResolveOptions& options) {
  const Result<Containment> containment = SelectContainment(config, host.System(), options);
  if (!containment) return containment.error();
  const OperatingSystem home = TraitsOf(*containment).home;
  if (Status sockets = CheckSystemOfSockets(config, *containment, host.System()); !sockets)
    return sockets.error();
  if (Status workspace = CheckWorkspaceOf(config, *containment, host.System()); !workspace)
    return workspace.error();
  const bool elsewhere = home != OperatingSystem::kAny && home != host.System();
  Policy policy = Copy(config, *containment, elsewhere ? home : host.System());
  policy.network.recorded = options.network_recorded;
  if (Status safe = CheckSafeConfig(config, *containment, policy.system); !safe) return safe.error();
  Tools tools;
  const Status resolved =
      elsewhere ? ResolveAsWritten(config, policy) : ResolveHere(config, host, options, policy, tools);
  if (!resolved) return resolved.error();
  policy.clauses = ClausesOf(config, policy, tools.reasons);
  AddWarnings(policy);
  return policy;
}

}  // namespace mxc
