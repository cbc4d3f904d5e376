#include "policy/sockets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/runtime_places.h"
#include "ceiling/cut_config.h"
#include "mxc/limits.h"
#include "policy/paths/baseline.h"
#include "policy/paths/entries.h"
#include "policy/paths/socket_tables.h"
#include "policy/process.h"

namespace mxc {
namespace {

// For messages, which never quote the value of a variable.
std::string NameOfSocket(const PathEntry& entry, const std::string& path) {
  return entry.path.starts_with('$') ? "the path in " + Quoted(entry.path) : Quoted(path);
}

class SocketGrants {
 public:
  SocketGrants(const Host& host, const CeilingFiles& ceiling, Cuts* cuts, PathWalker& walker, RuleSet& rules,
               Policy& policy)
      : host_(host), ceiling_(ceiling), cuts_(cuts), walker_(walker), rules_(rules), policy_(policy) {}

  Status Add(const PathEntry& entry) {
    const std::optional<std::string> path = SocketPath(entry.path, host_);
    if (!path) {
      Warn("path-missing", entry,
           "the variable " + Quoted(entry.path) + " of sockets is not set: nothing is granted");
      return Done{};
    }
    if (!path->starts_with('/')) {
      return Conflict("the variable " + Quoted(entry.path) + " of sockets names no path", entry.pointer,
                      "only sockets with a path can be granted");
    }
    const std::string shown = NameOfSocket(entry, *path);
    Result<Walked> walked = walker_.Walk(*path);
    if (!walked) {
      return Conflict(shown + " of sockets cannot be followed to its end", entry.pointer, "remove the entry");
    }
    if (!walked->status || walked->folded_missing) {
      Warn("path-missing", entry, shown + " of sockets does not exist: nothing is granted");
      return Done{};
    }
    if (cuts_ != nullptr && !ceiling_.AllowsSocket(entry, *walked, host_, walker_, *cuts_)) return Done{};
    if (Status checked = Check(entry, *walked); !checked) return checked;
    if (const PathRule* const denial = DenialOf(*walked)) {
      Warn("tightened", entry,
           NameOfSocket(entry, walked->path) + " of sockets is denied as " + Quoted(denial->path));
      return Done{};
    }
    // Read-write: a read-only mount does not prevent a connection, and below a read-write grant no mount is
    // needed.
    const bool added = rules_.Add({.path = walked->path,
                                   .access = Access::kReadWrite,
                                   .object = walked->status->object,
                                   .pointer = entry.pointer});
    if (!added) {
      Warn("tightened", entry, Quoted(walked->path) + " of sockets has another entry already");
      return Done{};
    }
    for (const LinkMet& met : walked->links) {
      if (!rules_.Visible(ParentOf(met.link.path))) policy_.links.push_back(met.link);
    }
    const std::string name = entry.path.starts_with('$') ? entry.path.substr(1) : "";
    Warn("socket-granted", entry,
         "whoever connects to " + Quoted(walked->path) + " " +
             std::string(MeaningOfSocket(name, walked->path)));
    return Done{};
  }

 private:
  [[nodiscard]] Status Check(const PathEntry& entry, const Walked& walked) {
    if (IsNeverFromHost(walked.path) || !walked.Is(FileType::kSocket)) {
      return Conflict(NameOfSocket(entry, walked.path) + " of sockets is no socket", entry.pointer,
                      "grant files and directories with readonlyPaths or readwritePaths");
    }
    const std::string what = "the socket " + Quoted(entry.path);
    if (Status links = CheckGrantedLinks(entry, what, walked, host_, walker_); !links) return links;
    if (host_.MayAccess(walked.path, Access::kReadWrite)) return Done{};
    return Conflict("the caller may not connect to " + NameOfSocket(entry, walked.path), entry.pointer,
                    "remove the entry, or change the mode of the socket");
  }

