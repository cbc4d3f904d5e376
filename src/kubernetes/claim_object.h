// What is created for a run, a SandboxClaim of a warm pool or a Sandbox of its own: what it is called, and
// where the API has it.
#pragma once

#include <string>
#include <string_view>

#include "kubernetes/cluster_objects.h"
#include "kubernetes/kubectl.h"
#include "mxc/error.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {

struct ClaimKind {
  std::string_view kind;
  std::string_view noun;
  std::string_view group;
  std::string_view plural;
};

[[nodiscard]] const ClaimKind& KindOf(const PodRun& run);
[[nodiscard]] std::string TheClaim(const PodRun& run);       // "the claim"
[[nodiscard]] std::string ClaimsPath(const PodRun& run);     // of all of the namespace
[[nodiscard]] std::string ClaimResource(const PodRun& run);  // as kubectl takes it
[[nodiscard]] std::string PodPath(const PodRun& run, const std::string& pod);

[[nodiscard]] KubectlCall GetRaw(const std::string& path);

// The controller labels the pod of a claim with the claim's UID. The pod of a Sandbox of its own has no such
// label: that it was made for this one its ownerReferences prove.
[[nodiscard]] bool IsPodOf(const PodRun& run, const PodState& state, const std::string& uid);
[[nodiscard]] Error NotRunning(const std::string& pod);

// The body of a DELETE that only this object answers, and with `version` (metadata.resourceVersion) only
// while nobody has changed it. Any other answers KubectlFailure::kChanged.
[[nodiscard]] std::string DeleteOptions(std::string_view uid, std::string_view version = {});

}  // namespace mxc::kubernetes
