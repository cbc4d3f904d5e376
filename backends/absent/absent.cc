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

// What is missing on this Windows comes before what is missing in this build: the first is the user's to
// change.
Support ProbeWindows(Containment containment, const Host& host, Support support) {
  const WindowsFacts facts = host.Windows();
  if (containment == Containment::kWindowsSandbox && !facts.windows_sandbox) {
    support.code = ErrorCode::kUnavailable;
    support.reason = "Windows Sandbox is not installed, and its backend is not part of this build";
  }
  if (containment == Containment::kWslc) {
    support.remedy = "run mxc-exec for Linux inside a distribution of WSL: its containments hold there";
  }
  return support;
}

}  // namespace

Support Probe(Containment containment, const Host& host, ProbeDepth depth) {
  const OperatingSystem home = HomeOf(containment);
  Support support{.remedy = RemedyOn(host.System())};
  if (depth != ProbeDepth::kAssumed && home != OperatingSystem::kAny && home != host.System()) {
    support.code = ErrorCode::kUnsupported;
    support.reason = "the " + Quoted(Name(containment)) + " backend belongs to " + std::string(Name(home)) +
                     ", this is " + std::string(Name(host.System()));
  } else {
    support.code = ErrorCode::kNotBuilt;
    support.reason = NotBuilt(containment);
    const bool here = depth != ProbeDepth::kAssumed && host.System() == OperatingSystem::kWindows;
    if (here) return ProbeWindows(containment, host, std::move(support));
  }
  return support;
}

Error Refusal(Containment containment, const Support& support) {
  const ErrorCode code = support.usable ? ErrorCode::kNotBuilt : support.code;
  std::string reason = support.reason.empty() ? NotBuilt(containment) : support.reason;
  return {.code = code, .message = std::move(reason), .pointer = "/containment", .hint = support.remedy};
}

}  // namespace mxc::absent
