// Settings of srt, and of Claude Code, which hands its own on to srt.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "import/imported.h"
#include "mxc/fold.h"

namespace mxc {
namespace {

struct Unexpressed {
  std::string_view key;
  std::string_view why;  // empty: it holds anyway
  bool limits = false;   // what a connection may carry
};

constexpr Unexpressed kUnexpressed[] = {
    {"network.strictAllowlist", ""},
    {"network.deniedDomainReasons", "a refusal names the clause that decided"},
    {"network.allowUnixSockets", "srt has no such list on Linux; name sockets in filesystem.sockets"},
    {"network.allowAllUnixSockets", "sockets are granted one by one, in filesystem.sockets"},
    {"network.allowLocalBinding",
     "a command may always bind ports of its own loopback; network.ingress.publish leads there"},
    {"network.allowMachLookup", "it is of macOS"},
    {"network.allowManagedDomainsOnly", "what is managed is for the agent to read"},
    {"network.httpProxyPort", "the gateway decides about hosts; a proxy of yours is network.proxy"},
    {"network.socksProxyPort", "the gateway decides about hosts; proxies of SOCKS are not spoken to"},
    {"network.mitmProxy", "connections are judged by their names, and not opened"},
    {"network.filterRequest", "connections are judged by their names, and not opened", true},
    {"network.allowPlaintextHeaderSet", "connections are judged by their names, and not opened"},
    {"network.stripResponseHeaders", "connections are judged by their names, and not opened"},
    {"network.refuseOpaqueTunnels", "connections are judged by their names, and not opened", true},
    {"network.ambiguousRequestTarget", "connections are judged by their names, and not opened", true},
    {"network.requireHostMatch", ""},
    {"network.tlsTerminate", "connections are judged by their names, and not opened"},
    {"network.parentProxy",
     "network.egress.upstreamProxy \"environment\" takes the proxy of mxc-exec's environment"},
    {"filesystem.allowManagedReadPathsOnly", "what is managed is for the agent to read"},
    {"credentials.awsPairs", "no secret is put into requests"},
    {"credentials.sigv4", "no secret is put into requests"},
    {"credentials.allowPlaintextInject", "no secret is put into requests"},
    {"ignoreViolations", "--report shows all that was refused"},
    {"enableWeakerNestedSandbox", "isolation is never weakened by a setting"},
    {"enableWeakerNetworkIsolation", "isolation is never weakened by a setting"},
    {"allowNestedUserNamespaces", "no namespaces are made in a sandbox"},
    {"allowAppleEvents", "it is of macOS"},
    {"allowPty", "a command has a terminal where its caller has one"},
    {"git", ""},                       // safe.directory is * inside
    {"mandatoryDenySearchDepth", ""},  // `protect` searches every depth
    {"ripgrep", "no such program is needed"},
    {"seccomp", "no such program is needed"},
    {"javaAgentJarPath", "no such program is needed"},
    {"bwrapPath", "no such program is needed"},
    {"socatPath", "no such program is needed"},
    {"windows", "it is of Windows"},
    {"enabledPlatforms", "it is of the agent"},
    {"autoAllowBashIfSandboxed", "what is asked for approval is the agent's affair"},
    {"excludedCommands", "nothing of a sandbox runs outside of it"},
    {"allowUnsandboxedCommands", "nothing of a sandbox runs outside of it"},
    {"failIfUnavailable", ""},  // always
};

// What srt lets no command write or make where it was called, whatever its settings say; directories among it
// are held by `protect`.
constexpr std::string_view kKept[] = {".gitconfig", ".gitmodules", ".bashrc",    ".bash_profile", ".zshrc",
                                      ".zprofile",  ".profile",    ".ripgreprc", ".mcp.json"};

// Of a section what only allows more may be left out; beside them what is called as one.
bool MayDeny(std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot != std::string_view::npos) return !key.substr(dot + 1).starts_with("allow");
  const std::string name = Folded(key);
  constexpr std::string_view kSections[] = {"network", "filesystem", "credential"};
  return std::any_of(std::begin(kSections), std::end(kSections),
                     [&](std::string_view section) { return name.find(section) != std::string::npos; });
}

// A path that is a pattern where it reads as one, or {"path": ..., "literal": true}, which never is.
struct WrittenPath {
  std::string text = {};
  bool literal = false;
};

Result<std::vector<WrittenPath>> WrittenPathsOf(const std::string& key, const Json& value) {
  std::vector<WrittenPath> paths;
  bool fits = value.kind == Json::Kind::kArray;
  for (const Json& item : value.items) {
    const bool marked = item.kind == Json::Kind::kObject;
    const Json* const path = marked ? item.Find("path") : &item;
    const Json* const literal = marked ? item.Find("literal") : nullptr;
    fits = fits && path != nullptr && path->kind == Json::Kind::kString &&
           (!marked || (item.members.size() == 2 && literal != nullptr && literal->boolean));
    if (fits) paths.push_back({.text = path->text, .literal = marked});
  }
  if (fits) return paths;
  return Error{.code = ErrorCode::kSchema,
               .message = key + R"( is no list of paths, or of {"path": ..., "literal": true})"};
}

class SrtReader {
 public:
  explicit SrtReader(std::string source) {
    imported_.source = std::move(source);
    for (const std::string_view name : kKept) imported_.kept.push_back("${PWD}/" + std::string(name));
  }

