// The sections that say what is run, on which files, and under which of our additions.
#include <algorithm>
#include <map>

#include "config/decoding.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// One argument or "NAME=value" must fit what execve takes.
bool CheckArgument(Decoding& decoding, const Place& place, const Json& value) {
  if (value.text.size() < kMaxArgumentBytes) return true;
  decoding.Fail(place, value,
                "longer than " + std::to_string(kMaxArgumentBytes - 1) +
                    " bytes, the most one argument or variable may have");
  return false;
}

void DecodeCommand(Decoding& decoding, const Json& process, const Place& place) {
  ProcessConfig& config = decoding.config.process;
  if (const Json* line = Member(&process, "commandLine")) {
    CheckArgument(decoding, place.Key("commandLine"), *line);
    config.command_line = line->text;
  }
  if (const Json* argv = Member(&process, "argv")) {
    for (std::size_t i = 0; i < argv->items.size(); ++i) {
      CheckArgument(decoding, place.Key("argv").Item(i), argv->items[i]);
      config.argv.push_back(argv->items[i].text);
    }
    if (config.argv.front().empty()) {
      decoding.Fail(place.Key("argv").Item(0), argv->items.front(), "the program must not be empty");
    }
  }
}

// Messages never show an entry: one without "=" may be a value that lost its name.
void DecodeEnvironment(Decoding& decoding, const Json& list, const Place& place) {
  std::vector<Variable> variables;
  std::map<std::string, std::size_t> places;  // of two entries with one name the last wins
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Json& entry = list.items[i];
    const Place here = place.Item(i);
    const auto equals = entry.text.find('=');
    if (equals == 0) {
      decoding.Fail(here, entry, "the variable has no name", "write NAME=value");
    } else if (equals != std::string::npos) {
      if (!CheckArgument(decoding, here, entry)) continue;
      const auto [known, added] = places.try_emplace(entry.text.substr(0, equals), variables.size());
      if (added) variables.push_back({.name = known->first});
      variables[known->second].value = Secret(entry.text.substr(equals + 1));
    } else if (decoding.config.dialect == Dialect::kLegacy) {
      decoding.Note("environment-entry-dropped", here, "has no `=` and is left out");
    } else {
      decoding.Fail(here, entry, "the entry has no `=`", "write NAME=value, or NAME= for an empty value");
    }
  }
  decoding.config.process.environment = std::move(variables);
}

void DecodeWorkspace(Decoding& decoding, const Json& workspace, const Place& place) {
  Workspace& config = decoding.config.process.workspace;
  if (decoding.config.phase == Phase::kExec)
    return decoding.Fail(place, workspace, "is said when the sandbox is provisioned", "remove it");
  const Json* const host = Member(&workspace, "host");
  const Json* const guest = Member(&workspace, "guest");
  if (host == nullptr || !CheckPath(decoding, place.Key("host"), *host)) return;
  if (guest != nullptr && !CheckPath(decoding, place.Key("guest"), *guest)) return;
  config = {.host = host->text,
            .guest = guest != nullptr ? guest->text : std::string(kStandardWorkspace),
            .pointer = place.pointer};
}

bool IsVariableName(std::string_view name) {
  constexpr std::string_view kNameDigits = "0123456789";
  constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  const auto fits = [&](char c) {
    return kNameLetters.find(c) != std::string_view::npos || kNameDigits.find(c) != std::string_view::npos;
  };
  return !name.empty() && kNameDigits.find(name.front()) == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), fits);
}

void DecodePaths(Decoding& decoding, std::string_view key, std::vector<PathEntry>& entries) {
  const Json* list = Member(Member(&decoding.document, "filesystem"), key);
  if (list == nullptr) return;
  const Place place = Place{}.Key("filesystem").Key(key);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Place here = place.Item(i);
    if (!CheckPath(decoding, here, list->items[i])) continue;
    entries.push_back({.path = list->items[i].text, .pointer = here.pointer});
  }
}

