#include "flag_document.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quoted.h"
#include "config/decode.h"
#include "config/endpoint.h"
#include "config/fields.h"
#include "config/version.h"
#include "document/make_json.h"
#include "flag_values.h"
#include "flag_writer.h"
#include "mxc/egress.h"
#include "mxc/fold.h"
#include "mxc/sandbox/workspace.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kSafeGit = "git=allow-safe";  // of --protect

// "name:443", "10.0.0.0/8:443", "[::1]:443"; a colon of an IPv6 address alone is none of a port. What cannot
// be read is left to Decode.
struct HostFlag {
  std::string host = {};
  std::uint16_t port = 0;  // 0: every port
};
HostFlag SplitHostFlag(const std::string& text) {
  const Result<HostEntry> entry = ParseHostEntry(text);
  HostFlag flag{.host = text, .port = entry ? entry->port : std::uint16_t{0}};
  if (flag.port != 0) flag.host.resize(text.rfind(':'));
  if (entry && flag.host.starts_with('[')) flag.host = flag.host.substr(1, flag.host.find(']') - 1);
  return flag;
}

// Of host.mxc.internal:5432; 0: no port. Absent: another host, or what cannot be read.
std::optional<std::uint16_t> PortOfHostLoopback(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (Folded(std::string_view(text).substr(0, colon)) != kHostLoopbackName) return std::nullopt;
  if (colon == std::string::npos) return std::uint16_t{0};
  return ParsePort(std::string_view(text).substr(colon + 1));
}

bool LooksLikeAddress(const std::string& host) {
  if (!HostOfUrl(host).empty()) return false;  // a URL: Decode says what to write
  return host.find_first_not_of("0123456789./") == std::string::npos || host.find(':') != std::string::npos;
}

// "::1:443" may be an address, and is none that can be read.
Status CheckPort(const std::string& text, const std::string& flag) {
  const std::optional<WrittenPort> written = FindWrittenPort(text);
  if (written && !written->port) {
    return UsageError(flag + ": " + std::string(kNotAPort), "write --allow-host " +
                                                                ShellWord(written->host + ":443") + ", or " +
                                                                written->host + " alone for every port");
  }
  const bool many = std::count(text.begin(), text.end(), ':') > 1;
  if (!many || !HostOfUrl(text).empty() || ParseHostEntry(text)) return Done{};
  return UsageError(flag + ": not an address, a block or a host name",
                    "an IPv6 address with a port stands in brackets: '[2001:db8::1]:443'");
}

Json RuleFor(const std::string& text) {
  const auto [name, port] = SplitHostFlag(text);
  Json rule = Map("to", List(Map(LooksLikeAddress(name) ? "cidr" : "host", StringOf(name))));
  if (port == 0) return rule;
  rule.members.push_back({.key = "ports", .value = List(Map("port", NumberOf(port)))});
  return rule;
}

// The host's own network has every host in it.
bool SharesHostNetwork(const FlagWriter& document) {
  const Json* policy = document.Find({"network", "defaultPolicy"});
  const Json* local = document.Find({"network", "allowLocalNetwork"});
  const auto empty = [](const Json* list) { return list == nullptr || list->items.empty(); };
  return policy != nullptr && policy->text == "allow" && local != nullptr && local->boolean &&
         empty(document.Find({"network", "allowedHosts"})) &&
         empty(document.Find({"network", "blockedHosts"})) && document.Find({"network", "proxy"}) == nullptr;
}

class Adder {
 public:
  Adder(const Options& options, const Host& host, Json& document, Dialect dialect)
      : options_(options),
        host_(host),
        document_(document, TakesNull(dialect)),
        dialect_(dialect),
        legacy_network_(dialect == Dialect::kLegacy || UsesLegacyNetwork(document)) {}

  Result<std::vector<FlagPlace>> Run() {
    for (const auto step : {&Adder::AddProfiles, &Adder::AddFiles, &Adder::AddSockets, &Adder::AddTools,
                            &Adder::AddProcess, &Adder::AddEnvironment, &Adder::AddVariables,
                            &Adder::AddNetwork, &Adder::AddLimits, &Adder::AddPresets, &Adder::AddTier}) {
      if (Status status = (this->*step)(); !status) return status.error();
    }
    return document_.TakePlaces();
  }

 private:
  static std::string Named(std::string_view flag, const std::string& value) {
    return std::string(flag) + " " + ShellWord(value);
  }

  Status AddPaths(std::string_view flag, const std::vector<std::string>& paths, std::string_view key) {
    for (const std::string& path : paths) {
      Result<std::string> absolute = PathOfFlag(path, host_);
      if (!absolute) return absolute.error();
      Status added = document_.Append({"filesystem", key}, StringOf(std::move(*absolute)), Named(flag, path));
      if (!added) return added;
    }
    return Done{};
  }

