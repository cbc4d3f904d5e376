#include "isolation_fallback.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ceiling/ceiling.h"
#include "ceiling/cut_config.h"
#include "dispatch.h"
#include "helpers/pins.h"
#include "policy/resolve.h"

namespace mxc {
namespace {

// In directories that many use, /tmp for instance, what a plan masks may be gone when it runs.
constexpr int kMaxPlansAnew = 20;

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

std::string SectionOf(Containment containment) {
  return "section `" + std::string(TraitsOf(containment).section) + "`";
}

// Why this one is passed over; empty: it is taken. With its section in its place it is taken, or the run is
// refused: nothing weaker comes instead.
std::string WhyNot(Containment containment, bool section, const Host& host) {
  if (TraitsOf(containment).auto_in_place) {
    const AutoPlace& place = Dispatch(containment).place;
    if (!place.here(host)) return std::string(place.outside);
    return section ? "" : "there is no " + SectionOf(containment);
  }
  const OperatingSystem home = TraitsOf(containment).home;
  if (home != OperatingSystem::kAny && home != host.System())
    return "it belongs to " + std::string(Name(home));
  const Support support = Dispatch(containment).probe(host, ProbeDepth::kLive);
  return support.usable ? "" : support.reason;
}

// The error of a ceiling that does not allow it.
std::string NotAllowed(const std::optional<Ceiling>& ceiling, const Config& config, Containment containment) {
  if (!ceiling) return "";
  for (const CeilingSection& section : ceiling->sections) {
    const Status allowed = CheckContainment(section, config, containment);
    if (!allowed) return allowed.error().message;
  }
  return "";
}

void Take(Containment containment, const std::string& passed_over, Config& config) {
  const auto section =
      std::find_if(config.sections.begin(), config.sections.end(),
                   [&](const ContainmentSection& it) { return it.containment == containment; });
  if (section != config.sections.end()) config.backend_section = std::move(section->section);
  config.intent = Intent::kConcrete;
  config.containment = containment;
  config.choice =
      "auto: " + (config.order.empty() ? std::string(Dispatch(containment).place.inside) +
                                             ", and there is a " + SectionOf(containment)
                                       : "the first of selection.order that is usable here" + passed_over);
}

// Those in whose place this process is.
std::vector<Containment> PlacedHere(const Host& host) {
  std::vector<Containment> here;
  for (const ContainmentTraits& traits : AllContainments()) {
    if (traits.auto_in_place && Dispatch(traits.containment).place.here(host))
      here.push_back(traits.containment);
  }
  return here;
}

// Why the strongest is this one: what those that are stronger lack here.
std::string WhyStrongest(Containment chosen, const Host& host) {
  std::string lacking;
  for (const Containment stronger : {Containment::kNamespaces, Containment::kBubblewrap}) {
    if (stronger == chosen) break;
    const Support support = Dispatch(stronger).probe(host, ProbeDepth::kQuick);
    if (!support.usable) lacking += "; not " + std::string(Name(stronger)) + ": " + support.reason;
  }
  return "auto: the strongest that is usable here" + lacking;
}

}  // namespace

Result<Config> ChooseContainment(Config config, const Host& host) {
  if (config.intent != Intent::kAuto) return config;
  const auto has_section = [&config](Containment containment) {
    return std::any_of(config.sections.begin(), config.sections.end(),
                       [&](const ContainmentSection& it) { return it.containment == containment; });
  };
  if (config.order.empty()) {
    for (const Containment containment : PlacedHere(host)) {
      if (!has_section(containment)) continue;
      Take(containment, "", config);
      break;
    }
    return config;
  }
  const Result<std::optional<Ceiling>> ceiling = ReadCeiling(host, CallersGroups());
  if (!ceiling) return ceiling.error();
  Config held{.helpers = config.helpers};
  if (*ceiling) {
    for (const CeilingSection& section : (*ceiling)->sections) AddPins(section, held);
  }
  const PinnedHost pinned(host, held);
  std::string passed_over;
  for (const Containment containment : config.order) {
    // A ceiling that forbids one in its place refuses the run: nothing weaker comes instead.
    const bool placed = TraitsOf(containment).auto_in_place;
    std::string reason = placed ? "" : NotAllowed(*ceiling, config, containment);
    if (reason.empty()) reason = WhyNot(containment, has_section(containment), pinned);
    if (Status refused = pinned.Refusal(); !refused) return refused.error();
    if (reason.empty()) {
      Take(containment, passed_over, config);
      return config;
    }
    passed_over += "; not " + std::string(Name(containment)) + ": " + reason;
  }
  return Unavailable("nothing of selection.order is usable here" + passed_over, "/selection/order",
                     "`mxc-exec --probe` says what is usable");
}

std::vector<Warning> StaysInPlace(const Config& config, const Host& host) {
  std::vector<Warning> stays;
  if (config.intent != Intent::kAuto) return stays;
  for (const Containment containment : PlacedHere(host)) stays.push_back(Dispatch(containment).place.stays);
  return stays;
}

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

std::string WhyChosen(const Config& config, Containment chosen, const Host& host) {
  if (!config.choice.empty()) return config.choice;
  if (config.intent == Intent::kAuto) return WhyStrongest(chosen, host);
  return config.containment_pointer.empty() ? "default of this system" : "asked for by the configuration";
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
  std::optional<Fallback> choice;
  const auto plan_again = [&]() -> Status {
    Result<Prepared> next =
        choice ? PrepareOn(choice, config, options, host) : Prepare(config, options, host);
    if (!next) return next.error();
    next->plan.run = prepared.plan.run;
    prepared = std::move(*next);
    return Done{};
  };
  for (int plans_left = kMaxPlansAnew;;) {
    Result<Outcome> outcome = RunPlan(prepared.plan, observer);
    if (!outcome && outcome.error().outdated && plans_left-- > 0) {
      const Status planned = plan_again();
      if (planned) continue;
      outcome = planned.error();
    }
    if (outcome || outcome.error().code != ErrorCode::kUnavailable) return outcome;
    const Error refusal = WithHint(outcome.error(), prepared.policy.containment, host);
    choice = NextFallback(prepared.plan.isolation_level, MeansProcess(config));
    if (!choice) return refusal;
    if (const Status planned = plan_again(); !planned) return Both(refusal, planned.error());
    on_weaker(prepared.plan, refusal);
  }
}

}  // namespace mxc
