// Codex's config.toml: permission profiles, and the older sandbox_mode.
#include <algorithm>
#include <set>
#include <utility>

#include "import/imported.h"
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
        LeaveOut(key, "mxc-exec does not know it; see what it denies", imported_);
      }
    }
    return Done{};
  }

  [[nodiscard]] Imported& Result() { return imported_; }

 private:
  struct RootRule {
    std::string key = {};
    std::string below = {};  // the root
    std::string access = {};
  };

  Status ReadTable(const std::string& key, const JsonMember& table) {
    if (table.key == "filesystem") return ReadFiles(key, table.value);
    if (table.key == "network") return ReadNetwork(key, table.value);
    if (table.key == "workspace_roots") {
      for (const JsonMember& root : table.value.members)
        if (root.value.boolean) roots_.push_back(root.key);
    } else if (table.key != "extends" && table.key != "description") {
      LeaveOut(key, "mxc-exec does not know it; see what it denies", imported_);
    }
    return Done{};
  }

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
    const Json* const domains = TableIn(&network, "domains");
    imported_.open_egress = on && domains == nullptr;
    for (const JsonMember& member : network.members) {
      if (member.key == "enabled" || member.key == "domains") continue;
      LeaveOut(key + "." + member.key,
               member.key == "unix_sockets" ? "name sockets in filesystem.sockets"
               : member.key == "mode"       ? "connections are judged by their names, and not opened"
                                            : "the gateway has no such setting",
               imported_);
    }
    if (!on || domains == nullptr) return Done{};
    for (const JsonMember& domain : domains->members) {
      if (Status added = AddDomain(key + ".domains", domain.key, domain.value.text == "allow"); !added)
        return added;
    }
    return Done{};
  }

  Status AddDomain(const std::string& key, const std::string& name, bool allow) {
    if (!name.starts_with("**.")) return AddHost(key, name, allow, imported_);
    if (Status itself = AddHost(key, name.substr(3), allow, imported_); !itself) return itself;
    return AddHost(key, name.substr(1), allow, imported_);
  }

  Imported imported_ = {};
  std::vector<std::string> roots_ = {};
  std::vector<RootRule> root_rules_ = {};
};

}  // namespace

Result<Imported> ImportCodex(const Json& settings) {
  CodexReader reader;
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
  return std::move(reader.Result());
}

}  // namespace mxc
