#include "policy/protect/git_review.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "mxc/fold.h"
#include "mxc/limits.h"
#include "mxc/plan.h"
#include "policy/paths/paths.h"
#include "policy/paths/search.h"
#include "policy/protect/git_config.h"
#include "policy/protect/git_instructions.h"
#include "policy/protect/git_places.h"
#include "policy/protect/protect_git.h"

namespace mxc {
namespace {

std::string WorkTreeOf(const std::string& place) {
  return IsNamedGit(place) ? std::string(ParentOf(place)) : place;
}

class Review {
 public:
  Review(const GitSnapshot& before, const Host& host) : before_(before), host_(host), walker_(host) {
    for (const GitSnapshot::Place& place : before.places) {
      trees_.push_back(WorkTreeOf(place.path));
      const Lookup lookup = host.LookAt(place.part);
      if (!lookup.status || place.inode == 0 || lookup.status->object.inode == place.inode)
        known_.insert(place.path);
    }
    for (const GitSnapshot::Text& link : before.links) known_.insert(link.path);  // judged as such
    std::sort(trees_.begin(), trees_.end());
  }

  std::vector<GitChange> Run(std::string& gap) {
    Search(gap);
    for (const GitPlaces::Named& place : places_.All()) {
      if (!known_.contains(place.path)) Judge(place);
    }
    for (const GitSnapshot::Text& link : before_.links) JudgeLink(link);
    for (const GitSnapshot::Held& held : before_.held) JudgeHeld(held);
    std::unordered_set<std::string> looked;
    for (const GitDirectory& directory : places_.Directories()) JudgeInstructions(directory.path, looked);
    for (const GitSnapshot::Place& place : before_.places) JudgeInstructions(place.path, looked);
    return std::move(changes_);
  }

 private:
  void Search(std::string& gap);
  void SearchData(TreeSearch& search, const std::unordered_set<std::string>& skipped);
  [[nodiscard]] bool HasNothingNew(const std::string& directory) const;
  void Judge(const GitPlaces::Named& named);
  void TakeUp(const std::string& place, std::string part);
  [[nodiscard]] bool IsTold(const std::string& place) const;
  // It has another name soon, or is no repository any more.
  [[nodiscard]] bool IsTakenUp(const std::string& git_directory) const;
  void JudgeLink(const GitSnapshot::Text& link);
  void JudgeHeld(const GitSnapshot::Held& held);
  void JudgeInstructions(const std::string& place, std::unordered_set<std::string>& looked);
  // `place` stands in a repository of before, or above one: git there comes across it.
  [[nodiscard]] bool IsInTheWay(const std::string& place) const;
  [[nodiscard]] const GitDirectory* Found(const std::string& path) const;
  // git there might run what it did not run before.
  [[nodiscard]] bool IsArmed(const std::string& place);
  // The caller's configuration names something in its work tree, or in one that is somewhere else.
  [[nodiscard]] bool IsArmedByCaller(const std::string& place);
  [[nodiscard]] bool IsArmedDirectory(const std::string& directory);
  [[nodiscard]] bool IsArmedPointer(const std::string& file);
  // `place` leads to what is known.
  [[nodiscard]] bool IsArmedWay(const std::string& place, const std::string& common);
  [[nodiscard]] bool IsArmedHooks(const std::string& hooks) const;
  [[nodiscard]] bool IsHarmlessFile(const std::string& file) const;
  [[nodiscard]] bool RunsRelativePaths(const std::string& git_directory);
  [[nodiscard]] bool WasThere(const GitSnapshot::Text& file) const;
  // None when that leads nowhere, or by a link that the command could turn later.
  [[nodiscard]] std::optional<std::string> Follow(const std::string& path);
  [[nodiscard]] bool HasEntries(const std::string& directory) const;
  [[nodiscard]] std::optional<std::string> CommonOf(const std::string& git_directory);