  Status AddProfiles() {
    for (const std::string& name : options_.profiles) {
      Status added = document_.Append({"profiles"}, StringOf(name), Named("--profile", name));
      if (!added) return added;
    }
    return Done{};
  }

  Status AddFiles() {
    Status added = AddPaths("--ro", options_.read_only, "readonlyPaths");
    if (added) added = AddPaths("--rw", options_.read_write, "readwritePaths");
    if (added) added = AddPaths("--deny", options_.denied, "deniedPaths");
    return added;
  }

  // "$NAME" is for Decode.
  Status AddSockets() {
    for (const std::string& text : options_.sockets) {
      Result<std::string> path = text.starts_with('$') ? text : PathOfFlag(text, host_);
      if (!path) return path.error();
      Status added =
          document_.Append({"filesystem", "sockets"}, StringOf(std::move(*path)), Named("--socket", text));
      if (!added) return added;
    }
    return Done{};
  }

  Status AddTools() {
    if (options_.tools.empty()) return Done{};
    return document_.Set("filesystem", "tools", StringOf(options_.tools), Named("--tools", options_.tools));
  }

  // What the file says of its workspace in the path inside would say nothing under another.
  Status CheckNamesInside(std::string_view guest, const std::string& flag) {
    if (document_.Find({"process", "workspace"}) == nullptr) return Done{};
    const Json* const written = document_.Find({"process", "workspace", "guest"});
    const std::string before =
        FoldLexically(written != nullptr ? std::string_view(written->text) : kStandardWorkspace);
    if (before == FoldLexically(guest)) return Done{};
    for (const std::string_view key : {"readwritePaths", "readonlyPaths", "deniedPaths", "repositories"}) {
      const Json* const list = document_.Find({"filesystem", key});
      for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        if (!IsAtOrBelow(FoldLexically(list->items[i].text), before)) continue;
        return UsageError(flag + " moves the workspace from " + Quoted(before) +
                              ", where the configuration has " + Quoted(list->items[i].text) + " of " +
                              std::string(key),
                          "write --workspace DIR:" + before + ", or change the configuration");
      }
    }
    return Done{};
  }

  // DIR, or DIR:PATH with the path inside.
  Status AddWorkspace() {
    if (options_.workspace.empty()) return Done{};
    const std::string flag = Named("--workspace", options_.workspace);
    const std::size_t colon = options_.workspace.rfind(":/");
    Result<std::string> directory = PathOfFlag(options_.workspace.substr(0, colon), host_);
    if (!directory) return directory.error();
    const bool guest = colon != std::string::npos;
    const std::string inside = guest ? options_.workspace.substr(colon + 1) : std::string(kStandardWorkspace);
    if (Status names = CheckNamesInside(inside, flag); !names) return names;
    Json workspace = Map("host", StringOf(std::move(*directory)));
    if (guest) workspace.members.push_back({.key = "guest", .value = StringOf(inside)});
    return document_.Set("process", "workspace", std::move(workspace), flag);
  }

  Status AddProcess() {
    if (!options_.cwd.empty()) {
      Result<std::string> cwd = PathOfFlag(options_.cwd, host_);
      if (!cwd) return cwd.error();
      Status set = document_.Set("process", "cwd", StringOf(std::move(*cwd)), Named("--cwd", options_.cwd));
      if (!set) return set;
    }
    if (Status workspace = AddWorkspace(); !workspace) return workspace;
    if (!options_.review.empty()) {
      const Status set = document_.SetText("review", options_.review, Named("--review", options_.review));
      if (!set) return set;
    }
    if (options_.timeout.empty()) return Done{};
    const Result<std::uint32_t> limit = MillisecondsOf("--timeout", options_.timeout);
    if (!limit) return limit.error();
    return document_.Set("process", "timeout", NumberOf(*limit), Named("--timeout", options_.timeout));
  }

  // A list replaces the default environment, unless the contract lets it say otherwise.
  Status KeepDefaultEnvironment(const std::string& flag) {
    if (document_.Find({"process", "env"}) != nullptr) return Done{};
    if (dialect_ == Dialect::kLegacy || dialect_ == Dialect::kDirectional || legacy_network_) {
      return UsageError(flag +
                            " would replace the default environment: a configuration of this version has no "
                            "process.inheritDefaultEnv",
                        "write \"version\": \"1.0.0\", or the whole environment into process.env");
    }
    return document_.Set("process", "inheritDefaultEnv", True(), flag);
  }

  Status AddEnvironment() {
    for (const std::string& text : options_.environment) {
      const std::string name = text.substr(0, text.find('='));
      const std::string flag = Named("--env", name);
      std::string entry = text;
      if (name.empty()) {
        return UsageError("--env takes the name of a variable, or NAME=VALUE, not " + Quoted(text));
      }
      if (text == name) {
        const std::optional<std::string> value = host_.Environment(name);
        if (!value)
          return UsageError(flag + ": no such variable is set here", "give it a value: " + flag + "=VALUE");
        entry += "=" + *value;
      }
      if (Status kept = KeepDefaultEnvironment(flag); !kept) return kept;
      if (Status added = document_.Append({"process", "env"}, StringOf(std::move(entry)), flag); !added)
        return added;
    }
    return Done{};
  }

  // What the configuration says of a variable counts for more, and a version that cannot take one over stays
  // without.
  Status AddVariables() {
    for (const std::string& name : options_.variables) {
      const std::optional<std::string> value = host_.Environment(name);
      const Json* written = document_.Find({"process", "env"});
      const bool known = written != nullptr &&
                         std::any_of(written->items.begin(), written->items.end(),
                                     [&](const Json& entry) { return entry.text.starts_with(name + "="); });
      if (!value || known) continue;
      const std::string source = "the variable " + name;
      if (!KeepDefaultEnvironment(source)) return Done{};
      if (Status added = document_.Append({"process", "env"}, StringOf(name + "=" + *value), source); !added)
        return added;
    }
    return Done{};
  }

  static Error NotInLegacyNetwork(const std::string& flag) {
    return UsageError(flag +
                          " cannot be said in a configuration of this version, or beside "
                          "network.defaultPolicy and its like",
                      "write network.egress in their place, and \"version\": \"1.0.0\"");
  }

  Status AddLoopbackPort(std::uint16_t port, const std::string& flag) {
    if (port == 0) {
      return UsageError(flag + " would open every service of the host's loopback",
                        "name the port: --allow-host " + std::string(kHostLoopbackName) + ":5432");
    }
    if (legacy_network_) return NotInLegacyNetwork(flag);
    return document_.Append({"network", "ingress", "hostLoopbackPorts"}, Map("port", NumberOf(port)), flag);
  }

  Status AddNetwork() {
    for (const std::string& text : options_.allowed_hosts) {
      if (SharesHostNetwork(document_)) break;
      if (const std::optional<std::uint16_t> port = PortOfHostLoopback(text)) {
        if (Status opened = AddLoopbackPort(*port, Named("--allow-host", text)); !opened) return opened;
        continue;
      }
      if (Status port = CheckPort(text, Named("--allow-host", text)); !port) return port;
      Status added =
          legacy_network_
              ? document_.Append({"network", "allowedHosts"}, StringOf(text), Named("--allow-host", text))
              : document_.Append({"network", "egress", "allow"}, RuleFor(text), Named("--allow-host", text));
      if (!added) return added;
    }
    for (const std::string& text : options_.published) {
      const std::string flag = Named("--publish", text);
      const Result<PortPair> ports = PortsOf("--publish", text);
      if (!ports) return ports.error();
      if (legacy_network_) return NotInLegacyNetwork(flag);
      Json port = Map("host", NumberOf(ports->host));
      port.members.push_back({.key = "guest", .value = NumberOf(ports->guest)});
      if (Status added = document_.Append({"network", "ingress", "publish"}, std::move(port), flag); !added)
        return added;
    }
    return Done{};
  }

  Status AddLimits() {
    if (!options_.memory.empty()) {
      const Result<std::uint64_t> size = MegabytesOf("--memory", options_.memory);
      if (!size) return size.error();
      Status set =
          document_.Set("resources", "memoryMb", NumberOf(*size), Named("--memory", options_.memory));
      if (!set) return set;
    }
    if (options_.cpus.empty()) return Done{};
    Result<std::string> cpus = DecimalOf("--cpus", options_.cpus);
    if (!cpus) return cpus.error();
    return document_.Set("resources", "cpus", FractionOf(std::move(*cpus)), Named("--cpus", options_.cpus));
  }

  // The list of a document replaces the default, a flag adds to it. Of two tiers the stronger counts.
  Status AddPresets() {
    for (const std::string& name : options_.protect) {
      if (name.starts_with("git=") && name != kSafeGit)
        return UsageError(Named("--protect", name) + ": the one option of git is " + std::string(kSafeGit));
    }
    const Json* written = document_.Find({"filesystem", "protect"});
    const bool options =
        std::find(options_.protect.begin(), options_.protect.end(), kSafeGit) != options_.protect.end() ||
        (written != nullptr && written->kind == Json::Kind::kObject);
    if (options && !options_.protect.empty()) return AddPresetsWithOptions(written);
    for (const std::string& name : options_.protect) {
      const std::string flag = Named("--protect", name);
      const bool git_by_default = document_.Find({"filesystem", "protect"}) == nullptr && name != "git";
      if (git_by_default) {
        if (Status added = document_.Append({"filesystem", "protect"}, StringOf("git"), flag); !added)
          return added;
      }
      const Json* list = document_.Find({"filesystem", "protect"});
      const bool known = list != nullptr && std::any_of(list->items.begin(), list->items.end(),
                                                        [&](const Json& item) { return item.text == name; });
      if (known) continue;
      if (Status added = document_.Append({"filesystem", "protect"}, StringOf(name), flag); !added)
        return added;
    }
    return Done{};
  }

  // Options take the place of those it has.
  static void AddPreset(const std::string& name, Json options, Json& presets) {
    const auto known = std::find_if(presets.members.begin(), presets.members.end(),
                                    [&](const JsonMember& member) { return member.key == name; });
    if (known == presets.members.end()) {
      presets.members.push_back({.key = name, .value = std::move(options)});
    } else if (!options.members.empty()) {
      known->value = std::move(options);
    }
  }

  // As an object, which a list becomes.
  Status AddPresetsWithOptions(const Json* written) {
    const std::string flag = Named("--protect", options_.protect.back());
    Json presets =
        written != nullptr && written->kind == Json::Kind::kObject ? *written : Empty(Json::Kind::kObject);
    if (written == nullptr) AddPreset("git", Empty(Json::Kind::kObject), presets);
    if (written != nullptr) {
      for (const Json& item : written->items) AddPreset(item.text, Empty(Json::Kind::kObject), presets);
    }
    const Json* config = document_.Find({"filesystem", "protect", "git", "config"});
    const bool stricter = config != nullptr && config->text != "allow-safe";
    for (const std::string& name : options_.protect) {
      const bool safe = name == kSafeGit;
      const std::string pointer = PointerTo("/filesystem/protect", safe ? "git" : name);
      if (safe && stricter) {
        document_.Note({.pointer = pointer,
                        .flag = "--protect " + name,
                        .overruled = "the file says `config` of `git` in `protect`: that stays, and "
                                     "configurations of git's are read-only"});
        continue;
      }
      document_.Note({.pointer = pointer, .flag = flag});
      AddPreset(safe ? "git" : name,
                safe ? Map("config", StringOf("allow-safe")) : Empty(Json::Kind::kObject), presets);
    }
    Result<Json*> files = document_.Enter({"filesystem"}, Json::Kind::kObject, flag);
    if (!files) return files.error();
    std::erase_if((*files)->members, [](const JsonMember& member) { return member.key == "protect"; });
    (*files)->members.push_back({.key = "protect", .value = std::move(presets)});
    return Done{};
  }

  Status AddTier() {
    if (options_.tier.empty()) return Done{};
    const Json* written = document_.Find({"minimumTier"});
    const std::optional<Tier> asked = TierNamed(options_.tier);
    const std::optional<Tier> before = written != nullptr ? TierNamed(written->text) : std::nullopt;
    if (asked && before && *before > *asked) return Done{};
    return document_.SetText("minimumTier", options_.tier, Named("--tier", options_.tier));
  }

  const Options& options_;
  const Host& host_;
  FlagWriter document_;
  Dialect dialect_;
  bool legacy_network_;
};

