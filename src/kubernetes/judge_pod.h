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

}  // namespace mxc::kubernetes