  const GitSnapshot& before_;
  const Host& host_;
  PathWalker walker_;
  GitPlaces places_ = {};
  std::unordered_map<std::string, const GitDirectory*> directories_ = {};  // of `places_`
  std::unordered_set<std::string> known_ = {};
  std::unordered_set<std::string> taken_ = {};  // paths of Kind::kTakenUp
  std::vector<std::string> trees_ = {};         // of what is known; sorted
  std::vector<GitChange> changes_ = {};
  std::optional<Result<std::vector<std::string>>> named_ =
      {};  // by the caller's configuration, in every tree
};

void Review::Search(std::string& gap) {
  const std::unordered_set<std::string> skipped(before_.skipped.begin(), before_.skipped.end());
  TreeSearch search(host_, GitPlaces::Wants);
  search.Run(before_.roots, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    places_.Visit(directory, entries);
    const auto apart = [&](const DirectoryEntry& entry) {
      return skipped.contains(JoinPath(directory, entry.name));
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), apart), entries.end());
  });
  for (const GitDirectory& directory : places_.Directories())
    directories_.emplace(directory.path, &directory);
  SearchData(search, skipped);
  gap = search.Gap();
  for (const std::string& closed : search.Closed()) {
    if (gap.empty() &&
        std::find(before_.closed.begin(), before_.closed.end(), closed) == before_.closed.end())
      gap = Quoted(closed) + " cannot be listed";
  }
}

// Nothing there is looked at before a run, so all that is there is new. A directory that holds none and in
// which nothing was made, renamed or removed is what it was: repositories have hundreds of them.
void Review::SearchData(TreeSearch& search, const std::unordered_set<std::string>& skipped) {
  GitPlaces places;
  search.Run(places_.Data(), [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    places.Visit(directory, entries);
    const auto apart = [&](const DirectoryEntry& entry) {
      const std::string path = JoinPath(directory, entry.name);
      return skipped.contains(path) || HasNothingNew(path);
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), apart), entries.end());
  });
  for (const GitPlaces::Named& named : places.All()) {
    const std::string& place = named.path;
    const std::string part = IsNamedGit(place) ? place : JoinPath(place, "HEAD");
    // Branches may be called `objects` and `refs`, none is called HEAD.
    if (!IsTold(place) && !known_.contains(place) && host_.LookAt(part).status) TakeUp(place, part);
  }
}

bool Review::HasNothingNew(const std::string& directory) const {
  constexpr std::uint64_t kSlack = 60'000'000'000;  // somebody may set the clock
  constexpr std::uint64_t kNamesOfALeaf = 2;
  const Lookup lookup = host_.LookAt(directory);
  return lookup.status && lookup.status->object.type == FileType::kDirectory && lookup.status->changed &&
         before_.since && lookup.status->links == kNamesOfALeaf &&
         *lookup.status->changed + kSlack < *before_.since;
}

bool Review::IsInTheWay(const std::string& place) const {
  const std::string tree = WorkTreeOf(place);
  for (std::string_view above = tree;; above = ParentOf(above)) {
    if (std::binary_search(trees_.begin(), trees_.end(), above)) return true;
    if (above == "/") break;
  }
  const std::string below = tree == "/" ? tree : tree + "/";
  const auto next = std::lower_bound(trees_.begin(), trees_.end(), below);
  return next != trees_.end() && next->starts_with(below);
}

const GitDirectory* Review::Found(const std::string& path) const {
  const auto found = directories_.find(path);
  return found == directories_.end() ? nullptr : found->second;
}

void Review::TakeUp(const std::string& place, std::string part) {
  taken_.insert(place);
  changes_.push_back({.kind = GitChange::Kind::kTakenUp, .path = place, .part = std::move(part)});
}

// What stands in a .git that is told of needs no telling. Any other directory may hold anything.
bool Review::IsTold(const std::string& place) const {
  return !changes_.empty() && IsNamedGit(changes_.back().path) && IsAtOrBelow(place, changes_.back().path);
}

bool Review::IsTakenUp(const std::string& git_directory) const {
  if (taken_.contains(git_directory)) return true;
  for (std::string_view above = git_directory; above != "/"; above = ParentOf(above)) {
    if (IsNamedGit(above) && taken_.contains(std::string(above))) return true;
  }
  return false;
}

void Review::Judge(const GitPlaces::Named& named) {
  const std::string& place = named.path;
  const bool told = IsTold(place);
  if (told && changes_.back().kind == GitChange::Kind::kTakenUp) return;
  if (IsInTheWay(place) && (IsArmed(place) || IsArmedByCaller(place))) {
    TakeUp(place, named.part);
  } else if (!told) {
    changes_.push_back({.kind = GitChange::Kind::kNew, .path = place});
  }
}

