// What a pod brings into its containers: volumes, secrets and devices.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/judge_pod.h"
#include "mxc/json.h"

namespace mxc::kubernetes {

// `spec`: of a Pod, with the types of the API (api_shape.h).
void JudgeVolumes(const Json& spec, std::vector<PodFinding>& findings);
// Mounts, variables and devices of one container of it. `at`: "spec.containers[0]".
void JudgeInputs(const Json& container, const std::string& at, std::vector<PodFinding>& findings);
// A quantity of Kubernetes that is more than nothing: "500m", "1.5Gi", "1e9".
[[nodiscard]] bool IsPositiveAmount(const Json& quantity);

}  // namespace mxc::kubernetes