  Status Read(const Json& settings) {
    for (const JsonMember& member : settings.members) {
      const bool section =
          member.key == "network" || member.key == "filesystem" || member.key == "credentials";
      if (member.key == "enabled" || member.key == "$schema") continue;
      if (!section) {
        if (Status mentioned = Mention(member.key, member.value); !mentioned) return mentioned;
        continue;
      }
      if (Status table = CheckKind(member.key, member.value, Json::Kind::kObject); !table) return table;
      for (const JsonMember& inner : member.value.members) {
        if (Status read = ReadMember(member.key + "." + inner.key, inner.value); !read) return read;
      }
    }
    return Done{};
  }

  Status AddPath(const std::string& key, const WrittenPath& written, std::vector<std::string>& list,
                 bool denies) {
    const std::string& text = written.text;
    std::string path = denies && !written.literal ? ImportedDenial(text) : ImportedPath(text);
    if (written.literal && HasPattern(text)) path.clear();  // it would be a pattern here
    const bool grant_by_pattern = &list == &imported_.read_write && HasPattern(path);
    if (!path.empty() && !grant_by_pattern) {
      list.push_back(std::move(path));
      return Done{};
    }
    if (denies) return CannotImport(key + " " + text, "it denies what no path of a configuration names");
    LeaveOut(key + " " + text,
             path.empty() ? "it is no path that is expanded" : "write access is given by name", imported_);
    return Done{};
  }

  // When all is read: what limits connections in a way of its own must not become none at all.
  [[nodiscard]] Status CheckLimits() const {
    return OpensAll(imported_) && !limits_.empty() ? CannotImport(limits_.front(), kUnheldLimit)
                                                   : Status(Done{});
  }

  [[nodiscard]] Imported& Result() { return imported_; }

 private:
  Status ReadMember(const std::string& key, const Json& value) {
    if (key == "filesystem.denyRead") return ReadDeniedReads(key, value);
    if (key == "filesystem.denyWrite") return ReadPaths(key, value, imported_.no_write, true);
    if (key == "filesystem.allowRead") return ReadPaths(key, value, imported_.read_only, false);
    if (key == "filesystem.allowWrite") return ReadPaths(key, value, imported_.read_write, false);
    if (key == "network.allowedDomains") return ReadHosts(key, value, true);
    if (key == "network.deniedDomains") return ReadHosts(key, value, false);
    // Denied by rule, an answer is as well.
    if (key == "network.deniedResolvedAddresses") return ReadHosts(key, value, false);
    if (key == "credentials.files" || key == "credentials.envVars") return ReadCredentials(key, value);
    if (key == "filesystem.disabled") {
      return value.boolean ? Status(CannotImport(key, "a sandbox that holds no file is none")) : Done{};
    }
    if (key != "filesystem.allowGitConfig") return Mention(key, value);
    imported_.safe_git_config = value.boolean;
    return Done{};
  }

