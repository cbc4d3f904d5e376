#include "policy/protect.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mxc/limits.h"
#include "policy/entries.h"
#include "policy/protect_git.h"
#include "policy/protector.h"
#include "policy/search.h"

namespace mxc {
namespace {

std::string CanonicalHome(const Host& host, PathWalker& walker) {
  const std::optional<std::string> home = host.Environment("HOME");
  if (!home || !home->starts_with('/')) return "";
  Result<Walked> walked = walker.Walk(*home);
  return walked && walked->status ? std::move(walked->path) : "";
}

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

// Rows of editors and agents that the search met, by the directory they stand in.
class NamedFiles {
 public:
  explicit NamedFiles(const PresetEntry& preset) : preset_(preset) {
    if (preset.preset == Preset::kShell) return;  // such names elsewhere are nobody's start-up files
    for (const ProtectedRow& row : RowsOf(preset.preset)) {
      by_first_.emplace(row.path.substr(0, row.path.find('/')), &row);
    }
  }

  void Visit(const std::string& directory, const std::vector<DirectoryEntry>& entries) {
    // Nobody opens a package that was installed as a project, and npm replaces them by renaming.
    if (by_first_.empty() || directory.find("/node_modules") != std::string::npos) return;
    for (const DirectoryEntry& entry : entries) {
      const auto [first, last] = by_first_.equal_range(entry.name);
      for (auto row = first; row != last; ++row) found_.push_back(JoinPath(directory, row->second->path));
    }
  }

  // `tops`: home, the top of each grant, the work trees. There missing names are held as well.
  void Apply(Protector& protector, const std::vector<std::string>& tops) const {
    for (const std::string& path : found_) {
      if (protector.Walker().LookAt(path).status) protector.Protect(path, WhenMissing::kLeft);
    }
    for (const std::string& top : tops) {
      for (const ProtectedRow& row : RowsOf(preset_.preset)) {
        const std::string path = JoinPath(top, row.path);
        if (std::find(found_.begin(), found_.end(), path) != found_.end()) continue;
        protector.Protect(path, row.missing, row.text);
      }
    }
  }

  [[nodiscard]] const PresetEntry& Entry() const { return preset_; }

 private:
  PresetEntry preset_;
  std::unordered_multimap<std::string_view, const ProtectedRow*> by_first_ = {};
  std::vector<std::string> found_ = {};
};

// What has a rule of its own is searched on its own, or not at all.
void KeepInside(const RuleSet& rules, const std::string& directory, std::vector<DirectoryEntry>& entries) {
  const auto outside = [&](const DirectoryEntry& entry) {
    if (entry.type != FileType::kDirectory) return false;
    const std::string path = JoinPath(directory, entry.name);
    return rules.Find(path) != nullptr || PrivateNodeOf(path) == path;
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), outside), entries.end());
}

bool Has(const Config& config, Preset preset) {
  return std::any_of(config.protect.begin(), config.protect.end(),
                     [preset](const PresetEntry& entry) { return entry.preset == preset; });
}

const PresetEntry& EntryOf(const Config& config, Preset preset) {
  return *std::find_if(config.protect.begin(), config.protect.end(),
                       [preset](const PresetEntry& entry) { return entry.preset == preset; });
}

}  // namespace

Status AddProtection(const Config& config, const Host& host, PathWalker& walker, RuleSet& rules,
                     Policy& policy) {
  const bool git = Has(config, Preset::kGit);
  if (!git) policy.relaxations.emplace_back("git-unprotected");
  const std::vector<std::string> grants = rules.PathsWith(Access::kReadWrite);
  if (config.protect.empty() || grants.empty()) return Done{};

  Protector protector(host, walker, rules, policy.warnings);
  GitProtection repositories(protector);
  std::vector<NamedFiles> named;
  for (const PresetEntry& entry : config.protect) {
    if (entry.preset != Preset::kGit) named.emplace_back(entry);
  }
  std::vector<std::string> roots;
  for (const std::string& path : grants) {
    const Lookup& lookup = walker.LookAt(path);
    if (lookup.status && lookup.status->object.type == FileType::kDirectory) roots.push_back(path);
  }
  TreeSearch search(host);
  search.Run(roots, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    for (NamedFiles& files : named) files.Visit(directory, entries);
    repositories.Visit(directory, entries);
    KeepInside(rules, directory, entries);
  });

  const std::string home = CanonicalHome(host, walker);
  if (git) {
    protector.Begin(EntryOf(config, Preset::kGit));
    repositories.Apply(home);
    protector.End();
  }
  std::vector<std::string> tops = std::move(roots);
  if (!home.empty()) tops.push_back(home);
  tops.insert(tops.end(), repositories.WorkTrees().begin(), repositories.WorkTrees().end());
  std::sort(tops.begin(), tops.end());
  tops.erase(std::unique(tops.begin(), tops.end()), tops.end());
  for (const NamedFiles& files : named) {
    protector.Begin(files.Entry());
    files.Apply(protector, tops);
    protector.End();
  }
  if (!search.Gap().empty()) {
    protector.Warn("protection-incomplete",
                   "the search for protected files did not reach everything: " + search.Gap());
  }
  if (protector.Count() <= kMaxProtectedPaths) return Done{};
  return Conflict(
      "the read-write grants hold " + std::to_string(protector.Count()) + " protected paths, more than the " +
          std::to_string(kMaxProtectedPaths) + " there may be",
      config.protect.front().pointer, "grant less, or see who has made so many repositories there");
}

}  // namespace mxc
