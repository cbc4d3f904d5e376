#include "policy/git_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mxc/fold.h"
#include "policy/paths.h"

namespace mxc {
namespace {

// Below a directory called `.git` these hold data of git's own making, often in many directories.
constexpr std::string_view kData[] = {"objects", "refs", "logs", "lfs"};

constexpr std::string_view kParts[] = {"objects", "refs", "commondir"};

}  // namespace

bool IsGitName(std::string_view name) { return EqualsFolded(name, ".git"); }
bool IsNamedGit(std::string_view path) { return IsGitName(path.substr(path.rfind('/') + 1)); }

Result<std::string> ReadGitFile(const std::string& path, const Host& host, std::size_t limit) {
  const Lookup lookup = host.LookAt(path);
  if (lookup.status && lookup.status->object.type == FileType::kRegular) return host.ReadFile(path, limit);
  return Error{.code = ErrorCode::kConflict, .message = Quoted(path) + " is no file"};
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
  const auto data = [&](const DirectoryEntry& entry) {
    const bool is = std::find(std::begin(kData), std::end(kData), entry.name) != std::end(kData);
    if (is && entry.type == FileType::kDirectory) data_.push_back(JoinPath(directory, entry.name));
    return is;
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
