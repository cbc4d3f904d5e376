#include "import/sdk_policy.h"

#include <algorithm>
#include <string_view>

#include "base/quoted.h"
#include "document/make_json.h"

namespace mxc {
namespace {

Json* MemberOf(Json& object, std::string_view key) {
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == object.members.end() ? nullptr : &found->value;
}

Json& SectionOf(Json& document, std::string_view key) {
  if (Json* const section = MemberOf(document, key)) return *section;
  document.members.push_back({.key = std::string(key), .value = Empty(Json::Kind::kObject)});
  return document.members.back().value;
}

void Rename(Json& section, std::string_view from, std::string_view to) {
  for (JsonMember& member : section.members)
    if (member.key == from) member.key = to;
}

// Booleans alone: what else stands there Decode refuses by its name.
void Replace(Json& section, std::string_view from, std::string_view to, const Json& yes, const Json& no) {
  Json* const value = MemberOf(section, from);
  if (value == nullptr || value->kind != Json::Kind::kBool) return;
  *value = value->boolean ? yes : no;
  Rename(section, from, to);
}

Json BoolOf(bool value) {
  Json json = True();
  json.boolean = value;
  return json;
}

}  // namespace

Status MakeConfigurationOfPolicy(const std::string& name, Json& document) {
  if (document.kind != Json::Kind::kObject) return Done{};
  const Json* const process = document.Find("process");
  const bool command = process != nullptr && process->kind == Json::Kind::kObject &&
                       (process->Find("commandLine") != nullptr || process->Find("argv") != nullptr);
  if (command || document.Find("phase") != nullptr)
    return Error{.code = ErrorCode::kUsage,
                 .message = Quoted(name) + " is a whole configuration, and --policy takes a policy alone",
                 .hint = "mxc-exec --config " + ShellWord(name) + " runs it as it stands"};
  if (Json* const network = MemberOf(document, "network"))
    Replace(*network, "allowOutbound", "defaultPolicy", StringOf("allow"), StringOf("block"));
  if (Json* const ui = MemberOf(document, "ui")) {
    Replace(*ui, "allowWindows", "disable", BoolOf(false), BoolOf(true));
    Rename(*ui, "allowInputInjection", "injection");
  }
  Json* const files = MemberOf(document, "filesystem");
  if (files != nullptr)
    std::erase_if(files->members, [](const JsonMember& member) { return member.key == "clearPolicyOnExit"; });
  if (const Json* const written = document.Find("timeoutMs")) {
    const Json time = *written;
    std::erase_if(document.members, [](const JsonMember& member) { return member.key == "timeoutMs"; });
    SectionOf(document, "process").members.push_back({.key = "timeout", .value = time});
  }
  return Done{};
}

}  // namespace mxc