void Review::JudgeLink(const GitSnapshot::Text& link) {
  const Result<std::string> text = host_.ReadLink(link.path);
  const Lookup lookup = host_.LookAt(link.path);
  if (text && *text == link.text) {
    // Made anew, for instance after another run has found it turned.
    if (StampOf(lookup) != link.stamp)
      changes_.push_back({.kind = GitChange::Kind::kLinkTurned, .path = link.path});
    return;
  }
  const bool there = lookup.status.has_value();
  changes_.push_back({.kind = GitChange::Kind::kLinkTurned,
                      .path = link.path,
                      .part = there ? link.path : "",
                      .text = link.text});
}

// What was put there from outside: the kernel takes the mount away with the old one, and the command could
// write the new one. A new file may get the number of an old one.
void Review::JudgeHeld(const GitSnapshot::Held& held) {
  const Lookup lookup = host_.LookAt(held.path);
  if (!lookup.status || IsTakenUp(held.path)) return;
  const FileStatus& status = *lookup.status;
  const bool written = status.object.type == FileType::kRegular && status.changed && before_.since &&
                       *status.changed > *before_.since;
  if (status.object.inode == held.inode && !written) return;
  const bool placeholder_kind =
      status.mode == kPlaceholderFileMode || status.mode == kPlaceholderDirectoryMode;
  if (held.inode == 0 && placeholder_kind) return;  // another run's
  changes_.push_back({.kind = GitChange::Kind::kReplaced, .path = held.path});
}

void Review::JudgeInstructions(const std::string& place, std::unordered_set<std::string>& looked) {
  const Result<Walked> walked = walker_.Walk(place);
  if (!walked || !walked->status || IsTakenUp(walked->path) || !looked.insert(walked->path).second) return;
  for (GitInstruction& file : FindInstructions(walked->path, host_)) {
    const bool told = !changes_.empty() && changes_.back().path == file.whole;
    if (told ||
        (file.text && WasThere({.path = file.path, .text = std::move(*file.text), .stamp = file.stamp})))
      continue;
    changes_.push_back({.kind = GitChange::Kind::kInstructions, .path = file.whole, .part = file.whole});
  }
}

bool Review::WasThere(const GitSnapshot::Text& file) const {
  return std::find(before_.instructions.begin(), before_.instructions.end(), file) !=
         before_.instructions.end();
}

bool Review::IsArmed(const std::string& place) {
  const Lookup lookup = host_.LookAt(place);
  if (!lookup.status) return false;  // gone again
  if (lookup.status->object.type == FileType::kDirectory) return IsArmedDirectory(place);
  return lookup.status->object.type != FileType::kRegular || IsArmedPointer(place);
}

bool Review::IsArmedByCaller(const std::string& place) {
  if (!named_) named_ = NamedInEveryTree(host_, walker_);
  if (!*named_) return true;
  const Result<std::optional<std::string>> text = ReadGitFile(JoinPath(place, "config"), host_, walker_);
  if (!text) return true;
  std::vector<std::string> trees = {WorkTreeOf(place)};
  for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
    if (!variable.Is("core", "worktree")) continue;
    trees.push_back(variable.value.starts_with('/') ? variable.value : JoinPath(place, variable.value));
  }
  const auto there = [this](const std::string& path) {
    const Lookup lookup = host_.LookAt(path);
    return lookup.status || lookup.failure != LookupFailure::kMissing;
  };
  return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) {
    return std::any_of((*named_)->begin(), (*named_)->end(),
                       [&](const std::string& name) { return there(JoinPath(tree, name)); });
  });
}

bool Review::IsHarmlessFile(const std::string& file) const {
  const Lookup lookup = host_.LookAt(file);
  if (!lookup.status) return lookup.failure == LookupFailure::kMissing;
  // Under another name it could be written later.
  if (lookup.status->object.type != FileType::kRegular || lookup.status->links != 1) return false;
  const Result<std::string> text = host_.ReadFile(file, kMaxGitConfigBytes + 1);
  return text && text->size() <= kMaxGitConfigBytes && IsHarmlessGitConfig(*text);
}

