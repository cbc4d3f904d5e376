#include "kubernetes/pod_document.h"

#include <nlohmann/json.hpp>

#include "mxc/json.h"

namespace mxc::kubernetes {
namespace {

using PodDocument = nlohmann::ordered_json;

// Bytes that are no UTF-8 become what JsonString makes of them everywhere.
PodDocument TextValue(const std::string& text) { return PodDocument::parse(JsonString(text)); }

// "NAME=value" of the list, which a later one of that name replaces.
void SetVariable(const Variable& variable, PodDocument& list) {
  const PodDocument entry = TextValue(variable.name + "=" + std::string(variable.value.Reveal()));
  for (PodDocument& known : list) {
    if (!known.get<std::string>().starts_with(variable.name + "=")) continue;
    known = entry;
    return;
  }
  list.push_back(entry);
}

}  // namespace

Result<std::string> WithCommand(const std::string& document, const PodCommand& command) {
  PodDocument whole = PodDocument::parse(document, nullptr, false);
  if (!whole.is_object() || !whole.contains("process") || !whole["process"].is_object())
    return SetupFailed("the sandbox's configuration cannot be read");
  PodDocument& process = whole["process"];
  process.erase("commandLine");
  process.erase("argv");
  if (command.argv.empty()) {
    process["commandLine"] = TextValue(command.command_line);
  } else {
    for (const std::string& word : command.argv) process["argv"].push_back(TextValue(word));
  }
  if (!command.cwd.empty()) process["cwd"] = TextValue(command.cwd);
  process["timeout"] = command.timeout_ms;
  if (command.exact) process["env"] = PodDocument::array();
  if (command.exact) process["inheritDefaultEnv"] = false;
  for (const Variable& variable : command.environment) SetVariable(variable, process["env"]);
  return whole.dump(-1, ' ', false, PodDocument::error_handler_t::replace) + "\n";
}

}  // namespace mxc::kubernetes
