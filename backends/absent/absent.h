// The containments of the contract without a backend in this build: they refuse with the reason and an
// alternative.
#pragma once

#include "mxc/backend.h"

namespace mxc::absent {

[[nodiscard]] Support Probe(Containment containment, const Host& host, ProbeDepth depth);
[[nodiscard]] Error Refusal(Containment containment, const Support& support);

template <Containment kWhich>
[[nodiscard]] const Backend& AbsentBackend() {
  static const Backend kBackend{
      .containment = kWhich,
      .probe = [](const Host& host, ProbeDepth depth) { return Probe(kWhich, host, depth); },
      .plan = [](const Policy& /*policy*/, const Support& support) -> Result<Plan> {
        return Refusal(kWhich, support);
      }};
  return kBackend;
}

}  // namespace mxc::absent
