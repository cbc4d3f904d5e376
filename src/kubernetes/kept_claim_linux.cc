// The part of a Claim that stays between two calls.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kubernetes/claim.h"
#include "kubernetes/claim_object.h"

namespace mxc::kubernetes {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

Error Gone(const std::string& how) {
  return {.code = ErrorCode::kStaleId,
          .message = "the sandbox is gone: " + how,
          .pointer = "/sandboxId",
          .hint = "deprovision it, and provision another"};
}

}  // namespace

Claim::Claim(const Kubectl& kubectl, const KeptPod& kept)
    : kubectl_(kubectl),
      name_(kept.claim),
      owner_(kept.owner),
      uid_(kept.claim_uid),
      kept_(kept),
      lease_ms_(std::uint64_t{kubectl.Run().ttl_s} * 1000),
      clock_(kept.clock_ahead_s),
      begun_at_(NowMs()),
      renew_at_(kNever),
      created_(true) {
  KnowEnd();
}

// Of one that was kept, by the API server's clock.
void Claim::KnowEnd() {
  const std::uint64_t now = NowMs();
  const std::int64_t left_s = std::max<std::int64_t>(kept_.ends_s - clock_.Now(), 0);
  ends_at_ = now + lease_ms_;
  if (kept_.ends_s != 0) ends_at_ = std::min(ends_at_, now + static_cast<std::uint64_t>(left_s) * 1000);
}

// The claim that was kept, by all that it is known by. Errors: kStaleId: it is not there, or somebody else's.
Status Claim::IsOurs() const {
  const Result<std::optional<std::string>> text =
      Ask("look at " + TheClaim(kubectl_.Run()) + " '" + name_ + "'", GetRaw(Path()));
  if (!text) return text.error();
  if (!*text) return Gone("its claim has expired, or was deleted");
  const Result<ClaimState> state = ReadClaim(**text, Id());
  if (!state) return state.error();
  if (state->owner != owner_ || state->uid != uid_) return Gone("a claim of that name is not the one it had");
  return Done{};
}

// Under a name of its own each writing has its time in the answer, by the API server's clock. One that goes
// otherwise than was known is told again when the claim is to end.
Status Claim::Extend() {
  for (int attempt = 1;; ++attempt) {
    const std::string writer = "mxc-exec-" + RandomToken();
    const std::uint64_t asked_at = NowMs();
    // Newer kubectl leaves the writers out of `-o json`.
    const Result<std::optional<std::string>> text =
        Ask("set the time of " + TheClaim(kubectl_.Run()),
            {.arguments = {"patch", ClaimResource(kubectl_.Run()), name_, "--type=merge",
                           "--field-manager=" + writer, "-o", "jsonpath={@}", "-p", Patch()}});
    if (!text) return text.error();
    if (!*text) return Gone("its claim has expired, or was deleted");
    const Result<ClaimState> state = ReadClaim(**text, Id(), writer);
    if (!state) return state.error();
    if (state->uid != uid_) return Gone("its claim was replaced by another");
    if (!clock_.Learn(state->written, NowMs() - asked_at) || attempt == kAttempts) return Done{};
    KnowEnd();
  }
}

Result<KeptPod> Claim::Keep(const BoundPod& pod, std::uint64_t lifetime_ms) {
  renewal_.End();
  renew_at_ = kNever;
  const std::uint64_t ttl_ms = std::uint64_t{kubectl_.Run().ttl_s} * 1000;
  lease_ms_ = lifetime_ms == 0 ? ttl_ms : std::min(ttl_ms, lifetime_ms);
  KnowEnd();
  if (Status extended = Extend(); !extended) return extended.error();
  const std::int64_t ends_s = clock_.Now() + static_cast<std::int64_t>(lifetime_ms / 1000);
  return KeptPod{.claim = name_,
                 .pod = pod.name,
                 .owner = owner_,
                 .claim_uid = uid_,
                 .pod_uid = pod.state.uid,
                 .clock_ahead_s = clock_.AheadSeconds(),
                 .ends_s = lifetime_ms == 0 ? 0 : ends_s};
}

Result<BoundPod> Claim::Rejoin() {
  const PodRun& run = kubectl_.Run();
  if (Status ours = IsOurs(); !ours) return ours.error();
  const Result<std::optional<std::string>> text =
      Ask("look at the pod '" + kept_.pod + "'", GetRaw(PodPath(run, kept_.pod)));
  if (!text) return text.error();
  if (!*text) return Gone("its pod was deleted");
  Result<PodState> state =
      ReadPod(**text, {.kind = "Pod", .name_space = run.name_space, .name = kept_.pod}, run.container);
  if (!state) return state.error();
  if (state->uid != kept_.pod_uid || !IsPodOf(run, *state, uid_))
    return Gone("its pod was replaced by another");
  if (!state->ready) return NotRunning(kept_.pod);
  bool passing = false;
  Result<BoundPod> pod = Judge({.name = kept_.pod, .state = std::move(*state)}, **text, passing);
  if (!pod) return pod;
  if (Status extended = Extend(); !extended) return extended.error();
  if (NowMs() >= ends_at_) return Gone("its time was over");
  return pod;
}

Status Claim::DeleteKept() {
  const Status ours = IsOurs();
  if (ours) return Delete();
  return ours.error().code == ErrorCode::kStaleId ? Status(Done{}) : ours;
}

}  // namespace mxc::kubernetes