bool Review::HasEntries(const std::string& directory) const {
  const Lookup lookup = host_.LookAt(directory);
  if (!lookup.status) return lookup.failure != LookupFailure::kMissing;
  if (lookup.status->object.type != FileType::kDirectory) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, {});
  return !entries || !entries->empty();
}

bool Review::IsArmedHooks(const std::string& hooks) const {
  const Lookup lookup = host_.LookAt(hooks);
  if (!lookup.status) return lookup.failure != LookupFailure::kMissing;
  if (lookup.status->object.type != FileType::kDirectory) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(hooks, {});
  return !entries || !std::all_of(entries->begin(), entries->end(), [](const DirectoryEntry& entry) {
    return entry.type == FileType::kRegular && entry.name.ends_with(".sample");
  });
}

std::optional<std::string> Review::Follow(const std::string& path) {
  Result<Walked> walked = walker_.Walk(path);
  if (!walked || !walked->status) return std::nullopt;
  for (const LinkMet& met : walked->links) {
    for (const std::string& root : before_.roots) {
      if (IsAtOrBelow(met.link.path, root)) return std::nullopt;
    }
  }
  return std::move(walked->path);
}

std::optional<std::string> Review::CommonOf(const std::string& git_directory) {
  const std::string file = JoinPath(git_directory, "commondir");
  const Lookup lookup = host_.LookAt(file);
  if (lookup.status && lookup.status->object.type == FileType::kSymlink) return std::nullopt;
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  if (!text) return std::nullopt;
  if (!*text) return git_directory;
  const std::string_view path = CommonDirectoryIn(**text);
  return Follow(path.starts_with('/') ? std::string(path) : JoinPath(git_directory, path));
}

bool Review::IsArmedDirectory(const std::string& directory) {
  const std::optional<std::string> common = CommonOf(directory);
  if (!common || !IsHarmlessFile(JoinPath(directory, "config.worktree"))) return true;
  if (*common != directory) return !known_.contains(*common) || IsArmedWay(directory, *common);
  return !IsHarmlessFile(JoinPath(directory, "config")) || IsArmedHooks(JoinPath(directory, "hooks")) ||
         HasEntries(JoinPath(directory, "remotes")) || HasEntries(JoinPath(directory, "branches"));
}

// A configuration that is known means something else in another work tree.
bool Review::RunsRelativePaths(const std::string& git_directory) {
  const Result<std::optional<std::string>> text =
      ReadGitFile(JoinPath(git_directory, "config"), host_, walker_);
  if (!text) return true;
  for (const GitVariable& variable : ReadGitConfig(text->value_or(""))) {
    if (!MayExecute(variable)) continue;
    const bool path = variable.Is("core", "hookspath") || variable.value.find('/') != std::string::npos;
    if (path && !variable.value.starts_with('/') && !variable.value.starts_with("~/")) return true;
  }
  return false;
}

bool Review::IsArmedPointer(const std::string& file) {
  const Result<std::optional<std::string>> text = ReadGitFile(file, host_, walker_);
  const std::string_view path = text && *text ? GitDirectoryIn(**text) : std::string_view{};
  if (path.empty()) return true;
  const std::optional<std::string> git =
      Follow(path.starts_with('/') ? std::string(path) : JoinPath(ParentOf(file), path));
  if (!git) return true;
  // What is new is judged by itself.
  if (!known_.contains(*git)) return Found(*git) == nullptr || IsArmedDirectory(*git);
  const std::optional<std::string> common = CommonOf(*git);
  return !common || IsArmedWay(file, *common) || RunsRelativePaths(*common);
}

// The repository around it runs what it runs anyway. Any other may be one that an earlier run has left.
bool Review::IsArmedWay(const std::string& place, const std::string& common) {
  const bool around = IsNamedGit(common) && IsAtOrBelow(place, ParentOf(common));
  return !around && IsArmedDirectory(common);
}

}  // namespace

std::vector<GitChange> ReviewGit(const GitSnapshot& before, const Host& host, std::string& gap) {
  gap.clear();
  if (before.roots.empty() && before.links.empty() && before.places.empty()) return {};
  std::vector<GitChange> changes = Review(before, host).Run(gap);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const GitChange& left, const GitChange& right) { return left.path < right.path; });
  return changes;
}

}  // namespace mxc
