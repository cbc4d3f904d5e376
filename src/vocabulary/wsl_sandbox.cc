#include "mxc/windows/wsl_sandbox.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "mxc/json.h"

namespace mxc {
namespace {

using WslDocument = nlohmann::ordered_json;

// Bytes that are no UTF-8 become what JsonString makes of them everywhere.
WslDocument WslValue(const std::string& text) { return WslDocument::parse(JsonString(text)); }

std::string TextOf(const WslDocument& document) {
  return document.dump(-1, ' ', false, WslDocument::error_handler_t::replace) + "\n";
}

Result<std::string> With(const std::string& document, const char* key, WslDocument value) {
  WslDocument whole = WslDocument::parse(document, nullptr, false);
  if (!whole.is_object()) return SetupFailed("the sandbox's configuration cannot be read");
  whole[key] = std::move(value);
  return TextOf(whole);
}

}  // namespace

Result<std::string> WslProvisionDocument(const std::string& document) {
  return With(document, "phase", "provision");
}

Result<std::string> WslStartDocument(const std::string& document, std::uint64_t idle_ms,
                                     std::uint64_t lifetime_ms) {
  return With(document, "session", {{"idleTimeoutMs", idle_ms}, {"lifetimeMs", lifetime_ms}});
}

std::optional<std::string> ReadWslIdentifier(std::string_view text) {
  constexpr std::string_view kPrefixes[] = {"ns:", "bwrap:", "lxc:"};
  constexpr std::size_t kDigits = 32;
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  for (const std::string_view prefix : kPrefixes) {
    if (!line.starts_with(prefix)) continue;
    const std::string_view digits = line.substr(prefix.size());
    if (digits.size() == kDigits && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos)
      return std::string(line);
  }
  return std::nullopt;
}

std::string WslExecDocument(const std::string& inside, const WslCommand& command) {
  WslDocument process = WslDocument::object();
  if (command.argv.empty()) {
    process["commandLine"] = WslValue(command.command_line);
  } else {
    for (const std::string& word : command.argv) process["argv"].push_back(WslValue(word));
  }
  if (!command.cwd.empty()) process["cwd"] = WslValue(command.cwd);
  if (command.timeout_ms != 0) process["timeout"] = command.timeout_ms;
  if (command.exact || !command.environment.empty()) {
    process["inheritDefaultEnv"] = !command.exact;
    process["env"] = WslDocument::array();
  }
  for (const Variable& variable : command.environment)
    process["env"].push_back(WslValue(variable.name + "=" + std::string(variable.value.Reveal())));
  return TextOf({{"version", "1.1.0-alpha"},
                 {"phase", "exec"},
                 {"sandboxId", WslValue(inside)},
                 {"process", std::move(process)}});
}

}  // namespace mxc
