#include "policy/protect/git_judge.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "mxc/limits.h"
#include "policy/protect/git_config.h"
#include "policy/protect/git_places.h"

namespace mxc {

std::string WorkTreeOf(const std::string& place) {
  return IsNamedGit(place) ? std::string(ParentOf(place)) : place;
}

bool GitJudge::IsArmed(const std::string& place) { return IsArmedByItself(place) || IsArmedByCaller(place); }

bool GitJudge::IsArmedByItself(const std::string& place) {
  const Lookup lookup = host_.LookAt(place);
  if (!lookup.status) return false;  // gone again
  if (lookup.Is(FileType::kDirectory)) return IsArmedDirectory(place);
  return !lookup.Is(FileType::kRegular) || IsArmedPointer(place);
}

const Result<NamedInTrees>& GitJudge::NamedByCaller() {
  if (!named_) named_ = NamedInEveryTree(host_, walker_);
  return *named_;
}

std::set<std::string> GitJudge::WordsOf(const std::string& place) {
  std::set<std::string> words;
  if (NamedByCaller()) words = NamedByCaller()->words;
  const Result<std::optional<std::string>> pointer = ReadGitFile(place, host_, walker_);
  const std::optional<std::string> common =
      pointer && *pointer ? CommonOf(Against(ParentOf(place), GitDirectoryIn(**pointer))) : std::nullopt;
  if (common && known_.contains(*common)) {  // what is new itself is told as a whole
    const Result<std::optional<std::string>> text = ReadGitFile(JoinPath(*common, "config"), host_, walker_);
    for (const GitVariable& variable : ReadGitConfig(text ? text->value_or("") : "")) {
      if (!MayExecute(variable)) continue;
      if (auto behind = NamesInCommandOf(variable)) words.merge(*behind);  // none: no run began with it
    }
  }
  return words;
}

std::vector<std::string> GitJudge::FilesOfWords(const std::string& place) {
  const std::set<std::string> words = WordsOf(place);
  std::vector<std::string> files;
  const std::string tree = WorkTreeOf(place);
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(tree, {});
  if (!entries) return files;
  for (const DirectoryEntry& entry : *entries) {
    const bool file = entry.type == FileType::kRegular || entry.type == FileType::kSymlink;
    if (file && words.contains(entry.name)) files.push_back(JoinPath(tree, entry.name));
  }
  return files;
}

bool GitJudge::IsArmedByCaller(const std::string& place) {
  if (!NamedByCaller()) return true;
  const Result<std::optional<std::string>> text = ReadGitFile(JoinPath(place, "config"), host_, walker_);
  if (!text) return true;
  std::vector<std::string> trees = {WorkTreeOf(place)};
  if (host_.LookAt(place).Is(FileType::kDirectory)) trees.push_back(place);
  for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
    if (!variable.Is("core", "worktree")) continue;
    trees.push_back(variable.value.starts_with('/') ? variable.value : JoinPath(place, variable.value));
  }
  return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) {
    return std::any_of((*named_)->paths.begin(), (*named_)->paths.end(),
                       [&](const std::string& name) { return IsThere(JoinPath(tree, name)); });
  });
}

bool GitJudge::IsHarmlessFile(const std::string& file) const {
  const Lookup lookup = host_.LookAt(file);
  if (!lookup.status) return lookup.failure == LookupFailure::kMissing;
  // Under another name it could be written later.
  if (!lookup.Is(FileType::kRegular) || lookup.status->links != 1) return false;
  const Result<std::string> text = host_.ReadFile(file, kMaxGitConfigBytes + 1);
  return text && text->size() <= kMaxGitConfigBytes && IsHarmlessGitConfig(*text);
}

bool GitJudge::HasEntries(const std::string& directory) const {
  const Lookup lookup = host_.LookAt(directory);
  if (!lookup.status) return lookup.failure != LookupFailure::kMissing;
  if (!lookup.Is(FileType::kDirectory)) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, {});
  return !entries || !entries->empty();
}

bool GitJudge::IsArmedHooks(const std::string& hooks) const {
  const Lookup lookup = host_.LookAt(hooks);
  if (!lookup.status) return lookup.failure != LookupFailure::kMissing;
  if (!lookup.Is(FileType::kDirectory)) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(hooks, {});
  return !entries || !std::all_of(entries->begin(), entries->end(), [](const DirectoryEntry& entry) {
    return entry.type == FileType::kRegular && entry.name.ends_with(".sample");
  });
}

std::optional<std::string> GitJudge::Follow(const std::string& path) {
  Result<Walked> walked = walker_.Walk(path);
  if (!walked || !walked->status) return std::nullopt;
  for (const LinkMet& met : walked->links) {
    for (const std::string& root : roots_) {
      if (IsAtOrBelow(met.link.path, root)) return std::nullopt;
    }
  }
  return std::move(walked->path);
}

