#include "policy/tools.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/path.h"
#include "policy/paths/baseline.h"
#include "policy/paths/callers_own.h"
#include "policy/paths/tool_tables.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxMarkerBytes = 4096;
constexpr std::string_view kLocal = "/usr/local";
constexpr std::string_view kPackages = "/opt";

bool IsProgramDirectory(std::string_view path) {
  const std::string_view name = NameOf(path);
  return name == "bin" || name == "sbin" || name == "shims" || name == "condabin";
}

bool IsOfSystem(std::string_view path) {
  const auto rows = BaselineRows();
  return !IsAtOrBelow(path, kLocal) && std::any_of(rows.begin(), rows.end(), [&](const BaselineRow& row) {
    return IsAtOrBelow(path, row.path);
  });
}

class ToolFinder {
 public:
  ToolFinder(const Host& host, std::string pointer, const RuleSet& granted, PathWalker& walker)
      : host_(host), pointer_(std::move(pointer)), granted_(granted), walker_(walker) {
    const std::optional<std::string> home = host.Environment("HOME");
    const Result<Walked> walked = walker.Walk(home && home->starts_with('/') ? *home : "/");
    if (walked && walked->path != "/") home_ = walked->path;
  }

  void AddSearchPath(std::string_view text) {
    while (!text.empty()) {
      const std::string_view entry = TakePiece(text, ':');
      if (!entry.starts_with('/')) continue;
      const std::string path = FoldLexically(entry);
      const bool known = std::find(tools_.search.begin(), tools_.search.end(), path) != tools_.search.end();
      if (!known && Accept(path, "PATH names " + Quoted(path))) tools_.search.push_back(path);
    }
  }

  void AddVariables() {
    for (const char* name : kPlaces) {
      std::optional<std::string> value = host_.Environment(name);
      if (!value || !value->starts_with('/')) continue;
      const std::string path = FoldLexically(*value);
      static_cast<void>(Accept(JoinPath(path, "bin"), std::string(name) + " names " + Quoted(path)));
      if (IsShownDirectory(path) || (!IsProgramDirectory(path) && IsShownDirectory(JoinPath(path, "bin"))))
        tools_.variables.push_back({.name = name, .value = Secret{std::move(*value)}});
    }
    for (const VersionChoice& choice : kChoices) {
      std::optional<std::string> value = host_.Environment(choice.variable);
      if (value && IsVersion(choice, *value))
        tools_.variables.push_back({.name = choice.variable, .value = Secret{std::move(*value)}});
    }
  }

  [[nodiscard]] Tools Take() { return std::move(tools_); }

 private:
  // Whether programs of the directory can be found inside.
  bool Accept(const std::string& written, const std::string& why) {
    const Result<Walked> walked = walker_.Walk(written);
    if (!walked || !walked->status || walked->folded_missing) return false;
    const std::string& path = walked->path;
    if (!walked->Is(FileType::kDirectory) || path == "/" || IsNeverFromHost(path)) return false;
    const PathRule* rule = granted_.Covering(path);
    if (rule != nullptr && rule->access == Access::kDenied) return false;
    if (rule == nullptr && !IsOfSystem(path)) {
      if (!MayGrant(*walked)) return false;
      GrantInstallation(path, why, false);
      if (written != path) Grant(written, why);  // by this spelling as well
    }
    AddNeeds(path);
    return true;
  }

  [[nodiscard]] bool IsInside(const std::string& path) const {
    const PathRule* rule = granted_.Covering(path);
    if (rule != nullptr) return rule->access != Access::kDenied;
    return IsOfSystem(path) ||
           std::any_of(tools_.entries.begin(), tools_.entries.end(),
                       [&](const PathEntry& entry) { return IsAtOrBelow(path, entry.path); });
  }

  // Whether a variable's value names a visible directory; any other word may have another meaning.
  [[nodiscard]] bool IsShownDirectory(const std::string& path) {
    const Result<Walked> walked = walker_.Walk(path);
    return walked && walked->Is(FileType::kDirectory) && IsInside(walked->path);
  }

  // "3.12", "3.12:3.11", "system"; "stable" for "stable-x86_64-unknown-linux-gnu".
  [[nodiscard]] bool IsVersion(const VersionChoice& choice, std::string_view value) {
    const auto root = roots_.find(choice.root);
    if (root == roots_.end() || value.empty()) return false;
    const std::string versions = JoinPath(root->second, choice.versions);
    const Result<std::vector<std::string>> installed = host_.ListDirectory(versions);
    if (!installed) return false;
    while (!value.empty()) {
      const std::string_view word = TakePiece(value, ':');
      const bool known = std::any_of(installed->begin(), installed->end(), [&](const std::string& name) {
        return name == word || (choice.prefix && name.starts_with(std::string(word) + "-"));
      });
      if (!known && word != "system") return false;
    }
    return true;
  }

