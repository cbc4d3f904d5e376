// Codex's config.toml: permission profiles, and the older sandbox_mode.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "import/imported.h"
#include "mxc/fold.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

std::string TextOfMember(const Json& object, std::string_view key) {
  const Json* const value = object.kind == Json::Kind::kObject ? object.Find(key) : nullptr;
  return value != nullptr ? value->text : "";
}

const Json* TableIn(const Json* object, std::string_view key) {
  const Json* const value =
      object != nullptr && object->kind == Json::Kind::kObject ? object->Find(key) : nullptr;
  return value != nullptr && value->kind == Json::Kind::kObject ? value : nullptr;
}

bool IsOn(const Json* table, std::string_view key) {
  const Json* const value = table != nullptr ? table->Find(key) : nullptr;
  return value != nullptr && value->boolean;
}

constexpr std::string_view kWorkspace = ":workspace";

// What `profile` does not say itself, table by table.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the parser goes
void Inherit(const Json& base, Json& profile) {
  for (const JsonMember& member : base.members) {
    const auto own = std::find_if(profile.members.begin(), profile.members.end(),
                                  [&](const JsonMember& one) { return one.key == member.key; });
    if (own == profile.members.end()) {
      profile.members.push_back(member);
    } else if (own->value.kind == Json::Kind::kObject && member.value.kind == Json::Kind::kObject) {
      Inherit(member.value, own->value);
    }
  }
}

struct Profile {
  Json table = {};
  std::string builtin = {};  // of the program's own, what it extends in the end
};

Result<Profile> ProfileOf(const Json* permissions, const std::string& name) {
  Profile profile;
  profile.table.kind = Json::Kind::kObject;
  std::set<std::string> met;
  std::string key = "default_permissions";
  std::string next = name;
  do {
    const Json* const table = TableIn(permissions, next);
    if (table == nullptr) return CannotImport(key, "there is no profile of the name \"" + next + "\"");
    if (!met.insert(next).second) return CannotImport(key, "the profile extends itself");
    Inherit(*table, profile.table);
    profile.builtin = TextOfMember(*table, "extends");
    key = "permissions." + next + ".extends";
    next = profile.builtin;
  } while (!next.empty() && !next.starts_with(':'));
  return profile;
}

class CodexReader {
 public:
  CodexReader() { imported_.source = "Codex"; }

  // One of the program's own.
  Status ReadBuiltin(const std::string& name) {
    if (name == ":read-only" || name == "read-only") return Done{};
    if (name == kWorkspace || name == "workspace-write") {
      imported_.read_write.emplace_back("${PWD}");
      return Done{};
    }
    return CannotImport(name, "it is no sandbox, or none that mxc-exec knows");
  }

  Status ReadProfile(const std::string& name, const Profile& profile) {
    imported_.reads_all = !profile.builtin.empty();
    const bool workspace = profile.builtin == kWorkspace;
    if (!profile.builtin.empty() && !workspace) {
      if (Status read = ReadBuiltin(profile.builtin); !read) return read;
    }
    for (const JsonMember& member : profile.table.members) {
      const std::string key = "permissions." + name + "." + member.key;
      if (Status read = ReadTable(key, member); !read) return read;
    }
    const std::string key = "permissions." + name + ".workspace_roots";
    const bool own = std::any_of(root_rules_.begin(), root_rules_.end(),
                                 [](const RootRule& rule) { return rule.below == "."; });
    if (workspace && !own)
      root_rules_.insert(root_rules_.begin(), {.key = key, .below = ".", .access = "write"});
    return AddRoots(key);
  }

  Status ReadOlder(const Json& settings) {
    if (Status read = ReadBuiltin(TextOfMember(settings, "sandbox_mode")); !read) return read;
    const Json* const write = TableIn(&settings, "sandbox_workspace_write");
    if (write == nullptr) return Done{};
    for (const JsonMember& member : write->members) {
      const std::string key = "sandbox_workspace_write." + member.key;
      if (member.key == "writable_roots") {
        const auto paths = StringsOf(key, member.value);
        if (!paths) return paths.error();
        for (const std::string& path : *paths) Grant(key, path, imported_.read_write);
      } else if (member.key == "network_access") {
        imported_.open_egress = member.value.boolean;
      } else if (!member.key.starts_with("exclude_")) {  // a /tmp of the run's own is always there
        if (!SaysNothing(member.value)) limits_.push_back(key);
        LeaveOut(key, "mxc-exec does not know it; see what it denies", imported_);
      }
    }
    return Done{};
  }

