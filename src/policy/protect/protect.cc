#include "policy/protect/protect.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "policy/paths/entries.h"
#include "policy/paths/glob.h"
#include "policy/paths/homes.h"
#include "policy/paths/own_rules.h"
#include "policy/paths/placeholders.h"
#include "policy/paths/search.h"
#include "policy/protect/found_by_name.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/data.h"
#include "policy/protect/included_files.h"
#include "policy/protect/protect_git.h"
#include "policy/protect/protector.h"

namespace mxc {
namespace {

std::span<const ProtectedRow> RowsOf(Preset preset) {
  switch (preset) {
    case Preset::kGit:
      break;
    case Preset::kShell:
      return ShellRows();
    case Preset::kEditors:
      return EditorRows();
    case Preset::kAgents:
      return AgentRows();
  }
  return {};
}

// zsh reads FILE.zwc instead of FILE, where it is newer or FILE is missing (zcompile(1)).
constexpr std::string_view kCompiledByZsh = ".zwc";

// Whether it is a start-up file of a shell, which may source others.
bool IsStartUpFile(const ProtectedRow& row) {
  return row.missing == WhenMissing::kFile && row.path.find('/') == std::string_view::npos &&
         !row.path.ends_with(kCompiledByZsh);
}

bool IsOfZsh(const ProtectedRow& row) { return row.path.starts_with(".z"); }

// Files of editors and agents that the search found.
class NamedFiles {
 public:
  explicit NamedFiles(const PresetEntry& preset) : preset_(preset) {
    if (preset.preset == Preset::kShell) return;  // elsewhere such names are no start-up files
    for (const ProtectedRow& row : RowsOf(preset.preset)) {
      if (row.path.starts_with('*')) {
        by_end_.push_back(row.path.substr(1));
      } else {
        by_first_.emplace(row.path.substr(0, row.path.find('/')), &row);
      }
    }
  }

  [[nodiscard]] bool Wants(std::string_view name) const {
    return by_first_.contains(name) || EndsAsWanted(name);
  }
  void Visit(const std::string& directory, const std::vector<DirectoryEntry>& entries) {
    // Installed packages are not opened as projects, and npm replaces them by renaming.
    if (by_first_.empty() || directory.find("/node_modules") != std::string::npos) return;
    for (const DirectoryEntry& entry : entries) {
      const auto [first, last] = by_first_.equal_range(entry.name);
      for (auto row = first; row != last; ++row) found_.push_back(JoinPath(directory, row->second->path));
      if (EndsAsWanted(entry.name)) found_.push_back(JoinPath(directory, entry.name));
    }
  }

  // `tops`: home, the top of each grant, the work trees. In these, missing names are held as well.
  void Apply(Protector& protector, const std::set<std::string>& tops) const {
    const auto is_there = [&](const std::string& path) {
      return protector.Walker().LookAt(path).status.has_value();
    };
    for (const std::string& path : found_) {
      if (is_there(path)) protector.Protect(path, WhenMissing::kLeft);
    }
    for (const std::string& top : tops) {
      for (const ProtectedRow& row : RowsOf(preset_.preset)) {
        if (row.path.starts_with('*')) continue;
        const std::string path = JoinPath(top, row.path);
        if (!Contains(found_, path) || !is_there(path)) protector.Protect(path, row.missing, row.text);
      }
    }
  }
  // A file that counts at any depth may itself be granted, or a part of it.
  void ApplyAround(Protector& protector, const std::vector<std::string>& grants) const {
    for (const std::string& grant : grants) {
      for (std::string_view at = grant; at != "/"; at = ParentOf(at)) {
        if (EndsAsWanted(NameOf(at)) || IsRow(at)) protector.Protect(std::string(at), WhenMissing::kLeft);
      }
    }
  }
  // Names with a suffix cannot be held before they exist: new ones in `tops` are reported.
  void AddPatterns(const std::set<std::string>& tops, std::vector<std::string>& patterns) const {
    for (const std::string& top : tops) {
      for (const std::string_view end : by_end_) patterns.push_back(Below(top, "/*" + std::string(end)));
    }
  }
  // A grant may be a part of a row's path: `.github` of `.github/workflows`.
  void ApplyInside(Protector& protector, const std::vector<std::string>& grants) const {
    for (const ProtectedRow& row : RowsOf(preset_.preset)) {
      for (std::size_t end = row.path.find('/'); end != std::string_view::npos;
           end = row.path.find('/', end + 1)) {
        const std::string first = "/" + std::string(row.path.substr(0, end));
        for (const std::string& grant : grants) {
          if (grant.ends_with(first))
            protector.Protect(grant + std::string(row.path.substr(end)), row.missing, row.text);
        }
      }
    }
  }