std::optional<std::string> GitJudge::CommonOf(const std::string& git_directory) {
  const std::string file = JoinPath(git_directory, "commondir");
  if (host_.LookAt(file).Is(FileType::kSymlink)) return std::nullopt;
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  if (!text) return std::nullopt;
  if (!*text) return git_directory;
  const std::string_view path = CommonDirectoryIn(**text);
  return Follow(path.starts_with('/') ? std::string(path) : JoinPath(git_directory, path));
}

bool GitJudge::IsArmedTree(const std::string& directory) {
  for (const char* file : {"config", "config.worktree"}) {
    const Result<std::optional<std::string>> text = ReadGitFile(JoinPath(directory, file), host_, walker_);
    if (!text) return true;
    for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
      if (!variable.Is("core", "worktree")) continue;
      const std::optional<std::string> tree = Follow(Against(directory, variable.value));
      if (!tree) return true;
      if (*tree == WorkTreeOf(directory)) continue;
      const Result<std::optional<std::string>> back = ReadGitFile(JoinPath(*tree, ".git"), host_, walker_);
      if (!back || !*back || Follow(Against(*tree, GitDirectoryIn(**back))) != directory) return true;
    }
  }
  return false;
}

// NOLINTNEXTLINE(misc-no-recursion): once more, for the common directory
bool GitJudge::IsArmedDirectory(const std::string& directory) {
  const std::optional<std::string> common = CommonOf(directory);
  if (!common || !IsHarmlessFile(JoinPath(directory, "config.worktree")) || IsArmedTree(directory))
    return true;
  if (*common != directory)
    return !known_.contains(*common) || IsArmedWay(directory, *common) || RunsOf(*common, directory);
  return !IsHarmlessFile(JoinPath(directory, "config")) || IsArmedHooks(JoinPath(directory, "hooks")) ||
         HasEntries(JoinPath(directory, "remotes")) || HasEntries(JoinPath(directory, "branches"));
}

// A configuration that is known means something else in another work tree.
bool GitJudge::RunsRelativePaths(const std::string& git_directory) {
  const Result<std::optional<std::string>> text =
      ReadGitFile(JoinPath(git_directory, "config"), host_, walker_);
  if (!text) return true;
  for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
    if (!MayExecute(variable)) continue;
    const std::optional<std::set<std::string>> paths = PathsInTrees(variable, walker_);
    const bool slash = variable.value.find('/') != std::string::npos;
    const bool absolute = variable.value.starts_with('/') || variable.value.starts_with("~/");
    if (!paths || !paths->empty() || (slash && !absolute)) return true;
  }
  return false;
}

bool GitJudge::RunsOf(const std::string& git_directory, const std::string& tree) {
  for (const char* file : {"config", "config.worktree"}) {
    const Result<std::optional<std::string>> text =
        ReadGitFile(JoinPath(git_directory, file), host_, walker_);
    if (!text) return true;
    for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
      if (!MayExecute(variable)) continue;
      const std::optional<std::set<std::string>> paths = PathsInTrees(variable, walker_);
      const bool any = !paths || std::any_of(paths->begin(), paths->end(), [&](const std::string& path) {
        return IsThere(JoinPath(tree, path));
      });
      if (any) return true;
    }
  }
  return false;
}

bool GitJudge::IsThere(const std::string& path) const {
  const Lookup lookup = host_.LookAt(path);
  return lookup.status || lookup.failure != LookupFailure::kMissing;
}

bool GitJudge::IsArmedPointer(const std::string& file) {
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  const std::string_view path = text && *text ? GitDirectoryIn(**text) : std::string_view{};
  if (path.empty()) return true;
  const std::optional<std::string> git =
      Follow(path.starts_with('/') ? std::string(path) : JoinPath(ParentOf(file), path));
  if (!git) return true;
  const std::optional<std::string> common = CommonOf(*git);
  // What is new is judged by itself.
  if (!known_.contains(*git)) {
    return !found_.contains(*git) || IsArmedDirectory(*git) ||
           (common && known_.contains(*common) && RunsOf(*common, std::string(ParentOf(file))));
  }
  return !common || IsArmedWay(file, *common) || RunsRelativePaths(*common);
}

// The repository around it runs what it runs anyway. Any other may be one that an earlier run has left.
// NOLINTNEXTLINE(misc-no-recursion): the same
bool GitJudge::IsArmedWay(const std::string& place, const std::string& common) {
  const bool around = IsNamedGit(common) && IsAtOrBelow(place, ParentOf(common));
  if (around) return false;
  // git follows one commondir. A command can lead two to each other.
  return CommonOf(common) != common || IsArmedDirectory(common);
}

}  // namespace mxc
