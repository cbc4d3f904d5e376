#include "plan_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/own_files.h"
#include "base/quoted.h"
#include "ceiling/ceiling.h"
#include "ceiling/cut_config.h"
#include "ceiling/cuts.h"
#include "ceiling/written_files.h"
#include "dispatch.h"
#include "helpers/pins.h"
#include "images/images.h"
#include "isolation_fallback.h"
#include "plan/make_plan.h"
#include "plan/policy_hash.h"
#include "policy/resolve.h"
#include "report/hidden_values.h"
#include "review/await_approval.h"
#include "shell/shell_policy.h"

namespace mxc {
namespace {

// Whoever asks about a containment by flag wants to see it; what a document says is judged as a run would be.
bool IsShownOnly(const Options& options) {
  return options.mode == Mode::kExplain || (options.mode == Mode::kDryRun && !options.containment.empty());
}

std::string TextOf(const Json& section, std::string_view key) {
  const Json* const value = section.Find(key);
  return value != nullptr ? value->text : "";
}

// The directory of the image that a container is to show; empty: it shows the host's files.
Result<std::string> ImageOf(const Config& config, const Host& host) {
  const bool image = config.intent == Intent::kConcrete && TraitsOf(config.containment).takes_image;
  if (!image || host.System() != OperatingSystem::kLinux) return std::string();
  const ImageName name{.distribution = TextOf(config.backend_section, "distribution"),
                       .release = TextOf(config.backend_section, "release")};
  if (name.distribution.empty() && name.release.empty()) return std::string();
  return FindImage(host, name);
}

Status CheckWithin(const Bounds& bounds, const Config& config, const Policy& policy) {
  if (bounds.ceiling == nullptr || policy.as_written) return Done{};
  for (const CeilingSection& section : bounds.ceiling->sections) {
    if (Status allowed = CheckContainment(section, config, policy.containment); !allowed) return allowed;
  }
  return Done{};
}

Result<Prepared> PrepareWithin(const Bounds& bounds, const std::optional<Fallback>& choice,
                               const Config& config, const Options& options, const Host& host) {
  const bool any = MeansProcess(config);
  ResolveOptions resolving{.experimental = options.experimental,
                           .allow_unsandboxed = options.allow_unsandboxed,
                           .shown_only = IsShownOnly(options),
                           .network_recorded = options.report.has_value(),
                           // mxc-sh refuses one that its command could write.
                           .policy_file = {.path = options.read_from, .kept = !options.shell},
                           .bounds = bounds};
  std::optional<Found> found;
  if (any && host.System() == OperatingSystem::kLinux && !choice) found = LinuxProcess(host);
  if (found) resolving.linux_process = found->containment;
  if (choice) resolving.linux_process = choice->containment;
  Result<std::string> image = ImageOf(config, host);
  if (!image) return image.error();
  resolving.image = std::move(*image);
  Result<Policy> policy = Resolve(config, host, resolving);
  if (!policy) return policy.error();
  HideValues(policy->process.environment);
  if (Status allowed = CheckWithin(bounds, config, *policy); !allowed) return allowed.error();

  const Backend& backend = Dispatch(policy->containment);
  // A plan that is shown and not run must be the one that would run: only then is it tried out.
  const bool shown = options.mode == Mode::kExplain && !choice;
  const ProbeDepth depth = policy->as_written ? ProbeDepth::kAssumed
                           : shown            ? ProbeDepth::kLive
                                              : ProbeDepth::kQuick;
  Support support =
      found && depth == ProbeDepth::kQuick ? std::move(found->support) : backend.probe(host, depth);
  if (choice) support.isolation_level = choice->isolation_level;
  if (support.isolation_level == IsolationLevel::kNamespacesOuterProc)
    support.landlock_abi = host.LandlockAbi();
  Result<Plan> plan = MakePlan(backend, *policy, support);
  if (!plan) return plan.error();
  if (any && plan->isolation_level == IsolationLevel::kLandlock) plan->warnings.push_back(WeakerIsolation());
  for (Warning& stays : StaysInPlace(config, host)) plan->warnings.push_back(std::move(stays));
  AddReview(config.review_pointer, *policy, *plan);
  plan->run = RandomName();
  plan->policy_hash = PolicyHash(config, *policy);
  return Prepared{std::move(*policy), std::move(*plan), config.session};
}

// What the configuration and the ceiling pin: each holds.
Result<Prepared> PrepareWithPins(const Bounds& bounds, const std::optional<Fallback>& choice,
                                 const Config& config, const Options& options, const Host& host) {
  if (config.helpers.empty() && config.verify_pointer.empty())
    return PrepareWithin(bounds, choice, config, options, host);
  if (!config.helpers.empty() && host.System() != OperatingSystem::kLinux)
    return Unenforceable("helpers are pinned on Linux alone", config.helpers.front().pointer,
                         "remove `helpers`");
  const PinnedHost pinned(host, config);
  Result<Prepared> prepared = PrepareWithin(bounds, choice, config, options, pinned);
  if (Status refused = pinned.Refusal(); !refused) return refused.error();
  if (prepared) PinPlan(config.helpers, prepared->policy, prepared->plan);
  return prepared;
}

// Of a plan that only shows what another system would do nothing is held.
void WarnOfCeiling(const Ceiling& ceiling, const Cuts& cuts, Prepared& prepared) {
  if (prepared.policy.as_written) return;
  Plan& plan = prepared.plan;
  const std::vector<Warning> told = cuts.Warnings();
  plan.warnings.insert(plan.warnings.begin(), told.begin(), told.end());
  prepared.policy.clauses.push_back({.pointer = kCeilingPointer, .text = "what the operator allows"});
  plan.ledger.push_back(
      {.pointer = kCeilingPointer, .strength = Strength::kTrustedProcess, .mechanism = ceiling.Text()});
}

// That of the request. The operator's own log may be where `deniedPaths` deny.
Status CheckAudit(const Ceiling& ceiling, const Config& config, const Policy& policy, const Host& host) {
  const std::string& path = policy.audit.path;
  if (path.empty() || policy.as_written || config.audit_pointer.starts_with(kCeilingPointer)) return Done{};
  return CheckFilesWithin(
      ceiling,
      {{.name = "audit path", .path = path, .pointer = config.audit_pointer},
       {.name = "head of the audit log", .path = AuditHeadPath(path), .pointer = config.audit_pointer}},
      host);
}

// What the ceiling has taken may be what is missed.
Error AfterCuts(Error error, const Cuts& cuts) {
  const std::vector<Warning> told = cuts.Warnings();
  if (told.empty()) return error;
  error.message += "; " + told.front().message;
  return error;
}

}  // namespace

Result<Prepared> PrepareOn(const std::optional<Fallback>& choice, const Config& config,
                           const Options& options, const Host& host) {
  const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
  if (!ceiling) return ceiling.error();
  if (!*ceiling) return PrepareWithPins({}, choice, config, options, host);
  Cuts cuts;
  // Runs by flags show the toolchains of the PATH unasked.
  if (!options.HasConfig() && options.tools.empty()) cuts.Ignore(config.tools_pointer);
  Config within = config;
  for (const CeilingSection& section : (*ceiling)->sections) {
    if (Status cut = CutConfig(section, within, cuts); !cut) return cut.error();
  }
  Result<Prepared> prepared =
      PrepareWithPins({.ceiling = &**ceiling, .cuts = &cuts}, choice, within, options, host);
  if (Status refused = cuts.Refusal(); !refused) return refused.error();
  if (!prepared) return AfterCuts(prepared.error(), cuts);
  if (Status pinned = CheckAllPinned(within, prepared->plan); !pinned) return pinned.error();
  if (Status audit = CheckAudit(**ceiling, within, prepared->policy, host); !audit) return audit.error();
  WarnOfCeiling(**ceiling, cuts, *prepared);
  return prepared;
}

void WarnOfDirectory(const Options& options, const Host& host, Prepared& prepared) {
  const Policy& policy = prepared.policy;
  const std::string here = host.WorkingDirectory();
  const bool written = (options.HasConfig() && !options.shell) || !options.cwd.empty();
  if (written || !policy.workspace.pointer.empty() || !here.starts_with('/') ||
      TraitsOf(policy.containment).own_system)
    return;
  const bool granted = std::any_of(policy.paths.begin(), policy.paths.end(),
                                   [&](const PathRule& rule) { return rule.path == here; });
  const bool own_temp = here == "/tmp" && TraitsOf(policy.containment).isolates && !granted;
  if (policy.process.cwd == here && !own_temp) return;
  const std::string& file = options.policy_file;
  const std::string remedy = !options.shell
                                 ? "--rw . grants it, --ro . to read"
                                 : "add it to readwritePaths, or readonlyPaths to read, in " +
                                       (file.empty() ? std::string(kPolicyVariable) : Quoted(file));
  prepared.plan.warnings.push_back(
      {.category = "directory-hidden",
       .message = own_temp ? "the command's /tmp is its own, and empty; for the host's: " + remedy
                           : fmt::format("the command starts in {}, because {} is not granted: {}",
                                         Quoted(policy.process.cwd), Quoted(here), remedy)});
}

void WarnOfGrantedRoot(const Options& options, Plan& plan) {
  const auto& words = options.read_write;
  if (words.empty() || std::find(words.begin(), words.end(), "/") != words.end()) return;
  for (Warning& warning : plan.warnings)
    if (warning.category == "whole-host-writable") warning.told = true;
}

}  // namespace mxc
