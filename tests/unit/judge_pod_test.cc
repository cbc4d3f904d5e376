// Pods as a cluster describes them, and what is found wrong with them.
#include "kubernetes/judge_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/pod_documents.h"

namespace mxc::judge_pod_test {
namespace {

using kubernetes::JudgePod;
using kubernetes::PodFinding;
using kubernetes::RefusalOf;

using pod_documents::Document;
using pod_documents::GoodPod;
using pod_documents::GoodPolicies;
using pod_documents::GoodRun;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> FindingsOf(const Document& pod, const Document& policies = GoodPolicies(),
                                    PodRun run = GoodRun()) {
  run.name_space = "agents";
  const std::vector<PodFinding> findings = JudgePod(pod.dump(), policies.dump(), run);
  for (const PodFinding& finding : findings) EXPECT_FALSE(finding.mend.empty());
  return pod_documents::Texts(findings);
}

TEST(JudgePod, AGoodOneIsFine) { EXPECT_THAT(FindingsOf(GoodPod()), IsEmpty()); }

struct Flaw {
  const char* patch;
  const char* finding;
};

TEST(JudgePod, EveryFlawIsFound) {
  constexpr Flaw kFlaws[] = {
      {R"({"op": "add", "path": "/spec/hostNetwork", "value": true})", "host-network spec.hostNetwork"},
      {R"({"op": "add", "path": "/spec/hostPID", "value": true})", "host-pid spec.hostPID"},
      {R"({"op": "add", "path": "/spec/hostIPC", "value": true})", "host-ipc spec.hostIPC"},
      {R"({"op": "add", "path": "/spec/volumes/0/hostPath", "value": {"path": "/"}})",
       "host-path spec.volumes[0].hostPath"},
      {R"({"op": "add", "path": "/spec/volumes/0/projected",
           "value": {"sources": [{"serviceAccountToken": {"path": "token"}}]}})",
       "service-account-token spec.volumes[0]"},
      {R"({"op": "remove", "path": "/spec/securityContext/runAsNonRoot"})",
       "root spec.containers[0].securityContext.runAsNonRoot"},
      {R"({"op": "add", "path": "/spec/containers/0/securityContext/runAsUser", "value": 0})",
       "root spec.containers[0].securityContext.runAsNonRoot"},
      {R"({"op": "add", "path": "/spec/containers/0/securityContext/privileged", "value": true})",
       "privileged spec.containers[0].securityContext.privileged"},
      {R"({"op": "add", "path": "/spec/containers/0/securityContext/procMount", "value": "Unmasked"})",
       "privileged spec.containers[0].securityContext.procMount"},
      {R"({"op": "remove", "path": "/spec/containers/0/securityContext/allowPrivilegeEscalation"})",
       "privilege-escalation spec.containers[0].securityContext.allowPrivilegeEscalation"},
      {R"({"op": "add", "path": "/spec/containers/0/securityContext/capabilities", "value": {"add": ["SYS_ADMIN"]}})",
       "capabilities spec.containers[0].securityContext.capabilities.add"},
      {R"({"op": "replace", "path": "/spec/securityContext/seccompProfile/type", "value": "Unconfined"})",
       "seccomp spec.containers[0].securityContext.seccompProfile.type"},
      {R"({"op": "add", "path": "/spec/containers/0/securityContext/seccompProfile", "value": {"type": "Unconfined"}})",
       "seccomp spec.containers[0].securityContext.seccompProfile.type"},
      {R"({"op": "remove", "path": "/spec/containers/0/securityContext/readOnlyRootFilesystem"})",
       "writable-root spec.containers[0].securityContext.readOnlyRootFilesystem"},
      {R"({"op": "remove", "path": "/spec/containers/0/resources/limits/memory"})",
       "resources spec.containers[0].resources.limits.memory"},
      {R"({"op": "remove", "path": "/spec/containers/0/resources/limits/cpu"})",
       "resources spec.containers[0].resources.limits.cpu"},
  };
  for (const Flaw& flaw : kFlaws)
    EXPECT_THAT(pod_documents::OfPod(flaw.patch), testing::ElementsAre(flaw.finding)) << flaw.patch;
}

TEST(JudgePod, AUserNamespaceMakesRootAnybody) {
  EXPECT_THAT(pod_documents::OfPod(R"({"op": "remove", "path": "/spec/securityContext/runAsNonRoot"},
                         {"op": "add", "path": "/spec/hostUsers", "value": false})"),
              IsEmpty());
}

TEST(JudgePod, EveryContainerCounts) {
  const std::vector<std::string> findings =
      pod_documents::OfPod(R"({"op": "add", "path": "/spec/initContainers", "value": [{"name": "start",
                  "resources": {"limits": {"memory": "1", "cpu": "1"}}, "securityContext":
                  {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "privileged": true}}]})");
  EXPECT_THAT(findings, testing::ElementsAre("privileged spec.initContainers[0].securityContext.privileged"));
}

TEST(JudgePod, WhatIsNoPodPassesNothing) {
  EXPECT_FALSE(JudgePod("", "", {}).empty());
  EXPECT_FALSE(JudgePod("{}", GoodPolicies().dump(), {}).empty());
}

TEST(JudgePod, AsksForARuntimeClassAndLabels) {
  PodRun run{.labels = {{"team", "x"}}, .virtual_machine = true};
  EXPECT_THAT(FindingsOf(GoodPod(), GoodPolicies(), run),
              testing::ElementsAre("runtime-class spec.runtimeClassName", "pod-selector metadata.labels"));
  Document kata = GoodPod();
  kata["spec"]["runtimeClassName"] = "kata-qemu";
  kata["metadata"]["labels"]["team"] = "x";
  EXPECT_THAT(FindingsOf(kata, GoodPolicies(), run), IsEmpty());
}