  [[nodiscard]] bool HasPython(const std::string& programs) {
    constexpr std::uint32_t kExecute = 0111;
    const auto executable = [&](std::string_view name) {
      const Result<Walked> walked = walker_.Walk(JoinPath(programs, name));
      return walked && walked->Is(FileType::kRegular) && (walked->status->mode & kExecute) != 0;
    };
    return executable("python3") || executable("python") || executable("pypy3");
  }

  [[nodiscard]] bool MayShow(const std::string& path) const {
    return !IsSecret(path) && host_.MayAccess(path, Access::kReadOnly) && IsCallersOwn(host_, walker_, path);
  }

  // A home contains projects, in which earlier runs may have created links and other files, so there only a
  // directory with the name of a program directory counts, and no link. Elsewhere only the caller and root
  // can have set a link.
  [[nodiscard]] bool MayGrant(const Walked& walked) const {
    if (!MayShow(walked.path) || HoldsOtherThings(walked.path)) return false;
    if (IsInHome(walked.path) && !IsProgramDirectory(walked.path)) return false;
    const std::uint32_t caller = host_.Caller().uid;
    return std::all_of(walked.links.begin(), walked.links.end(), [&](const LinkMet& met) {
      if (IsRootsAlone(met)) return true;
      if (IsInHome(met.link.path) || (met.owner != 0 && met.owner != caller)) return false;
      return IsProgramDirectory(walked.path) &&
             IsCallersOwn(host_, walker_, std::string(ParentOf(met.link.path)));
    });
  }

  // Whether it is in a home directory, of any user.
  [[nodiscard]] bool IsInHome(std::string_view path) const {
    return IsHomes(path) || IsAtOrBelow(path, "/home") || IsAtOrBelow(path, "/root");
  }

  // Whether it is a project, or a directory of a user's settings.
  [[nodiscard]] bool HoldsOtherThings(const std::string& path) const {
    constexpr const char* kMarks[] = {".git", ".env", ".npmrc", ".netrc", "credentials", "credentials.toml"};
    return std::any_of(std::begin(kMarks), std::end(kMarks), [&](const char* mark) {
      return walker_.LookAt(JoinPath(path, mark)).status.has_value();
    });
  }

  [[nodiscard]] bool IsSecret(std::string_view path) const {
    if (home_.empty()) return !IsAtOrBelow(path, kLocal) && !IsAtOrBelow(path, kPackages);
    if (IsAtOrBelow(home_, path)) return true;
    const auto named = [path](std::string_view name) {
      const std::string inside = "/" + std::string(name) + "/";
      return (std::string(path) + "/").find(inside) != std::string::npos;
    };
    if (std::any_of(std::begin(kSecretsOfHome), std::end(kSecretsOfHome), named)) return true;  // of any home
    return std::any_of(std::begin(kSecretsOfHome), std::end(kSecretsOfHome),
                       [&](std::string_view name) { return IsAtOrBelow(JoinPath(home_, name), path); });
  }

  [[nodiscard]] bool IsHomes(std::string_view path) const {
    return !home_.empty() && IsAtOrBelow(path, home_);
  }

  // `of_store`: the parent directory counts as an installation even without a marker.
  void GrantInstallation(const std::string& programs, const std::string& why, bool of_store) {
    const std::string prefix{ParentOf(programs)};
    if (IsAtOrBelow(programs, kLocal)) {
      Grant(std::string(kLocal), why);
      tools_.not_tools = {"/usr/local/etc", "/usr/local/var"};
      if (const std::optional<std::string> cargo = host_.Environment("CARGO_HOME")) {
        for (const char* name : {"credentials", "credentials.toml"})
          tools_.not_tools.push_back(JoinPath(*cargo, name));
      }
      return;
    }
    Grant(programs, why);
    if (!IsProgramDirectory(programs) || prefix == "/" || prefix == home_) return;
    for (const ToolLayout& layout : ToolLayouts()) {
      const bool marked = !layout.marker.empty();
      const bool fits = marked ? walker_.LookAt(JoinPath(prefix, layout.marker)).status.has_value()
                               : of_store || (prefix != kPackages && IsAtOrBelow(prefix, kPackages));
      if (fits) return GrantParts(prefix, layout.parts, why);
    }
    if (prefix == JoinPath(home_, ".local")) GrantParts(prefix, {"lib"}, why);
  }

