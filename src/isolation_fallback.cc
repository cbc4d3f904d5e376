#include "isolation_fallback.h"

#include <string>
#include <utility>

#include "dispatch.h"
#include "policy/resolve.h"

namespace mxc {
namespace {

// Why the weaker isolation level does not do either, with what the user can do about each.
Error Both(const Error& refusal, Error weaker) {
  weaker.message += "; stronger isolation is unavailable: " + refusal.message;
  if (refusal.hint.empty()) return weaker;
  weaker.hint += (weaker.hint.empty() ? "" : "; ") + refusal.hint;
  return weaker;
}

Error WithHint(Error refusal, Containment containment, const Host& host) {
  const auto hint = Dispatch(containment).refusal_hint;
  if (refusal.hint.empty() && hint != nullptr) refusal.hint = hint(host);
  return refusal;
}

}  // namespace

Found LinuxProcess(const Host& host) {
  const auto look = [&host](Containment containment) {
    return Found{containment, Dispatch(containment).probe(host, ProbeDepth::kQuick)};
  };
  Found best = look(Containment::kNamespaces);
  if (best.support.usable) return best;
  for (const Containment weaker : {Containment::kBubblewrap, Containment::kLandlock}) {
    if (Found found = look(weaker); found.support.usable) return found;
  }
  return best;
}

std::string WhyStrongest(Containment chosen, const Host& host) {
  std::string lacking;
  for (const Containment stronger : {Containment::kNamespaces, Containment::kBubblewrap}) {
    if (stronger == chosen) break;
    const Support support = Dispatch(stronger).probe(host, ProbeDepth::kQuick);
    if (!support.usable) lacking += "; not " + std::string(Name(stronger)) + ": " + support.reason;
  }
  return "auto: the strongest that is usable here" + lacking;
}

// Where namespaces are refused without a setting that says so, bubblewrap is refused as well.
std::optional<Fallback> NextFallback(IsolationLevel isolation_level, bool any_process) {
  switch (isolation_level) {
    case IsolationLevel::kNamespaces:
      return Fallback{Containment::kNamespaces, IsolationLevel::kNamespacesOuterProc};
    case IsolationLevel::kNamespacesOuterProc:
      if (any_process) return Fallback{Containment::kLandlock, IsolationLevel::kLandlock};
      return std::nullopt;
    case IsolationLevel::kLandlock:
    case IsolationLevel::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

Warning WeakerIsolation() {
  return {.category = std::string(kWeakerIsolation),
          .message =
              "there are no namespaces here: Landlock and seccomp alone hold this run (tier process); "
              "TMPDIR stands for /tmp, and `mxc-exec --explain` lists what is not covered"};
}

Result<Prepared> Prepare(const Config& config, const Options& options, const Host& host) {
  Result<Prepared> first = PrepareOn({}, config, options, host);
  const bool lacking = !first && first.error().code == ErrorCode::kUnavailable;
  if (!lacking || !MeansProcess(config) || host.System() != OperatingSystem::kLinux) return first;
  Result<Prepared> weaker =
      PrepareOn(Fallback{Containment::kLandlock, IsolationLevel::kLandlock}, config, options, host);
  if (weaker) return weaker;
  if (weaker.error().code == ErrorCode::kUnavailable) return first;
  return Both(first.error(), weaker.error());
}

Result<Outcome> RunWithFallback(const Config& config, const Options& options, const Host& host,
                                Prepared& prepared, RunObserver& observer,
                                const std::function<void(const Plan&, const Error&)>& on_weaker) {
  Result<Outcome> outcome = RunPlan(prepared.plan, observer);
  while (!outcome && outcome.error().code == ErrorCode::kUnavailable) {
    const Error refusal = WithHint(outcome.error(), prepared.policy.containment, host);
    const std::optional<Fallback> next = NextFallback(prepared.plan.isolation_level, MeansProcess(config));
    if (!next) return refusal;
    Result<Prepared> weaker = PrepareOn(next, config, options, host);
    if (!weaker) return Both(refusal, weaker.error());
    weaker->plan.run = prepared.plan.run;
    prepared = std::move(*weaker);
    on_weaker(prepared.plan, refusal);
    outcome = RunPlan(prepared.plan, observer);
  }
  return outcome;
}

}  // namespace mxc