// {"git": {"config": "allow-safe"}, "shell": {}}
void DecodeProtectObject(const Json& object, const Place& place, std::vector<PresetEntry>& entries) {
  for (const JsonMember& member : object.members) {
    if (member.value.kind == Json::Kind::kNull) continue;
    const Json* const config = Member(&member.value, "config");
    entries.push_back({.preset = PresetNamed(member.key),
                       .pointer = place.Key(member.key).pointer,
                       .safe_config = config != nullptr && config->text == "allow-safe"});
  }
}

void DecodeProtect(Decoding& decoding) {
  const Json* list = Member(Member(&decoding.document, "filesystem"), "protect");
  if (list == nullptr) return;
  Config& config = decoding.config;
  config.protect_written = true;
  config.protect.clear();
  const Place place = Place{}.Key("filesystem").Key("protect");
  if (list->kind == Json::Kind::kObject) return DecodeProtectObject(*list, place, config.protect);
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    config.protect.push_back({.preset = PresetNamed(list->items[i].text), .pointer = place.Item(i).pointer});
  }
}

void DecodeRepositories(Decoding& decoding) {
  Config& config = decoding.config;
  config.repositories_written = Member(Member(&decoding.document, "filesystem"), "repositories") != nullptr;
  DecodePaths(decoding, "repositories", config.repositories);
}

// "$NAME" stands for what a variable of the caller's environment names.
void DecodeSockets(Decoding& decoding) {
  const Json* list = Member(Member(&decoding.document, "filesystem"), "sockets");
  if (list == nullptr) return;
  const Place place = Place{}.Key("filesystem").Key("sockets");
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Place here = place.Item(i);
    const std::string& text = list->items[i].text;
    if (!text.starts_with('$')) {
      if (!CheckPath(decoding, here, list->items[i])) continue;
    } else if (!IsVariableName(std::string_view(text).substr(1))) {
      decoding.Fail(here, list->items[i], "`" + text + "` names no variable",
                    "write a variable such as $SSH_AUTH_SOCK, or the path of a socket");
      continue;
    }
    decoding.config.sockets.push_back({.path = text, .pointer = here.pointer});
  }
}

void DecodeTemp(Decoding& decoding) {
  const Json* temp = Member(Member(&decoding.document, "filesystem"), "temp");
  if (temp == nullptr) return;
  const std::string pointer = Place{}.Key("filesystem").Key("temp").pointer;
  if (temp->text == "shared") {
    decoding.config.read_write.push_back({.path = "/tmp", .pointer = pointer});
  } else {
    decoding.config.private_temp_pointer = pointer;
  }
}

void DecodeTools(Decoding& decoding) {
  const Json* tools = Member(Member(&decoding.document, "filesystem"), "tools");
  if (tools == nullptr || tools->text != "inherit") return;
  decoding.config.tools_pointer = Place{}.Key("filesystem").Key("tools").pointer;
}

Clipboard ClipboardNamed(const std::string& name) {
  if (name == "read") return Clipboard::kRead;
  if (name == "write") return Clipboard::kWrite;
  return name == "all" ? Clipboard::kAll : Clipboard::kNone;
}

void DecodeUi(const Json& section, Ui& ui) {
  const Place place = Place{}.Key("ui");
  if (const Json* disable = Member(&section, "disable")) {
    ui.disabled = disable->boolean;
    ui.disabled_pointer = place.Key("disable").pointer;
  }
  if (const Json* clipboard = Member(&section, "clipboard")) {
    ui.clipboard = ClipboardNamed(clipboard->text);
    ui.clipboard_pointer = place.Key("clipboard").pointer;
  }
  if (const Json* injection = Member(&section, "injection")) {
    ui.injection = injection->boolean;
    ui.injection_pointer = place.Key("injection").pointer;
  }
}

void DecodeOutput(Decoding& decoding, const Json& output) {
  Config& config = decoding.config;
  config.output_pointer = "/output";
  if (const Json* bytes = Member(&output, "maxBytes")) config.output.max_bytes = bytes->integer;
  if (const Json* redact = Member(&output, "redact")) {
    for (const Json& kind : redact->items) {
      (kind.text == "secrets" ? config.output.redact_secrets : config.output.redact_pii) = true;
    }
  }
}

