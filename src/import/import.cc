#include "import/import.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "document/parse.h"
#include "import/denials.h"
#include "import/imported.h"
#include "import/toml.h"

namespace mxc {
namespace {

using Object = nlohmann::ordered_json;

Object RuleOf(const ImportedHost& host) {
  Object rule = Object::object();
  if (host.name != "*") rule["to"] = Object::array({{{IsAddress(host) ? "cidr" : "host", host.name}}});
  if (host.port.empty()) return rule;
  rule["ports"] = Object::array({{{"port", std::atoi(host.port.c_str())}}});
  return rule;
}

// With a list of what is allowed "*" means every name; a denial of "*" is one of every address.
Object RulesOfHosts(const std::vector<ImportedHost>& hosts, bool allow) {
  Object rules = Object::array();
  for (const ImportedHost& host : hosts) {
    Object rule = RuleOf(host);
    if (allow && host.name == "*") rule["to"] = Object::array({{{"host", "*"}}});
    rules.push_back(std::move(rule));
  }
  return rules;
}

Object NetworkOf(const Imported& imported) {
  Object egress{{"default", imported.open_egress ? "allow" : "deny"}};
  if (!imported.allow.empty()) egress["allow"] = RulesOfHosts(imported.allow, true);
  if (!imported.deny.empty()) egress["deny"] = RulesOfHosts(imported.deny, false);
  return {{"egress", std::move(egress)}};
}

Object FilesOf(const Imported& imported) {
  Object files = Object::object();
  std::vector<std::string> readable = imported.read_only;
  if (imported.reads_all) readable.insert(readable.begin(), "/");
  if (!imported.read_write.empty()) files["readwritePaths"] = imported.read_write;
  if (!readable.empty()) files["readonlyPaths"] = readable;
  if (!imported.denied.empty()) files["deniedPaths"] = imported.denied;
  files["protect"] = {"git", "shell", "editors", "agents"};
  if (imported.safe_git_config) {
    files["protect"] = Object::object();
    files["protect"]["git"] = {{"config", "allow-safe"}};
    for (const char* name : {"shell", "editors", "agents"}) files["protect"][name] = Object::object();
  }
  files["tools"] = "inherit";
  return files;
}

std::string ConfigurationText(const Imported& imported) {
  const Object document{
      {"version", "1.1.0-alpha"},
      {"_comment", "From the settings of " + imported.source + ": mxc-exec THIS_FILE -- CMD ARGS..."},
      {"expand", true},
      {"filesystem", FilesOf(imported)},
      {"network", NetworkOf(imported)}};
  return document.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

bool Has(const Json& object, std::string_view key) { return object.Find(key) != nullptr; }

bool IsSection(const Json& settings, std::string_view key, std::initializer_list<std::string_view> members) {
  const Json* const section = settings.Find(key);
  if (section == nullptr || section->kind != Json::Kind::kObject) return false;
  for (const std::string_view member : members)
    if (Has(*section, member)) return true;
  return false;
}

Error Unrecognised(const std::string& why) {
  return Unsupported(
      why, {},
      "settings of srt (network, filesystem), of Claude Code (sandbox), or Codex's config.toml "
      "(default_permissions, sandbox_mode)");
}

Result<Imported> ImportJson(const Json& settings) {
  if (settings.kind != Json::Kind::kObject) return Unrecognised("these are no settings");
  if (Has(settings, "process") || Has(settings, "containment"))
    return Unrecognised("this is a configuration already");
  const Json* const sandbox = settings.Find("sandbox");
  if (sandbox != nullptr && sandbox->kind == Json::Kind::kObject) return ImportClaude(settings);
  const bool srt =
      IsSection(settings, "network", {"allowedDomains", "deniedDomains"}) ||
      IsSection(settings, "filesystem", {"denyRead", "allowRead", "allowWrite", "denyWrite", "disabled"});
  if (srt) return ImportSrt(settings);
  return Unrecognised("the settings are of no program that is known");
}

Result<Imported> ImportTomlText(const std::string& text) {
  const Result<Json> settings = ParseToml(text);
  if (!settings) return settings.error();
  for (const char* key : {"sandbox_mode", "default_permissions", "profile"})
    if (Has(*settings, key)) return ImportCodex(*settings);
  return Unrecognised("the settings are of no program that is known");
}

}  // namespace

Result<Import> ImportSettings(const Source& source, const std::string& directory, const Host& host) {
  const std::size_t first = source.bytes.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && source.bytes[first] == '{';
  Result<Imported> imported = Imported{};
  if (json) {
    const Result<Json> settings = ParseDocument(source);
    if (!settings) return settings.error();
    imported = ImportJson(*settings);
  } else {
    imported = ImportTomlText(source.bytes);
  }
  if (!imported) return imported.error();
  if (Status compared = LetDenialsWin(directory, host, *imported); !compared) return compared.error();
  if (imported->reads_all)
    imported->warnings.emplace_back(
        "commands may read every file that is not denied, as those settings have it: leave \"/\" out of "
        "readonlyPaths for less");
  return Import{.text = ConfigurationText(*imported), .warnings = std::move(imported->warnings)};
}

}  // namespace mxc
