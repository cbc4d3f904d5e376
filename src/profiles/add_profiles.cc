#include "profiles/add_profiles.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "config/decode.h"
#include "config/decoding.h"
#include "config/profile_pointer.h"
#include "document/place.h"
#include "policy/paths/callers_own.h"
#include "policy/paths/paths.h"
#include "profiles/cache.h"
#include "profiles/expand_document.h"
#include "profiles/profile.h"

namespace mxc {
namespace {

// What a profile may say: everything here adds.
struct Members {
  std::string_view of;
  std::vector<std::string_view> names;
};
const std::vector<Members>& AllowedMembers() {
  static const std::vector<Members> kAllowed = {
      {"", {"$schema", "_comment", "version", "filesystem", "process", "network"}},
      {"filesystem", {"readonlyPaths", "readwritePaths", "tools"}},
      {"process", {"env"}},
      {"network", {"egress"}},
      {"egress", {"allow"}},
  };
  return kAllowed;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the table
Status CheckMembers(const Json& object, std::string_view name, const Place& place) {
  const auto& all = AllowedMembers();
  const auto allowed =
      std::find_if(all.begin(), all.end(), [&](const Members& members) { return members.of == name; });
  if (allowed == all.end() || object.kind != Json::Kind::kObject) return Done{};
  for (const JsonMember& member : object.members) {
    const Place at = place.Key(member.key);
    if (std::find(allowed->names.begin(), allowed->names.end(), member.key) == allowed->names.end())
      return ErrorAt(at, member.value.position, "a profile can only add",
                     "it has readonlyPaths, readwritePaths, tools, process.env and network.egress.allow");
    if (Status status = CheckMembers(member.value, member.key, at); !status) return status;
  }
  return Done{};
}

Json* MemberOf(Json* object, std::string_view key) {
  if (object == nullptr || object->kind != Json::Kind::kObject) return nullptr;
  for (JsonMember& member : object->members)
    if (member.key == key) return &member.value;
  return nullptr;
}

// ${NAME} anywhere in `text`.
Result<std::string> WithVariables(std::string text, const ExpansionPlaces& places, const Host& host) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
    const std::size_t size = std::min(text.find('}', at), text.size() - 1) + 1 - at;
    Result<std::string> value = ExpandPath(text.substr(at, size), places, host);
    if (!value) return value;
    text.replace(at, size, *value);
    at += value->size();
  }
  return text;
}

Result<std::string> Expanded(const std::string& text, bool path, const ExpansionPlaces& places,
                             const Host& host) {
  return path ? ExpandPath(text, places, host) : WithVariables(text, places, host);
}

Status Expand(Json& document, const ExpansionPlaces& places, const Host& host) {
  constexpr std::pair<const char*, const char*> kLists[] = {
      {"filesystem", "readonlyPaths"}, {"filesystem", "readwritePaths"}, {"process", "env"}};
  for (const auto& [section, key] : kLists) {
    Json* const list = MemberOf(MemberOf(&document, section), key);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      Json& item = list->items[i];
      Result<std::string> expanded =
          Expanded(item.text, std::string_view(section) == "filesystem", places, host);
      if (!expanded)
        return ErrorAt(Place{}.Key(section).Key(key).Item(i), item.position, expanded.error().message,
                       expanded.error().hint);
      item.text = std::move(*expanded);
    }
  }
  return Done{};
}

// The errors of a profile name it, and places in it.
Error InProfile(const Profile& profile, Error error) {
  const std::string which = profile.file.empty() ? profile.name : profile.name + " (" + profile.file + ")";
  error.message = "profile " + which + ": " + error.message;
  error.pointer = ProfilePointer(profile.name, error.pointer);
  error.others.clear();
  return error;
}

Result<Config> Fragment(Profile profile, const ExpansionPlaces& places, const Host& host) {
  Json& document = profile.document;
  if (Status allowed = CheckMembers(document, "", {}); !allowed) return InProfile(profile, allowed.error());
  if (Status expanded = Expand(document, places, host); !expanded)
    return InProfile(profile, expanded.error());
  if (document.kind == Json::Kind::kObject && document.Find("version") == nullptr) {
    Json version;
    version.kind = Json::Kind::kString;
    version.text = "1.1.0-alpha";
    document.members.push_back({.key = "version", .value = std::move(version)});
  }
  Result<Config> fragment = Decode(document, {.system = host.System(), .command = {"true"}});
  if (!fragment) return InProfile(profile, fragment.error());
  return fragment;
}

class Adder {
 public:
  Adder(const Host& host, std::string cache, bool make_caches, Config& config)
      : host_(host), cache_(std::move(cache)), make_caches_(make_caches), config_(config) {}

  Status Add(const std::string& name, const Config& fragment, bool tools_written) {
    if (Status made = MakeCaches(fragment); !made) return made;
    AddPaths(name, fragment.read_write, config_.read_write);
    AddPaths(name, fragment.read_only, config_.read_only);
    if (!tools_written && config_.tools_pointer.empty() && !fragment.tools_pointer.empty())
      config_.tools_pointer = ProfilePointer(name, fragment.tools_pointer);
    if (fragment.process.environment) AddVariables(*fragment.process.environment);
    AddHosts(name, fragment.network.allow);
    return Done{};
  }

