// Whether a command may be run in this pod: what of the checks of mxc/kubernetes/pod_run.h it does not pass.
//
//   const std::vector<PodFinding> findings = JudgePod(pod, network_policies, run);
//   if (std::optional<Error> refusal = RefusalOf(findings, run.accepted)) return *refusal;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {

struct PodFinding {
  PodCheck check = PodCheck::kPrivileged;
  std::string field = {};    // of the pod: "spec.containers[0].securityContext.privileged"
  std::string message = {};  // what is wrong
  std::string mend = {};     // a line of YAML of the template, or what to do
};

// Something in the answers is not as the API has it; `what`: "spec.hostNetwork is no boolean".
[[nodiscard]] PodFinding WrongAnswer(std::string what);

// `pod`: a Pod as JSON. `network_policies`: the NetworkPolicyList of its namespace. What is not said counts
// as Kubernetes takes it; what is not known, or has another type than the API's, is a finding. Of all
// containers, those of its start included.
[[nodiscard]] std::vector<PodFinding> JudgePod(std::string_view pod, std::string_view network_policies,
                                               const PodRun& run);

// The first finding that is not accepted, the others beside it: kUnavailable.
[[nodiscard]] std::optional<Error> RefusalOf(const std::vector<PodFinding>& findings,
                                             const std::vector<PodCheck>& accepted);

// `spec`: of a Pod, with the types of the API (api_shape.h).
void JudgeVolumes(const Json& spec, std::vector<PodFinding>& findings);
// Mounts, variables and devices of one container of it. `at`: "spec.containers[0]".
void JudgeInputs(const Json& container, const std::string& at, std::vector<PodFinding>& findings);
// A quantity of Kubernetes that is more than nothing: "500m", "1.5Gi", "1e9".
[[nodiscard]] bool IsPositiveAmount(const Json& quantity);

// `policies`: the whole list of the pod's namespace (ReadList). Findings of kNetworkPolicy, where no policy
// denies a direction by default, and of kNetworkOpen, where one lets everybody in, or the pod out into a
// private address range or to everybody: services, nodes and metadata are there. What cannot be read denies
// nothing and lets everybody through.
[[nodiscard]] std::vector<PodFinding> JudgeNetwork(const Json& pod, const Json& policies);

}  // namespace mxc::kubernetes
