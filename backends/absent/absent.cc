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
  if (system == OperatingSystem::kLinux) return "use the containment \"bubblewrap\"";
  return "no backend of this build runs on this system";
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
  }
  return support;
}

Error Refusal(Containment containment, const Support& support) {
  const ErrorCode code = support.usable ? ErrorCode::kNotBuilt : support.code;
  std::string reason = support.reason.empty() ? NotBuilt(containment) : support.reason;
  return {.code = code, .message = std::move(reason), .pointer = "/containment", .hint = support.remedy};
}

}  // namespace mxc::absent
