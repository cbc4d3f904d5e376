// Requests of the lifecycle: one document, and which of its keys each phase takes.
#include <algorithm>
#include <iterator>

#include "config/decoding.h"
#include "config/fields.h"

namespace mxc {
namespace {

struct NamedPhase {
  std::string_view name;
  Phase phase;
};

constexpr NamedPhase kNamedPhases[] = {{"provision", Phase::kProvision},
                                       {"start", Phase::kStart},
                                       {"exec", Phase::kExec},
                                       {"stop", Phase::kStop},
                                       {"deprovision", Phase::kDeprovision}};

// The policy is fixed when the sandbox is provisioned: a later phase names it, and nothing else.
constexpr std::string_view kOfEveryPhase[] = {"$schema",      "_comment",  "version",
                                              "phase",        "sandboxId", "correlationVector",
                                              "experimental", "telemetry", "expand"};
// What a run leaves behind, what provision answers, and the sections of containments without this lifecycle.
constexpr std::string_view kNotOfProvision[] = {"lifecycle",        "sandboxId",     "appContainer",
                                                "processContainer", "macos_sandbox", "seatbelt"};

template <std::size_t kCount>
bool Holds(const std::string_view (&list)[kCount], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool Takes(Phase phase, std::string_view key) {
  if (phase == Phase::kProvision) return !Holds(kNotOfProvision, key);
  return Holds(kOfEveryPhase, key) || (phase == Phase::kExec && (key == "process" || key == "review"));
}

void RejectLifecycleKeys(Decoding& decoding) {
  for (const Field& field : RootShape().fields) {
    if (field.use != Use::kLifecycle) continue;
    const Json* value = Member(&decoding.document, field.name);
    if (value == nullptr) continue;
    decoding.Fail(Place{}.Key(field.name), *value,
                  "'" + std::string(field.name) + "' is only valid on state-aware lifecycle requests",
                  "remove it to run the command once, or add `phase`");
  }
}

void DecodeSession(Decoding& decoding, const Json& session) {
  SessionConfig& config = decoding.config.session;
  if (const Json* idle = Member(&session, "idleTimeoutMs")) {
    config.idle_timeout_ms = idle->integer;
    config.idle_timeout_pointer = "/session/idleTimeoutMs";
  }
  if (const Json* lifetime = Member(&session, "lifetimeMs")) {
    config.lifetime_ms = lifetime->integer;
    config.lifetime_pointer = "/session/lifetimeMs";
  }
}

// `key` is one that the phase cannot do without.
void Require(Decoding& decoding, std::string_view key, std::string_view hint) {
  const Json* value = Member(&decoding.document, key);
  if (value != nullptr && !value->text.empty()) return;
  decoding.Fail(Place{}.Key(key), value != nullptr ? *value : decoding.document,
                "missing field `" + std::string(key) + "`", hint);
}

void CheckKeys(Decoding& decoding, std::string_view phase_name) {
  const Phase phase = *decoding.config.phase;
  for (const JsonMember& member : decoding.document.members) {
    if (member.value.kind == Json::Kind::kNull || Takes(phase, member.key)) continue;
    decoding.Fail(
        Place{}.Key(member.key), member.value,
        "a lifecycle request of the phase `" + std::string(phase_name) + "` has no such key",
        phase == Phase::kProvision ? "remove it" : "the policy is fixed by provision: write it there");
  }
}

}  // namespace

std::optional<Phase> PhaseOf(const Json& document) {
  const Json* value = document.Find("phase");
  if (value == nullptr || value->kind != Json::Kind::kString) return std::nullopt;
  const auto* known = std::find_if(std::begin(kNamedPhases), std::end(kNamedPhases),
                                   [value](const NamedPhase& entry) { return entry.name == value->text; });
  if (known == std::end(kNamedPhases)) return std::nullopt;
  return known->phase;
}

void DecodeLifecycle(Decoding& decoding) {
  Config& config = decoding.config;
  const Json* session = Member(&decoding.document, "session");
  if (!config.phase) {
    RejectLifecycleKeys(decoding);
    if (session != nullptr) {
      decoding.Fail(Place{}.Key("session"), *session, "is only valid on provision requests", "remove it");
    }
    return;
  }
  CheckKeys(decoding, decoding.document.At("phase").text);
  if (!decoding.options.command.empty() && *config.phase != Phase::kExec) {
    decoding.Fail(Place{}.Key("phase"), *Member(&decoding.document, "phase"),
                  "only the phase `exec` takes a command", "remove what stands behind --");
  }
  if (*config.phase == Phase::kProvision) {
    Require(decoding, "containment", "write \"containment\": \"process\"");
    if (session != nullptr) DecodeSession(decoding, *session);
    return;
  }
  Require(decoding, "sandboxId", "write the sandboxId that provision has answered");
  config.sandbox_id = decoding.document.At("sandboxId").text;
}

}  // namespace mxc
