#include "ladder.h"

#include "dispatch.h"

namespace mxc {

Containment LinuxProcess(const Host& host) {
  for (const Containment containment :
       {Containment::kNamespaces, Containment::kBubblewrap, Containment::kLandlock}) {
    if (Dispatch(containment).probe(host, ProbeDepth::kQuick).usable) return containment;
  }
  return Containment::kNamespaces;
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
