// Pods that look confined and are not: one row per way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/pod_documents.h"

namespace mxc::judge_pod_attacks_test {
namespace {

using pod_documents::GoodPod;
using pod_documents::GoodPolicies;
using pod_documents::GoodRun;
using pod_documents::OfPod;
using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

struct Attack {
  const char* patch;
  const char* finding;  // its beginning
};

std::string Volume(const std::string& source) {
  return R"({"op": "add", "path": "/spec/volumes/-", "value": {"name": "v", )" + source + "}}";
}

std::string Container(const std::string& member, const std::string& value) {
  return R"({"op": "add", "path": "/spec/containers/0/)" + member + R"(", "value": )" + value + "}";
}

TEST(PodAttacks, VolumesAreOfKindsThatAreKnownToBeThePods) {
  struct Row {
    const char* source;
    const char* finding;
  };
  constexpr Row kRows[] = {
      {R"("secret": {"secretName": "default-token-x7k2p"})", "secret "},
      {R"("projected": {"sources": [{"secret": {"name": "default-token-x"}}]})", "secret "},
      {R"("projected": {"sources": [{"podCertificate": {}}]})", "service-account-token "},
      {R"("projected": {"sources": [{"newToken": {"path": "t"}}]})", "volume "},
      {R"("projected": {"sources": {"0": {"serviceAccountToken": {"path": "t"}}}})", "answer "},
      {R"("projected": {"sources": ["serviceAccountToken"]})", "answer "},
      {R"("projected": "x")", "answer "},
      {R"("hostPath": "/")", "host-path "},
      {R"("hostPath": [])", "host-path "},
      {R"("csi": {"driver": "hostpath.csi.k8s.io"})", "volume "},
      {R"("nfs": {"server": "x", "path": "/"})", "volume "},
      {R"("flexVolume": {"driver": "x/hostpath"})", "volume "},
      {R"("image": {"reference": "x"})", "volume "},
      {R"("newThing": {"path": "/"})", "volume "},
      {R"("emptyDir": {}, "newThing": {})", "volume "},
      {R"("emptyDir": "x")", "answer "},
      {R"("x": null)", "volume "},
  };
  for (const Row& row : kRows)
    EXPECT_THAT(OfPod(Volume(row.source)), Contains(StartsWith(row.finding))) << row.source;
  for (const char* source :
       {R"("configMap": {"name": "x"})", R"("downwardAPI": {})",
        R"("persistentVolumeClaim": {"claimName": "x"})",
        R"("projected": {"sources": [{"configMap": {}}, {"downwardAPI": {}}, {"clusterTrustBundle": {}}]})"})
    EXPECT_THAT(OfPod(Volume(source)), IsEmpty()) << source;
}

TEST(PodAttacks, WhatIsMountedWhereTokensAreIsOne) {
  EXPECT_THAT(OfPod(Container("volumeMounts", R"([{"name": "v", "mountPath":
                              "/var/run/secrets/kubernetes.io/serviceaccount"}])")),
              Contains(StartsWith("service-account-token ")));
}

TEST(PodAttacks, SecretsOfTheEnvironmentCount) {
  EXPECT_THAT(OfPod(Container("env", R"([{"name": "T", "valueFrom": {"secretKeyRef": {"name": "t"}}}])")),
              Contains(StartsWith("secret ")));
  EXPECT_THAT(OfPod(Container("envFrom", R"([{"secretRef": {"name": "t"}}])")),
              Contains(StartsWith("secret ")));
  EXPECT_THAT(OfPod(Container("env", R"([{"name": "A", "value": "b"}])")), IsEmpty());
}

TEST(PodAttacks, NothingIsPassedThroughFromTheNode) {
  const Attack attacks[] = {
      {R"({"op": "add", "path": "/spec/resourceClaims", "value": [{"name": "gpu"}]})", "devices "},
      {R"({"op": "add", "path": "/spec/hostFoo", "value": true})", "unknown-field spec.hostFoo"},
      {R"({"op": "add", "path": "/spec/HostNetwork", "value": true})", "unknown-field spec.HostNetwork"},
      {R"({"op": "add", "path": "/spec/newThing", "value": {}})", "unknown-field spec.newThing"},
      {R"({"op": "add", "path": "/spec/securityContext/sysctls", "value": [{"name": "kernel.x", "value": "1"}]})",
       "privileged "},
      {R"({"op": "add", "path": "/metadata/annotations",
           "value": {"container.apparmor.security.beta.kubernetes.io/agent": "unconfined"}})",
       "privileged "},
  };
  for (const Attack& attack : attacks)
    EXPECT_THAT(OfPod(attack.patch), Contains(StartsWith(attack.finding))) << attack.patch;
}

