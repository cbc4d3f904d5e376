#include "backends/absent/absent.h"

#include <string>
#include <utility>

namespace mxc::absent {
namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string NotBuilt(Containment containment) {
  return "the " + Quoted(Name(containment)) + " backend is not part of this build";
}

std::string RemedyOn(OperatingSystem system) {
  switch (system) {
    case OperatingSystem::kLinux:
      return "use the containment \"bubblewrap\"";
    case OperatingSystem::kWindows:
      return "use the containment \"processcontainer\"";
    case OperatingSystem::kMacos:
      return "use the containment \"seatbelt\"";
    case OperatingSystem::kAny:
      break;
  }
  return "no backend of this build runs on this system";
}

// What this machine lacks as well: a build that has the backend would not run here either.
std::string MissingHere(Containment containment, const Host& host) {
  const bool windows = host.System() == OperatingSystem::kWindows;
  switch (containment) {
    case Containment::kIsolationSession:
      return windows && !host.Windows().isolation_session ? ", nor has this Windows isolation sessions" : "";
    case Containment::kMicrovm:
    case Containment::kHyperlight: {
      const bool hypervisor =
          windows ? host.Windows().hypervisor : host.MayAccess("/dev/kvm", Access::kReadWrite);
      return hypervisor ? ""
                        : std::string(", nor is there a hypervisor to use") + (windows ? "" : " (/dev/kvm)");
    }
    case Containment::kBubblewrap:
    case Containment::kNamespaces:
    case Containment::kLandlock:
    case Containment::kLxc:
    case Containment::kProcessContainer:
    case Containment::kWindowsSandbox:
    case Containment::kWslc:
    case Containment::kSeatbelt:
    case Containment::kVm:
    case Containment::kNone:
      break;
  }
  return "";
}

Error Conflict(std::string message, std::string pointer, std::string hint) {
  return {.code = ErrorCode::kConflict,
          .message = std::move(message),
          .pointer = std::move(pointer),
          .hint = std::move(hint)};
}

// An isolation session is a user of its own with the machine's network: it holds nothing of these clauses.
Status CheckIsolationSession(const Policy& policy) {
  const Network& network = policy.network;
  const bool directional = network.egress == RuleAction::kAllow && network.ingress == RuleAction::kAllow &&
                           network.host_loopback == RuleAction::kAllow;
  const bool rules =
      !network.allow.empty() || !network.deny.empty() || network.proxy || !network.publish.empty();
  if (!policy.paths.empty()) {
    return Conflict("an isolation session shares no files", policy.paths.front().pointer,
                    "remove the section `filesystem`");
  }
  for (const std::string* pointer :
       {&policy.ui.disabled_pointer, &policy.ui.clipboard_pointer, &policy.ui.injection_pointer}) {
    if (!pointer->empty())
      return Conflict("an isolation session has a desktop of its own", *pointer, "remove the section `ui`");
  }
  if (rules || !(directional || network.share_host)) {
    return Conflict("an isolation session has the whole network", "/network",
                    "allow egress, ingress and hostLoopback, without rules and without a proxy");
  }
  if (!policy.destroy_on_exit)
    return Conflict("the session of a run ends with it", "/lifecycle/destroyOnExit", "leave it true");
  return Done{};
}

}  // namespace

Support Probe(Containment containment, const Host& host, ProbeDepth depth) {
  const OperatingSystem home = TraitsOf(containment).home;
  Support support{.remedy = RemedyOn(host.System())};
  if (depth != ProbeDepth::kAssumed && home != OperatingSystem::kAny && home != host.System()) {
    support.code = ErrorCode::kUnsupported;
    support.reason = "the " + Quoted(Name(containment)) + " backend belongs to " + std::string(Name(home)) +
                     ", this is " + std::string(Name(host.System()));
  } else {
    support.code = ErrorCode::kNotBuilt;
    support.reason = NotBuilt(containment);
    if (depth != ProbeDepth::kAssumed) support.reason += MissingHere(containment, host);
  }
  return support;
}

Error Refusal(Containment containment, const Policy& policy, const Support& support) {
  if (containment == Containment::kIsolationSession && support.code == ErrorCode::kNotBuilt) {
    if (Status checked = CheckIsolationSession(policy); !checked) return checked.error();
  }
  const ErrorCode code = support.usable ? ErrorCode::kNotBuilt : support.code;
  std::string reason = support.reason.empty() ? NotBuilt(containment) : support.reason;
  return {.code = code, .message = std::move(reason), .hint = support.remedy};
}

}  // namespace mxc::absent