  // When all is read: Codex holds a network to its other tables as well.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the parser goes
  void ReadOther(const std::string& key, const Json& value, bool limits = false) {
    const std::string name = Folded(key.substr(key.rfind('.') + 1));
    limits = limits || name.find("network") != std::string::npos;
    for (const JsonMember& member : value.members) {
      const bool path = member.key.find_first_of("/\\~") != std::string::npos;  // of a project
      if (!path) ReadOther(key + "." + member.key, member.value, limits);
    }
    if (!limits || value.kind == Json::Kind::kObject || SaysNothing(value)) return;
    limits_.push_back(key);
    if (name.find("den") != std::string::npos || name.find("block") != std::string::npos)
      denials_.push_back(key);
  }
  [[nodiscard]] Status CheckLimits() const {
    if (OpensAll(imported_) && !limits_.empty()) return CannotImport(limits_.front(), kUnheldLimit);
    if (!imported_.allow.empty() && !denials_.empty()) return CannotImport(denials_.front(), kUnknownDenial);
    return Done{};
  }

  [[nodiscard]] Imported& Result() { return imported_; }

 private:
  Status ReadTable(const std::string& key, const JsonMember& member) {
    if (member.key == "filesystem") return ReadFiles(key, member.value);
    if (member.key == "network") return ReadNetwork(key, member.value);
    if (member.key == "workspace_roots") {
      for (const JsonMember& root : member.value.members)
        if (root.value.boolean) roots_.push_back(root.key);
      return Done{};
    }
    const bool known = member.key == "extends" || member.key == "description";
    return known || SaysNothing(member.value) ? Status(Done{}) : CannotImport(key, kUnknownDenial);
  }

  struct RootRule {
    std::string key = {};
    std::string below = {};  // the root
    std::string access = {};
  };

  Status ReadFiles(const std::string& key, const Json& files) {
    if (Status table = CheckKind(key, files, Json::Kind::kObject); !table) return table;
    for (const JsonMember& member : files.members) {
      const std::string at = key + "." + member.key;
      const bool roots = member.key == ":workspace_roots" || member.key == ":project_roots";
      if (member.key == "glob_scan_max_depth") continue;  // patterns have no limit
      if (roots && member.value.kind == Json::Kind::kObject) {
        for (const JsonMember& inner : member.value.members)
          root_rules_.push_back({at + "." + inner.key, inner.key, inner.value.text});
      } else if (roots) {
        root_rules_.push_back({at, ".", member.value.text});
      } else if (Status added = AddRule(at, member.key, member.value.text); !added) {
        return added;
      }
    }
    return Done{};
  }

  Status AddRule(const std::string& key, const std::string& path, const std::string& access) {
    const bool denies = access == "deny" || access == "none";
    if (path == ":minimal" && !denies) return Done{};  // the baseline
    if (path == ":root" || path == "/") {
      imported_.reads_all = access == "read";
      if (access == "write") return CannotImport(key, "a sandbox that lets everything be written is none");
      return Done{};
    }
    if ((path == ":tmpdir" || path == ":slash_tmp") && !denies) return Done{};  // one of the run's own
    if (denies) {
      const std::string denied = ImportedDenial(path);
      if (denied.empty() || path.starts_with(':'))
        return CannotImport(key, "it denies what no path of a configuration names");
      imported_.denied.push_back(denied);
      return Done{};
    }
    if (access != "read" && access != "write") return CannotImport(key, "it is neither read, write nor deny");
    if (access == "read" && HasPattern(ImportedPath(path)))
      return CannotImport(key, "Codex takes a pattern only to deny, and here it could open what is denied");
    Grant(key, path, access == "write" ? imported_.read_write : imported_.read_only);
    return Done{};
  }

  void Grant(const std::string& key, const std::string& written, std::vector<std::string>& list) {
    const std::string path = written.starts_with(':') ? "" : ImportedPath(written);
    const bool by_name = &list != &imported_.read_write || !HasPattern(path);
    if (!path.empty() && by_name) {
      list.push_back(path);
    } else {
      LeaveOut(key, path.empty() ? "it is no path that is expanded" : "write access is given by name",
               imported_);
    }
  }

