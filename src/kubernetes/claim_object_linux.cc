#include <fmt/format.h>

#include "kubernetes/claim_object.h"
#include "mxc/json.h"

namespace mxc::kubernetes {

const ClaimKind& KindOf(const PodRun& run) {
  static constexpr ClaimKind kClaim{"SandboxClaim", "claim", "extensions.agents.x-k8s.io", "sandboxclaims"};
  static constexpr ClaimKind kSandbox{"Sandbox", "sandbox", "agents.x-k8s.io", "sandboxes"};
  return run.pod_template.empty() ? kClaim : kSandbox;
}

std::string TheClaim(const PodRun& run) { return fmt::format("the {}", KindOf(run).noun); }

std::string ClaimsPath(const PodRun& run) {
  const ClaimKind& kind = KindOf(run);
  return fmt::format("/apis/{}/v1beta1/namespaces/{}/{}", kind.group, run.name_space, kind.plural);
}

std::string ClaimResource(const PodRun& run) {
  return fmt::format("{}.v1beta1.{}", KindOf(run).plural, KindOf(run).group);
}

std::string PodPath(const PodRun& run, const std::string& pod) {
  return "/api/v1/namespaces/" + run.name_space + "/pods/" + pod;
}

KubectlCall GetRaw(const std::string& path) { return {.arguments = {"get", "--raw", path}}; }

bool IsPodOf(const PodRun& run, const PodState& state, const std::string& uid) {
  return (run.pod_template.empty() ? state.claim_uid : state.sandbox_uid) == uid;
}

Error NotRunning(const std::string& pod) {
  return Unavailable("the pod '" + pod + "' does not run", "/kubernetes");
}

std::string DeleteOptions(std::string_view uid, std::string_view version) {
  return fmt::format(R"({{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{{"uid":{}{}}}}})",
                     JsonString(uid),
                     version.empty() ? "" : fmt::format(R"(,"resourceVersion":{})", JsonString(version)));
}

}  // namespace mxc::kubernetes
