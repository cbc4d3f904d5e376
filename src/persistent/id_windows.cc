#include "persistent/id.h"

namespace mxc::session {

// Nothing depends on so few digits being hard to guess: the folder that bears them is its owner's alone.
std::span<const IdKind> IdKinds() {
  static constexpr IdKind kKinds[] = {{"wsb", Containment::kWindowsSandbox, 8}};
  return kKinds;
}

}  // namespace mxc::session