  // Rules for roots hold in the directory of the file, and in each root that is named.
  Status AddRoots(const std::string& key) {
    roots_.insert(roots_.begin(), ".");
    if (root_rules_.size() * roots_.size() > kMaxListEntries)
      return CannotImport(key, "with the rules for each root there are more entries than a list may have");
    for (const RootRule& rule : root_rules_) {
      for (const std::string& root : roots_) {
        const std::string path = rule.below == "." ? root
                                 : root == "."     ? "./" + rule.below
                                                   : root + "/" + rule.below;
        if (Status added = AddRule(rule.key, path, rule.access); !added) return added;
      }
    }
    return Done{};
  }

  Status ReadNetwork(const std::string& key, const Json& network) {
    if (Status table = CheckKind(key, network, Json::Kind::kObject); !table) return table;
    const bool on = IsOn(&network, "enabled");
    bool listed = false;
    for (const JsonMember& member : network.members) {
      const std::string at = key + "." + member.key;
      const bool allows = member.key == "allowed_domains";
      if (member.key == "enabled") continue;
      if (member.key == "domains" || allows || member.key == "denied_domains") {
        listed = true;
        Status read = member.key == "domains" ? ReadDomains(at, member.value, on)
                                              : ReadOlderDomains(at, member.value, allows, on);
        if (!read) return read;
        continue;
      }
      const Meaning meaning = MeaningOf(member);
      if (meaning == Meaning::kUnknown && on && !SaysNothing(member.value))
        return CannotImport(at, kUnknownDenial);
      if (meaning == Meaning::kLimits) limits_.push_back(at);
      LeaveOut(at,
               member.key == "unix_sockets" ? "name sockets in filesystem.sockets"
               : member.key == "mode"       ? "connections are judged by their names, and not opened"
                                            : "the gateway has no such setting",
               imported_);
    }
    imported_.open_egress = on && !listed;
    return Done{};
  }

  // Adds: it only says how there is a network, or lets more through.
  enum class Meaning { kAdds, kLimits, kUnknown };

  static Meaning MeaningOf(const JsonMember& member) {
    constexpr std::string_view kKeys[] = {"unix_sockets",
                                          "allow_unix_sockets",
                                          "proxy_url",
                                          "socks_url",
                                          "enable_socks5",
                                          "enable_socks5_udp",
                                          "allow_upstream_proxy",
                                          "dangerously_allow_all_unix_sockets",
                                          "dangerously_allow_non_loopback_proxy"};
    const bool adds = (member.key == "mode" && member.value.text == "full") ||
                      (member.key == "allow_local_binding" && member.value.boolean) ||
                      std::find(std::begin(kKeys), std::end(kKeys), member.key) != std::end(kKeys);
    if (adds) return Meaning::kAdds;
    const bool limits = member.key == "mode" || member.key == "allow_local_binding" || member.key == "mitm";
    return limits ? Meaning::kLimits : Meaning::kUnknown;
  }

  Status ReadDomains(const std::string& key, const Json& domains, bool on) {
    if (Status table = CheckKind(key, domains, Json::Kind::kObject); !table) return table;
    for (const JsonMember& domain : domains.members) {
      if (Status added = AddDomain(key, domain.key, domain.value.text == "allow", on); !added) return added;
    }
    return Done{};
  }

  Status ReadOlderDomains(const std::string& key, const Json& domains, bool allow, bool on) {
    const auto names = StringsOf(key, domains);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (Status added = AddDomain(key, name, allow, on); !added) return added;
    }
    return Done{};
  }

  // "**.name" is the name itself as well. Where the network is off nothing is said of it.
  Status AddDomain(const std::string& key, std::string name, bool allow, bool on) {
    if (!on) return Done{};
    if (name.starts_with("**.")) {
      name.erase(0, 1);
      if (Status added = AddHost(key, name.substr(2), allow, imported_); !added) return added;
    }
    return AddHost(key, name, allow, imported_);
  }

  Imported imported_ = {};
  std::vector<std::string> roots_ = {};
  std::vector<RootRule> root_rules_ = {};
  std::vector<std::string> limits_ = {};   // keys of a network that are not held
  std::vector<std::string> denials_ = {};  // those in other tables that may deny a host of a list
};

// Not a profile of that name, but the table of an older file.
bool IsTableOfNetwork(const JsonMember& member) {
  constexpr std::string_view kOfProfiles[] = {"extends", "description", "filesystem", "network",
                                              "workspace_roots"};
  return member.key == "network" &&
         std::any_of(member.value.members.begin(), member.value.members.end(), [&](const JsonMember& inner) {
           return std::find(std::begin(kOfProfiles), std::end(kOfProfiles), inner.key) ==
                  std::end(kOfProfiles);
         });
}