TEST(PodAttacks, ContainersGetNothingOfTheNodeOrOfEachOther) {
  struct Row {
    const char* member;
    const char* value;
    const char* finding;
  };
  constexpr Row kRows[] = {
      {"volumeDevices", R"([{"name": "w", "devicePath": "/dev/sda"}])", "devices "},
      {"ports", R"([{"containerPort": 80, "hostPort": 80}])", "host-network "},
      {"ports", R"([{"containerPort": 80, "hostPort": "80"}])", "answer "},
      {"ports", R"({"0": {"containerPort": 80, "hostPort": 80}})", "answer "},
      {"volumeMounts", R"([{"name": "work", "mountPath": "/w", "mountPropagation": "Bidirectional"}])",
       "volume "},
      {"newThing", "1", "unknown-field spec.containers[0].newThing"},
      {"securityContext/newThing", "true", "unknown-field spec.containers[0].securityContext.newThing"},
      {"securityContext/windowsOptions", R"({"hostProcess": true})", "privileged "},
      {"securityContext/appArmorProfile", R"({"type": "Unconfined"})", "privileged "},
      {"securityContext/seLinuxOptions", R"({"type": "spc_t"})", "privileged "},
      {"resources/claims", R"([{"name": "gpu"}])", "devices "},
      {"resources/limits", R"({"cpu": "1", "memory": "1Gi", "example.com/kvm": "1"})", "devices "},
  };
  for (const Row& row : kRows)
    EXPECT_THAT(OfPod(Container(row.member, row.value)), Contains(StartsWith(row.finding)))
        << row.member << ": " << row.value;
}

TEST(PodAttacks, ProcessesAreSharedWithNobody) {
  const std::string shared = R"({"op": "add", "path": "/spec/shareProcessNamespace", "value": true})";
  const std::string other = R"(, {"op": "copy", "from": "/spec/containers/0", "path": "/spec/)";
  EXPECT_THAT(OfPod(shared), IsEmpty());  // with nobody
  EXPECT_THAT(OfPod(shared + other + R"(containers/1"})"), Contains(StartsWith("shared-processes ")));
  const std::string sidecar =
      R"({"op": "add", "path": "/spec/initContainers", "value": []})" + other +
      R"(initContainers/0"}, {"op": "add", "path": "/spec/initContainers/0/restartPolicy",
                                 "value": "Always"})";
  EXPECT_THAT(OfPod(sidecar), IsEmpty());
  EXPECT_THAT(OfPod(shared + "," + sidecar), Contains(StartsWith("shared-processes ")));
  EXPECT_THAT(
      OfPod(
          R"({"op": "add", "path": "/spec/ephemeralContainers", "value": []})" + other +
          R"(ephemeralContainers/0"}, {"op": "add", "path": "/spec/ephemeralContainers/0/targetContainerName",
                        "value": "agent"})"),
      Contains(StartsWith("shared-processes ")));
}

TEST(PodAttacks, LimitsThatLimitNothing) {
  for (const char* limit : {R"("0")", R"("")", R"("0m")", R"("0.0Gi")", R"("-1")", R"("x")", R"("1x")",
                            R"(" 1")", "0", "-1", "null", "true", "{}", "[]", "0.5"}) {
    const std::string limits = std::string(R"({"cpu": )") + limit + R"(, "memory": )" + limit + "}";
    EXPECT_THAT(OfPod(Container("resources/limits", limits)), testing::Not(IsEmpty())) << limit;
  }
  for (const char* limit : {R"("500m")", R"("2")", R"("1.5Gi")", R"("1e9")", R"("128974848")", "2"}) {
    const std::string limits = std::string(R"({"cpu": )") + limit + R"(, "memory": )" + limit + "}";
    EXPECT_THAT(OfPod(Container("resources/limits", limits)), IsEmpty()) << limit;
  }
}

