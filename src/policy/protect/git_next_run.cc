#include "policy/protect/git_next_run.h"

#include <utility>

#include "policy/paths/search.h"
#include "policy/protect/git_places.h"
#include "policy/protect/protect_git.h"

namespace mxc {

Status CheckNextRun(const GitSnapshot& before, const std::vector<std::string>& left, const Host& host) {
  if (left.empty()) return Done{};
  PathWalker walker(host);
  const MountNames names({}, walker);
  RuleSet rules;
  for (const std::string& root : before.roots) rules.Add({.path = root, .access = Access::kReadWrite});
  std::vector<Warning> warnings;  // the next run gives them itself
  Protector protector(host, names, walker, rules, warnings);
  GitProtection git(protector, CanonicalHome(host, walker));
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
    git.Places().Visit(directory, entries);
  });
  if (Status held = git.Apply(); !held) return held;
  if (Status ended = protector.End(); !ended) return ended;
  return protector.CheckCount({});
}

}  // namespace mxc
