#include "kubernetes/cluster_objects.h"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/quoted.h"
#include "document/parse.h"
#include "kubernetes/json_access.h"
#include "mxc/kubernetes/pod_run.h"

namespace mxc::kubernetes {
namespace {

struct Failure {
  std::string_view reason;   // of the condition Ready
  std::string_view message;  // completes "the claim ", "the sandbox "
  std::string_view hint;
};

// What does not pass by itself. Other reasons come and go while a pod starts.
constexpr Failure kFailures[] = {
    {"TemplateNotFound", "is of a warm pool without a template",
     "create the SandboxTemplate that the pool names"},
    {"WarmPoolNotFound", "names a warm pool that is not there", "create it, or correct kubernetes.warmPool"},
    {"InvalidMetadata", "is refused for its metadata", "look at the claim's status"},
    {"EnvVarsInjectionRejected", "is refused for its environment", "look at the template"},
    {"VolumeClaimTemplatesError", "has volumes that cannot be made", "look at the template's volumes"},
    {"MultiplePods", "is bound to more than one pod", "look at the controller's log"},
    {"ClaimExpired", "has expired before it had a pod",
     "let the warm pool have more replicas, raise kubernetes.ttl, or set this machine's clock"},
    {"SandboxExpired", "was given a sandbox that has expired", "try again"},
    {"SandboxSuspended", "was given a sandbox that is suspended", "resume it, or let the pool replace it"},
    {"PodSucceeded", "was given a pod that has ended",
     "let the pod's container wait, for instance: sleep infinity"},
    {"PodFailed", "was given a pod that has failed", "look at the pod's status"},
};

// In a condition's message, whatever its reason is: what only the cluster's operator can mend.
constexpr Failure kMessages[] = {
    {"ImagePullBackOff", "has a pod whose image cannot be pulled", "correct the template's image"},
    {"ErrImagePull", "has a pod whose image cannot be pulled", "correct the template's image"},
    {"exceeded quota", "is over a quota of the namespace", "wait, or raise the ResourceQuota"},
};

const Json* ReadyOf(const Json& claim) {
  for (const Json& condition : At(At(claim, "status"), "conditions").items)
    if (Text(condition, "type") == "Ready") return &condition;
  return nullptr;
}

Error NoName(const ObjectId& id, std::string_view field, std::string_view name) {
  return Unreadable(id, fmt::format("{} is {}, which is no name of an object", field, Quoted(name)));
}

std::string_view NounOf(const ObjectId& id) { return id.kind == "Sandbox" ? "sandbox" : "claim"; }

std::optional<Error> FailureOf(const ObjectId& id, const std::string& reason, const std::string& message) {
  const auto error = [&](const Failure& failure) {
    return Unavailable(fmt::format("the {} {}: {}{}{}", NounOf(id), failure.message, reason,
                                   message.empty() ? "" : ": ", message),
                       "/kubernetes", std::string(failure.hint));
  };
  for (const Failure& failure : kFailures)
    if (failure.reason == reason) return error(failure);
  for (const Failure& failure : kMessages)
    if (message.find(failure.reason) != std::string::npos) return error(failure);
  return std::nullopt;
}

// The API server sets the time of a field manager when that gets fields of its own, and at no later writing
// of the same fields.
std::string FirstWrittenBy(std::string_view writer, const Json& metadata) {
  for (const Json& entry : At(metadata, "managedFields").items)
    if (Text(entry, "manager") == writer) return Text(entry, "time");
  return {};
}

Result<ClaimState> ClaimOf(const Json& claim, const ObjectId& id, std::string_view writer = {}) {
  const Json& metadata = At(claim, "metadata");
  ClaimState state{.uid = Text(metadata, "uid"),
                   .owner = Text(At(metadata, "labels"), kOwnerLabel),
                   .created = Text(metadata, "creationTimestamp"),
                   .written = FirstWrittenBy(writer, metadata)};
  const Json* const ready = ReadyOf(claim);
  if (ready == nullptr) return state;
  if (Text(*ready, "status") == "True") {
    const bool is_sandbox = id.kind == "Sandbox";
    state.sandbox = Text(is_sandbox ? metadata : At(At(claim, "status"), "sandbox"), "name");
    if (!state.sandbox.empty() && !IsDnsName(state.sandbox))
      return NoName(id, "status.sandbox.name", state.sandbox);
    return state;
  }
  state.reason = Text(*ready, "reason");
  state.failure = FailureOf(id, state.reason, Text(*ready, "message"));
  return state;
}

// The one that was asked for, or the first.
const std::string* ContainerOf(const Json& pod, std::string_view asked) {
  for (const Json& one : At(At(pod, "spec"), "containers").items) {
    const std::string& name = Text(one, "name");
    if (asked.empty() || name == asked) return &name;
  }
  return nullptr;
}

bool IsReady(const Json& pod, const std::string& container) {
  const Json& status = At(pod, "status");
  bool ready = false;
  for (const Json& one : At(status, "containerStatuses").items)
    if (Text(one, "name") == container) ready = IsBool(At(one, "ready"), true);
  return ready && Text(status, "phase") == "Running" && IsNull(At(At(pod, "metadata"), "deletionTimestamp"));
}

// Whom the controller made it for. A label can be copied, this the API server keeps to one.
std::string ControllerOf(const Json& metadata) {
  for (const Json& owner : At(metadata, "ownerReferences").items) {
    const bool ours =
        Text(owner, "kind") == "Sandbox" && Text(owner, "apiVersion").starts_with("agents.x-k8s.io/");
    if (ours && IsBool(At(owner, "controller"), true)) return Text(owner, "uid");
  }
  return {};
}

}  // namespace

Result<ClaimState> ReadClaim(std::string_view text, const ObjectId& id, std::string_view writer) {
  const Result<Json> claim = ReadObject(text, id);
  if (!claim) return claim.error();
  return ClaimOf(*claim, id, writer);
}

Result<ClaimEvent> ReadClaimEvent(std::string_view line, const ObjectId& id) {
  const Result<Json> event = ParseDocument({.name = {}, .bytes = std::string(line)});
  if (!event) return Unreadable(id, event.error().message);
  const std::string& type = Text(*event, "type");
  if (type == "ERROR") return ClaimEvent{};
  if (type != "ADDED" && type != "MODIFIED" && type != "DELETED")
    return Unreadable(id, fmt::format("{} is no event of a watch", Quoted(type)));
  const Json& object = At(*event, "object");
  if (Status fits = CheckObject(object, id); !fits) return fits.error();
  Result<ClaimState> claim = ClaimOf(object, id);
  if (!claim) return claim.error();
  return ClaimEvent{.claim = std::move(*claim), .deleted = type == "DELETED"};
}

Result<std::string> ReadPodTemplate(std::string_view text, const ObjectId& id) {
  const Result<Json> document = ReadObject(text, id);
  if (!document) return document.error();
  const Json& spec = At(*document, "spec");
  if (!IsObject(At(spec, "podTemplate")) || !IsObject(At(At(spec, "podTemplate"), "spec")))
    return Unreadable(id, "spec.podTemplate.spec is no object");
  if (!IsNull(At(spec, "volumeClaimTemplates")) && !At(spec, "volumeClaimTemplates").items.empty())
    return Unavailable(fmt::format("the SandboxTemplate {} has volumeClaimTemplates", Quoted(id.name)),
                       "/kubernetes/template", "claim from a warm pool of it: `warmPool`");
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!whole.is_object()) return Unreadable(id, "it is no JSON");
  nlohmann::ordered_json pod = whole.at("spec").at("podTemplate");
  if (!pod["spec"].contains("automountServiceAccountToken"))
    pod["spec"]["automountServiceAccountToken"] = false;  // as the controller has it for claims
  return pod.dump();
}