  [[nodiscard]] const PresetEntry& Entry() const { return preset_; }

 private:
  [[nodiscard]] bool EndsAsWanted(std::string_view name) const {
    return std::any_of(by_end_.begin(), by_end_.end(),
                       [name](std::string_view end) { return name.ends_with(end); });
  }
  [[nodiscard]] bool IsRow(std::string_view path) const {
    return std::any_of(by_first_.begin(), by_first_.end(), [path](const auto& row) {
      const std::string_view end = row.second->path;
      return path.ends_with(end) && path[path.size() - end.size() - 1] == '/';
    });
  }

  PresetEntry preset_;
  std::unordered_multimap<std::string_view, const ProtectedRow*> by_first_ = {};
  std::vector<std::string_view> by_end_ = {};
  std::vector<std::string> found_ = {};
};

// 0 on network file systems, which may change the inode number of a file.
std::uint64_t LastingInode(const Lookup& lookup) {
  return StampOf(lookup) != 0 ? lookup.status->object.inode : 0;
}

const PresetEntry* GitEntry(const Config& config) {
  const auto found = std::find_if(config.protect.begin(), config.protect.end(),
                                  [](const PresetEntry& entry) { return entry.preset == Preset::kGit; });
  return found != config.protect.end() ? &*found : nullptr;
}

bool UsesGit(const Config& config) {
  const std::vector<std::string>& argv = config.process.argv;
  return CallsGit(config.process.command_line) ||
         std::any_of(argv.begin(), argv.end(), [](const std::string& word) { return CallsGit(word); });
}

// Applies all presets, with one search.
class Protection {
 public:
  Protection(const Config& config, const Host& host, const MountNames& names, PathWalker& walker,
             RuleSet& rules, Policy& policy)
      : config_(config),
        host_(host),
        names_(names),
        walker_(walker),
        rules_(rules),
        policy_(policy),
        homes_(CallersHomes(host, walker)),
        protector_(host, names, walker, rules, homes_, policy.warnings),
        git_(protector_, homes_),
        search_(host, [this](std::string_view name) { return Wants(name); }),
        begun_(host.Time()) {
    if (UsesGit(config))
      git_.CommandUsesGit(config.process.cwd.empty() ? host.WorkingDirectory() : config.process.cwd);
    for (const PresetEntry& entry : config.protect) {
      if (entry.preset != Preset::kGit) named_.emplace_back(entry);
    }
  }

  Status Run(const std::vector<std::string>& grants) {
    for (const std::string& path : grants) {
      if (walker_.LookAt(path).Is(FileType::kDirectory)) roots_.push_back(path);
    }
    others_since_ = host_.OldestRun(roots_);
    if (Status found = Find(); !found) return found;
    const PresetEntry* const git = GitEntry(config_);
    protector_.Begin(git != nullptr ? *git : config_.protect.front());
    if (Status known = CheckVariables(protector_); !known) return known;
    if (git != nullptr) {
      if (Status held = HoldGit(*git); !held) return held;
      if (Status known = CheckSearched(git_, protector_); !known) return known;
    }
    if (Status held = HoldClosed(); !held) return held;
    if (Status held = HoldNamed(); !held) return held;
    // After everything is held.
    if (git != nullptr) TakeSnapshot();
    policy_.git.links = protector_.Links();
    return protector_.CheckCount(config_.protect.front().pointer);
  }

  // For a policy without read-write grants, which needs no protection.
  void WarnOfHidden() {
    for (const std::string& path : rules_.PathsWith(Access::kReadOnly)) git_.AddAround(path);
    protector_.Begin(*GitEntry(config_));
    git_.WarnOfHidden();
  }

  [[nodiscard]] const std::vector<TakenGrant>& Taken() const { return protector_.Taken(); }

 private:
  [[nodiscard]] bool Wants(std::string_view name) const {
    return GitPlaces::Wants(name) ||
           std::any_of(named_.begin(), named_.end(),
                       [name](const NamedFiles& files) { return files.Wants(name); });
  }