 private:
  [[nodiscard]] Status MakeCaches(const Config& fragment) const {
    for (const PathEntry& entry : fragment.read_write) {
      const bool in_cache =
          !cache_.empty() && IsAtOrBelow(entry.path, cache_) && FoldLexically(entry.path) == entry.path;
      if (!in_cache) continue;
      if (Status home = CheckHomeOfCaches(host_); !home) return home;
      if (!make_caches_) continue;
      if (Status made = MakeCacheDirectory(entry.path); !made) return made;
      // Whoever else could write there would choose what the tools of later runs execute.
      PathWalker walker(host_);
      const Result<Walked> walked = walker.Walk(entry.path);
      if (walked && IsCallersOwn(host_, walker, walked->path)) continue;
      return Conflict("the cache " + Quoted(entry.path) + " of a profile could be written by another user",
                      entry.pointer,
                      "it and the directories above it must be yours or root's, and writable by nobody else: "
                      "remove it (`rm -r " +
                          ShellQuoted(entry.path) + "`), or set XDG_CACHE_HOME to a directory of yours");
    }
    return Done{};
  }

  // Resolve decides by what stands there; here by what is written, for plans that look at no file.
  [[nodiscard]] bool IsDenied(const std::string& path) const {
    return std::any_of(config_.denied.begin(), config_.denied.end(), [&](const PathEntry& denied) {
      return IsAtOrBelow(FoldLexically(path), FoldLexically(denied.path));
    });
  }

  void AddPaths(const std::string& name, const std::vector<PathEntry>& entries,
                std::vector<PathEntry>& list) const {
    for (const PathEntry& entry : entries) {
      if (!host_.LookAt(entry.path).status || IsDenied(entry.path)) continue;
      list.push_back({.path = entry.path, .pointer = ProfilePointer(name, entry.pointer)});
    }
  }

  // Of several with one name the last counts: the document's own.
  void AddVariables(const std::vector<Variable>& variables) {
    std::optional<std::vector<Variable>>& environment = config_.process.environment;
    if (!environment) {
      environment.emplace();
      config_.process.inherit_default_environment = true;
    }
    environment->insert(environment->begin(), variables.begin(), variables.end());
  }

  // Where everything is reached, or a proxy alone, there is nothing to add.
  void AddHosts(const std::string& name, const std::vector<NetworkRule>& rules) {
    Network& network = config_.network;
    if (network.share_host || network.proxy || network.egress == RuleAction::kAllow) return;
    for (NetworkRule rule : rules) {
      rule.pointer = ProfilePointer(name, rule.pointer);
      network.allow.push_back(std::move(rule));
      config_.network_written = true;
    }
  }

  const Host& host_;
  std::string cache_;
  bool make_caches_;
  Config& config_;
};

// What profiles of the caller's say of files outside of the cache, as written. Those of the program let a
// command write nothing else, and show installed tools.
std::vector<std::string> OwnEntries(const std::vector<Profile>& profiles) {
  std::vector<std::string> entries;
  for (const Profile& profile : profiles) {
    const Json* const files = profile.file.empty() ? nullptr : Member(&profile.document, "filesystem");
    for (const char* const key : {"readwritePaths", "readonlyPaths"}) {
      const Json* const list = Member(files, key);
      for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        const std::string& text = list->items[i].text;
        if (!text.starts_with("${CACHE}")) entries.push_back(std::string(key) + " " + text);
      }
    }
  }
  return entries;
}

// A command that can write the file would choose what later runs may do.
Status CheckOutOfReach(const Profile& profile, const Host& host, const std::vector<PathEntry>& writable) {
  PathWalker walker(host);
  for (const PathEntry& entry : writable) {
    const Result<Walked> grant = walker.Walk(entry.path);
    const auto reaches = [&](const std::string& place) { return grant && IsAtOrBelow(place, grant->path); };
    if (std::none_of(profile.places.begin(), profile.places.end(), reaches)) continue;
    return Conflict("the profile " + Quoted(profile.file) + " could be written by the command", entry.pointer,
                    "grant less than " + Quoted(entry.path) + ", or leave the profile out");
  }
  return Done{};
}

}  // namespace

Status AddProfiles(const Json& document, const Host& host, bool make_caches, Config& config) {
  const Json* const names = Member(&document, "profiles");
  if (names == nullptr || names->items.empty()) return Done{};
  if (host.System() == OperatingSystem::kWindows)
    return ErrorAt(Place{}.Key("profiles"), names->position, "there are no profiles on Windows");
  const bool tools_written = Member(Member(&document, "filesystem"), "tools") != nullptr;
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < names->items.size(); ++i) {
    const Json& name = names->items[i];
    const bool known = std::any_of(profiles.begin(), profiles.end(),
                                   [&](const Profile& profile) { return profile.name == name.text; });
    if (known) continue;
    Result<Profile> profile = ReadProfile(name.text, host);
    if (!profile)
      return ErrorAt(Place{}.Key("profiles").Item(i), name.position, profile.error().message,
                     profile.error().hint);
    profiles.push_back(std::move(*profile));
  }
  const Result<std::string> cache = CacheDirectoryFor(config, OwnEntries(profiles), host);
  Adder adder(host, cache ? *cache : "", make_caches, config);
  for (const Profile& profile : profiles) {
    Result<Config> fragment = Fragment(profile, {.cache = cache ? *cache : ""}, host);
    if (!fragment) return fragment.error();
    if (Status added = adder.Add(profile.name, *fragment, tools_written); !added) return added;
  }
  std::vector<PathEntry> writable = config.read_write;
  const Workspace& workspace = config.process.workspace;
  if (!workspace.pointer.empty()) writable.push_back({.path = workspace.host, .pointer = workspace.pointer});
  for (const Profile& profile : profiles) {
    if (Status apart = CheckOutOfReach(profile, host, writable); !apart) return apart;
  }
  return Done{};
}

}  // namespace mxc
