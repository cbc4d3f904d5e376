#include "policy/protect/git/data.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/lists.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/index.h"
#include "policy/protect/git/lists.h"
#include "policy/protect/git/review_host.h"

namespace mxc {
namespace {

// Whether the entry may be git's: git and its tools write files there under too many names for a list.
bool IsKept(const DirectoryEntry& entry) {
  return entry.type != FileType::kDirectory || IsOneOf(entry.name, kGitDirectories);
}

bool IsRootRef(std::string_view name) { return IsInGitsCapitals(name) && !name.ends_with("MSG"); }

using Kind = GitData::Kind;

// Identifies an index without its content: path, inode, and time of the last change.
std::optional<GitSnapshot::Text> DescribeIndex(const std::string& index, PathWalker& walker) {
  const Result<Walked> walked = walker.Walk(index);
  if (!walked || !walked->status) return std::nullopt;
  return GitSnapshot::Text{.path = index,
                           .text = "file " + std::to_string(walked->status->object.inode),
                           .stamp = walked->status->changed.value_or(0)};
}

class DataSearch {
 public:
  DataSearch(const std::vector<GitDirectory>& directories, const std::unordered_set<std::string>& skipped,
             const Host& host, const GitSnapshot* before)
      : host_(host), walker_(host), skipped_(skipped), before_(before) {
    for (const GitDirectory& directory : directories) tops_.insert(directory.path);
    const std::optional<std::string> named = host.Environment("GIT_INDEX_FILE");
    if (!named || named->empty()) return;
    // A relative path counts from the top of the work tree; without one, from the working directory.
    const std::string here = host.WorkingDirectory();
    const std::optional<std::string> tree = host.Environment("GIT_WORK_TREE");
    callers_git_ = GitDirectoryOfCaller(host);
    for (const std::string& base : {here, WorkTreeOf(callers_git_), Against(here, tree.value_or(""))}) {
      const Result<Walked> walked = walker_.Walk(Against(base, *named));
      if (walked) callers_indexes_.insert(walked->path);
    }
  }

  GitData Run(TreeSearch::Opener open) {
    TreeSearch search(host_, {}, std::move(open));
    search.Run({tops_.begin(), tops_.end()},
               [this](const std::string& directory, std::vector<DirectoryEntry>& entries) {
                 Visit(directory, entries);
               });
    for (const std::string& index : std::exchange(callers_indexes_, {}))
      NoteIndex({.git_directory = callers_git_, .whole = callers_git_}, index);
    found_.closed = search.Unsearched();
    found_.gap = search.Gap();
    if (!found_.crowded.empty())
      found_.gap = Quoted(found_.crowded) + " holds more links, lists and the like than git makes";
    return std::move(found_);
  }

 private:
  struct Place {
    std::string git_directory = {};
    std::string whole = {};  // the git directory of which it is a part, as that of a submodule is
    bool top = false;
    bool log = false;
    bool mixed = false;   // holds other files than git's as well
    bool nested = false;  // among refs or logs
  };