  Status Find() {
    for (const Access access : {Access::kReadWrite, Access::kReadOnly}) {
      for (const std::string& path : rules_.PathsWith(access)) git_.AddAround(path);
    }
    AddAroundMounts();
    searched_ = roots_;
    if (config_.repositories_written) {
      policy_.relaxations.emplace_back("repositories-named");
      searched_.clear();
      for (const PathEntry& entry : config_.repositories) {
        if (Status added = git_.AddNamed(entry); !added) return added;
      }
      for (const GitDirectory& directory : git_.Places().Directories()) {
        if (protector_.Writable(directory.path)) searched_.push_back(directory.path);
      }
      for (const std::string& root : roots_) {
        const auto holds = [&](const GitDirectory& directory) {
          return root != directory.path && IsAtOrBelow(root, directory.path);
        };
        const std::vector<GitDirectory>& all = git_.Places().Directories();
        if (std::any_of(all.begin(), all.end(), holds)) searched_.push_back(root);
      }
    }
    std::vector<std::string> roots;
    // Read-only paths inside may hold repositories whose configuration names files outside.
    for (const std::string& path : rules_.PathsWith(Access::kReadOnly)) {
      const bool directory = walker_.LookAt(path).Is(FileType::kDirectory);
      if (directory && IsIn(path, searched_)) roots.push_back(path);
    }
    if (Status ended = Search(roots); !ended) return ended;
    return Search(searched_);
  }

  // A mount in a grant may show part of a work tree elsewhere.
  void AddAroundMounts() {
    std::vector<std::string> shown = rules_.PathsWith(Access::kReadWrite);
    for (const Mount* mount : names_.Visible()) {
      if (protector_.Writable(mount->path)) shown.push_back(mount->path);
    }
    for (const std::string& path : shown) {
      for (const std::string& other : names_.OthersOf(path).value_or(std::vector<std::string>{}))
        git_.AddAround(other);
    }
  }

  Status Search(const std::vector<std::string>& roots) {
    std::vector<GitSnapshot::Listed> listed;
    const OwnRules own_rules(rules_);
    search_.AsTheCommand(roots);
    search_.Run(roots, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
      listed.push_back(
          {.path = directory, .inode = GitPlaces::Concerns(directory, entries) ? 0 : search_.Inode()});
      for (NamedFiles& files : named_) files.Visit(directory, entries);
      git_.Places().Visit(directory, entries, host_);
      own_rules.TakeOut(directory, entries);
    });
    policy_.git.listed = std::make_shared<const std::vector<GitSnapshot::Listed>>(std::move(listed));
    return Ended(search_.Gap());
  }

  [[nodiscard]] Status Ended(const std::string& gap) const {
    if (gap.empty()) return Done{};
    return Conflict("the search for protected files did not come to its end: " + gap,
                    config_.protect.front().pointer,
                    "name the repositories in `filesystem.repositories`, which ends the search, or write "
                    "\"protect\": []");
  }

  Status HoldGit(const PresetEntry& entry) {
    if (entry.safe_config) git_.AllowSafeConfigs();
    if (Status held = git_.Apply(); !held) return held;
    return FindData();
  }

  // Holds directories that could not be searched: a command could open them and write files there that the
  // presets know by name.
  Status HoldClosed() {
    for (std::string& directory : search_.Unsearched()) closed_.push_back(std::move(directory));
    for (const std::string& closed : closed_) protector_.Protect(closed, WhenMissing::kLeft);
    if (Status held = protector_.HoldOtherNames(); !held) return held;
    return protector_.End();
  }

  // A single file of git's data may be granted.
  void AddSingleFiles() {
    const std::vector<GitDirectory>& directories = git_.Places().Directories();
    for (const std::string& path : rules_.PathsWith(Access::kReadWrite)) {
      const Lookup& lookup = walker_.LookAt(path);
      const bool data =
          std::any_of(directories.begin(), directories.end(),
                      [&](const GitDirectory& directory) { return IsAtOrBelow(path, directory.path); });
      if (data && lookup.Is(FileType::kRegular)) searched_.push_back(path);
    }
  }