  // The strictest entry for a socket, by any of its names, counts.
  [[nodiscard]] const PathRule* DenialOf(const Walked& walked) const {
    const std::vector<PathRule>& all = rules_.All();
    const auto denial = std::find_if(all.begin(), all.end(), [&](const PathRule& rule) {
      return rule.access == Access::kDenied && rule.path != walked.path && rule.object &&
             rule.object->IsSame(walked.status->object);
    });
    return denial != all.end() ? &*denial : nullptr;
  }

  void Warn(std::string category, const PathEntry& entry, std::string message) {
    policy_.warnings.push_back(
        {.category = std::move(category), .message = std::move(message), .pointer = entry.pointer});
  }

  const Host& host_;
  const CeilingFiles& ceiling_;
  Cuts* cuts_;
  PathWalker& walker_;
  RuleSet& rules_;
  Policy& policy_;
};

// SSH_AUTH_SOCK and the like: the caller's own agents, at any path.
std::vector<std::string> SocketsOfEnvironment(const Host& host) {
  std::vector<std::string> result;
  for (const char* name : {"SSH_AUTH_SOCK", "DOCKER_HOST", "TMUX", "DBUS_SESSION_BUS_ADDRESS"}) {
    const std::optional<std::string> value = host.Environment(name);
    if (!value) continue;
    if (std::string path = PathInVariable(*value); path.starts_with('/')) result.push_back(std::move(path));
  }
  return result;
}

class SocketDenials {
 public:
  SocketDenials(const Host& host, const MountNames& names, PathWalker& walker, RuleSet& rules,
                std::vector<Warning>& warnings)
      : host_(host), names_(names), walker_(walker), rules_(rules), warnings_(warnings) {}

  void DenyKnown() {
    for (const BaselineRow& row : SocketRows()) DenySocket(Expanded(row.path));
    for (const std::string& path : SocketsOfEnvironment(host_)) {
      const Result<Walked> walked = walker_.Walk(path);
      if (!walked || !walked->Is(FileType::kSocket)) continue;
      DenySocket(walked->path);
    }
  }

  Status DenyLive(const std::string& tools_pointer, const std::vector<OwnPlace>& own_places) {
    SocketPlaces places = Searched(tools_pointer);
    for (const OwnPlace& place : own_places) {
      if (place.denied) places.own.push_back(place.path);
    }
    if (const auto runtime = host_.Environment("XDG_RUNTIME_DIR"); runtime && !runtime->empty())
      places.own.push_back(RuntimePlaceOf(*runtime, host_.Caller().uid));
    places.skipped = rules_.PathsWith(Access::kDenied);
    for (const char* own : {"/proc", "/sys", "/dev", "/tmp"}) {
      if (rules_.Covering(own) == nullptr) places.skipped.emplace_back(own);
    }
    // A grant inside a denied directory is searched on its own.
    std::erase_if(places.skipped, [&](const std::string& denied) {
      return std::any_of(places.directories.begin(), places.directories.end(),
                         [&](const std::string& directory) { return IsAtOrBelow(directory, denied); });
    });
    for (const std::string& path : host_.LiveSockets(places)) {
      if (Status denied = DenyFound(path); !denied) return denied;
    }
    return Done{};
  }

  void DenyDirectories() {
    for (const SocketDirectory& row : SocketDirectories()) {
      const std::string written = Expanded(row.path);
      if (written.empty()) continue;
      const Result<Walked> above = walker_.Walk(ParentOf(written));
      if (!above || !above->status) continue;
      DenyDirectory(row, JoinPath(above->path, NameOf(written)));
    }
  }

 private:
  // Its nearest parent within kMaxSearchedPath: longer paths are not passed to engines.
  [[nodiscard]] std::string HeldFor(const std::string& path) const {
    std::string_view held = path;
    if (ParentOf(path).size() > kMaxSearchedPath && rules_.Find(path) == nullptr) {
      while (held.size() > kMaxSearchedPath && rules_.Find(ParentOf(held)) == nullptr) held = ParentOf(held);
    }
    return std::string(held);
  }