// Standard input, a file of that name, or one that begins like a document.
bool MayBeConfiguration(const std::string& word, const Host& host) {
  if (word == "-") return true;
  const Result<std::string> path = PathOfFlag(word, host);
  const Lookup found = path ? host.LookAt(*path) : Lookup{};
  if (!found.status || found.status->object.type == FileType::kDirectory) return false;
  if (word.ends_with(".json")) return true;
  if (found.status->object.type != FileType::kRegular) return false;
  constexpr std::size_t kStart = 64;
  const Result<std::string> start = host.ReadFile(*path, kStart);
  const std::size_t first = start ? start->find_first_not_of(" \t\r\n") : std::string::npos;
  return first != std::string::npos && (*start)[first] == '{';
}

// A configuration that a flag has swallowed would be a policy that nobody enforces.
Status CheckFurtherWords(const Options& options, const Host& host) {
  if (options.HasConfig()) return Done{};
  for (const auto& [flag, first, word] : options.further_words) {
    if (!MayBeConfiguration(word, host)) continue;
    return UsageError(Quoted(word) + " may be a configuration, or a value of " + flag,
                      "a configuration: mxc-exec " + ShellWord(word) + " " + flag + " " + ShellWord(first) +
                          " -- ...; a value: " + flag + "=" + ShellWord(word));
  }
  return Done{};
}

}  // namespace

Result<std::vector<FlagPlace>> AddFlags(const Options& options, const Host& host, Json& document) {
  if (Status clear = CheckFurtherWords(options, host); !clear) return clear.error();
  const Result<Dialect> dialect = SelectDialect(document);
  return Adder(options, host, document, dialect ? *dialect : Dialect::kLegacy).Run();
}

}  // namespace mxc
