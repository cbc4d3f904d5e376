#include "policy/protect/git_judge.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "mxc/limits.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/places.h"

namespace mxc {

bool GitJudge::IsArmed(const std::string& place) { return IsArmedByItself(place) || IsArmedByCaller(place); }

bool GitJudge::IsArmedByItself(const std::string& place) {
  const Lookup lookup = host_.LookAt(place);
  if (!lookup.status) return false;  // gone since
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
  const std::optional<std::string> pointer = ReadGitPointer(place, host_, walker_);
  const std::optional<std::string> common = pointer ? CommonOf(*pointer) : std::nullopt;
  if (!common || !known_.contains(*common)) return words;  // a new repository is reported as a whole
  const Result<std::vector<GitVariable>> variables =
      ReadGitConfigFile(JoinPath(*common, "config"), host_, walker_);
  for (const GitVariable& variable : variables ? *variables : std::vector<GitVariable>{}) {
    if (!MayExecute(variable)) continue;
    if (auto behind = NamesInCommandOf(variable))
      words.merge(*behind);  // too many words: no run starts with such a configuration
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
  const Result<std::vector<GitVariable>> variables =
      ReadGitConfigFile(JoinPath(place, "config"), host_, walker_);
  if (!variables) return true;
  std::vector<std::string> trees = {WorkTreeOf(place)};
  if (host_.LookAt(place).Is(FileType::kDirectory)) trees.push_back(place);
  for (const GitVariable& variable : *variables) {
    if (variable.Is("core", "worktree")) trees.push_back(Against(place, variable.value));
  }
  return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) {
    return std::any_of((*named_)->paths.begin(), (*named_)->paths.end(),
                       [&](const std::string& name) { return IsThere(JoinPath(tree, name)); });
  });
}

bool GitJudge::IsHarmlessFile(const std::string& file) const {
  const Lookup lookup = host_.LookAt(file);
  if (!MayBeThere(lookup)) return true;
  // It could be written later by another name.
  if (!lookup.Is(FileType::kRegular) || lookup.status->links != 1) return false;
  const Result<std::string> text = host_.ReadFile(file, kMaxGitConfigBytes + 1);
  return text && text->size() <= kMaxGitConfigBytes && IsHarmlessGitConfig(*text);
}

bool GitJudge::HoldsOthers(const std::string& directory, std::string_view harmless) const {
  const Lookup lookup = host_.LookAt(directory);
  if (!MayBeThere(lookup)) return false;
  if (!lookup.Is(FileType::kDirectory)) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, {});
  return !entries || std::any_of(entries->begin(), entries->end(), [&](const DirectoryEntry& entry) {
    return harmless.empty() || entry.type != FileType::kRegular || !entry.name.ends_with(harmless);
  });
}

std::optional<std::string> GitJudge::Follow(const std::string& path) {
  Result<Walked> walked = walker_.Walk(path);
  const auto turns = [this](const std::string& link) { return IsIn(link, roots_); };
  if (!walked || !walked->status || LeadsThrough(*walked, turns)) return std::nullopt;
  return std::move(walked->path);
}

std::optional<std::string> GitJudge::CommonOf(const std::string& git_directory) {
  const std::string file = JoinPath(git_directory, "commondir");
  if (host_.LookAt(file).Is(FileType::kSymlink)) return std::nullopt;
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  if (!text) return std::nullopt;
  if (!*text) return git_directory;
  return Follow(Against(git_directory, CommonDirectoryIn(**text)));
}

bool GitJudge::IsArmedTree(const std::string& directory) {
  for (const char* file : kGitConfigs) {
    const auto variables = ReadGitConfigFile(JoinPath(directory, file), host_, walker_);
    if (!variables) return true;
    for (const GitVariable& variable : *variables) {
      if (!variable.Is("core", "worktree")) continue;
      const std::optional<std::string> tree = Follow(Against(directory, variable.value));
      if (!tree) return true;
      if (*tree == WorkTreeOf(directory)) continue;
      const std::optional<std::string> back = ReadGitPointer(JoinPath(*tree, ".git"), host_, walker_);
      if (!back || Follow(*back) != directory) return true;
    }
  }
  return false;
}

