#include <vector>

#include "persistent/id.h"

namespace mxc::session {
namespace {

std::vector<IdKind> AllKinds() {
  std::vector<IdKind> kinds = {
      {"ns", Containment::kNamespaces}, {"bwrap", Containment::kBubblewrap}, {"lxc", Containment::kLxc}};
  for (const ContainmentTraits& traits : AllContainments()) {
    if (traits.remote && traits.persistent) kinds.push_back({traits.id_prefix, traits.containment});
  }
  return kinds;
}

}  // namespace

std::span<const IdKind> IdKinds() {
  static const std::vector<IdKind> kKinds = AllKinds();
  return kKinds;
}

}  // namespace mxc::session
