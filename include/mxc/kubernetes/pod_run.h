// A run in a pod of a Kubernetes cluster, as data. backends/kubernetes makes it, src/kubernetes runs it
// through kubectl.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

// The checks that a bound pod must pass before anything runs in it (kubernetes/judge_pod.h).
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
  std::string_view text;  // the requirement
  // False: a clause of the policy requires it, or nothing about the pod is known without it, so no accepted
  // risk waives it.
  bool acceptable = true;
};

[[nodiscard]] std::span<const PodCheckTraits> AllPodChecks();  // in the order of the enumerators
[[nodiscard]] const PodCheckTraits& TraitsOf(PodCheck check);

// Whether pods of this runtime class have their own kernel: Kata Containers in a virtual machine, gVisor in
// user space. The cluster's operator names classes; these are the names that both projects install.
[[nodiscard]] bool HasOwnKernel(std::string_view runtime_class);

// Names of objects in a cluster: DNS names (RFC 1123), and single labels (namespaces, containers). Nothing
// else goes into a path of the API or onto kubectl's command line.
[[nodiscard]] bool IsDnsName(std::string_view name);
[[nodiscard]] bool IsDnsLabel(std::string_view name);

struct PodRun {
  std::string kubectl = {};               // absolute
  std::string sha256 = {};                // required hash of its file; empty: any
  std::vector<std::string> options = {};  // for every call: --kubeconfig, --context, --namespace
  std::string name_space = {};
  std::string warm_pool = {};     // of the claim; empty: a Sandbox of `pod_template`
  std::string pod_template = {};  // a SandboxTemplate
  std::string container = {};     // empty: the pod's first
  std::string workspace = {};     // absolute, in the pod; empty: none
  std::string program = {};       // absolute, in the pod
  std::vector<std::pair<std::string, std::string>> labels = {};  // required ones of the pod
  std::uint32_t ttl_s = 0;                                       // of the claim
  bool virtual_machine = false;                                  // a runtime class of that tier is required
  std::vector<PodCheck> accepted = {};
  std::vector<TextPart> config = {};  // the JSON document that the mxc-exec inside runs
};

// The longest time of a command within a claim's life: time must be left to report the end and delete the
// claim.
[[nodiscard]] std::uint32_t LongestCommandMs(std::uint32_t ttl_s);

// A persistent claim and its pod, by which a later call finds them again.
struct KeptPod {
  std::string claim = {};  // name
  std::string pod = {};    // name
  std::string owner = {};  // value of kOwnerLabel
  std::string claim_uid = {};
  std::string pod_uid = {};
  std::string program = {};        // path of the mxc-exec of this version in the pod
  std::int64_t clock_ahead_s = 0;  // of the API server's clock, as of our last write
  std::int64_t ends_s = 0;         // end of its lifetime by that clock, since 1970; 0: none
};

// The labels of our claims, and of the launcher that made one: a random text that only it knows.
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr const char* kOwnerLabel = "mxc-exec/owner";

struct ClaimNames {
  std::string claim = {};  // DNS-1123
  std::string owner = {};
  std::string shutdown_time = {};  // RFC 3339, UTC
};

// The SandboxClaim to send, as JSON. It contains nothing of the policy.
[[nodiscard]] std::string ClaimManifest(const PodRun& run, const ClaimNames& names);
// The Sandbox to send instead of a claim; `pod`: spec.podTemplate of the SandboxTemplate, as JSON.
[[nodiscard]] std::string SandboxManifest(const PodRun& run, const ClaimNames& names, std::string_view pod);

}  // namespace mxc