// What `profile` names in `profiles`: of a sandbox it has `sandbox_mode` alone, in place of the file's.
struct ProfileChosen {
  std::string key = {};         // "profiles.strict"; empty: none is named
  const Json* table = nullptr;  // of `profiles`
};

Result<ProfileChosen> ProfileInForce(const Json& settings) {
  const Json* const profile = settings.Find("profile");
  if (profile == nullptr) return ProfileChosen{};
  if (Status text = CheckKind("profile", *profile, Json::Kind::kString); !text) return text.error();
  const Json* const table = TableIn(TableIn(&settings, "profiles"), profile->text);
  if (table == nullptr)
    return CannotImport("profile", "`profiles` has no table of the name \"" + profile->text + "\"");
  const std::string key = "profiles." + profile->text;
  for (const std::string_view other : {"default_permissions", "permissions", "sandbox_workspace_write"})
    if (table->Find(other) != nullptr)
      return CannotImport(key + "." + std::string(other), "Codex reads it at the top of the file alone");
  return ProfileChosen{.key = key, .table = table};
}

// The settings with the profile's `sandbox_mode`.
Json LaidOver(const Json& settings, const ProfileChosen& profile) {
  const Json* const mode = profile.table != nullptr ? profile.table->Find("sandbox_mode") : nullptr;
  if (mode == nullptr) return settings;
  Json laid = settings;
  std::erase_if(laid.members, [](const JsonMember& member) { return member.key == "sandbox_mode"; });
  laid.members.push_back({.key = "sandbox_mode", .value = *mode});
  return laid;
}

// `laid`: by a profile, whose sandbox_mode comes first. Of two that the file names itself Codex obeys one;
// the other may deny more.
Status CheckSandboxNamed(const Json& settings, bool laid) {
  const bool mode = settings.Find("sandbox_mode") != nullptr;
  const bool permissions = settings.Find("default_permissions") != nullptr;
  if (mode && permissions && !laid)
    return CannotImport("default_permissions",
                        "sandbox_mode is set as well: leave out what Codex is not to obey");
  return mode || permissions ? Status(Done{})
                             : CannotImport("profile", "neither its table nor the file says sandbox_mode");
}

}  // namespace

Result<Imported> ImportCodex(const Json& written) {
  const Result<ProfileChosen> in_force = ProfileInForce(written);
  if (!in_force) return in_force.error();
  const Json settings = LaidOver(written, *in_force);
  const bool laid = in_force->table != nullptr && in_force->table->Find("sandbox_mode") != nullptr;
  if (Status named = CheckSandboxNamed(settings, laid); !named) return named.error();
  CodexReader reader;
  if (in_force->table != nullptr)
    for (const JsonMember& member : in_force->table->members)
      reader.ReadOther(in_force->key + "." + member.key, member.value);
  const bool older = settings.Find("sandbox_mode") != nullptr;  // takes the place of profiles
  const std::string name = TextOfMember(settings, "default_permissions");
  std::vector<std::string> of_agent;
  for (const JsonMember& member : settings.members) {
    const bool of_profiles = member.key == "default_permissions" || member.key == "permissions";
    const bool of_older = member.key == "sandbox_mode" || member.key == "sandbox_workspace_write";
    if (older ? of_profiles : of_older)
      LeaveOut(member.key, older ? "sandbox_mode takes its place" : "default_permissions takes its place",
               reader.Result());
    if (!of_profiles && !of_older) of_agent.push_back(member.key);
    if (!of_profiles && !of_older && member.key != "profiles") reader.ReadOther(member.key, member.value);
    if (member.key != "permissions") continue;
    for (const JsonMember& profile : member.value.members)
      if (IsTableOfNetwork(profile)) reader.ReadOther("permissions.network", profile.value);
  }
  LeaveToAgent(of_agent, reader.Result());
  Status read = Done{};
  if (older) {
    read = reader.ReadOlder(settings);
  } else if (name.starts_with(':')) {
    read = reader.ReadBuiltin(name);
  } else {
    const Result<Profile> profile = ProfileOf(TableIn(&settings, "permissions"), name);
    read = profile ? reader.ReadProfile(name, *profile) : profile.error();
  }
  if (!read) return read.error();
  if (Status checked = reader.CheckLimits(); !checked) return checked.error();
  return std::move(reader.Result());
}

}  // namespace mxc