TEST(PodAttacks, AnotherTypeIsNotReadAsAbsent) {
  struct Row {
    const char* path;
    const char* value;
  };
  constexpr Row kRows[] = {
      {"/spec/hostNetwork", R"("true")"},
      {"/spec/hostNetwork", "1"},
      {"/spec/hostPID", R"({})"},
      {"/spec/hostUsers", R"("false")"},
      {"/spec/shareProcessNamespace", R"("true")"},
      {"/spec/volumes", R"({"0": {"name": "h", "hostPath": {"path": "/"}}})"},
      {"/spec/volumes/0", R"("x")"},
      {"/spec/initContainers", R"({"name": "i", "securityContext": {"privileged": true}})"},
      {"/spec/ephemeralContainers", R"({"0": {"name": "i"}})"},
      {"/spec/ephemeralContainers", R"("x")"},
      {"/spec/containers", R"({"0": {}})"},
      {"/spec/containers/1", R"("x")"},
      {"/spec/securityContext", R"("x")"},
      {"/spec/securityContext/runAsNonRoot", R"("true")"},
      {"/spec/securityContext/runAsUser", "-1"},
      {"/spec/securityContext/runAsUser", "4294967296"},
      {"/spec/securityContext/runAsUser", "18446744073709551616"},
      {"/spec/securityContext/runAsUser", "0.5"},
      {"/spec/securityContext/runAsUser", R"("1000")"},
      {"/spec/containers/0/securityContext/privileged", R"("true")"},
      {"/spec/containers/0/securityContext/privileged", "1"},
      {"/spec/containers/0/securityContext/capabilities", R"(["SYS_ADMIN"])"},
      {"/spec/containers/0/securityContext/capabilities", R"({"add": "SYS_ADMIN"})"},
      {"/spec/containers/0/securityContext/capabilities", R"({"add": {"x": "SYS_ADMIN"}})"},
      {"/spec/containers/0/securityContext/procMount", "1"},
      {"/spec/containers/0/securityContext/seccompProfile", R"("RuntimeDefault")"},
      {"/spec/containers/0/volumeDevices", R"({"0": {"devicePath": "/dev/sda"}})"},
      {"/spec/runtimeClassName", "1"},
      {"/metadata/labels", R"(["app"])"},
      {"/metadata/labels/app", "1"},
      {"/spec", "[]"},
  };
  for (const Row& row : kRows) {
    const std::string patch =
        std::string(R"({"op": "add", "path": ")") + row.path + R"(", "value": )" + row.value + "}";
    EXPECT_THAT(OfPod(patch), Contains(StartsWith("answer "))) << patch;
  }
}

// Null is absent, as Kubernetes has it.
TEST(PodAttacks, NullIsAbsent) {
  EXPECT_THAT(OfPod(R"({"op": "add", "path": "/spec/hostNetwork", "value": null},
                       {"op": "add", "path": "/spec/initContainers", "value": null})"),
              IsEmpty());
}

// `from` in the text of the pod becomes `to`.
bool IsRefusedWith(const std::string& from, const std::string& to) {
  std::string pod = GoodPod().dump();
  const std::size_t at = pod.find(from);
  EXPECT_NE(at, std::string::npos) << pod;
  pod.replace(at, from.size(), to);
  return !kubernetes::JudgePod(pod, GoodPolicies().dump(), GoodRun()).empty();
}

TEST(PodAttacks, AKeyStandsOnce) {
  EXPECT_FALSE(IsRefusedWith("\"spec\":{", "\"spec\": {"));
  EXPECT_TRUE(IsRefusedWith("\"spec\":{", R"("spec":{"hostNetwork":true,"hostNetwork":false,)"));
  EXPECT_TRUE(IsRefusedWith("\"spec\":{", R"("spec":{"hostNetwork":true},"spec":{)"));
  EXPECT_TRUE(IsRefusedWith("\"readOnly", R"("privileged":true,"privil\u0065ged":false,"readOnly)"));
}

TEST(PodAttacks, AnAnswerIsOneDocument) {
  const std::string pod = GoodPod().dump();
  const std::string policies = GoodPolicies().dump();
  const auto refused = [](const std::string& a, const std::string& b) {
    return !kubernetes::JudgePod(a, b, GoodRun()).empty();
  };
  EXPECT_FALSE(refused(pod + "\n", policies + "\n"));
  for (const std::string& text : {pod + pod, pod + "\n{}", pod + "x", "Warning: x\n" + pod, std::string()})
    EXPECT_TRUE(refused(text, policies)) << text;
  EXPECT_TRUE(refused(pod, policies + "{}"));
  EXPECT_TRUE(refused(pod, policies.substr(0, policies.size() - 1) + R"(,"items":[]})"));
  EXPECT_TRUE(refused(pod, ""));
}

}  // namespace
}  // namespace mxc::judge_pod_attacks_test