  // git's data cannot be held, because git writes there; it is compared when the run has ended.
  Status FindData() {
    AddSingleFiles();
    std::vector<GitDirectory> directories;
    for (const GitDirectory& directory : git_.Places().Directories()) {
      const PathRule* const rule = rules_.Covering(directory.path);
      const bool denied = rule != nullptr && rule->access == Access::kDenied;
      const bool reached = std::any_of(searched_.begin(), searched_.end(), [&](const std::string& root) {
        return protector_.Writable(root) &&
               ((!denied && IsAtOrBelow(directory.path, root)) || IsAtOrBelow(root, directory.path));
      });
      if (!reached) continue;
      directories.push_back(directory);
      policy_.git.directories.push_back(directory.path);
    }
    std::unordered_set<std::string> skipped;
    for (const Access access : {Access::kReadOnly, Access::kDenied}) {
      for (std::string& path : rules_.PathsWith(access)) {
        if (rules_.Find(path)->origin == Origin::kPolicy) skipped.insert(std::move(path));
      }
    }
    GitData data = FindGitData(directories, skipped, host_, nullptr);
    // Directories of existing links are pinned: two commands could move such a directory away and back.
    for (GitData::Found& found : data.found) {
      const std::string directory{ParentOf(found.file.path)};
      const bool passage = found.kind == GitData::Kind::kPassage;
      if (passage && directory != found.git_directory)
        protector_.Pin(directory);  // git's top directory contains held files already
      const bool index = found.kind == GitData::Kind::kIndex;
      (index ? policy_.git.indexes : policy_.git.passages).push_back(std::move(found.file));
    }
    closed_ = std::move(data.closed);
    return Ended(data.gap);
  }

  // The sandbox has its own, and the command never sees the host's: the review must not touch files there.
  void SkipOwnDirectories() {
    if (policy_.system != OperatingSystem::kLinux) return;
    for (const char* const own : {"/dev", "/proc", "/sys", "/tmp"})
      if (rules_.Find(own) == nullptr) policy_.git.skipped.emplace_back(own);
  }

  void TakeSnapshot() {
    SkipOwnDirectories();
    std::copy_if(searched_.begin(), searched_.end(), std::back_inserter(policy_.git.roots),
                 [this](const std::string& root) { return protector_.Writable(root); });
    policy_.git.closed = closed_;
    policy_.git.configs = git_.Configs();
    policy_.git.instructions = git_.Instructions();
    policy_.git.since = begun_;
    // Includes a run that began during the search.
    policy_.git.others_since = others_since_ ? others_since_ : host_.OldestRun(roots_);
    for (const Access access : {Access::kReadWrite, Access::kReadOnly, Access::kDenied}) {
      for (const std::string& path : rules_.PathsWith(access)) NoteRule(*rules_.Find(path));
    }
    NoteFoundByName(git_, protector_, patterns_, policy_.git);
    for (GitPlaces::Named& place : git_.Places().All()) {
      const Lookup lookup = host_.LookAt(place.part);
      policy_.git.places.push_back(
          {.path = std::move(place.path), .part = std::move(place.part), .inode = LastingInode(lookup)});
    }
  }

  void NoteRule(const PathRule& rule) {
    if (rule.origin == Origin::kPolicy) policy_.git.skipped.push_back(rule.path);
    if (rule.origin == Origin::kPolicy && rule.access == Access::kReadWrite)
      policy_.git.writable.push_back(rule.path);
    if (rule.origin != Origin::kProtection || rule.access != Access::kReadOnly) return;
    const std::uint64_t inode = rule.object ? LastingInode(walker_.LookAt(rule.path)) : 0;
    if (!rule.object || inode != 0) policy_.git.held.push_back({.path = rule.path, .inode = inode});
  }

  Status HoldNamed() {
    std::set<std::string> tops(roots_.begin(), roots_.end());
    tops.insert(homes_.begin(), homes_.end());
    for (const WorkTree& tree : git_.Places().WorkTrees()) tops.insert(tree.directory);
    std::set<std::string> all_tops = tops;  // and directories of which only a part is granted
    for (const std::string& path : rules_.PathsWith(Access::kReadWrite)) {
      for (std::string_view at = path; at != "/"; at = ParentOf(at)) all_tops.emplace(ParentOf(at));
    }
    for (const NamedFiles& files : named_) {
      protector_.Begin(files.Entry());
      files.Apply(protector_, files.Entry().required ? all_tops : tops);
      files.ApplyAround(protector_, protector_.Grants());
      files.AddPatterns(tops, patterns_);
      files.ApplyInside(protector_, rules_.PathsWith(Access::kReadWrite));
      if (files.Entry().preset == Preset::kShell) {
        HoldMoved();
        HoldSourced();
      }
      if (Status held = protector_.HoldOtherNames(); !held) return held;
      if (Status ended = protector_.End(); !ended) return ended;
    }
    return Done{};
  }

