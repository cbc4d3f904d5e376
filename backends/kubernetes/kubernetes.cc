#include "backends/kubernetes/kubernetes.h"

#include <string>
#include <utility>

#include "backends/kubernetes/section.h"
#include "backends/linux/guest_document.h"

namespace mxc::kubernetes {
namespace {

// What of the network means this machine: to the sandbox inside, the host is the pod.
Status CheckNetwork(const Network& network) {
  if (network.share_host) {
    return Unenforceable("the pod has a network of its own, not that of this machine",
                         network.share_host_pointer, "allow what is needed with `egress`");
  }
  if (network.host_loopback == RuleAction::kAllow) {
    return Unenforceable("the loopback inside is that of the pod, not that of this machine",
                         network.host_loopback_pointer, "deny it");
  }
  if (network.ingress == RuleAction::kAllow || !network.publish.empty()) {
    return Unenforceable("no port of this machine leads into a pod",
                         network.publish.empty() ? network.ingress_pointer : network.publish.front().pointer,
                         "deny it, and leave `publish` out");
  }
  if (network.proxy) {
    return Unenforceable("a proxy is reached from this machine, not from the pod", network.proxy->pointer,
                         "name the hosts that may be reached in `egress.allow`");
  }
  return Done{};
}

// The mxc-exec inside keeps a ledger of its own, and refuses what it cannot hold in this pod.
void AddLedger(const Policy& policy, Plan& plan) {
  for (const PathRule& rule : policy.paths)
    plan.AddToLedger(rule.pointer, "the sandbox inside the pod: " + rule.path);
  plan.AddToLedger(policy.private_temp_pointer, "a /tmp of the sandbox inside the pod");
  const Network& network = policy.network;
  const bool open = network.egress == RuleAction::kAllow || !network.allow.empty();
  const char* const gateway =
      "the network gateway of mxc-exec inside, within what a NetworkPolicy allows the pod";
  plan.AddToLedger(network.egress_pointer, open ? gateway : "the sandbox inside the pod has no way out",
                   open ? Strength::kTrustedProcess : Strength::kKernel);
  for (const auto* rules : {&network.allow, &network.deny}) {
    for (const NetworkRule& rule : *rules) plan.AddToLedger(rule.pointer, gateway, Strength::kTrustedProcess);
  }
  for (const std::string* pointer : {&network.ingress_pointer, &network.host_loopback_pointer})
    plan.AddToLedger(*pointer, open ? gateway : "the sandbox inside the pod has no way out",
                     open ? Strength::kTrustedProcess : Strength::kKernel);
  if (network.egress_pointer.empty())
    plan.AddToLedger("/network", "the sandbox inside the pod has no way out");
  for (const ProtectEntry& entry : policy.protect)
    plan.AddToLedger(entry.pointer, "the sandbox inside the pod");
  for (const ResourceLimit& limit : policy.resources)
    plan.AddToLedger(limit.pointer, "a limit of Linux, or mxc-exec inside refuses to start");
}

// The claim outlives the command.
std::uint32_t TimeoutFor(const Policy& policy, const PodRun& run, Plan& plan) {
  const std::uint32_t longest = LongestCommandMs(run.ttl_s);
  const std::uint32_t asked = policy.process.timeout_ms;
  if (asked != 0 && asked <= longest) return asked;
  if (asked != 0) {
    plan.warnings.push_back({.category = "timeout-shortened",
                             .message = "the command is ended after " + std::to_string(longest) +
                                        " ms: the claim lives " + std::to_string(run.ttl_s) +
                                        " s at most (kubernetes.ttl)",
                             .pointer = "/process/timeout"});
  }
  return longest;
}

std::string DirectoryFor(const Policy& policy, const PodRun& run) {
  const bool written = !policy.process.cwd_pointer.empty();
  return written || run.workspace.empty() ? policy.process.cwd : run.workspace;
}

Result<Plan> MakePodPlan(const Policy& policy, const Support& support) {
  Result<PodRun> run = ReadSection(policy.section);
  if (!run) return run.error();
  if (Status network = CheckNetwork(policy.network); !network) return network.error();
  run->kubectl = support.program;
  run->virtual_machine = policy.minimum_tier == Tier::kVirtualMachine;
  Plan plan{.containment = Containment::kKubernetes,
            .tier = run->virtual_machine ? Tier::kVirtualMachine : Tier::kContainer};
  AddLedger(policy, plan);
  plan.timeout_ms = TimeoutFor(policy, *run, plan);
  for (const PodCheck check : run->accepted)
    plan.relaxations.push_back("pod-" + std::string(TraitsOf(check).name));
  if (policy.network.recorded) {
    plan.warnings.push_back({.category = "files-unwatched",
                             .message = "what the command is refused in the pod is not known here"});
  }
  plan.not_covered = {"what the cluster's operators, its nodes and its API server do to the pod",
                      "whether the network of the cluster enforces a NetworkPolicy: it is read, not tried"};
  run->config = linux_backend::GuestDocument(
      policy, {.paths = policy.paths, .cwd = DirectoryFor(policy, *run), .timeout_ms = plan.timeout_ms});
  plan.launch = KubernetesLaunch{.run = std::move(*run)};
  return plan;
}

bool IsInCluster(const Host& host) {
  return !host.Environment("KUBERNETES_SERVICE_HOST").value_or("").empty();
}

}  // namespace

const Backend& KubernetesBackend() {
  static const Backend kBackend{
      .containment = Containment::kKubernetes,
      .probe = Probe,
      .plan = MakePodPlan,
      .explain = Explain(),
      .place = {.here = IsInCluster,
                .inside = "this is a pod of a cluster",
                .outside = "this is no pod of a cluster",
                .stays = {.category = "in-this-pod",
                          .message = "`auto` runs the command in this pod itself: there is no section "
                                     "`kubernetes`, which would claim one for it",
                          .pointer = "/containment",
                          .told = true}}};
  return kBackend;
}

}  // namespace mxc::kubernetes
