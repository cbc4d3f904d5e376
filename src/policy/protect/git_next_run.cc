#include "policy/protect/git_next_run.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "policy/paths/homes.h"
#include "policy/paths/search.h"
#include "policy/protect/git/places.h"
#include "policy/protect/protect_git.h"

namespace mxc {
namespace {

// The file itself, or the files that lead to the whole repository, or the configuration or link that leads to
// the file. Empty: no file of the command's causes the refusal.
std::vector<std::string> ObstaclesOf(const GitProtection::Refusal& refusal,
                                     const std::vector<std::string>& left, const Host& host,
                                     PathWalker& walker) {
  const auto is_left = [&](const std::string& file) { return IsIn(file, left); };
  if (!refusal.file.empty() && is_left(refusal.file)) return {refusal.file};
  std::vector<std::string> leads;
  std::copy_if(refusal.leads.begin(), refusal.leads.end(), std::back_inserter(leads), is_left);
  if (!leads.empty()) return leads;
  for (const char* name : kGitConfigs) {
    std::string file = JoinPath(refusal.place, name);
    const Result<std::optional<std::string>> text = ReadGitFile(file, host, walker);
    const bool harmless = text && IsHarmlessGitConfig(text->value_or(""));
    if (!harmless && is_left(file)) return {std::move(file)};
  }
  std::string hooks = JoinPath(refusal.place, "hooks");
  if (host.LookAt(hooks).Is(FileType::kSymlink) && is_left(hooks)) return {std::move(hooks)};
  return {};
}

// The number of rules at the time of `before`. A repository by its parts has two that keep their names.
std::size_t CountOf(const GitSnapshot& before) {
  const auto shaped = std::count_if(before.places.begin(), before.places.end(),
                                    [](const GitSnapshot::Place& place) { return place.part != place.path; });
  return before.held.size() + before.put_back + 2 * static_cast<std::size_t>(shaped);
}

// A protected path is a mount point, and so is each directory between it and its grant: renaming one would
// move the mount.
class MountPoints {
 public:
  explicit MountPoints(const std::vector<std::string>& grants) : grants_(grants.begin(), grants.end()) {}
  void Add(std::string_view path) {
    while (path != "/" && !grants_.contains(path) && points_.emplace(path).second) path = ParentOf(path);
  }
  [[nodiscard]] std::size_t Count() const { return points_.size(); }

 private:
  std::set<std::string, std::less<>> grants_;
  std::set<std::string, std::less<>> points_ = {};
};

Status CheckMounts(const GitSnapshot& before, const std::vector<std::string>& left, const RuleSet& rules) {
  if (!before.more_mounts) return Done{};
  MountPoints points(before.roots);
  for (const GitSnapshot::Held& held : before.held) points.Add(held.path);
  for (const GitSnapshot::Place& place : before.places) points.Add(place.part);
  const std::size_t had = points.Count();
  for (const PathRule& rule : rules.All()) {
    if (rule.origin == Origin::kProtection) points.Add(rule.path);
  }
  const std::size_t more = points.Count() - had;
  if (more <= *before.more_mounts) return Done{};
  return Conflict("to protect the " + std::to_string(left.size()) + " new repositories, " +
                      Quoted(left.front()) + " for instance, takes " + std::to_string(more) +
                      " mounts, and this containment has room for " + std::to_string(*before.more_mounts),
                  "/filesystem/protect",
                  "remove those that you do not want, or name the ones that you work in "
                  "(`filesystem.repositories`)");
}

}  // namespace

NextRun CheckNextRun(const GitSnapshot& before, const std::vector<std::string>& left, const Host& host) {
  NextRun next;
  if (left.empty()) return next;
  PathWalker walker(host);
  const MountNames names({}, walker);
  RuleSet rules;
  for (const std::string& root : before.roots) rules.Add({.path = root, .access = Access::kReadWrite});
  for (const GitSnapshot::Held& held : before.held)
    rules.Add({.path = held.path, .access = Access::kReadOnly, .origin = Origin::kProtection});
  std::vector<Warning> warnings;  // the next run repeats them
  const std::vector<std::string> homes = CallersHomes(host, walker);
  Protector protector(host, names, walker, rules, homes, warnings);
  protector.Count(CountOf(before));
  GitProtection git(protector, homes);
  std::vector<GitProtection::Refusal> refusals;
  git.CollectRefusals(refusals);
  std::vector<std::string> roots;
  for (const std::string& path : left) {
    const Lookup& lookup = walker.LookAt(path);
    if (!lookup.status) continue;
    const FileType type = lookup.status->object.type;
    if (IsNamedGit(path))
      git.Places().Add(WorkTree{.directory = std::string(ParentOf(path)), .git = path, .type = type});
    if (type == FileType::kDirectory) roots.push_back(path);
  }
  TreeSearch search(host, GitPlaces::Wants);
  search.Run(std::move(roots), [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    git.Places().Visit(directory, entries, host);
  });
  next.starts = git.Apply();
  for (const GitProtection::Refusal& refusal : refusals) {
    if (next.starts) next.starts = refusal.error;
    for (std::string& obstacle : ObstaclesOf(refusal, left, host, walker))
      next.obstacles.push_back(std::move(obstacle));
  }
  if (next.starts) next.starts = protector.End();
  if (next.starts) next.starts = protector.CheckCount({});
  if (next.starts) next.starts = CheckMounts(before, left, rules);
  return next;
}

}  // namespace mxc