  // The path in a variable of the caller's, or "".
  [[nodiscard]] std::string Named(const char* variable) const {
    const std::string path = host_.Environment(variable).value_or("");
    return path.starts_with('/') ? FoldLexically(path) : "";
  }

  // Start-up files at the paths of the caller's variables: zsh(1), sh(1), bash(1), readline(3) and the XDG
  // Base Directory Specification.
  void HoldMoved() {
    constexpr std::string_view kConfig = ".config/";
    const std::string config = Named("XDG_CONFIG_HOME");
    for (const ProtectedRow& row : ShellRows()) {
      if (config.empty() || !row.path.starts_with(kConfig)) continue;
      protector_.Protect(JoinPath(config, row.path.substr(kConfig.size())), row.missing, row.text);
    }
    if (const std::string zsh = Named("ZDOTDIR"); !zsh.empty()) {
      for (const ProtectedRow& row : ShellRows())
        if (IsOfZsh(row)) protector_.Protect(JoinPath(zsh, row.path), row.missing, row.text);
    }
    for (const char* const variable : {"ENV", "BASH_ENV", "INPUTRC"}) {
      const std::string file = Named(variable);
      if (file.empty()) continue;
      protector_.Protect(file, WhenMissing::kLeft);
      patterns_.push_back(file);
    }
  }

  // A pattern also matches new files, which are reported.
  void Hold(const Sourced& sourced, std::string_view ending, WhenMissing missing) {
    std::string path = sourced.path + std::string(ending);
    sourced.pattern ? patterns_.push_back(std::move(path)) : protector_.Protect(path, missing);
  }
  void HoldSourcedBy(const std::string& file, const std::string& home, bool zsh) {
    for (const Sourced& sourced : SourcedByShell(file, home, walker_, host_)) {
      Hold(sourced, {}, WhenMissing::kLeft);
      // Like the file itself: if that exists, the compiled file's name is held as well.
      const bool there = walker_.LookAt(sourced.path).status.has_value();
      if (zsh) Hold(sourced, kCompiledByZsh, there ? WhenMissing::kFile : WhenMissing::kLeft);
    }
  }
  void HoldSourced() {
    const std::string zsh = Named("ZDOTDIR");
    for (const std::string& home : homes_) {
      for (const ProtectedRow& row : ShellRows()) {
        if (!IsStartUpFile(row)) continue;
        HoldSourcedBy(JoinPath(home, row.path), home, IsOfZsh(row));
        if (!zsh.empty() && IsOfZsh(row)) HoldSourcedBy(JoinPath(zsh, row.path), home, true);
      }
    }
  }

  const Config& config_;
  const Host& host_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
  Policy& policy_;
  std::vector<std::string> homes_;
  Protector protector_;
  GitProtection git_;
  std::vector<NamedFiles> named_ = {};
  TreeSearch search_;
  std::optional<std::uint64_t> begun_;
  std::optional<std::uint64_t> others_since_ = {};
  std::vector<std::string> patterns_ = {};  // of files that are reported if they are new
  std::vector<std::string> roots_ = {};     // read-write directories
  std::vector<std::string> searched_ = {};  // those, or the directories of `repositories`
  std::vector<std::string> closed_ = {};    // directories that cannot be listed
};

}  // namespace

Result<std::vector<TakenGrant>> AddProtection(const Config& config, const Host& host, const MountNames& names,
                                              RuleSet& rules, Policy& policy) {
  const bool git = GitEntry(config) != nullptr;
  if (!git) policy.relaxations.emplace_back("git-unprotected");
  const std::vector<std::string> grants = rules.PathsWith(Access::kReadWrite);
  const bool warns = grants.empty() && git && UsesGit(config);
  if (config.protect.empty() || (grants.empty() && !warns)) return std::vector<TakenGrant>{};
  const WithoutPlaceholders seen(host, rules);
  PathWalker seen_walker(seen);
  Protection protection(config, seen, names, seen_walker, rules, policy);
  if (warns) {
    protection.WarnOfHidden();
    return std::vector<TakenGrant>{};
  }
  if (Status run = protection.Run(grants); !run) return run.error();
  return protection.Taken();
}

}  // namespace mxc
