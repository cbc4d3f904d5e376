#include <nlohmann/json.hpp>
#include <utility>

#include "session/reply.h"

namespace mxc::session {
namespace {

using Object = nlohmann::json;

// Paths and values are bytes, JSON is UTF-8; between two of us a byte is a number.
Object Bytes(const std::string& text) { return Object::binary({text.begin(), text.end()}); }

std::string Text(const Object& bytes) {
  const auto& binary = bytes.get_binary();
  return {binary.begin(), binary.end()};
}

std::string Pack(const Object& object) {
  const std::vector<std::uint8_t> packed = Object::to_cbor(object);
  return {packed.begin(), packed.end()};
}

Error Foreign() {
  return {.code = ErrorCode::kInternal,
          .message = "the sandbox's holder answered in another form",
          .hint = "it may be of another version of mxc-exec: deprovision the sandbox with that one"};
}

// The result in an answer.
Result<Object> Unpack(const std::string& text) {
  Object answer = Object::from_cbor(text, true, false);
  if (!answer.is_object()) return Foreign();
  if (!answer.contains("error")) return answer;
  const Object& error = answer["error"];
  return Error{.code = ErrorCodeNamed(error.at("kind").get<std::string>()),
               .message = error.at("message"),
               .pointer = error.at("pointer"),
               .hint = error.at("hint")};
}

Object Environment(const std::vector<Variable>& environment) {
  Object list = Object::array();
  for (const Variable& variable : environment)
    list.push_back({Bytes(variable.name), Bytes(variable.value.Reveal())});
  return list;
}

}  // namespace

std::string OkText() { return Pack(Object::object()); }

std::string ErrorText(const Error& error) {
  return Pack({{"error",
                {{"kind", Name(error.code)},
                 {"message", error.message},
                 {"pointer", error.pointer},
                 {"hint", error.hint}}}});
}

std::string EntryText(const Plan& plan) {
  return Pack({{"containment", static_cast<int>(plan.containment)},
               {"tier", static_cast<int>(plan.tier)},
               {"rung", static_cast<int>(plan.rung)},
               {"cwd", Bytes(plan.sandbox->cwd)},
               {"environment", Environment(plan.sandbox->environment)},
               {"maxBytes", plan.output.max_bytes},
               {"redactSecrets", plan.output.redact_secrets},
               {"redactPii", plan.output.redact_pii},
               {"auditPath", Bytes(plan.audit.path)},
               {"auditOnFailure", static_cast<int>(plan.audit.on_failure)},
               {"relaxations", plan.relaxations}});
}

std::string ListedText(const Listed& listed) {
  return Pack({{"id", listed.id},
               {"state", listed.state},
               {"commands", listed.commands},
               {"ageMs", listed.age_ms},
               {"idleMs", listed.idle_ms},
               {"holder", listed.holder}});
}

Status ParseOk(const std::string& text) {
  const Result<Object> answer = Unpack(text);
  if (!answer) return answer.error();
  return Done{};
}

Result<Plan> ParseEntry(const std::string& text) {
  const Result<Object> answer = Unpack(text);
  if (!answer) return answer.error();
  const Object& entry = *answer;
  if (!entry.contains("relaxations")) return Foreign();
  Plan plan{.containment = static_cast<Containment>(entry.at("containment").get<int>()),
            .tier = static_cast<Tier>(entry.at("tier").get<int>()),
            .rung = static_cast<Rung>(entry.at("rung").get<int>())};
  plan.output = {.max_bytes = entry.at("maxBytes"),
                 .redact_secrets = entry.at("redactSecrets"),
                 .redact_pii = entry.at("redactPii")};
  plan.audit = {.path = Text(entry.at("auditPath")),
                .on_failure = static_cast<Audit::OnFailure>(entry.at("auditOnFailure").get<int>())};
  plan.relaxations = entry.at("relaxations").get<std::vector<std::string>>();
  LinuxSandbox& sandbox = plan.sandbox.emplace();
  sandbox.cwd = Text(entry.at("cwd"));
  for (const Object& variable : entry.at("environment"))
    sandbox.environment.push_back({.name = Text(variable.at(0)), .value = Secret{Text(variable.at(1))}});
  return plan;
}

Result<Listed> ParseListed(const std::string& text) {
  const Result<Object> answer = Unpack(text);
  if (!answer) return answer.error();
  const Object& listed = *answer;
  if (!listed.contains("holder")) return Foreign();
  return Listed{.id = listed.at("id"),
                .state = listed.at("state"),
                .commands = listed.at("commands"),
                .age_ms = listed.at("ageMs"),
                .idle_ms = listed.at("idleMs"),
                .holder = listed.at("holder")};
}

}  // namespace mxc::session