bool GitJudge::IsArmedBare(const std::string& directory) {
  if (!IsNamedGit(directory)) return false;
  return std::any_of(std::begin(kGitConfigs), std::end(kGitConfigs), [&](const char* file) {
    const auto variables = ReadGitConfigFile(JoinPath(directory, file), host_, walker_);
    return !variables || std::any_of(variables->begin(), variables->end(), [](const GitVariable& variable) {
      return variable.Is("core", "bare") && variable.value != "false";
    });
  });
}

// NOLINTNEXTLINE(misc-no-recursion): once more, for the common directory
bool GitJudge::IsArmedDirectory(const std::string& directory) {
  const std::optional<std::string> common = CommonOf(directory);
  if (!common || !IsHarmlessFile(JoinPath(directory, "config.worktree")) || IsArmedTree(directory) ||
      IsArmedBare(directory))
    return true;
  if (*common != directory)
    return !known_.contains(*common) || IsArmedWay(directory, *common) || RunsOf(*common, directory);
  return !IsHarmlessFile(JoinPath(directory, "config")) ||
         HoldsOthers(JoinPath(directory, "hooks"), ".sample") ||
         HoldsOthers(JoinPath(directory, "remotes")) || HoldsOthers(JoinPath(directory, "branches"));
}

// Whether `is` holds for something that its files make git execute, or that cannot be determined.
template <typename Is>
bool GitJudge::Runs(const std::string& git_directory, std::span<const char* const> files, const Is& is) {
  for (const char* file : files) {
    const auto variables = ReadGitConfigFile(JoinPath(git_directory, file), host_, walker_);
    if (!variables) return true;
    for (const GitVariable& variable : *variables) {
      if (!MayExecute(variable)) continue;
      const std::optional<std::set<std::string>> paths = PathsInTrees(variable, walker_);
      if (!paths || is(variable.value, *paths)) return true;
    }
  }
  return false;
}

// Relative paths of a known configuration name other files in another work tree.
bool GitJudge::RunsRelativePaths(const std::string& git_directory) {
  return Runs(git_directory, std::span(kGitConfigs).first(1),
              [](const std::string& value, const std::set<std::string>& paths) {
                const bool slash = value.find('/') != std::string::npos;
                return !paths.empty() || (slash && !value.starts_with('/') && !value.starts_with("~/"));
              });
}

bool GitJudge::RunsOf(const std::string& git_directory, const std::string& tree) {
  return Runs(git_directory, kGitConfigs, [&](const std::string&, const std::set<std::string>& paths) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return IsThere(JoinPath(tree, path)); });
  });
}

bool GitJudge::IsThere(const std::string& path) const { return MayBeThere(host_.LookAt(path)); }

bool GitJudge::IsArmedPointer(const std::string& file) {
  const std::optional<std::string> pointer = ReadGitPointer(file, host_, walker_);
  const std::optional<std::string> git = pointer ? Follow(*pointer) : std::nullopt;
  if (!git) return true;
  const std::optional<std::string> common = CommonOf(*git);
  // A new git directory is judged separately.
  if (!known_.contains(*git)) {
    return !found_.contains(*git) || IsArmedDirectory(*git) ||
           (common && known_.contains(*common) && RunsOf(*common, std::string(ParentOf(file))));
  }
  return !common || IsArmedWay(file, *common) || RunsRelativePaths(*common);
}

// The surrounding repository executes its configuration anyway. Any other may have been left by an earlier
// run.
// NOLINTNEXTLINE(misc-no-recursion): the same
bool GitJudge::IsArmedWay(const std::string& place, const std::string& common) {
  const bool around = IsNamedGit(common) && IsAtOrBelow(place, ParentOf(common));
  if (around) return false;
  // git follows only one commondir; a command can make two refer to each other.
  return CommonOf(common) != common || IsArmedDirectory(common);
}

}  // namespace mxc