  // Whether `path` is in one of these directories of a git directory.
  [[nodiscard]] bool IsAmong(std::string_view path, std::string_view names) const {
    for (std::string_view above = ParentOf(path); path != "/"; path = above, above = ParentOf(above)) {
      if (tops_.contains(above) && IsOneOf(NameOf(path), names)) return true;
    }
    return false;
  }
  [[nodiscard]] static bool IsBelowNamed(std::string_view path) {
    for (; path != "/"; path = ParentOf(path)) {
      if (IsNamedGit(path)) return true;
    }
    return false;
  }
  // Whether it belongs to a submodule or a work tree, or only looks like a repository among data.
  [[nodiscard]] bool IsPart(std::string_view top) const {
    return IsAmong(top, kGitDirectories) || IsBelowNamed(ParentOf(top));
  }
  [[nodiscard]] std::string_view WholeOf(std::string_view top) const {
    for (std::string_view above = ParentOf(top); above != "/" && IsPart(top); above = ParentOf(above)) {
      if (tops_.contains(above)) top = above;
    }
    return top;
  }
  // Whether `entry` of `directory` is a directory of objects (objects/12, lfs/objects/12/34, or git-annex's)
  // that need not be searched: before a run all of them, after it those that have not changed.
  [[nodiscard]] bool HoldsObjects(const Place& place, const std::string& directory,
                                  const DirectoryEntry& entry) const {
    if (place.nested) return false;  // a branch of that name
    const std::string_view in = std::string_view(directory).substr(place.git_directory.size());
    const bool among =
        in == "/objects" || std::any_of(std::begin(kGitLargeObjects), std::end(kGitLargeObjects),
                                        [in](std::string_view store) { return IsAtOrBelow(in, store); });
    if (!among) return false;
    if (before_ == nullptr) return entry.name.size() == 2;
    return IsUnchangedLeaf(host_.LookAt(JoinPath(directory, entry.name)), *before_) &&
           StandsWhereItStood(directory, place.git_directory);
  }
  // Whether no directory from `directory` up to the git directory has changed: renaming one would replace the
  // contents below without changing their times.
  [[nodiscard]] bool StandsWhereItStood(std::string_view directory, std::string_view git_directory) const {
    for (; directory.size() > git_directory.size(); directory = ParentOf(directory)) {
      if (!IsUnchanged(host_.LookAt(std::string(directory)), *before_)) return false;
    }
    return true;
  }
  [[nodiscard]] Place PlaceOf(const std::string& directory) const {
    std::string_view top = directory;
    while (top != "/" && !tops_.contains(top)) top = ParentOf(top);
    const bool is_top = top == directory;
    return {.git_directory = std::string(top),
            .whole = std::string(WholeOf(top)),
            .top = is_top,
            .log = IsAmong(directory, kGitLogs),
            .mixed = is_top && !IsNamedGit(directory) && !IsPart(directory),
            .nested = IsAmong(directory, kGitLogs) || IsAmong(directory, kGitRefs)};
  }

  // Other files than git's, and hooks, which git only reads.
  [[nodiscard]] static bool IsPassedOver(const Place& place, std::string_view directory,
                                         const DirectoryEntry& entry) {
    return (place.mixed && !IsKept(entry)) ||
           ((place.mixed || IsNamedGit(directory)) && entry.name == "hooks");
  }

  void Visit(const std::string& directory, std::vector<DirectoryEntry>& entries) {
    std::vector<DirectoryEntry> further;
    if (!found_.crowded.empty()) return entries.swap(further);
    const Place place = PlaceOf(directory);
    for (DirectoryEntry& entry : entries) {
      const std::string path = JoinPath(directory, entry.name);
      if (IsPassedOver(place, directory, entry) || skipped_.contains(path)) continue;
      NoteList(place, path, entry.type);
      if (entry.type == FileType::kDirectory) {
        if (!tops_.contains(path) && !HoldsObjects(place, directory, entry))
          further.push_back(std::move(entry));
        continue;
      }
      if (entry.type == FileType::kRegular) NoteRegular(place, path, entry.name);
      if (entry.type != FileType::kRegular && entry.type != FileType::kSocket)
        NotePassage(place, path, entry.type);
      if (place.top && (IsOneOf(entry.name, kGitIndexes) || IsUsedLock(path, entry.name)))
        NoteIndex(place, path);
    }
    entries = std::move(further);
  }

  // `git commit` calls hooks and the editor while its new index is still named as a lock. git never uses a
  // lock that did not exist before the run.
  [[nodiscard]] bool IsUsedLock(const std::string& path, std::string_view name) const {
    if (!IsOneOf(name, kGitNextIndexes)) return false;
    return before_ == nullptr ||
           std::any_of(before_->indexes.begin(), before_->indexes.end(),
                       [&](const GitSnapshot::Text& index) { return index.path == path; });
  }

