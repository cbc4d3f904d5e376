#include "isolation_fallback.h"

#include "dispatch.h"

namespace mxc {

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

}  // namespace mxc