  void DenySocket(const std::string& socket) {
    const std::string path = HeldFor(socket);
    const PathRule* around = rules_.Covering(path);
    if (around == nullptr || around->access == Access::kDenied) return;
    const PathRule grant = *around;
    const Result<Walked> walked = walker_.Walk(path);
    if (!walked || !walked->status) return;
    PathRule denial{.path = walked->path,
                    .access = Access::kDenied,
                    .object = walked->status->object,
                    .origin = Origin::kBaseline};
    // Protection holds a directory that cannot be listed read-only, which does not prevent a connection.
    const PathRule* known = rules_.Find(walked->path);
    if (known != nullptr && known->origin != Origin::kProtection) return;
    if (known == nullptr) {
      rules_.Add(denial);
    } else {
      rules_.Replace(denial);
    }
    if (grant.origin != Origin::kBaseline) Warn(path, denial.object->type == FileType::kDirectory, grant);
  }

  Status DenyFound(const std::string& path) {
    const PathRule* rule = rules_.Find(path);
    const bool grant = rule != nullptr && rule->origin == Origin::kPolicy && rule->access != Access::kDenied;
    if (grant && rule->object && rule->object->type == FileType::kDirectory) {
      return Conflict(Quoted(path) + " could not be searched to its end for sockets of programs outside",
                      rule->pointer, "grant less, or deny the directories that hold most");
    }
    DenySocket(path);
    if (!names_.Any()) return Done{};
    const std::optional<std::vector<std::string>> others = names_.OthersOf(path);
    if (!others) {
      return Conflict("the socket " + Quoted(path) + " has more than " + std::to_string(kMaxSecondNames) +
                          " names through mounts",
                      "/filesystem", "unmount some of them, or grant less");
    }
    for (const std::string& other : *others) DenySocket(other);
    return Done{};
  }

  void Warn(const std::string& path, bool directory, const PathRule& grant) {
    const std::string what =
        directory
            ? " cannot be searched, and may hold a socket of a program outside the sandbox: it is denied"
            : " belongs to a program outside the sandbox and is denied";
    warnings_.push_back({.category = "daemon-socket",
                         .message = Quoted(path) + " in the grant of " + Quoted(grant.path) + what,
                         .pointer = grant.pointer});
  }

  // Grants, and mounts below them, because the listing of a directory shows the type of the file that a mount
  // covers. Of a read-only grant of the baseline only the hidden rows below it are searched.
  [[nodiscard]] SocketPlaces Searched(const std::string& tools_pointer) {
    SocketPlaces places;
    for (const PathRule& rule : rules_.All()) {
      const bool directory = rule.object && rule.object->type == FileType::kDirectory;
      const bool granted = rule.access != Access::kDenied && rule.origin == Origin::kPolicy;
      const bool tools = !tools_pointer.empty() && rule.pointer == tools_pointer;
      if (!directory || !granted || tools) continue;
      if (rule.access == Access::kReadOnly && IsInBaseline(rule.path)) {
        AddHiddenRowsBelow(rule.path, places.directories);
        continue;
      }
      (rule.path == "/" ? places.whole_host : places.directories).push_back(rule.path);
    }
    for (const Mount* mount : names_.Visible()) {
      const PathRule* grant = GrantAround(mount->path);
      if (grant == nullptr || grant->path == mount->path) continue;
      const bool directory = walker_.LookAt(mount->path).Is(FileType::kDirectory);
      (grant->path == "/" && directory ? places.whole_host : places.directories).push_back(mount->path);
    }
    return places;
  }

  void AddHiddenRowsBelow(const std::string& grant, std::vector<std::string>& directories) {
    for (const BaselineRow& row : HiddenRows()) {
      if (!IsAtOrBelow(row.path, grant)) continue;
      const bool directory = walker_.LookAt(std::string(row.path)).Is(FileType::kDirectory);
      if (directory && GrantAround(std::string(row.path)) != nullptr) directories.emplace_back(row.path);
    }
  }