  void NoteRegular(const Place& place, const std::string& path, std::string_view name) {
    if ((place.top && !IsOneOf(name, kGitReplaced)) || place.log) NoteFile(place, path);
    // git renames a ref's lock to the ref when the hook that it has called ends.
    const bool is_ref = IsAmong(path, kGitRefs) || (place.top && IsRootRef(WithoutGitLock(name)));
    if (is_ref && before_ != nullptr && !LeadsToRefs(path, host_)) Add(Kind::kRef, place, {.path = path});
  }

  void NoteFile(const Place& place, const std::string& path) {
    const Lookup lookup = host_.LookAt(path);
    if (!lookup.status || lookup.status->links == 1) return;
    const std::string text = "file " + std::to_string(lookup.status->object.inode);
    Add(Kind::kPassage, place, {.path = path, .text = text});
  }
  void NotePassage(const Place& place, const std::string& path, FileType type) {
    std::string text = "no file";
    if (type == FileType::kSymlink) {
      const Result<std::string> link = host_.ReadLink(path);
      const Result<Walked> walked = walker_.Walk(path);
      text = "link " + (link ? *link : "") + "\n" + (walked ? walked->path : "");
    }
    Add(Kind::kPassage, place, {.path = path, .text = std::move(text), .stamp = StampOf(host_.LookAt(path))});
  }
  void NoteIndex(const Place& place, const std::string& path) {
    callers_indexes_.erase(path);
    if (std::optional<GitSnapshot::Text> index = DescribeIndex(path, walker_))
      Add(Kind::kIndex, place, std::move(*index));
  }
  // A part of a git directory may look like one itself.
  void NoteList(const Place& place, const std::string& path, FileType type) {
    if (type != FileType::kDirectory && type != FileType::kRegular) return;
    const std::string_view directory = ParentOf(path);
    constexpr int kDepth = 3;
    std::string_view top = directory;
    for (int i = 0; i <= kDepth && top != "/"; ++i, top = ParentOf(top)) {
      if (tops_.contains(top) && IsGitList(directory.substr(top.size()), NameOf(path)))
        return Add(Kind::kList, place, DescribeGitList(path, host_));
    }
  }
  // Bounded, because the command chooses the number of files and the length of their names.
  void Add(Kind kind, const Place& place, GitSnapshot::Text file) {
    bytes_ += sizeof(GitData::Found) + place.git_directory.size() + place.whole.size() + file.path.size() +
              file.text.size();
    if (bytes_ > kMaxGitDataBytes && found_.crowded.empty()) found_.crowded = place.whole;
    if (found_.crowded.empty())
      found_.found.push_back({.kind = kind,
                              .git_directory = place.git_directory,
                              .whole = place.whole,
                              .file = std::move(file)});
  }