TEST(JudgePod, TheWorkspaceIsAVolume) {
  const PodRun run{.workspace = "/work"};
  Document pod = GoodPod();
  EXPECT_THAT(FindingsOf(pod, GoodPolicies(), run),
              testing::ElementsAre("workspace spec.containers[0].volumeMounts"));
  pod["spec"]["containers"][0]["volumeMounts"] = {
      {{"name", "work"}, {"mountPath", "/work"}, {"readOnly", true}}};
  EXPECT_EQ(FindingsOf(pod, GoodPolicies(), run).size(), 1U);
  pod["spec"]["containers"][0]["volumeMounts"][0].erase("readOnly");
  EXPECT_THAT(FindingsOf(pod, GoodPolicies(), run), IsEmpty());
}

std::vector<std::string> WithEgress(const std::string& rules) {
  Document policies = GoodPolicies();
  policies["items"][0]["spec"]["egress"] = Document::parse(rules);
  return FindingsOf(GoodPod(), policies);
}

TEST(JudgeNetwork, WithoutAPolicyNothingIsClosed) {
  EXPECT_EQ(FindingsOf(GoodPod(), Document::parse(R"({"kind": "NetworkPolicyList", "items": []})")).size(),
            2U);
  Document other = GoodPolicies();
  other["items"][0]["spec"]["podSelector"] = {{"matchLabels", {{"app", "other"}}}};
  EXPECT_EQ(FindingsOf(GoodPod(), other).size(), 2U);
  Document one = GoodPolicies();
  one["items"][0]["spec"]["policyTypes"] = {"Ingress"};
  EXPECT_THAT(FindingsOf(GoodPod(), one), testing::ElementsAre("network-policy NetworkPolicy"));
}

TEST(JudgeNetwork, SelectorsAreRead) {
  const auto selected = [](const char* expression) {
    Document policies = GoodPolicies();
    policies["items"][0]["spec"]["podSelector"] = {{"matchExpressions", {Document::parse(expression)}}};
    return FindingsOf(GoodPod(), policies).empty();
  };
  EXPECT_TRUE(selected(R"({"key": "app", "operator": "In", "values": ["agent"]})"));
  EXPECT_FALSE(selected(R"({"key": "app", "operator": "NotIn", "values": ["agent"]})"));
  EXPECT_TRUE(selected(R"({"key": "app", "operator": "Exists"})"));
  EXPECT_FALSE(selected(R"({"key": "app", "operator": "DoesNotExist"})"));
  EXPECT_FALSE(selected(R"({"key": "app", "operator": "Like"})"));
}

TEST(JudgeNetwork, PrivateRangesStayClosed) {
  const std::string open = "network-open NetworkPolicy closed: spec.egress[0]";
  EXPECT_THAT(WithEgress(R"([{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}])"), testing::ElementsAre(open));
  EXPECT_THAT(WithEgress(R"([{"to": [{"ipBlock": {"cidr": "10.96.0.0/12"}}]}])"), testing::ElementsAre(open));
  EXPECT_THAT(WithEgress(R"([{"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}}]}])"),
              testing::ElementsAre(open));
  EXPECT_THAT(WithEgress(R"([{}])"), testing::ElementsAre(open));
  EXPECT_THAT(WithEgress(R"([{"to": [{"namespaceSelector": {}}]}])"), testing::ElementsAre(open));
  EXPECT_THAT(WithEgress(R"([{"to": [{"ipBlock": {"cidr": "nonsense"}}]}])"), testing::ElementsAre(open));
  EXPECT_THAT(
      WithEgress(R"([{"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8", "172.16.0.0/12",
                              "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"]}}]},
                             {"to": [{"namespaceSelector": {}}], "ports": [{"port": 53, "protocol": "UDP"}]},
                             {"to": [{"ipBlock": {"cidr": "93.184.216.0/24"}}]}])"),
      IsEmpty());
}

TEST(JudgeNetwork, NobodyComesInByDefault) {
  Document policies = GoodPolicies();
  policies["items"][0]["spec"]["ingress"] = Document::array({Document::object()});
  EXPECT_THAT(FindingsOf(GoodPod(), policies),
              testing::ElementsAre("network-open NetworkPolicy closed: spec.ingress[0]"));
}

TEST(JudgePod, ARefusalNamesFieldAndRemedy) {
  Document pod = GoodPod();
  pod["spec"]["hostPID"] = true;
  pod["spec"]["hostIPC"] = true;
  const std::vector<PodFinding> findings = JudgePod(pod.dump(), GoodPolicies().dump(), GoodRun());
  const std::optional<Error> refusal = RefusalOf(findings, {});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, ErrorCode::kUnavailable);
  EXPECT_THAT(refusal->message, HasSubstr("spec.hostPID"));
  EXPECT_THAT(refusal->hint, HasSubstr("hostPID: false"));
  EXPECT_EQ(refusal->others.size(), 1U);
  EXPECT_FALSE(RefusalOf(findings, {PodCheck::kHostPid, PodCheck::kHostIpc}));
  EXPECT_THAT(RefusalOf(findings, {PodCheck::kHostPid})->message, HasSubstr("spec.hostIPC"));
}

}  // namespace
}  // namespace mxc::judge_pod_test