Result<std::string> ReadPodName(std::string_view sandbox, const ObjectId& id) {
  const Result<Json> document = ReadObject(sandbox, id);
  if (!document) return document.error();
  const Json& metadata = At(*document, "metadata");
  const Json& noted = At(At(metadata, "annotations"), "agents.x-k8s.io/pod-name");
  const std::string pod = IsNull(noted) ? Text(metadata, "name") : IsText(noted) ? noted.text : std::string();
  if (!IsDnsName(pod)) return NoName(id, "the pod of the sandbox", pod);
  return pod;
}

Result<PodState> ReadPod(std::string_view text, const ObjectId& id, std::string_view container) {
  const Result<Json> pod = ReadObject(text, id);
  if (!pod) return pod.error();
  const std::string* const name = ContainerOf(*pod, container);
  if (name == nullptr && container.empty()) return Unreadable(id, "spec.containers is no list of containers");
  if (name == nullptr)
    return Unavailable(fmt::format("the pod {} has no container {}", Quoted(id.name), Quoted(container)),
                       "/kubernetes/container");
  if (!IsDnsLabel(*name)) return NoName(id, "the name of a container", *name);
  const Json& metadata = At(*pod, "metadata");
  PodState state{.uid = Text(metadata, "uid"),
                 .claim_uid = Text(At(metadata, "labels"), "agents.x-k8s.io/claim-uid"),
                 .sandbox_uid = ControllerOf(metadata),
                 .container = *name,
                 .runtime_class = Text(At(*pod, "spec"), "runtimeClassName"),
                 .ready = IsReady(*pod, *name)};
  if (!state.runtime_class.empty() && !IsDnsName(state.runtime_class))
    return NoName(id, "spec.runtimeClassName", state.runtime_class);
  return state;
}

