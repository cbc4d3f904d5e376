// Whether the NetworkPolicies of a namespace keep a pod apart.
#pragma once

#include <vector>

#include "kubernetes/judge_pod.h"
#include "mxc/json.h"

namespace mxc::kubernetes {

// `policies`: the whole list of the pod's namespace (ReadList). Findings of kNetworkPolicy, where no policy
// denies a direction by default, and of kNetworkOpen, where one lets everybody in, or the pod out into a
// private address range or to everybody: services, nodes and metadata are there. What cannot be read denies
// nothing and lets everybody through.
[[nodiscard]] std::vector<PodFinding> JudgeNetwork(const Json& pod, const Json& policies);

}  // namespace mxc::kubernetes
