#include "policy/protect/git_review.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "policy/paths/paths.h"
#include "policy/paths/placeholders.h"
#include "policy/paths/search.h"
#include "policy/protect/found_by_name.h"
#include "policy/protect/git/data.h"
#include "policy/protect/git/instructions.h"
#include "policy/protect/git/listed_directories.h"
#include "policy/protect/git/places.h"
#include "policy/protect/git/review_host.h"
#include "policy/protect/git_judge.h"

namespace mxc {
namespace {

class Review {
 public:
  Review(const GitSnapshot& before, const Host& host, const TreeSearch::Opener& open)
      : before_(before),
        host_(host),
        open_(open),
        walker_(host),
        reach_(before),
        judge_(host, walker_, before.roots, known_, directories_) {
    for (const GitSnapshot::Place& place : before.places) {
      trees_.push_back(WorkTreeOf(place.path));
      const Lookup lookup = host.LookAt(place.part);
      if (!lookup.status || place.inode == 0 || lookup.status->object.inode == place.inode)
        known_.insert(place.path);
    }
    for (const GitSnapshot::Text& link : before.links) known_.insert(link.path);  // reviewed as links
    std::sort(trees_.begin(), trees_.end());
  }

  // If a command leaves more than fits in memory, reports what was found until then.
  std::vector<GitChange> Run(std::string& gap) {
    try {
      Look(gap);
    } catch (const std::bad_alloc&) {
      gap = "there was not enough memory";
    }
    return std::move(changes_);
  }