  // A part that is a link stays in the installation.
  void GrantParts(const std::string& prefix, const std::vector<std::string_view>& parts,
                  const std::string& why) {
    for (const std::string_view part : parts) {
      const std::string path = JoinPath(prefix, part);
      const Result<Walked> walked = walker_.Walk(path);
      if (!walked || !walked->status || !IsAtOrBelow(walked->path, prefix)) continue;
      const FileType type = walked->status->object.type;
      if (type != FileType::kDirectory && type != FileType::kRegular) continue;
      const PathRule* rule = granted_.Covering(walked->path);
      if (rule == nullptr && MayShow(walked->path)) Grant(path, why);
    }
  }

  void Grant(const std::string& path, const std::string& why) {
    if (!tools_.reasons.emplace(path, why).second) return;
    tools_.entries.push_back({.path = path, .pointer = pointer_});
  }

  void AddNeeds(const std::string& programs) {
    const std::string prefix{ParentOf(programs)};
    if (walker_.LookAt(JoinPath(prefix, "pyvenv.cfg")).status) AddInterpreter(prefix);
    if (walker_.LookAt(JoinPath(programs, "rustup")).status) AddRustup();
    for (const VersionManager& manager : kManagers) {
      const std::string root = host_.Environment(manager.variable).value_or(JoinPath(home_, manager.place));
      if (root == prefix) NameRoot(manager.variable, root);
    }
  }

  // A command may have written the file, so it can select only among interpreters.
  void AddInterpreter(const std::string& environment) {
    const Result<std::string> text = host_.ReadFile(JoinPath(environment, "pyvenv.cfg"), kMaxMarkerBytes);
    constexpr std::string_view kHomeKey = "home = ";
    if (!text || !text->starts_with(kHomeKey)) return;
    const std::string written = text->substr(kHomeKey.size(), text->find('\n') - kHomeKey.size());
    const Result<Walked> walked = walker_.Walk(written);
    if (!written.starts_with('/') || !walked || !walked->status || IsInside(walked->path)) return;
    const std::string& path = walked->path;
    if (granted_.Covering(path) != nullptr || NameOf(path) != "bin") return;
    const bool of_store =
        !home_.empty() &&
        std::any_of(std::begin(kInterpreterStores), std::end(kInterpreterStores),
                    [&](std::string_view store) { return IsAtOrBelow(path, JoinPath(home_, store)); });
    bool of_root = !IsHomes(path);
    for (std::string at = path; of_root && at != "/"; at = std::string(ParentOf(at))) {
      const Lookup& lookup = walker_.LookAt(at);
      of_root = lookup.status && lookup.status->uid == 0;
    }
    if ((!of_store && !of_root) || !HasPython(path) || !MayGrant(*walked)) return;
    const std::string why = "the interpreter of " + Quoted(environment);
    GrantInstallation(path, why, of_store);
    if (FoldLexically(written) != path) Grant(FoldLexically(written), why);
  }

  // CARGO_HOME is the run's own, because the caller's holds credentials. rustup recreates its update-hashes
  // on every call if they are missing.
  void AddRustup() {
    const std::string root = host_.Environment("RUSTUP_HOME").value_or(JoinPath(home_, ".rustup"));
    if (!root.starts_with('/') || roots_.contains("RUSTUP_HOME")) return;
    const Result<Walked> walked = walker_.Walk(root);
    if (!walked || !walked->status) return;
    GrantParts(walked->path, {"settings.toml", "toolchains", "update-hashes"},
               "rustup keeps toolchains in " + Quoted(root));
    NameRoot("RUSTUP_HOME", walked->path);
  }

  void NameRoot(const std::string& variable, const std::string& root) {
    if (roots_.emplace(variable, root).second)
      tools_.variables.push_back({.name = variable, .value = Secret{root}});
  }

  const Host& host_;
  std::string pointer_;
  const RuleSet& granted_;
  PathWalker& walker_;
  std::string home_ = {};                                       // canonical; empty: not known
  std::map<std::string, std::string, std::less<>> roots_ = {};  // of version managers, by variable
  Tools tools_ = {};
};

}  // namespace

Tools FindTools(const Host& host, const std::string& pointer, const RuleSet& granted, PathWalker& walker) {
  ToolFinder finder(host, pointer, granted, walker);
  finder.AddSearchPath(host.Environment("PATH").value_or(""));
  finder.AddVariables();
  return finder.Take();
}

std::vector<std::string> TakeHidden(const RuleSet& rules, PathWalker& walker, Tools& tools) {
  std::vector<std::string> hidden;
  std::erase_if(tools.search, [&](const std::string& directory) {
    const Result<Walked> walked = walker.Walk(directory);
    if (walked && rules.Visible(walked->path)) return false;
    hidden.push_back(directory);
    return true;
  });
  return hidden;
}

}  // namespace mxc
