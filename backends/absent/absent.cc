#include "backends/absent/absent.h"

#include <string>

namespace mxc::absent {
namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string RemedyOn(OperatingSystem system) {
  if (system == OperatingSystem::kLinux) return "use the containment \"bubblewrap\"";
  return "no backend of this build runs on this system";
}

}  // namespace

Support Probe(Containment containment, const Host& host) {
  const OperatingSystem home = HomeOf(containment);
  Support support{.remedy = RemedyOn(host.System())};
  if (home != OperatingSystem::kAny && home != host.System()) {
    support.code = ErrorCode::kUnsupported;
    support.reason = "the " + Quoted(Name(containment)) + " backend belongs to " + std::string(Name(home)) +
                     ", this is " + std::string(Name(host.System()));
  } else {
    support.code = ErrorCode::kNotBuilt;
    support.reason = "the " + Quoted(Name(containment)) + " backend is not part of this build";
  }
  return support;
}

Error Refusal(const Support& support) {
  return {.code = support.code, .message = support.reason, .pointer = "/containment", .hint = support.remedy};
}

}  // namespace mxc::absent
