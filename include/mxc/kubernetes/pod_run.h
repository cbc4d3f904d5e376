// A run in a pod of a Kubernetes cluster, as data. backends/kubernetes writes it, src/kubernetes hands it
// over through kubectl.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

// What a bound pod must have before anything runs in it (kubernetes/judge_pod.h).
enum class PodCheck {
  kServiceAccountToken,
  kSecret,
  kRoot,
  kPrivileged,
  kPrivilegeEscalation,
  kCapabilities,
  kSeccomp,
  kHostPath,
  kVolume,
  kDevices,
  kHostNetwork,
  kHostPid,
  kHostIpc,
  kSharedProcesses,
  kWritableRoot,
  kResources,
  kNetworkPolicy,
  kNetworkOpen,
  kUnknownField,
  kRuntimeClass,
  kLabels,
  kWorkspace,
  kAnswer,
};

struct PodCheckTraits {
  PodCheck check;
  std::string_view name;  // in `acceptedRisks`
  std::string_view text;  // what has to be so
  // False: the policy asks for it by a clause of its own, or nothing is known without it; no accepted risk
  // takes it back.
  bool acceptable = true;
};

[[nodiscard]] std::span<const PodCheckTraits> AllPodChecks();  // in the order of the enumerators
[[nodiscard]] const PodCheckTraits& TraitsOf(PodCheck check);

// Pods of these runtime classes have a kernel of their own: Kata Containers in a virtual machine, gVisor in
// user space. The cluster's operator names classes; these are the names that both projects install.
[[nodiscard]] bool HasOwnKernel(std::string_view runtime_class);

// Names of objects in a cluster: of DNS (RFC 1123), and of one label of it (namespaces, containers). Nothing
// else goes into a path of the API or onto kubectl's command line.
[[nodiscard]] bool IsDnsName(std::string_view name);
[[nodiscard]] bool IsDnsLabel(std::string_view name);

struct PodRun {
  std::string kubectl = {};               // absolute
  std::string sha256 = {};                // what its file must hash to; empty: whatever it is
  std::vector<std::string> options = {};  // of every call: --kubeconfig, --context, --namespace
  std::string name_space = {};
  std::string warm_pool = {};     // of the claim; empty: a Sandbox of `pod_template`
  std::string pod_template = {};  // a SandboxTemplate
  std::string container = {};     // empty: the pod's first
  std::string workspace = {};     // absolute, in the pod; empty: none
  std::string program = {};       // absolute, in the pod
  std::vector<std::pair<std::string, std::string>> labels = {};  // that the pod has to have
  std::uint32_t ttl_s = 0;                                       // of the claim
  bool virtual_machine = false;                                  // a runtime class of that tier is asked for
  std::vector<PodCheck> accepted = {};
  std::vector<TextPart> config = {};  // the JSON document that the mxc-exec inside runs
};

// What is left of a claim's life when the command's time is over: the end has to be told, and the claim
// deleted.
[[nodiscard]] std::uint32_t LongestCommandMs(std::uint32_t ttl_s);

// A claim that stays between two calls, and the pod that it was bound to, as a later call finds them again.
struct KeptPod {
  std::string claim = {};  // names of objects
  std::string pod = {};
  std::string owner = {};  // of kOwnerLabel
  std::string claim_uid = {};
  std::string pod_uid = {};
  std::string program = {};        // where the pod has the mxc-exec of this version
  std::int64_t clock_ahead_s = 0;  // of the API server's clock, as the last of our writings has shown it
  std::int64_t ends_s = 0;  // by that clock, since 1970: when it ends whatever is asked of it; 0: never
};

// The labels by which our claims are known, and who made one: a random text that only its launcher has.
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr const char* kOwnerLabel = "mxc-exec/owner";

struct ClaimNames {
  std::string claim = {};  // DNS-1123
  std::string owner = {};
  std::string shutdown_time = {};  // RFC 3339, UTC
};

// The SandboxClaim that is sent, as JSON. Nothing of the policy is in it.
[[nodiscard]] std::string ClaimManifest(const PodRun& run, const ClaimNames& names);
// The Sandbox that takes its place; `pod`: spec.podTemplate of the SandboxTemplate, as JSON.
[[nodiscard]] std::string SandboxManifest(const PodRun& run, const ClaimNames& names, std::string_view pod);

}  // namespace mxc
