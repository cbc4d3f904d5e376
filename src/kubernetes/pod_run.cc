#include "mxc/kubernetes/pod_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "mxc/json.h"

namespace mxc {
namespace {

constexpr PodCheckTraits kChecks[] = {
    {PodCheck::kServiceAccountToken, "service-account-token", "no token of a service account is mounted"},
    {PodCheck::kSecret, "secret", "no Secret is mounted or in the environment: it may hold a token"},
    {PodCheck::kRoot, "root", "no container runs as root, or the pod has a user namespace"},
    {PodCheck::kPrivileged, "privileged", "no container is privileged, or without what confines all others"},
    {PodCheck::kPrivilegeEscalation, "privilege-escalation", "no container can gain privileges"},
    {PodCheck::kCapabilities, "capabilities", "no container has capabilities added"},
    {PodCheck::kSeccomp, "seccomp", "system calls are filtered: RuntimeDefault or a profile of the node's"},
    {PodCheck::kHostPath, "host-path", "no directory of the node is mounted"},
    {PodCheck::kVolume, "volume",
     "volumes are emptyDir, configMap, downwardAPI, projected or a persistentVolumeClaim"},
    {PodCheck::kDevices, "devices", "no device of the node is given to a container"},
    {PodCheck::kHostNetwork, "host-network",
     "the network is the pod's own, and no port of the node leads in"},
    {PodCheck::kHostPid, "host-pid", "processes of the node do not show"},
    {PodCheck::kHostIpc, "host-ipc", "the IPC namespace is the pod's own"},
    {PodCheck::kSharedProcesses, "shared-processes", "no container sees another's processes"},
    {PodCheck::kWritableRoot, "writable-root", "root file systems are read-only"},
    {PodCheck::kResources, "resources", "every container has limits of memory and cpu"},
    {PodCheck::kNetworkPolicy, "network-policy", "a NetworkPolicy denies the pod both directions by default"},
    {PodCheck::kNetworkOpen, "network-open",
     "no NetworkPolicy lets everybody in, or the pod into private address ranges"},
    {PodCheck::kUnknownField, "unknown-field", "no field that this version does not know"},
    {PodCheck::kRuntimeClass, "runtime-class", "a runtime class with a kernel of its own", false},
    {PodCheck::kLabels, "pod-selector", "the pod has the labels of `podSelector`", false},
    {PodCheck::kWorkspace, "workspace", "a volume that can be written is mounted at `workspace`", false},
    {PodCheck::kAnswer, "answer", "pod and policies are there whole, with the types that the API gives them",
     false},
};

constexpr bool ChecksAreInOrder() {
  for (std::size_t i = 0; i < std::size(kChecks); ++i)
    if (static_cast<std::size_t>(kChecks[i].check) != i) return false;
  return true;
}
static_assert(ChecksAreInOrder(), "TraitsOf takes the enumerator for an index");

constexpr std::uint32_t kMaxMarginMs = 10000;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;

// With what distributions of both append: kata-qemu, kata-clh.
constexpr std::string_view kOwnKernels[] = {"kata", "gvisor", "runsc"};

}  // namespace

std::span<const PodCheckTraits> AllPodChecks() { return kChecks; }

const PodCheckTraits& TraitsOf(PodCheck check) { return kChecks[static_cast<std::size_t>(check)]; }

bool HasOwnKernel(std::string_view runtime_class) {
  return std::any_of(std::begin(kOwnKernels), std::end(kOwnKernels), [&](std::string_view name) {
    if (!runtime_class.starts_with(name)) return false;
    return runtime_class.size() == name.size() || runtime_class[name.size()] == '-';
  });
}

std::uint32_t LongestCommandMs(std::uint32_t ttl_s) {
  const std::uint32_t life = ttl_s * 1000;
  return life - std::min(life / 10, kMaxMarginMs);
}

bool IsDnsLabel(std::string_view name) {
  const auto is_alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= kMaxLabel && is_alnum(name.front()) && is_alnum(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_alnum(c) || c == '-'; });
}

bool IsDnsName(std::string_view name) {
  if (name.size() > kMaxName) return false;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (!IsDnsLabel(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return IsDnsLabel(name);
}

namespace {

std::string Metadata(const PodRun& run, const ClaimNames& names) {
  return fmt::format(
      " \"metadata\": {{\"name\": {}, \"namespace\": {},\n"
      "  \"labels\": {{\"{}\": \"mxc-exec\", \"{}\": {}}}}},\n",
      JsonString(names.claim), JsonString(run.name_space), kManagedByLabel, kOwnerLabel,
      JsonString(names.owner));
}

}  // namespace

std::string ClaimManifest(const PodRun& run, const ClaimNames& names) {
  return fmt::format(
      "{{\"apiVersion\": \"extensions.agents.x-k8s.io/v1beta1\", \"kind\": \"SandboxClaim\",\n{}"
      " \"spec\": {{\"warmPoolRef\": {{\"name\": {}}},\n"
      "  \"lifecycle\": {{\"shutdownTime\": {}, \"shutdownPolicy\": \"Delete\"}}}}}}\n",
      Metadata(run, names), JsonString(run.warm_pool), JsonString(names.shutdown_time));
}

std::string SandboxManifest(const PodRun& run, const ClaimNames& names, std::string_view pod) {
  return fmt::format(
      "{{\"apiVersion\": \"agents.x-k8s.io/v1beta1\", \"kind\": \"Sandbox\",\n{}"
      " \"spec\": {{\"shutdownTime\": {}, \"shutdownPolicy\": \"Delete\",\n"
      "  \"podTemplate\": {}}}}}\n",
      Metadata(run, names), JsonString(names.shutdown_time), pod);
}

}  // namespace mxc
