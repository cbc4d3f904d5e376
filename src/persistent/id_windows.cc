#include "persistent/id.h"

namespace mxc::session {

// As many digits as MXC's have. Nothing depends on their being hard to guess: the folder that bears them is
// its owner's alone.
std::span<const IdKind> IdKinds() {
  static constexpr IdKind kKinds[] = {{"wsb", Containment::kWindowsSandbox, 8, true},
                                      {"wslc", Containment::kWslc, 32, true}};
  return kKinds;
}

}  // namespace mxc::session
