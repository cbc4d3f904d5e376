#include "persistent/id.h"

namespace mxc::session {

std::span<const IdKind> IdKinds() {
  static constexpr IdKind kKinds[] = {{"ns", Containment::kNamespaces},
                                      {"bwrap", Containment::kBubblewrap},
                                      {"lxc", Containment::kLxc},
                                      {"k8s", Containment::kKubernetes}};
  return kKinds;
}

}  // namespace mxc::session