  // Another user may have put a link or an own directory there, which the caller's programs would not use.
  void DenyDirectory(const SocketDirectory& row, const std::string& path) {
    const PathRule* grant = GrantAround(path);
    if (grant == nullptr || grant->path == path) return;
    const Lookup& lookup = walker_.LookAt(path);
    PathRule rule{.path = path,
                  .access = Access::kDenied,
                  .socket_directory_mode = row.mode,
                  .origin = Origin::kBaseline};
    if (lookup.status) {
      const bool trusted = lookup.status->uid == host_.Caller().uid || lookup.status->uid == 0;
      if (!lookup.Is(FileType::kDirectory) || !trusted) return;
      rule.object = lookup.status->object;
    } else {
      const std::string above{ParentOf(path)};
      const bool missing = lookup.failure == LookupFailure::kMissing;
      if (!row.made || !missing || !host_.MayAccess(above, Access::kReadWrite)) return;
      rule.own_directory_mode = row.mode;
    }
    rules_.Add(std::move(rule));
  }

  // The grant of the policy that shows `path`.
  [[nodiscard]] const PathRule* GrantAround(const std::string& path) const {
    const PathRule* rule = rules_.Covering(path);
    const bool granted =
        rule != nullptr && rule->access != Access::kDenied && rule->origin != Origin::kBaseline;
    return granted ? rule : nullptr;
  }

  // "" if the caller has no such directory.
  [[nodiscard]] std::string Expanded(std::string_view row) const {
    std::string path{row};
    const auto put = [&](std::string_view mark, const auto& value_of) {
      const std::size_t at = path.find(mark);
      if (at == std::string::npos) return;
      const std::optional<std::string> value = value_of();
      if (!value) return path.clear();
      path.replace(at, mark.size(), *value);
    };
    const auto directory = [&](std::string_view name) {
      std::optional<std::string> value = host_.Environment(name);
      return value && value->starts_with('/') ? value : std::nullopt;
    };
    put("{uid}", [&] { return std::optional(std::to_string(host_.Caller().uid)); });
    put("{home}", [&] { return directory("HOME"); });
    put("{runtime}", [&] { return directory("XDG_RUNTIME_DIR"); });
    return path;
  }

  const Host& host_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
  std::vector<Warning>& warnings_;
};

}  // namespace

Status GrantSockets(const std::vector<PathEntry>& written, const Host& host, const CeilingFiles& ceiling,
                    Cuts* cuts, PathWalker& walker, RuleSet& rules, Policy& policy) {
  SocketGrants grants(host, ceiling, cuts, walker, rules, policy);
  for (const PathEntry& entry : written) {
    if (Status added = grants.Add(entry); !added) return added;
  }
  const bool any = std::any_of(policy.warnings.begin(), policy.warnings.end(),
                               [](const Warning& warning) { return warning.category == "socket-granted"; });
  if (any) policy.relaxations.emplace_back("host-sockets");
  return Done{};
}

Status DenySockets(const Host& host, const std::vector<OwnPlace>& own_places,
                   const std::string& tools_pointer, const MountNames& names, PathWalker& walker,
                   RuleSet& rules, std::vector<Warning>& warnings) {
  SocketDenials denials(host, names, walker, rules, warnings);
  denials.DenyKnown();
  if (rules.HasGrantOfPolicy()) denials.DenyDirectories();
  return denials.DenyLive(tools_pointer, own_places);
}

void AddSocketVariables(const Config& config, const Host& host, const Ceiling* ceiling, Cuts* cuts,
                        Policy& policy) {
  if (!KeepsStandardEnvironment(config.process)) return;
  std::vector<Variable>& environment = policy.process.environment;
  for (const PathEntry& entry : config.sockets) {
    const std::string name = entry.path.starts_with('$') ? entry.path.substr(1) : "";
    const auto of_name = [&](const Variable& variable) { return variable.name == name; };
    const auto granted = [&](const PathRule& rule) {
      return rule.pointer == entry.pointer && rule.access != Access::kDenied;
    };
    if (name.empty() || std::any_of(environment.begin(), environment.end(), of_name)) continue;
    if (std::none_of(policy.paths.begin(), policy.paths.end(), granted)) continue;
    if (ceiling != nullptr && !AllowVariable(*ceiling, name, entry.pointer, *cuts)) continue;
    environment.push_back({.name = name, .value = Secret{*host.Environment(name)}});
  }
}

}  // namespace mxc
