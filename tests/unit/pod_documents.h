// A pod and the policies of its namespace that pass every check, for tests that change something in them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kubernetes/judge_pod.h"

namespace mxc::pod_documents {

using Document = nlohmann::json;

inline const Document& GoodPod() {
  static const Document pod = Document::parse(R"({
    "kind": "Pod", "metadata": {"labels": {"app": "agent"}},
    "spec": {
      "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
      "volumes": [{"name": "work", "emptyDir": {}}],
      "containers": [{
        "name": "agent", "resources": {"limits": {"memory": "1Gi", "cpu": "1"}},
        "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true}}]}})");
  return pod;
}

inline const Document& GoodPolicies() {
  static const Document policies =
      Document::parse(R"({"kind": "NetworkPolicyList", "metadata": {}, "items": [{
    "metadata": {"name": "closed", "namespace": "agents"},
    "spec": {"podSelector": {"matchLabels": {"app": "agent"}}, "policyTypes": ["Ingress", "Egress"]}}]})");
  return policies;
}

inline PodRun GoodRun() { return {.name_space = "agents"}; }

// "check field" of each finding.
inline std::vector<std::string> Texts(const std::vector<kubernetes::PodFinding>& findings) {
  std::vector<std::string> texts;
  for (const kubernetes::PodFinding& finding : findings)
    texts.push_back(std::string(TraitsOf(finding.check).name) + " " + finding.field);
  return texts;
}

// `patch`: operations of RFC 6902, with commas between them.
inline std::vector<std::string> OfPod(const std::string& patch) {
  const Document pod = GoodPod().patch(Document::parse("[" + patch + "]"));
  return Texts(kubernetes::JudgePod(pod.dump(), GoodPolicies().dump(), GoodRun()));
}

inline std::vector<std::string> OfPolicies(const std::string& patch) {
  const Document policies = GoodPolicies().patch(Document::parse("[" + patch + "]"));
  return Texts(kubernetes::JudgePod(GoodPod().dump(), policies.dump(), GoodRun()));
}

}  // namespace mxc::pod_documents
