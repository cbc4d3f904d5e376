// A SandboxClaim, or a Sandbox of its own in its place, from its creation to its deletion. It has a lease:
// the time at which the cluster deletes it, which is set a little ahead again and again, so that it does not
// outlive a launcher that was killed.
//
//   Claim claim(kubectl, plan.run);                   // kubectl calls claim.Renew() while it is waited for
//   Result<BoundPod> pod = claim.Bind(deadline_ms);   // created, bound, judged
//   ...
//   if (Status deleted = claim.Delete(); !deleted) Warn(deleted.error());
//
// One that stays between two calls has its whole time from each of them, and nobody renews it:
//
//   Result<KeptPod> kept = claim.Keep(*pod, ends_s);
//   ... a later call:
//   Claim claim(kubectl, kept);
//   Result<BoundPod> pod = claim.Rejoin();            // still ours, still that pod, judged again
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/claim_clock.h"
#include "kubernetes/cluster_objects.h"
#include "kubernetes/kubectl.h"
#include "mxc/error.h"

namespace mxc::kubernetes {

struct BoundPod {
  std::string name = {};
  PodState state = {};
};

// 32 hexadecimal digits that nobody can guess; "" when the system gives no random bytes.
[[nodiscard]] std::string RandomToken();

class Claim {
 public:
  // `kubectl` is borrowed. `run`: the identifier of the run.
  Claim(const Kubectl& kubectl, const std::string& run);
  Claim(const Kubectl& kubectl, const KeptPod& kept);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() = default;

  // A pod that may be used. Errors: kUnavailable: the cluster refuses, has none in time, or the pod is judged
  // unfit; kInternal with the message "" when the wait was interrupted.
  [[nodiscard]] Result<BoundPod> Bind();
  // It stays, from now on for its `ttl`, and for `lifetime_ms` at most; 0: for ever. Errors: as Bind.
  [[nodiscard]] Result<KeptPod> Keep(const BoundPod& pod, std::uint64_t lifetime_ms);
  // The pod of a claim that was kept; its time begins anew. Errors: as Bind, and kStaleId: it is gone, or not
  // what was kept.
  [[nodiscard]] Result<BoundPod> Rejoin();
  // It is the same pod, and it runs. Errors: kSetupFailed.
  [[nodiscard]] Status CheckAgain(const BoundPod& pod) const;

  // By which the sandbox's record counts.
  [[nodiscard]] const ServerClock& Clock() const { return clock_; }
  // Milliseconds of CLOCK_MONOTONIC when the claim ends whatever is done.
  [[nodiscard]] std::uint64_t EndsAt() const { return ends_at_; }
  // Starts it, and looks at how the last one went. Called now and then.
  void Renew();

  // Errors: what stays behind, and until when.
  [[nodiscard]] Status Delete();
  // One that was kept, if it is there and ours still.
  [[nodiscard]] Status DeleteKept();

 private:
  [[nodiscard]] Status Create();
  [[nodiscard]] Result<std::string> PodTemplate() const;
  [[nodiscard]] Status Adopt(const KubectlAnswer& refusal);
  [[nodiscard]] Status Created(const std::string& text);
  struct Waited {
    std::string sandbox = {};  // the claim is bound to it; empty: not yet
    std::string reason = {};   // why not
  };
  [[nodiscard]] Result<Waited> WaitUntilReady();
  [[nodiscard]] Result<BoundPod> LookAtPod(const std::string& sandbox, bool& passing) const;
  [[nodiscard]] Result<BoundPod> Judge(BoundPod pod, const std::string& text, bool& passing) const;
  // Whether the caller may end the wait.
  enum class Until { kInterrupted, kTheEnd };
  // What passes is asked again. Nothing: there is no such object, or it is another than the preconditions
  // say.
  [[nodiscard]] Result<std::optional<std::string>> Ask(const std::string& what, const KubectlCall& call,
                                                       Until until = Until::kInterrupted) const;
  [[nodiscard]] Status IsOurs() const;
  void KnowEnd();
  [[nodiscard]] Status Extend();
  [[nodiscard]] Status DeleteByUid();
  [[nodiscard]] std::string Patch();
  [[nodiscard]] Result<std::string> Get(const std::string& what, const std::string& path,
                                        bool& passing) const;
  [[nodiscard]] ObjectId Id() const;
  [[nodiscard]] std::string Path() const;
  void Know(const ClaimState& state);
  [[nodiscard]] std::string EndOfLease();

  const Kubectl& kubectl_;
  std::string name_;
  std::string owner_;
  std::string uid_ = {};
  KeptPod kept_ = {};
  std::uint64_t lease_ms_;
  ServerClock clock_ = ServerClock();
  std::uint64_t begun_at_;
  std::uint64_t ends_at_ = 0;
  std::uint64_t renew_at_;
  std::string last_end_ = {};
  bool created_ = false;
  KubectlProcess renewal_ = {};
};

}  // namespace mxc::kubernetes
