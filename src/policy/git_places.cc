#include "policy/git_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mxc/fold.h"
#include "policy/paths.h"

namespace mxc {
namespace {

// Below a directory called `.git` these hold data of git's own making. Nobody on the host works in them, and
// a .git elsewhere that leads into them leads to nothing known.
constexpr std::string_view kData[] = {"objects", "refs", "logs", "lfs"};

constexpr std::string_view kParts[] = {"objects", "refs", "commondir"};

}  // namespace

bool IsGitName(std::string_view name) { return EqualsFolded(name, ".git"); }
bool IsNamedGit(std::string_view path) { return IsGitName(path.substr(path.rfind('/') + 1)); }

std::string RebaseListOf(std::string_view git_directory) {
  return JoinPath(git_directory, "rebase-merge/git-rebase-todo");
}

bool GitPlaces::Wants(std::string_view name) {
  return IsGitName(name) || std::any_of(std::begin(kParts), std::end(kParts),
                                        [name](std::string_view part) { return EqualsFolded(name, part); });
}

void GitPlaces::Add(WorkTree tree) {
  if (!seen_trees_.insert(tree.git).second) return;
  if (tree.type == FileType::kDirectory) Add(GitDirectory{.path = tree.git});
  trees_.push_back(std::move(tree));
}

void GitPlaces::Add(GitDirectory directory) {
  if (seen_.insert(directory.path).second) directories_.push_back(std::move(directory));
}

void GitPlaces::Visit(const std::string& directory, std::vector<DirectoryEntry>& entries) {
  std::string objects;
  std::string refs;
  bool common = false;
  for (const DirectoryEntry& entry : entries) {
    if (EqualsFolded(entry.name, "objects")) objects = entry.name;
    if (EqualsFolded(entry.name, "refs")) refs = entry.name;
    common = common || EqualsFolded(entry.name, "commondir");
    if (!IsGitName(entry.name)) continue;
    Add(WorkTree{.directory = directory, .git = JoinPath(directory, entry.name), .type = entry.type});
  }
  const bool named = IsNamedGit(directory);
  const bool whole = !objects.empty() && !refs.empty();
  if (named) {
    Add(GitDirectory{.path = directory});
  } else if (whole) {
    Add(GitDirectory{.path = directory, .shape = {JoinPath(directory, objects), JoinPath(directory, refs)}});
  } else if (common) {
    Add(GitDirectory{.path = directory, .linked = true});
  }
  if (!named) return;
  const auto data = [](const DirectoryEntry& entry) {
    return std::find(std::begin(kData), std::end(kData), entry.name) != std::end(kData);
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), data), entries.end());
}

std::vector<std::string> GitPlaces::Names() const {
  std::vector<std::string> names;
  for (const WorkTree& tree : trees_) names.push_back(tree.git);
  for (const GitDirectory& directory : directories_) names.push_back(directory.path);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace mxc
