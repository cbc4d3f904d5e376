// The containments of the contract that this build has no backend for: they answer with the reason and what
// to use instead, after a policy that the containment could not hold either.
#pragma once

#include "mxc/backend.h"

namespace mxc::absent {

[[nodiscard]] Support Probe(Containment containment, const Host& host, ProbeDepth depth);
[[nodiscard]] Error Refusal(Containment containment, const Policy& policy, const Support& support);

template <Containment kWhich>
[[nodiscard]] const Backend& AbsentBackend() {
  static constexpr Backend kBackend{
      .containment = kWhich,
      .probe = [](const Host& host, ProbeDepth depth) { return Probe(kWhich, host, depth); },
      .plan = [](const Policy& policy, const Support& support) -> Result<Plan> {
        return Refusal(kWhich, policy, support);
      }};
  return kBackend;
}

}  // namespace mxc::absent
