// What Kubernetes 1.34 has in a pod. A field that a later one adds is unknown until it is written here, with
// what it means for the checks of judge_pod.cc.
#include "kubernetes/api_shape.h"

namespace mxc::kubernetes {
namespace {

using enum ApiType;

constexpr ApiField kTypeAndProfile[] = {{"type", kText}, {"localhostProfile", kText}};
constexpr ApiField kSeLinux[] = {{"level", kText}, {"role", kText}, {"type", kText}, {"user", kText}};
constexpr ApiField kWindows[] = {{"gmsaCredentialSpec", kText},
                                 {"gmsaCredentialSpecName", kText},
                                 {"hostProcess", kBool},
                                 {"runAsUserName", kText}};
constexpr ApiField kCapabilityLists[] = {{"add", kTexts}, {"drop", kTexts}};
constexpr ApiField kSysctl[] = {{"name", kText}, {"value", kText}};

constexpr ApiField kContainerSecurity[] = {
    {"allowPrivilegeEscalation", kBool},
    {"appArmorProfile", kObject, kTypeAndProfile},
    {"capabilities", kObject, kCapabilityLists},
    {"privileged", kBool},
    {"procMount", kText},
    {"readOnlyRootFilesystem", kBool},
    {"runAsGroup", kUser},
    {"runAsNonRoot", kBool},
    {"runAsUser", kUser},
    {"seLinuxOptions", kObject, kSeLinux},
    {"seccompProfile", kObject, kTypeAndProfile},
    {"windowsOptions", kObject, kWindows},
};

constexpr ApiField kPodSecurity[] = {
    {"appArmorProfile", kObject, kTypeAndProfile},
    {"fsGroup", kUser},
    {"fsGroupChangePolicy", kText},
    {"runAsGroup", kUser},
    {"runAsNonRoot", kBool},
    {"runAsUser", kUser},
    {"seLinuxChangePolicy", kText},
    {"seLinuxOptions", kObject, kSeLinux},
    {"seccompProfile", kObject, kTypeAndProfile},
    {"supplementalGroups", kAny},
    {"supplementalGroupsPolicy", kText},
    {"sysctls", kObjects, kSysctl},
    {"windowsOptions", kObject, kWindows},
};

constexpr ApiField kPorts[] = {
    {"containerPort", kInteger}, {"hostIP", kText}, {"hostPort", kInteger}, {"name", kText},
    {"protocol", kText},
};
constexpr ApiField kResources[] = {{"claims", kObjects}, {"limits", kAmounts}, {"requests", kAmounts}};
constexpr ApiField kMounts[] = {
    {"mountPath", kText},         {"mountPropagation", kText}, {"name", kText},        {"readOnly", kBool},
    {"recursiveReadOnly", kText}, {"subPath", kText},          {"subPathExpr", kText},
};
constexpr ApiField kSecretKey[] = {{"key", kText}, {"name", kText}, {"optional", kBool}};
constexpr ApiField kValueFrom[] = {{"configMapKeyRef", kObject},
                                   {"fieldRef", kObject},
                                   {"fileKeyRef", kObject},
                                   {"resourceFieldRef", kObject},
                                   {"secretKeyRef", kObject, kSecretKey}};
constexpr ApiField kEnv[] = {{"name", kText}, {"value", kText}, {"valueFrom", kObject, kValueFrom}};
constexpr ApiField kEnvFrom[] = {{"configMapRef", kObject}, {"prefix", kText}, {"secretRef", kObject}};
constexpr ApiField kBlockDevices[] = {{"devicePath", kText}, {"name", kText}};

constexpr ApiField kContainer[] = {
    {"args", kTexts},
    {"command", kTexts},
    {"env", kObjects, kEnv},
    {"envFrom", kObjects, kEnvFrom},
    {"image", kText},
    {"imagePullPolicy", kText},
    {"lifecycle", kObject},
    {"livenessProbe", kObject},
    {"name", kText},
    {"ports", kObjects, kPorts},
    {"readinessProbe", kObject},
    {"resizePolicy", kObjects},
    {"resources", kObject, kResources},
    {"restartPolicy", kText},
    {"restartPolicyRules", kObjects},
    {"securityContext", kObject, kContainerSecurity},
    {"startupProbe", kObject},
    {"stdin", kBool},
    {"stdinOnce", kBool},
    {"targetContainerName", kText},
    {"terminationMessagePath", kText},
    {"terminationMessagePolicy", kText},
    {"tty", kBool},
    {"volumeDevices", kObjects, kBlockDevices},
    {"volumeMounts", kObjects, kMounts},
    {"workingDir", kText},
};

constexpr ApiField kSpec[] = {
    {"activeDeadlineSeconds", kInteger},
    {"affinity", kObject},
    {"automountServiceAccountToken", kBool},
    {"containers", kObjects, kContainer},
    {"dnsConfig", kObject},
    {"dnsPolicy", kText},
    {"enableServiceLinks", kBool},
    {"ephemeralContainers", kObjects, kContainer},
    {"hostAliases", kObjects},
    {"hostIPC", kBool},
    {"hostNetwork", kBool},
    {"hostPID", kBool},
    {"hostUsers", kBool},
    {"hostname", kText},
    {"hostnameOverride", kText},
    {"imagePullSecrets", kObjects},
    {"initContainers", kObjects, kContainer},
    {"nodeName", kText},
    {"nodeSelector", kTextMap},
    {"os", kObject},
    {"overhead", kAmounts},
    {"preemptionPolicy", kText},
    {"priority", kInteger},
    {"priorityClassName", kText},
    {"readinessGates", kObjects},
    {"resourceClaims", kObjects},
    {"resources", kObject, kResources},
    {"restartPolicy", kText},
    {"runtimeClassName", kText},
    {"schedulerName", kText},
    {"schedulingGates", kObjects},
    {"securityContext", kObject, kPodSecurity},
    {"serviceAccount", kText},
    {"serviceAccountName", kText},
    {"setHostnameAsFQDN", kBool},
    {"shareProcessNamespace", kBool},
    {"subdomain", kText},
    {"terminationGracePeriodSeconds", kInteger},
    {"tolerations", kObjects},
    {"topologySpreadConstraints", kObjects},
    {"volumes", kObjects},  // judge_volumes.cc: a list of what is known to be the pod's
};

// Of its members these alone are looked at.
constexpr ApiField kMetadata[] = {{"annotations", kTextMap}, {"labels", kTextMap}};

}  // namespace

std::span<const ApiField> PodMetadataShape() { return kMetadata; }

std::span<const ApiField> PodSpecShape() { return kSpec; }

}  // namespace mxc::kubernetes
