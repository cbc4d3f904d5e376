#include <ctime>

#include "kubernetes/claim_object.h"
#include "kubernetes/cluster_objects.h"
#include "kubernetes/kubectl.h"
#include "kubernetes/reap_claims.h"

namespace mxc::kubernetes {

Result<std::vector<std::string>> ReapClaims(const PodRun& run) {
  const Kubectl kubectl(run, {});
  const Result<KubectlAnswer> list =
      kubectl.Call(GetRaw(ClaimsPath(run) + "?labelSelector=app.kubernetes.io%2Fmanaged-by%3Dmxc-exec"));
  if (!list) return list.error();
  if (!list->Succeeded()) return ErrorOf("list what is ours", *list);
  const Result<std::vector<ExpiredClaim>> expired = ReadExpiredClaims(
      list->out,
      {.kind = run.pod_template.empty() ? "SandboxClaimList" : "SandboxList", .name_space = run.name_space},
      TimeText(static_cast<std::int64_t>(std::time(nullptr))));
  if (!expired) return expired.error();
  std::vector<std::string> names;
  for (const ExpiredClaim& claim : *expired) {
    const Result<KubectlAnswer> answer =
        kubectl.Call({.arguments = {"delete", "--raw", ClaimsPath(run) + "/" + claim.name, "-f", "-"},
                      .input = DeleteOptions(claim.uid, claim.version)});
    if (!answer) return answer.error();
    const KubectlFailure failure = FailureOf(*answer);
    // It was renewed, or is another's by now.
    if (!answer->Succeeded() && failure == KubectlFailure::kChanged) continue;
    if (!answer->Succeeded() && failure != KubectlFailure::kNotFound)
      return ErrorOf("delete " + TheClaim(run) + " '" + claim.name + "'", *answer);
    names.push_back(claim.name);
  }
  return names;
}

}  // namespace mxc::kubernetes
