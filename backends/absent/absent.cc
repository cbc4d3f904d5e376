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
  if (containment == Containment::kMicrovm || containment == Containment::kHyperlight) {
    const bool hypervisor =
        windows ? host.Windows().hypervisor : host.MayAccess("/dev/kvm", Access::kReadWrite);
    if (!hypervisor)
      return std::string(", nor is there a hypervisor to use") + (windows ? "" : " (/dev/kvm)");
  }
  return "";
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

Error Refusal(Containment containment, const Support& support) {
  const ErrorCode code = support.usable ? ErrorCode::kNotBuilt : support.code;
  std::string reason = support.reason.empty() ? NotBuilt(containment) : support.reason;
  return {.code = code, .message = std::move(reason), .hint = support.remedy};
}

}  // namespace mxc::absent
