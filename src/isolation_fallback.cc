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
std::optional<Descent> NextBelow(Rung rung, bool any_process) {
  switch (rung) {
    case Rung::kNamespaces:
      return Descent{Containment::kNamespaces, Rung::kNamespacesOuterProc};
    case Rung::kNamespacesOuterProc:
      if (any_process) return Descent{Containment::kLandlock, Rung::kLandlock};
      return std::nullopt;
    case Rung::kLandlock:
    case Rung::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mxc