  Status ReadPaths(const std::string& key, const Json& value, std::vector<std::string>& list, bool denies) {
    const auto written = WrittenPathsOf(key, value);
    if (!written) return written.error();
    for (const WrittenPath& path : *written)
      if (Status added = AddPath(key, path, list, denies); !added) return added;
    return Done{};
  }

  Status ReadDeniedReads(const std::string& key, const Json& value) {
    if (Status read = ReadPaths(key, value, imported_.denied, true); !read) return read;
    if (std::erase(imported_.denied, "/") == 0) return Done{};
    imported_.reads_all = false;
    LeaveOut(key + " /", "what every command needs of the system stays readable, and nothing else",
             imported_);
    return Done{};
  }

  Status ReadHosts(const std::string& key, const Json& value, bool allow) {
    const auto hosts = StringsOf(key, value);
    if (!hosts) return hosts.error();
    for (const std::string& host : *hosts)
      if (Status added = AddHost(key, host, allow, imported_); !added) return added;
    return Done{};
  }

  // Variables of the caller's never get in.
  Status ReadCredentials(const std::string& key, const Json& list) {
    if (Status is_list = CheckKind(key, list, Json::Kind::kArray); !is_list) return is_list;
    const bool files = key == "credentials.files";
    for (const Json& entry : list.items) {
      if (Status table = CheckKind("an entry of " + key, entry, Json::Kind::kObject); !table) return table;
      const Json* const path = entry.Find("path");
      const Json* const mode = entry.Find("mode");
      if (files && path == nullptr) return CannotImport(key, "an entry names no path");
      if (files) {
        if (Status text = CheckKind(key + " path", *path, Json::Kind::kString); !text) return text;
        if (Status added = AddPath(key, {path->text}, imported_.denied, true); !added) return added;
      }
      if (mode != nullptr && mode->text == "mask")
        LeaveOut(key + " mode mask", "no secret is put into requests: it is denied as a whole", imported_);
    }
    return Done{};
  }

  Status Mention(const std::string& key, const Json& value) {
    const auto* const known = std::find_if(std::begin(kUnexpressed), std::end(kUnexpressed),
                                           [&](const Unexpressed& row) { return row.key == key; });
    if (known == std::end(kUnexpressed)) {
      if (MayDeny(key) && !SaysNothing(value)) return CannotImport(key, kUnknownDenial);
      LeaveOut(key, "mxc-exec does not know it; see what it denies", imported_);
      if (key.starts_with("network.")) limits_.push_back(key);
    } else if (!known->why.empty() && !SaysNothing(value)) {
      LeaveOut(key, known->why, imported_);
      if (known->limits) limits_.push_back(key);
    }
    return Done{};
  }