 private:
  void Look(std::string& gap) {
    Search(gap);
    for (const GitPlaces::Named& place : places_.All()) {
      if (!known_.contains(place.path)) {
        Judge(place);
      } else if (IsUncovered(place.path) && judge_.IsArmed(place.path)) {
        TakeUp(place.path, place.part);
      } else if (!IsOtherPlace(place.path) && IsYoung(place.path) && judge_.IsArmed(place.path)) {
        changes_.push_back({.kind = GitChange::Kind::kYoung, .path = place.path});
      }
    }
    for (const GitSnapshot::Text& link : before_.links) JudgeLink(link);
    for (const GitSnapshot::Held& held : before_.held) JudgeHeld(held);
    std::unordered_set<std::string> looked;
    for (const GitDirectory& directory : places_.Directories()) JudgeInstructions(directory.path, looked);
    for (const GitSnapshot::Place& place : before_.places) {
      if (!IsOtherPlace(place.path)) JudgeInstructions(place.path, looked);
    }
    JudgeData(gap);
    JudgeClosed();
    changes_.insert(changes_.end(), listed_.begin(), listed_.end());
    const std::vector<GitChange> found = ReviewFoundByName(before_, host_, StrayHooks());
    std::copy_if(found.begin(), found.end(), std::back_inserter(changes_),
                 [this](const GitChange& change) { return !IsSetAside(change.path); });
    const auto is_anothers = [this](const GitChange& change) {
      constexpr GitChange::Kind kMade[] = {GitChange::Kind::kNew, GitChange::Kind::kTakenUp,
                                           GitChange::Kind::kInstructions, GitChange::Kind::kIndex,
                                           GitChange::Kind::kList};
      const bool made = std::find(std::begin(kMade), std::end(kMade), change.kind) != std::end(kMade);
      return made && IsOfAnotherRun(change.path);
    };
    const auto is_none_of_ours = [&](const GitChange& change) {
      return !IsWithinReach(change) || is_anothers(change);
    };
    std::erase_if(changes_, is_none_of_ours);
  }
  void Search(std::string& gap);
  // Only for directories in the grants that the command has closed.
  bool Open(const std::string& directory);
  void OpenForRootsCommands(const std::string& directory);
  [[nodiscard]] TreeSearch::Opener Opener() {
    return [this](const std::string& directory) { return Open(directory); };
  }
  void SearchData(TreeSearch& search, const std::unordered_set<std::string>& skipped);
  [[nodiscard]] bool IsAsListed(const GitSnapshot::Listed& listed) const;
  void Judge(const GitPlaces::Named& named);
  // Whether it is at the top of a work tree, where git now finds it because `.git` is no longer a repository.
  [[nodiscard]] bool IsUncovered(const std::string& place) const;
  [[nodiscard]] bool IsYoung(const std::string& place) const;
  void TakeUp(const std::string& place, std::string part);
  [[nodiscard]] bool IsReported(const std::string& place) const;
  // Whether a reported kTakenUp change covers it, which will be renamed or made unusable.
  [[nodiscard]] bool IsTakenUp(const std::string& git_directory) const;
  [[nodiscard]] std::string InTheWayTo(const std::string& link) const;
  void JudgeLink(const GitSnapshot::Text& link);
  void JudgeHeld(const GitSnapshot::Held& held);
  void JudgeInstructions(const std::string& place, std::unordered_set<std::string>& looked);
  void JudgeData(std::string& gap);
  void TakeAsAWhole(const std::string& crowded);
  [[nodiscard]] bool IsOfAnotherRun(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> StrayHooks() const;
  // Whether it, or a directory above it, will be renamed.
  [[nodiscard]] bool IsSetAside(const std::string& path) const;
  // Whether the command can have made the change; changes of others are left alone.
  [[nodiscard]] bool IsWithinReach(const GitChange& change) const;
  void JudgeClosed();
  // Whether `place` is in an existing repository, or above one, where git finds it.
  [[nodiscard]] bool IsInTheWay(const std::string& place) const;

  const GitSnapshot& before_;
  const Host& host_;
  const TreeSearch::Opener& open_;
  const bool root_ = host_.Caller().IsRoot();
  PathWalker walker_;
  Reach reach_;
  GitPlaces places_ = {};
  std::unordered_set<std::string> directories_ = {};  // of `places_`
  std::unordered_set<std::string> known_ = {};
  std::unordered_set<std::string> taken_ = {};  // paths of Kind::kTakenUp
  std::vector<std::string> trees_ = {};         // of known repositories; sorted
  std::vector<GitChange> changes_ = {};
  std::vector<GitChange> listed_ = {};
  std::unordered_set<std::string> aside_ = {};  // parts of changes
  std::vector<std::string> closed_ = {};        // directories that cannot be searched
  GitJudge judge_;
};

// Skips a directory that was listed before the run, contained no name of git's and has not changed; its
// earlier subdirectories are searched in turn. Links are not followed.
void Review::Search(std::string& gap) {
  const std::unordered_set<std::string> skipped(before_.skipped.begin(), before_.skipped.end());
  const ListedDirectories listed(before_.listed.get(),
                                 [this](const GitSnapshot::Listed& each) { return IsAsListed(each); });
  TreeSearch search(host_, GitPlaces::Wants, Opener());
  search.AsTheCommand(before_.roots);
  std::vector<std::string> pending = before_.roots;
  while (!pending.empty()) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    if (listed.IsAsListed(next)) {
      listed.AddChildren(next, pending);
      continue;
    }
    search.Run({next}, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
      places_.Visit(directory, entries, host_);
      if (root_) OpenForRootsCommands(directory);
      const auto apart = [&](const DirectoryEntry& entry) {
        const std::string path = JoinPath(directory, entry.name);
        const bool turn = entry.type == FileType::kDirectory && listed.Contains(path);
        if (skipped.contains(path)) return true;
        if (turn) pending.push_back(path);
        return turn;
      };
      std::erase_if(entries, apart);
    });
  }
  for (const GitDirectory& directory : places_.Directories()) directories_.insert(directory.path);
  SearchData(search, skipped);
  gap = search.Gap();
  closed_ = search.Unsearched();
}

// git's data is not searched before a run, so every repository found there counts as new. Skips unchanged
// directories without subdirectories, of which repositories have hundreds.
void Review::SearchData(TreeSearch& search, const std::unordered_set<std::string>& skipped) {
  GitPlaces places;
  search.Run(places_.Data(), [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    places.Visit(directory, entries, host_);
    const auto apart = [&](const DirectoryEntry& entry) {
      const std::string path = JoinPath(directory, entry.name);
      return skipped.contains(path) || IsUnchangedLeaf(host_.LookAt(path), before_);
    };
    std::erase_if(entries, apart);
  });
  for (const GitPlaces::Named& named : places.All()) {
    const std::string& place = named.path;
    const std::string part = IsNamedGit(place) ? place : JoinPath(place, "HEAD");
    // Branches may be named `objects` and `refs`, but not HEAD.
    if (!IsReported(place) && !known_.contains(place) && host_.LookAt(part).status) TakeUp(place, part);
  }
}

bool Review::IsAsListed(const GitSnapshot::Listed& listed) const {
  if (listed.inode == 0) return false;
  const Lookup lookup = host_.LookAt(listed.path);
  return IsUnchanged(lookup, before_) && lookup.status->object.inode == listed.inode;
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

void Review::TakeUp(const std::string& place, std::string part) {
  taken_.insert(place);
  changes_.push_back({.kind = GitChange::Kind::kTakenUp, .path = place, .part = std::move(part)});
}

// Whether `place` is in a `.git` that is already reported. Other directories do not count, because they may
// contain anything.
bool Review::IsReported(const std::string& place) const {
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
  const bool told = IsReported(place);
  if (told && changes_.back().kind == GitChange::Kind::kTakenUp) return;
  const bool other = IsOtherPlace(place);
  if (!other && IsInTheWay(place) && judge_.IsArmed(place)) {
    TakeUp(place, named.part);
  } else if (!told && !IsPlaceholder(host_, place, host_.LookAt(place))) {
    changes_.push_back({.kind = GitChange::Kind::kNew, .path = place});
    if (other) return;
    for (std::string& file : judge_.FilesOfWords(place))
      changes_.push_back({.kind = GitChange::Kind::kFoundByName, .path = std::move(file)});
  }
}

bool Review::IsUncovered(const std::string& place) const {
  const std::string above = JoinPath(place, ".git");
  return !IsNamedGit(place) && known_.contains(above) && !IsGitDirectory(above, host_);
}

// Whether files that git executes or obeys there were created or changed since another run began, whose
// command may have done it: it cannot set these times. That run may have ended before this was a repository.
bool Review::IsYoung(const std::string& place) const {
  const auto is_young = [this](const std::string& path) {
    const Lookup lookup = host_.LookAt(path);
    return StampOf(lookup) >= *before_.others_since && !IsPlaceholder(host_, path, lookup);
  };
  if (!before_.others_since) return false;
  const Lookup lookup = host_.LookAt(place);
  if (lookup.status && !lookup.Is(FileType::kDirectory)) return is_young(place);
  const std::string hooks = JoinPath(place, "hooks");
  const std::string parts[] = {JoinPath(place, "config"), JoinPath(place, "config.worktree"),
                               JoinPath(place, "commondir"), hooks};
  if (std::any_of(std::begin(parts), std::end(parts), is_young)) return true;
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(hooks, {});
  return entries && std::any_of(entries->begin(), entries->end(), [&](const DirectoryEntry& entry) {
           return is_young(JoinPath(hooks, entry.name));
         });
}

// The object on the way to a protected link that is now no directory: the command has replaced the directory.
std::string Review::InTheWayTo(const std::string& link) const {
  std::string found;
  for (std::string_view above = ParentOf(link); above != "/"; above = ParentOf(above)) {
    const Lookup lookup = host_.LookAt(std::string(above));
    if (lookup.status && !lookup.Is(FileType::kDirectory)) found = above;
  }
  return found;
}

void Review::JudgeLink(const GitSnapshot::Text& link) {
  if (const std::string way = InTheWayTo(link.path); !way.empty()) {
    if (aside_.insert(way).second)
      changes_.push_back({.kind = GitChange::Kind::kLinkTurned, .path = way, .part = way});
    changes_.push_back({.kind = GitChange::Kind::kLinkTurned, .path = link.path, .text = link.text});
    return;
  }
  const Result<std::string> text = host_.ReadLink(link.path);
  const Lookup lookup = host_.LookAt(link.path);
  if (text && *text == link.text) {
    // Recreated, for instance after another run found it changed.
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

// Reports a held path that was replaced from outside: the kernel detaches the mount with the old file, and
// the command could write the new one. A new file may reuse the inode of the old one.
void Review::JudgeHeld(const GitSnapshot::Held& held) {
  const Lookup lookup = host_.LookAt(held.path);
  if (!lookup.status || IsTakenUp(held.path)) return;
  const FileStatus& status = *lookup.status;
  const bool written = status.object.type == FileType::kRegular && status.changed && before_.since &&
                       *status.changed > *before_.since;
  if (status.object.inode == held.inode && !written) return;
  if (held.inode == 0 && IsPlaceholder(host_, held.path, lookup)) return;  // another run's
  changes_.push_back({.kind = GitChange::Kind::kReplaced, .path = held.path});
}

void Review::JudgeInstructions(const std::string& place, std::unordered_set<std::string>& looked) {
  const Result<Walked> walked = walker_.Walk(place);
  if (!walked || !walked->status || IsTakenUp(walked->path) || !looked.insert(walked->path).second) return;
  for (GitInstruction& file : FindInstructions(walked->path, host_)) {
    // If only a file in it is granted, that file.
    const std::string& part = reach_.Holds(file.whole) ? file.whole : file.path;
    const bool told = !changes_.empty() && changes_.back().path == part;
    const bool was_there =
        file.text && Contains(before_.instructions,
                              {.path = file.path, .text = std::move(*file.text), .stamp = file.stamp});
    if (told || was_there) continue;
    changes_.push_back({.kind = GitChange::Kind::kInstructions, .path = part, .part = part});
  }
}

void Review::JudgeData(std::string& gap) {
  std::vector<GitDirectory> directories = places_.Directories();
  for (const std::string& known : before_.directories) directories.push_back({.path = known});
  GitDataReview data = ReviewGitData(before_, directories, host_, Opener());
  std::unordered_map<std::string, GitChange*> parts;
  for (GitChange& change : changes_) {
    aside_.insert(change.part);
    parts.emplace(change.part, &change);
  }
  std::vector<GitChange> found;
  for (GitChange& change : data.changes) {
    const auto part = parts.find(change.path);
    if (part != parts.end()) {
      part->second->into = change.into;  // a renamed link has the same effect in its old directory
    } else if (!IsSetAside(change.path)) {
      found.push_back(std::move(change));
    }
  }
  for (const GitChange& change : found) {
    if (IsWithinReach(change)) aside_.insert(change.part);
  }
  changes_.insert(changes_.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  if (!data.crowded.empty()) TakeAsAWhole(data.crowded);
  closed_.insert(closed_.end(), data.closed.begin(), data.closed.end());
  if (gap.empty()) gap = std::move(data.gap);
}

// Whether it is another run's placeholder, which git ignores and that run removes. Checked again after
// reading: a file that is open for writing is replaced by a copy without that mode.
bool Review::IsOfAnotherRun(const std::string& path) const {
  const auto stands_for_nothing = [&] {
    const Lookup lookup = host_.LookAt(path);
    return lookup.Is(FileType::kRegular) && IsPlaceholder(host_, path, lookup);
  };
  return stands_for_nothing() && host_.ReadFile(path, 1) && stands_for_nothing();
}

// Omits those in a reported work tree.
std::vector<std::string> Review::StrayHooks() const {
  std::unordered_set<std::string> told;
  for (const GitChange& change : changes_) {
    const bool whole = change.kind == GitChange::Kind::kNew || change.kind == GitChange::Kind::kTakenUp;
    if (whole && IsNamedGit(change.path)) told.insert(WorkTreeOf(change.path));
  }
  std::vector<std::string> stray = places_.StrayHooks();
  std::erase_if(stray, [&](const std::string& hooks) {
    for (std::string_view above = hooks; above != "/"; above = ParentOf(above)) {
      if (told.contains(std::string(above))) return true;
    }
    return false;
  });
  return stray;
}

void Review::TakeAsAWhole(const std::string& crowded) {
  const auto is_in = [&](const GitChange& change) { return IsAtOrBelow(change.path, crowded); };
  std::erase_if(changes_, is_in);
  changes_.push_back({.kind = GitChange::Kind::kPassage, .path = crowded, .part = crowded});
  aside_.insert(crowded);
}

bool Review::IsSetAside(const std::string& path) const {
  for (std::string_view above = path; above != "/"; above = ParentOf(above)) {
    if (aside_.contains(std::string(above))) return true;
  }
  return false;
}

bool Review::Open(const std::string& directory) {
  if (!open_ || Contains(before_.closed, directory) || !IsIn(directory, before_.roots) ||
      !reach_.Holds(directory) || !open_(directory))
    return false;
  listed_.push_back({.kind = GitChange::Kind::kListed, .path = directory});
  return true;
}

// Root can list a directory regardless of its mode, but root's commands lack that capability: later ones
// could not start there.
void Review::OpenForRootsCommands(const std::string& directory) {
  constexpr std::uint32_t kList = 0500;
  const Lookup lookup = host_.LookAt(directory);
  if (!lookup.status || (lookup.status->mode & kList) == kList) return;
  const bool before = lookup.status->changed && before_.since && *lookup.status->changed < *before_.since;
  if (!before) Open(directory);
}

// git can enter known names, such as `.git` or those of the index, without listing. A grant itself cannot be
// renamed, because its parent is not granted.
void Review::JudgeClosed() {
  std::unordered_set<std::string> known(before_.closed.begin(), before_.closed.end());
  for (const std::string& closed : closed_) {
    if (!known.insert(closed).second || IsSetAside(closed)) continue;
    const bool entered = !Contains(before_.roots, closed) && host_.MayExecute(closed) && IsInTheWay(closed);
    changes_.push_back(
        {.kind = GitChange::Kind::kUnlisted, .path = closed, .part = entered ? closed : std::string()});
  }
}

bool Review::IsWithinReach(const GitChange& change) const {
  const bool told_alone = change.kind == GitChange::Kind::kFoundByName ||
                          change.kind == GitChange::Kind::kReplaced ||
                          change.kind == GitChange::Kind::kStaged;
  const bool is_link = std::any_of(before_.links.begin(), before_.links.end(),
                                   [&](const GitSnapshot::Text& link) { return link.path == change.path; });
  return told_alone || is_link || reach_.Holds(change.part.empty() ? change.path : change.part);
}

}  // namespace

std::vector<GitChange> ReviewGit(const GitSnapshot& before, const Host& host, std::string& gap,
                                 const TreeSearch::Opener& open) {
  gap.clear();
  const bool nothing = before.roots.empty() && before.links.empty() && before.places.empty();
  if (nothing && before.searched.empty() && before.named.empty() && before.patterns.empty() &&
      before.compared.empty())
    return {};
  std::vector<GitChange> changes = Review(before, host, open).Run(gap);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const GitChange& left, const GitChange& right) { return left.path < right.path; });
  return changes;
}

}  // namespace mxc
