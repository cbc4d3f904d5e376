#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/own_files.h"
#include "kubernetes/claim.h"
#include "kubernetes/claim_object.h"
#include "kubernetes/judge_pod.h"

namespace mxc::kubernetes {
namespace {

constexpr std::uint64_t kMaxLeaseMs = 120000;
constexpr std::uint64_t kMinLeaseMs = 5000;
// A warm pod is there at once, a cold one has an image to pull.
constexpr std::uint64_t kReadyMs = 300000;
// A watch is begun anew so often: each tells first what is, so that one that says nothing costs no more.
constexpr int kWatchSeconds = 10;
// An API server that is started again answers no connection for a while.
constexpr std::uint64_t kUnreachedMs = 15000;

Error NotReady(const PodRun& run, const std::string& reason) {
  const bool pool = run.pod_template.empty();
  return Unavailable(TheClaim(run) + " got no pod in time" + (reason.empty() ? "" : ": " + reason),
                     pool ? "/kubernetes/warmPool" : "/kubernetes/template",
                     pool ? "let the warm pool have more replicas, or look at the controller's log"
                          : "look at the Sandbox's status, or at the controller's log");
}

std::string ManifestOf(const PodRun& run, const ClaimNames& names, const std::string& pod) {
  return pod.empty() ? ClaimManifest(run, names) : SandboxManifest(run, names, pod);
}

}  // namespace

std::string RandomToken() {
  std::array<unsigned char, 16> bytes{};
  if (!FillRandom(bytes)) return {};
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

Claim::Claim(const Kubectl& kubectl, const std::string& run)
    : kubectl_(kubectl),
      name_("mxc-" + run),
      owner_(RandomToken()),
      lease_ms_(
          std::clamp<std::uint64_t>(std::uint64_t{kubectl.Run().ttl_s} * 250, kMinLeaseMs, kMaxLeaseMs)),
      begun_at_(NowMs()),
      ends_at_(begun_at_ + std::uint64_t{kubectl.Run().ttl_s} * 1000),
      renew_at_(begun_at_ + lease_ms_ / 3) {}

ObjectId Claim::Id() const {
  return {.kind = KindOf(kubectl_.Run()).kind, .name_space = kubectl_.Run().name_space, .name = name_};
}

std::string Claim::Path() const { return ClaimsPath(kubectl_.Run()) + "/" + name_; }

std::string Claim::EndOfLease() {
  const std::uint64_t now = NowMs();
  const std::uint64_t end = std::min(now + lease_ms_, ends_at_);
  const std::int64_t ahead = static_cast<std::int64_t>(end > now ? (end - now) / 1000 : 0);
  last_end_ = TimeText(clock_.Now() + ahead);
  return last_end_;
}

void Claim::Know(const ClaimState& state) {
  uid_ = state.uid;
  clock_.Learn(state.created, NowMs() - begun_at_);
}

// One that has our name is ours if it has our owner's text, too: its creation was answered with a failure.
Status Claim::Adopt(const KubectlAnswer& refusal) {
  bool passing = false;
  const Result<std::string> text = Get("look at " + TheClaim(kubectl_.Run()), Path(), passing);
  if (!text) return text.error();
  const Result<ClaimState> state = ReadClaim(*text, Id());
  if (!state || state->owner != owner_) {
    created_ = false;  // nothing of it is known to be ours to delete
    return state ? ErrorOf("create a " + std::string(KindOf(kubectl_.Run()).kind), refusal) : state.error();
  }
  created_ = true;
  Know(*state);
  return Done{};
}

// Empty: the pod comes from a warm pool.
Result<std::string> Claim::PodTemplate() const {
  const PodRun& run = kubectl_.Run();
  if (run.pod_template.empty()) return std::string();
  const Result<std::optional<std::string>> text =
      Ask("look at the template '" + run.pod_template + "'",
          GetRaw(fmt::format("/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{}/sandboxtemplates/{}",
                             run.name_space, run.pod_template)));
  if (!text) return text.error();
  if (!*text)
    return Unavailable("there is no SandboxTemplate '" + run.pod_template + "'", "/kubernetes/template",
                       "create it, or correct kubernetes.template");
  return ReadPodTemplate(**text,
                         {.kind = "SandboxTemplate", .name_space = run.name_space, .name = run.pod_template});
}

Status Claim::Created(const std::string& text) {
  created_ = true;
  const Result<ClaimState> state = ReadClaim(text, Id());
  if (!state) return state.error();
  Know(*state);
  return Done{};
}

Status Claim::Create() {
  if (owner_.empty()) return SystemError(ErrorCode::kSetupFailed, "get random bytes", 0);
  const Result<std::string> pod = PodTemplate();
  if (!pod) return pod.error();
  for (;;) {
    const ClaimNames names{.claim = name_, .owner = owner_, .shutdown_time = EndOfLease()};
    const std::string manifest = ManifestOf(kubectl_.Run(), names, *pod);
    const Result<KubectlAnswer> answer = kubectl_.Call(
        {.arguments = {"create", "--raw", ClaimsPath(kubectl_.Run()), "-f", "-"}, .input = manifest});
    if (!answer) return answer.error();
    if (answer->Succeeded()) return Created(answer->out);
    created_ = created_ || answer->end != KubectlEnd::kExited;  // it may have been
    if (answer->end == KubectlEnd::kInterrupted) return Interrupted();
    const KubectlFailure failure = FailureOf(*answer);
    if (failure == KubectlFailure::kExists) return Adopt(*answer);
    const bool unsent = WasUnsent(*answer);
    created_ = created_ || (failure == KubectlFailure::kPassing && !unsent);
    const std::uint64_t limit_ms = unsent ? std::min(lease_ms_, kUnreachedMs) : lease_ms_;
    if (failure != KubectlFailure::kPassing || NowMs() > begun_at_ + limit_ms)
      return ErrorOf("create a " + std::string(KindOf(kubectl_.Run()).kind), *answer);
    Pause();
  }
}

Result<std::optional<std::string>> Claim::Ask(const std::string& what, const KubectlCall& call,
                                              Until until) const {
  for (int attempt = 1;; ++attempt) {
    Result<KubectlAnswer> answer = until == Until::kTheEnd ? kubectl_.Finish(call) : kubectl_.Call(call);
    if (!answer) return answer.error();
    if (answer->Succeeded()) return std::optional<std::string>(std::move(answer->out));
    if (answer->end == KubectlEnd::kInterrupted) return Interrupted();
    const KubectlFailure failure = FailureOf(*answer);
    if (failure == KubectlFailure::kNotFound || failure == KubectlFailure::kChanged)
      return std::optional<std::string>();
    if (failure != KubectlFailure::kPassing || attempt == kAttempts) return ErrorOf(what, *answer);
    Pause();
  }
}

Result<std::string> Claim::Get(const std::string& what, const std::string& path, bool& passing) const {
  Result<KubectlAnswer> answer = kubectl_.Call(GetRaw(path));
  if (!answer) return answer.error();
  if (answer->Succeeded()) return std::move(answer->out);
  if (answer->end == KubectlEnd::kInterrupted) return Interrupted();
  const KubectlFailure failure = FailureOf(*answer);
  passing = failure == KubectlFailure::kPassing || failure == KubectlFailure::kNotFound;
  return ErrorOf(what, *answer);
}

// As long as one watch lasts.
Result<Claim::Waited> Claim::WaitUntilReady() {
  const std::string path = fmt::format("{}?watch=1&fieldSelector=metadata.name%3D{}&timeoutSeconds={}",
                                       ClaimsPath(kubectl_.Run()), name_, kWatchSeconds);
  ClaimEvent last;
  std::optional<Error> unreadable;
  const auto on_line = [&](std::string_view line) {
    Result<ClaimEvent> event = ReadClaimEvent(line, Id());
    if (!event) {
      unreadable = event.error();
      return true;
    }
    last = std::move(*event);
    return !last.claim || last.deleted || last.claim->failure || !last.claim->sandbox.empty();
  };
  const Result<KubectlAnswer> answer = kubectl_.Call(
      {.arguments = {"get", "--raw", path}, .limit_ms = (kWatchSeconds + 2) * 1000, .on_line = on_line});
  if (!answer) return answer.error();
  if (answer->end == KubectlEnd::kInterrupted) return Interrupted();
  if (unreadable) return std::move(*unreadable);
  if (last.deleted)
    return Unavailable(TheClaim(kubectl_.Run()) + " was deleted before it had a pod", "/kubernetes",
                       "raise kubernetes.ttl, set this machine's clock, or ask who deletes claims");
  if (last.claim && last.claim->uid != uid_)
    return Unavailable(TheClaim(kubectl_.Run()) + " was replaced by another of its name", "/kubernetes");
  if (last.claim && last.claim->failure) return *last.claim->failure;
  if (last.claim && !last.claim->sandbox.empty()) return Waited{.sandbox = last.claim->sandbox};
  if (answer->end == KubectlEnd::kExited && answer->exit_code != 0 &&
      FailureOf(*answer) == KubectlFailure::kRefused)
    return ErrorOf("watch " + TheClaim(kubectl_.Run()), *answer);
  return Waited{.reason = last.claim ? last.claim->reason : ""};
}

// Its Ready may be an old one: of a pod that is gone, or not there yet.
Result<BoundPod> Claim::LookAtPod(const std::string& sandbox, bool& passing) const {
  const PodRun& run = kubectl_.Run();
  const std::string path =
      "/apis/agents.x-k8s.io/v1beta1/namespaces/" + run.name_space + "/sandboxes/" + sandbox;
  const Result<std::string> bound = Get("look at the sandbox '" + sandbox + "'", path, passing);
  if (!bound) return bound.error();
  const Result<std::string> name =
      ReadPodName(*bound, {.kind = "Sandbox", .name_space = run.name_space, .name = sandbox});
  if (!name) return name.error();
  Result<std::string> text = Get("look at the pod '" + *name + "'", PodPath(run, *name), passing);
  if (!text) return text.error();
  Result<PodState> state =
      ReadPod(*text, {.kind = "Pod", .name_space = run.name_space, .name = *name}, run.container);
  if (!state) return state.error();
  if (!IsPodOf(run, *state, uid_)) {
    passing = true;  // the label of the claim that had it before, or none yet
    return Unavailable("the pod '" + *name + "' is not the one of this " + std::string(KindOf(run).noun),
                       "/kubernetes");
  }
  if (!state->ready) {
    passing = true;
    return NotRunning(*name);
  }
  return Judge({.name = *name, .state = std::move(*state)}, *text, passing);
}

Result<BoundPod> Claim::Judge(BoundPod pod, const std::string& text, bool& passing) const {
  const PodRun& run = kubectl_.Run();
  const Result<std::string> policies =
      Get("list the NetworkPolicies",
          "/apis/networking.k8s.io/v1/namespaces/" + run.name_space + "/networkpolicies", passing);
  if (!policies) return policies.error();
  if (std::optional<Error> refusal = RefusalOf(JudgePod(text, *policies, run), run.accepted))
    return std::move(*refusal);
  return pod;
}

Result<BoundPod> Claim::Bind() {
  if (Status created = Create(); !created) return created.error();
  const std::uint64_t deadline = std::min(begun_at_ + kReadyMs, ends_at_);
  std::string reason;
  while (NowMs() < deadline) {
    const Result<Waited> waited = WaitUntilReady();
    if (!waited) return waited.error();
    if (!waited->reason.empty()) reason = waited->reason;
    if (!waited->sandbox.empty()) {
      bool passing = false;
      Result<BoundPod> pod = LookAtPod(waited->sandbox, passing);
      if (pod || !passing) return pod;
      reason = pod.error().message;
    }
    Pause();
  }
  return NotReady(kubectl_.Run(), reason);
}

Status Claim::CheckAgain(const BoundPod& pod) const {
  const Error replaced{.code = ErrorCode::kSetupFailed,
                       .message = "the pod '" + pod.name +
                                  "' was replaced or deleted while the command ran: its outcome is not known",
                       .hint = "run it again where it may run twice"};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    bool passing = false;
    const Result<std::string> text =
        Get("look at the pod '" + pod.name + "' again", PodPath(kubectl_.Run(), pod.name), passing);
    if (text) {
      const PodRun& run = kubectl_.Run();
      Result<PodState> state = ReadPod(*text, {.kind = "Pod", .name_space = run.name_space, .name = pod.name},
                                       pod.state.container);
      if (state) return state->uid == pod.state.uid ? Status(Done{}) : Status(replaced);
      Error unknown = state.error();
      unknown.code = ErrorCode::kSetupFailed;
      return unknown;
    }
    if (!passing) return text.error();
    Pause();
  }
  return replaced;
}

std::string Claim::Patch() {
  const bool pool = kubectl_.Run().pod_template.empty();
  return fmt::format(fmt::runtime(pool ? R"({{"spec":{{"lifecycle":{{"shutdownTime":"{}"}}}}}})"
                                       : R"({{"spec":{{"shutdownTime":"{}"}}}})"),
                     EndOfLease());
}

void Claim::Renew() {
  int exit_code = 0;
  if (renewal_.Started()) {
    if (!renewal_.HasEnded(exit_code)) return;
    renewal_ = {};
    // Soon again: a third of the lease is left for what passes.
    if (exit_code != 0) renew_at_ = NowMs() + lease_ms_ / 10;
  }
  if (uid_.empty() || NowMs() < renew_at_) return;
  renew_at_ = NowMs() + lease_ms_ / 3;
  Result<KubectlProcess> started = kubectl_.Start({"patch", ClaimResource(kubectl_.Run()), name_,
                                                   "--type=merge", "--request-timeout=10s", "-p", Patch()});
  if (started) renewal_ = std::move(*started);
}

Status Claim::DeleteByUid() {
  const std::string what = "delete " + TheClaim(kubectl_.Run()) + " '" + name_ + "'";
  // Its creation may not have been answered.
  if (uid_.empty()) {
    const Result<std::optional<std::string>> text = Ask(what, GetRaw(Path()), Until::kTheEnd);
    if (!text) return text.error();
    if (!*text) return Done{};
    const Result<ClaimState> state = ReadClaim(**text, Id());
    if (!state) return state.error();
    if (state->owner != owner_) return Done{};
    uid_ = state->uid;
  }
  const Result<std::optional<std::string>> gone =
      Ask(what, {.arguments = {"delete", "--raw", Path(), "-f", "-"}, .input = DeleteOptions(uid_)},
          Until::kTheEnd);
  return gone ? Status(Done{}) : Status(gone.error());
}

Status Claim::Delete() {
  renewal_.End();
  if (!created_) return Done{};
  Status deleted = DeleteByUid();
  if (deleted) return deleted;
  Error left = deleted.error();
  left.message += last_end_.empty() ? "; the cluster deletes it when its time is over"
                                    : "; the cluster deletes it at " + last_end_;
  return left;
}

}  // namespace mxc::kubernetes