  const Host& host_;
  PathWalker walker_;
  const std::unordered_set<std::string>& skipped_;
  const GitSnapshot* before_;  // nullptr: before the run
  std::unordered_set<std::string, PathHash, std::equal_to<>> tops_ = {};
  std::set<std::string> callers_indexes_ = {};  // not noted yet
  std::string callers_git_ = {};                // set if GIT_INDEX_FILE is
  GitData found_ = {};
  std::size_t bytes_ = 0;  // of `found_`
};

// Absent if its configuration cannot be read.
std::optional<std::size_t> HashBytesOf(const std::string& git_directory, const Host& host) {
  PathWalker walker(host);
  const Result<std::optional<std::string>> common =
      ReadGitFile(JoinPath(git_directory, "commondir"), host, walker);
  if (!common) return std::nullopt;
  const std::string directory = *common ? Against(git_directory, CommonDirectoryIn(**common)) : git_directory;
  const auto variables = ReadGitConfigFile(JoinPath(directory, "config"), host, walker);
  if (!variables) return std::nullopt;
  constexpr std::size_t kSha1 = 20;
  constexpr std::size_t kSha256 = 32;
  std::size_t bytes = kSha1;
  for (const GitVariable& variable : *variables) {
    if (variable.Is("extensions", "objectformat")) bytes = variable.value == "sha256" ? kSha256 : kSha1;
  }
  return bytes;
}

// Whether it lists only files of a work tree. `parts` gets the parts of repositories that it lists.
bool IsTrustworthyIndexFile(const std::string& index, const std::string& git_directory, const Host& host,
                            GitPartsInIndex& parts) {
  const std::optional<std::size_t> hash_bytes = HashBytesOf(git_directory, host);
  if (!hash_bytes) return false;
  const Result<std::string> bytes = host.ReadFile(index, kMaxGitIndexBytes + 1);
  if (!bytes || bytes->size() > kMaxGitIndexBytes) return false;
  const bool shared = NameOf(index).starts_with("sharedindex.");
  return IsTrustworthyIndex(*bytes, {.hash_bytes = *hash_bytes, .shared = shared},
                            [&parts](std::string_view path, std::uint32_t mode) { parts.Note(path, mode); });
}

// Whether the command could write to it, or to a part of it.
bool IsReached(const GitSnapshot& before, const Reach& reach, const std::string& git_directory) {
  return reach.Holds(git_directory) ||
         std::any_of(before.roots.begin(), before.roots.end(),
                     [&](const std::string& root) { return IsAtOrBelow(root, git_directory); });
}

// Timestamps are coarse: a write right after the check may leave the same one.
bool IsSameIndex(const GitSnapshot& before, const GitSnapshot::Text& index) {
  constexpr std::uint64_t kGrain = 2'000'000'000;
  return index.stamp != 0 && before.since && index.stamp + kGrain < *before.since &&
         Contains(before.indexes, index);
}

// ReadFile replaces a file that is open for writing by a copy; earlier writes then show in the time.
bool StaysUnchanged(const GitSnapshot& before, const GitSnapshot::Text& index, const Host& host) {
  if (!IsSameIndex(before, index)) return false;
  if (!host.MayAccess(index.path, Access::kReadOnly)) return true;  // git on the host cannot read it either
  if (!host.ReadFile(index.path, 1)) return false;
  PathWalker walker(host);
  const std::optional<GitSnapshot::Text> now = DescribeIndex(index.path, walker);
  return now && IsSameIndex(before, *now);
}

// Finds the repositories that a checkout of changed indexes would create.
class StagedRepositories {
 public:
  StagedRepositories(const std::vector<GitDirectory>& directories, const Host& host, GitListJudge& lists)
      : host_(host), lists_(lists) {
    for (const GitDirectory& directory : directories) there_.insert(directory.path);
  }

  // False: it is not trustworthy.
  bool Read(const GitData::Found& index) {
    GitPartsInIndex parts;
    if (!IsTrustworthyIndexFile(index.file.path, index.git_directory, host_, parts)) return false;
    changed_[index.git_directory].Add(parts);
    read_.insert(index.file.path);
    return true;
  }
  // Also reads an unchanged index of a git directory with a changed one: it may be the base of that split
  // index.
  void ReadRest(const GitData::Found& index) {
    if (index.kind != Kind::kIndex || !changed_.contains(index.git_directory)) return;
    if (!read_.contains(index.file.path)) Read(index);
  }
  // Their paths; without a work tree, that of the index.
  [[nodiscard]] std::vector<std::string> Find() {
    std::vector<std::string> found;
    for (const auto& [git_directory, index] : changed_) {
      const std::vector<std::string> trees = lists_.WorkTreesOf(git_directory);
      for (const std::string& tree : trees) Find(tree, index, found);
      const bool any = std::any_of(index.Directories().begin(), index.Directories().end(),
                                   [](const auto& each) { return each.second.MakeRepository(); });
      if (index.Crowded() || (trees.empty() && any)) found.push_back(JoinPath(git_directory, "index"));
    }
    return found;
  }

 private:
  // The missing parts of a repository may already exist in the work tree.
  void Find(const std::string& tree, const GitPartsInIndex& index, std::vector<std::string>& found) const {
    for (const auto& [directory, listed] : index.Directories()) {
      const std::string path = directory.empty() ? tree : JoinPath(tree, directory);
      if (there_.contains(path)) continue;  // it is reviewed as a repository
      GitParts parts = listed;
      parts.Add({.head = IsThere(path, "HEAD"),
                 .objects = IsThere(path, "objects"),
                 .refs = IsThere(path, "refs"),
                 .common_directory = IsThere(path, "commondir")});
      if (parts.MakeRepository()) found.push_back(path);
    }
  }
  [[nodiscard]] bool IsThere(const std::string& directory, std::string_view name) const {
    return MayBeThere(host_.LookAt(JoinPath(directory, name)));
  }