Result<std::vector<ExpiredClaim>> ReadExpiredClaims(std::string_view list, const ObjectId& id,
                                                    std::string_view now) {
  const Result<Json> document = ReadList(list, id);
  if (!document) return document.error();
  std::vector<ExpiredClaim> expired;
  const std::optional<std::int64_t> limit = ReadTime(now);
  for (const Json& claim : At(*document, "items").items) {
    const Json& metadata = At(claim, "metadata");
    const std::optional<std::int64_t> end = ReadTime(Text(
        id.kind == "SandboxList" ? At(claim, "spec") : At(At(claim, "spec"), "lifecycle"), "shutdownTime"));
    const Json& labels = At(metadata, "labels");
    const bool ours = Text(labels, kManagedByLabel) == "mxc-exec" && !Text(labels, kOwnerLabel).empty();
    if (!ours || !limit || !end || *end >= *limit) continue;
    const std::string& name = Text(metadata, "name");
    if (!IsDnsName(name)) return NoName(id, "the name of a claim", name);
    ExpiredClaim one{
        .name = name, .uid = Text(metadata, "uid"), .version = Text(metadata, "resourceVersion")};
    if (one.uid.empty() || one.version.empty())
      return Unreadable(id, fmt::format("the claim {} has no UID, or no version", Quoted(name)));
    expired.push_back(std::move(one));
  }
  return expired;
}

std::optional<std::int64_t> ReadTime(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t count) {
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  using namespace std::chrono;  // NOLINT(google-build-using-namespace): of literals and types alike
  const year_month_day day{year{number(0, 4)}, month{static_cast<unsigned>(number(5, 2))},
                           std::chrono::day{static_cast<unsigned>(number(8, 2))}};
  if (!day.ok()) return std::nullopt;
  const auto days = sys_days{day}.time_since_epoch();
  return duration_cast<seconds>(days).count() + std::int64_t{number(11, 2)} * 3600 +
         std::int64_t{number(14, 2)} * 60 + number(17, 2);
}

std::string TimeText(std::int64_t since) {
  using namespace std::chrono;  // NOLINT(google-build-using-namespace)
  const sys_seconds time{seconds{since}};
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace mxc::kubernetes