void DecodeAudit(Decoding& decoding, const Json& audit) {
  Config& config = decoding.config;
  config.audit_pointer = "/audit";
  const Json* path = Member(&audit, "path");
  if (path != nullptr && CheckPath(decoding, Place{}.Key("audit").Key("path"), *path)) {
    config.audit.path = path->text;
  }
  config.audit.syslog = audit.At("syslog").boolean;
  if (audit.At("onFailure").text == "warn") config.audit.on_failure = Audit::OnFailure::kWarn;
}

}  // namespace

Preset PresetNamed(std::string_view name) {
  if (name == "shell") return Preset::kShell;
  if (name == "editors") return Preset::kEditors;
  return name == "agents" ? Preset::kAgents : Preset::kGit;
}

void DecodeProcess(Decoding& decoding) {
  ProcessConfig& config = decoding.config.process;
  const Place place = Place{}.Key("process");
  if (const Json* process = Member(&decoding.document, "process")) {
    DecodeCommand(decoding, *process, place);
    if (const Json* cwd = Member(process, "cwd"); cwd != nullptr && !cwd->text.empty()) {
      const Place here = place.Key("cwd");
      CheckPath(decoding, here, *cwd);
      config.cwd = cwd->text;
      config.cwd_pointer = here.pointer;
    }
    if (const Json* workspace = Member(process, "workspace"))
      DecodeWorkspace(decoding, *workspace, place.Key("workspace"));
    if (const Json* env = Member(process, "env")) DecodeEnvironment(decoding, *env, place.Key("env"));
    config.inherit_default_environment = process->At("inheritDefaultEnv").boolean;
    if (const Json* timeout = Member(process, "timeout")) {
      config.timeout_ms = static_cast<std::uint32_t>(timeout->integer);
      config.timeout_pointer = place.Key("timeout").pointer;
    }
  }
  if (!decoding.options.command.empty()) {
    config.command_line.clear();
    config.argv = decoding.options.command;
  }
}

void DecodeFilesystem(Decoding& decoding) {
  DecodePaths(decoding, "readwritePaths", decoding.config.read_write);
  DecodePaths(decoding, "readonlyPaths", decoding.config.read_only);
  DecodePaths(decoding, "deniedPaths", decoding.config.denied);
  DecodeProtect(decoding);
  DecodeRepositories(decoding);
  DecodeSockets(decoding);
  DecodeTemp(decoding);
  DecodeTools(decoding);
}

void DecodeAdditions(Decoding& decoding) {
  Config& config = decoding.config;
  const Json& lifecycle = decoding.document.At("lifecycle");
  const Json& fallback = decoding.document.At("fallback");
  if (const Json* destroy = Member(&lifecycle, "destroyOnExit")) config.destroy_on_exit = destroy->boolean;
  if (const Json* change = Member(&fallback, "allowDaclMutation"))
    config.acl_changes_allowed = change->boolean;
  config.bfs_allowed = fallback.At("allowBfs").boolean;
  config.loopback_exemption_allowed = fallback.At("allowLoopbackExemption").boolean;
  config.policy_preserved = lifecycle.At("preservePolicy").boolean;
  const bool can_stay = config.bfs_allowed && !config.destroy_on_exit;
  if (config.policy_preserved && !can_stay) {
    decoding.Note("no-effect", Place{}.Key("lifecycle").Key("preservePolicy"),
                  "has no effect: what holds a policy is the run's own and ends with it");
  }
  if (const Json* ui = Member(&decoding.document, "ui")) DecodeUi(*ui, config.ui);
  if (const Json* output = Member(&decoding.document, "output")) DecodeOutput(decoding, *output);
  if (const Json* audit = Member(&decoding.document, "audit")) DecodeAudit(decoding, *audit);
  if (const Json* tier = Member(&decoding.document, "minimumTier")) {
    config.minimum_tier = TierNamed(tier->text).value_or(Tier::kNone);
    config.minimum_tier_pointer = "/minimumTier";
  }
}

}  // namespace mxc
