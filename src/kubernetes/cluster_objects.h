// What a cluster says of a claim, of the Sandbox that it is bound to, and of its pod. Text in, values out.
// Each function takes the object that was asked for (api_answer.h), and gives the error that the answer is
// another, or cannot be read. Names that are read are such of DNS: they go into paths and onto kubectl's
// command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api_answer.h"
#include "mxc/error.h"

namespace mxc::kubernetes {

// How far a SandboxClaim has come, or a Sandbox of its own.
struct ClaimState {
  std::string uid = {};
  std::string owner = {};             // of kOwnerLabel
  std::string created = {};           // RFC 3339, by the API server's clock
  std::string written = {};           // so the first time that `writer` wrote it; empty: it did not
  std::string sandbox = {};           // not empty: it is bound, and says that it is ready
  std::string reason = {};            // of the condition Ready, while it is not
  std::optional<Error> failure = {};  // it will never be: kUnavailable, with what can be done
};

// `writer`: a field manager.
[[nodiscard]] Result<ClaimState> ReadClaim(std::string_view text, const ObjectId& id,
                                           std::string_view writer = {});

// A line of a watch.
struct ClaimEvent {
  std::optional<ClaimState> claim = {};  // nothing: an error of the watch, 410 Gone for instance
  bool deleted = false;
};
[[nodiscard]] Result<ClaimEvent> ReadClaimEvent(std::string_view line, const ObjectId& id);

// spec.podTemplate of a SandboxTemplate, as JSON, without a token of the service account unless it asks for
// one. Errors also: it has what only the controller of claims makes.
[[nodiscard]] Result<std::string> ReadPodTemplate(std::string_view text, const ObjectId& id);

// The name of the pod of a Sandbox.
[[nodiscard]] Result<std::string> ReadPodName(std::string_view sandbox, const ObjectId& id);

struct PodState {
  std::string uid = {};
  std::string claim_uid = {};    // of the label that the controller sets
  std::string sandbox_uid = {};  // of the Sandbox that controls it, by its ownerReferences
  std::string container = {};    // the one that was asked for, or the first
  std::string runtime_class = {};
  bool ready = false;  // that container runs, and nobody deletes the pod
};
// `container`: empty: the first. Errors also: it has no such container.
[[nodiscard]] Result<PodState> ReadPod(std::string_view text, const ObjectId& id, std::string_view container);

struct ExpiredClaim {
  std::string name = {};
  std::string uid = {};
  std::string version = {};  // metadata.resourceVersion
};
// Claims of a list that are ours and whose time is over at `now` (RFC 3339, UTC).
[[nodiscard]] Result<std::vector<ExpiredClaim>> ReadExpiredClaims(std::string_view list, const ObjectId& id,
                                                                  std::string_view now);

// Seconds since 1970 of "2026-11-24T10:00:00Z", and back. Nothing: it is no such text.
[[nodiscard]] std::optional<std::int64_t> ReadTime(std::string_view text);
[[nodiscard]] std::string TimeText(std::int64_t seconds);

}  // namespace mxc::kubernetes