  Imported imported_ = {};
  std::vector<std::string> limits_ = {};  // keys that are left out
};

// "Edit(//etc/**)": in the rules of the agent a path with one slash begins where the settings lie.
struct AgentRule {
  std::string tool = {};
  std::optional<std::string> subject = {};  // not set: the whole tool
};

std::string Trimmed(const std::string& text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Nothing: it is no rule.
std::optional<AgentRule> AgentRuleOf(const std::string& text) {
  const std::string rule = Trimmed(text);
  const std::size_t open = rule.find('(');
  if (open == std::string::npos) {
    if (rule.empty() || rule.find(')') != std::string::npos) return std::nullopt;
    return AgentRule{.tool = rule};
  }
  if (!rule.ends_with(')')) return std::nullopt;
  AgentRule result{.tool = Trimmed(rule.substr(0, open))};
  std::string subject = Trimmed(rule.substr(open + 1, rule.size() - open - 2));
  if (subject.starts_with("//")) {
    subject.erase(0, 1);
  } else if (subject.starts_with('/')) {
    subject.insert(0, 1, '.');
  }
  if (!subject.empty()) result.subject = std::move(subject);
  return result;
}

// A name alone is one at any depth, as in a .gitignore, also with a slash at its end.
std::string DeniedSubject(const std::string& subject) {
  const std::string name = subject.ends_with('/') ? subject.substr(0, subject.size() - 1) : subject;
  const bool alone =
      !name.empty() && name.find('/') == std::string::npos && name != "~" && name != "." && name != "..";
  return alone ? "**/" + name : subject;
}

bool IsWriter(std::string_view tool) {
  constexpr std::string_view kWriters[] = {"Edit", "MultiEdit", "NotebookEdit", "Write"};
  return std::find(std::begin(kWriters), std::end(kWriters), tool) != std::end(kWriters);
}

// All that the tool would do.
Status DenyWholeTool(const std::string& key, const std::string& tool, SrtReader& reader) {
  if (IsWriter(tool)) return reader.AddPath(key, {"/"}, reader.Result().no_write, true);
  if (tool == "WebFetch") return AddHost(key, "*", false, reader.Result());
  return CannotImport(key, "it denies reading every file, and no command could start");
}

Status ReadAgentRule(const std::string& list, const std::string& text, bool allow, SrtReader& reader) {
  constexpr std::string_view kDomain = "domain:";
  const std::string key = list + " " + text;
  Imported& imported = reader.Result();
  const std::optional<AgentRule> rule = AgentRuleOf(text);
  if (!rule && !allow) return CannotImport(key, "it is no rule of the agent's, and may deny something");
  const bool fetches = rule && rule->tool == "WebFetch";
  const bool writes = rule && IsWriter(rule->tool);
  const bool reads = rule && rule->tool == "Read";
  if (!allow && (fetches || writes || reads) && !rule->subject) return DenyWholeTool(key, rule->tool, reader);
  if (fetches && rule->subject && rule->subject->starts_with(kDomain))
    return AddHost(list, rule->subject->substr(kDomain.size()), allow, imported);
  if (fetches && !allow) return CannotImport(key, "what it denies is no domain");
  if (!rule || !rule->subject || (!writes && !(reads && !allow))) {
    LeaveOut(key, "it is about the agent's own tools", imported);
    return Done{};
  }
  std::vector<std::string>& into = reads ? imported.denied : allow ? imported.read_write : imported.no_write;
  const std::string subject = allow ? *rule->subject : DeniedSubject(*rule->subject);
  return reader.AddPath(key, {subject}, into, !allow);
}

Status ReadPermissions(const Json& permissions, SrtReader& reader) {
  if (Status table = CheckKind("permissions", permissions, Json::Kind::kObject); !table) return table;
  for (const JsonMember& member : permissions.members) {
    const std::string key = "permissions." + member.key;
    const bool directories = member.key == "additionalDirectories";
    if (!directories && member.key != "allow" && member.key != "deny") {
      if (Folded(member.key).starts_with("den")) return CannotImport(key, kUnknownDenial);
      LeaveOut(key, "what is asked for approval is the agent's affair", reader.Result());
      continue;
    }
    const auto strings = StringsOf(key, member.value);
    if (!strings) return strings.error();
    for (const std::string& text : *strings) {
      Status read = directories ? reader.AddPath(key, {text}, reader.Result().read_write, false)
                                : ReadAgentRule(key, text, member.key == "allow", reader);
      if (!read) return read;
    }
  }
  return Done{};
}

}  // namespace

Result<Imported> ImportSrt(const Json& settings) {
  SrtReader reader("srt");
  if (Status read = reader.Read(settings); !read) return read.error();
  if (Status checked = reader.CheckLimits(); !checked) return checked.error();
  return std::move(reader.Result());
}

Result<Imported> ImportClaude(const Json& settings) {
  SrtReader reader("Claude Code");
  reader.Result().read_write.emplace_back("${PWD}");
  std::vector<std::string> of_agent;
  for (const JsonMember& member : settings.members) {
    Status read = Done{};
    if (member.key == "sandbox") {
      const Json* const enabled = member.value.Find("enabled");
      if (enabled != nullptr && !enabled->boolean) return CannotImport("sandbox.enabled", "it is off");
      read = reader.Read(member.value);
    } else if (member.key == "permissions") {
      read = ReadPermissions(member.value, reader);
    } else if (member.key != "$schema") {
      of_agent.push_back(member.key);
    }
    if (!read) return read.error();
  }
  if (Status checked = reader.CheckLimits(); !checked) return checked.error();
  LeaveToAgent(of_agent, reader.Result());
  return std::move(reader.Result());
}

}  // namespace mxc
