#include "plan_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/quoted.h"
#include "dispatch.h"
#include "images/images.h"
#include "isolation_fallback.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"

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

}  // namespace

Result<Prepared> PrepareOn(const std::optional<Fallback>& choice, const Config& config,
                           const Options& options, const Host& host) {
  const bool any = MeansProcess(config);
  ResolveOptions resolving{.experimental = options.experimental,
                           .allow_unsandboxed = options.allow_unsandboxed,
                           .shown_only = IsShownOnly(options),
                           .network_recorded = options.report.has_value()};
  std::optional<Found> found;
  if (any && host.System() == OperatingSystem::kLinux) {
    if (!choice) found = LinuxProcess(host);
    resolving.linux_process = choice ? choice->containment : found->containment;
  }
  Result<std::string> image = ImageOf(config, host);
  if (!image) return image.error();
  resolving.image = std::move(*image);
  Result<Policy> policy = Resolve(config, host, resolving);
  if (!policy) return policy.error();

  const Backend& backend = Dispatch(policy->containment);
  // A plan that is shown and not run must be the one that would run: only then is it tried out.
  const bool shown = options.mode == Mode::kExplain && !choice;
  const ProbeDepth depth = shown ? ProbeDepth::kLive : ProbeDepth::kQuick;
  const bool looked = found && !shown && !policy->as_written;
  Support support = looked ? std::move(found->support)
                           : backend.probe(host, policy->as_written ? ProbeDepth::kAssumed : depth);
  if (choice) support.isolation_level = choice->isolation_level;
  if (support.isolation_level == IsolationLevel::kNamespacesOuterProc)
    support.landlock_abi = host.LandlockAbi();
  Result<Plan> plan = MakePlan(backend, *policy, support);
  if (!plan) return plan.error();
  if (any && plan->isolation_level == IsolationLevel::kLandlock) plan->warnings.push_back(WeakerIsolation());
  return Prepared{std::move(*policy), std::move(*plan)};
}

void WarnOfDirectory(const Options& options, const Host& host, Prepared& prepared) {
  const Policy& policy = prepared.policy;
  const std::string here = host.WorkingDirectory();
  const bool written = (options.HasConfig() && !options.shell) || !options.cwd.empty();
  if (written || !here.starts_with('/')) return;
  const bool granted = std::any_of(policy.paths.begin(), policy.paths.end(),
                                   [&](const PathRule& rule) { return rule.path == here; });
  const bool own_temp = here == "/tmp" && TraitsOf(policy.containment).isolates && !granted;
  if (policy.process.cwd == here && !own_temp) return;
  const std::string remedy = options.shell ? "add it to readwritePaths, or readonlyPaths to read"
                                           : "--rw . grants it, --ro . to read";
  prepared.plan.warnings.push_back(
      {.category = "directory-hidden",
       .message = own_temp ? "the command's /tmp is its own, and empty; for the host's: " + remedy
                           : fmt::format("the command starts in {}, because {} is not granted: {}",
                                         Quoted(policy.process.cwd), Quoted(here), remedy)});
}

}  // namespace mxc