  const Host& host_;
  GitListJudge& lists_;
  std::unordered_set<std::string> there_ = {};           // repositories
  std::map<std::string, GitPartsInIndex> changed_ = {};  // by git directory
  std::unordered_set<std::string> read_ = {};
};

// Whether it is unchanged, or harmless to git.
bool IsTrusted(const GitData::Found& found, const GitSnapshot& before, const Host& host, GitListJudge& lists,
               StagedRepositories& staged) {
  switch (found.kind) {
    case Kind::kPassage:
      return Contains(before.passages, found.file);
    case Kind::kIndex:
      return StaysUnchanged(before, found.file, host) || staged.Read(found);
    case Kind::kList:
      return lists.IsTrustworthy(found.file);
    case Kind::kRef:
      break;
  }
  return false;
}

GitChange::Kind ChangeOf(Kind kind) {
  if (kind == Kind::kPassage) return GitChange::Kind::kPassage;
  return kind == Kind::kIndex ? GitChange::Kind::kIndex : GitChange::Kind::kList;
}

}  // namespace

GitData FindGitData(const std::vector<GitDirectory>& directories,
                    const std::unordered_set<std::string>& skipped, const Host& host,
                    const GitSnapshot* before, TreeSearch::Opener open) {
  return DataSearch(directories, skipped, host, before).Run(std::move(open));
}

bool IsUnchanged(const Lookup& directory, const GitSnapshot& before) {
  constexpr std::uint64_t kSlack = 60'000'000'000;  // margin for changes of the clock
  return directory.Is(FileType::kDirectory) && directory.status->changed && before.since &&
         *directory.status->changed + kSlack < *before.since;
}

bool IsUnchangedLeaf(const Lookup& directory, const GitSnapshot& before) {
  constexpr std::uint64_t kNamesOfALeaf = 2;
  return IsUnchanged(directory, before) && directory.status->links == kNamesOfALeaf;
}

GitDataReview ReviewGitData(const GitSnapshot& before, std::vector<GitDirectory> directories,
                            const Host& host, TreeSearch::Opener open) {
  const Reach reach(before);
  std::erase_if(directories,
                [&](const GitDirectory& directory) { return !IsReached(before, reach, directory.path); });
  std::unordered_set<std::string> skipped(before.skipped.begin(), before.skipped.end());
  for (const std::string& root : before.roots) skipped.erase(root);
  std::unordered_set<std::string> told;
  for (const GitSnapshot::Text& link : before.links) told.insert(link.path);  // reviewed as links
  GitData data = FindGitData(directories, skipped, host, &before, std::move(open));
  GitDataReview review{.closed = std::move(data.closed), .gap = std::move(data.gap)};
  std::stable_sort(
      data.found.begin(), data.found.end(),
      [](const GitData::Found& left, const GitData::Found& right) { return left.kind < right.kind; });
  GitListJudge lists(before, directories, host);
  StagedRepositories staged(directories, host, lists);
  for (const GitData::Found& found : data.found) {
    const std::string& path = found.file.path;
    if (told.contains(path) || IsTrusted(found, before, host, lists, staged) || !reach.Holds(path)) continue;
    told.insert(path);
    review.changes.push_back({.kind = ChangeOf(found.kind), .path = path, .part = path, .into = found.whole});
  }
  for (const GitData::Found& found : data.found) staged.ReadRest(found);
  for (std::string& path : staged.Find())
    review.changes.push_back({.kind = GitChange::Kind::kStaged, .path = std::move(path)});
  // A granted directory itself cannot be renamed.
  if (!data.crowded.empty() && reach.Holds(ParentOf(data.crowded))) review.crowded = std::move(data.crowded);
  return review;
}

}  // namespace mxc
