#include "policy/protect/git_data.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/protect/git_config.h"
#include "policy/protect/git_index.h"
#include "policy/protect/git_lists.h"

namespace mxc {
namespace {

// Directories that git keeps in a git directory. Where that is not called `.git`, others may stand there:
// work trees, most often.
constexpr std::string_view kDirectories[] = {
    "annex",    "branches", "fsmonitor--daemon", "info", "lfs",          "logs",
    "modules",  "objects",  "lost-found",        "refs", "rebase-apply", "rebase-merge",
    "reftable", "remotes",  "rr-cache",          "svn",  "sequencer",    "worktrees"};

// Written anew and renamed, never in place: further names of theirs stay what they are.
constexpr std::string_view kRenamed[] = {"HEAD",      "ORIG_HEAD",  "config", "config.worktree",
                                         "commondir", "gitdir",     "index",  "packed-refs",
                                         "shallow",   "description"};

// Git and its tools write files there under more names than a list could hold.
bool IsKept(const DirectoryEntry& entry) {
  return entry.type != FileType::kDirectory || IsOneOf(entry.name, kDirectories);
}

// In these a directory is named by whoever names a branch, and may look like a git directory.
constexpr std::string_view kNested[] = {"logs", "refs"};
constexpr std::string_view kLogs[] = {"logs"};
constexpr std::string_view kRefs[] = {"refs"};

// As git spells refs outside of refs/: HEAD, ORIG_HEAD, AUTO_MERGE. What ends with MSG is a message.
bool IsRootRef(std::string_view name) {
  const bool spelled = std::all_of(name.begin(), name.end(),
                                   [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
  return spelled && !name.ends_with("MSG");
}

// Of git-lfs and git-annex, which follow links: what such a link leads to is copied into work trees.
constexpr std::string_view kLargeObjects[] = {"/lfs/objects", "/annex/objects"};

bool IsIndex(std::string_view name) { return name == "index" || name.starts_with("sharedindex."); }

class DataSearch {
 public:
  DataSearch(const std::vector<GitDirectory>& directories, const std::unordered_set<std::string>& skipped,
             const Host& host, const GitSnapshot* before)
      : host_(host), walker_(host), skipped_(skipped), before_(before) {
    for (const GitDirectory& directory : directories) tops_.insert(directory.path);
  }

  GitData Run(TreeSearch::Opener open) {
    TreeSearch search(host_, {}, std::move(open));
    search.Run({tops_.begin(), tops_.end()},
               [this](const std::string& directory, std::vector<DirectoryEntry>& entries) {
                 Visit(directory, entries);
               });
    found_.closed = search.Closed();
    found_.gap = search.Gap();
    if (!found_.crowded.empty())
      found_.gap = Quoted(found_.crowded) + " holds more links, lists and the like than git makes";
    return std::move(found_);
  }

 private:
  struct Place {
    std::string git_directory = {};
    std::string whole = {};  // the one of which that is a part: of a submodule, for instance
    bool top = false;
    bool log = false;
    bool mixed = false;   // with what is not git's
    bool nested = false;  // among refs or logs
  };

  // `path` stands in one of these directories of a git directory.
  template <std::size_t N>
  [[nodiscard]] bool IsAmong(std::string_view path, const std::string_view (&names)[N]) const {
    for (std::string_view above = ParentOf(path); path != "/"; path = above, above = ParentOf(above)) {
      if (IsOneOf(NameOf(path), names) && tops_.contains(std::string(above))) return true;
    }
    return false;
  }
  [[nodiscard]] static bool IsBelowNamed(std::string_view path) {
    for (; path != "/"; path = ParentOf(path)) {
      if (IsNamedGit(path)) return true;
    }
    return false;
  }
  // A submodule, a work tree, or what only looks like a repository among data.
  [[nodiscard]] bool IsPart(std::string_view top) const {
    return IsAmong(top, kDirectories) || IsBelowNamed(ParentOf(top));
  }
  [[nodiscard]] std::string_view WholeOf(std::string_view top) const {
    for (std::string_view above = ParentOf(top); above != "/" && IsPart(top); above = ParentOf(above)) {
      if (tops_.contains(std::string(above))) top = above;
    }
    return top;
  }
  // objects/12, lfs/objects/12/34 and the like of git-annex, where the run has changed nothing: before it
  // these are not looked into. `directory` is where `entry` is, in `place`.
  [[nodiscard]] bool HoldsObjects(const Place& place, const std::string& directory,
                                  const DirectoryEntry& entry) const {
    if (place.nested) return false;  // a branch that is called so
    const std::string_view in = std::string_view(directory).substr(place.git_directory.size());
    const bool among =
        in == "/objects" || std::any_of(std::begin(kLargeObjects), std::end(kLargeObjects),
                                        [in](std::string_view store) { return IsAtOrBelow(in, store); });
    if (!among) return false;
    if (before_ == nullptr) return entry.name.size() == 2;
    return IsUnchangedLeaf(host_.LookAt(JoinPath(directory, entry.name)), *before_) &&
           StandsWhereItStood(directory, place.git_directory);
  }
  // A directory that is renamed takes along what is below it, unchanged.
  [[nodiscard]] bool StandsWhereItStood(std::string_view directory, std::string_view git_directory) const {
    for (; directory.size() > git_directory.size(); directory = ParentOf(directory)) {
      if (!IsUnchanged(host_.LookAt(std::string(directory)), *before_)) return false;
    }
    return true;
  }
  [[nodiscard]] Place PlaceOf(const std::string& directory) const {
    std::string_view top = directory;
    while (top != "/" && !tops_.contains(std::string(top))) top = ParentOf(top);
    const bool is_top = top == directory;
    return {.git_directory = std::string(top),
            .whole = std::string(WholeOf(top)),
            .top = is_top,
            .log = IsAmong(directory, kLogs),
            .mixed = is_top && !IsNamedGit(directory) && !IsPart(directory),
            .nested = IsAmong(directory, kNested)};
  }

  // What is not git's, and hooks, which git only reads.
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
      if (place.top && IsIndex(entry.name)) NoteIndex(place, path);
    }
    entries = std::move(further);
  }

  void NoteRegular(const Place& place, const std::string& path, std::string_view name) {
    if ((place.top && !IsOneOf(name, kRenamed)) || place.log) NoteFile(place, path);
    const bool is_ref = IsAmong(path, kRefs) || (place.top && IsRootRef(name));
    if (is_ref && before_ != nullptr && !LeadsToRefs(path, host_)) Add(found_.refs, place, path, "", 0);
  }

  void NoteFile(const Place& place, const std::string& path) {
    const Lookup lookup = host_.LookAt(path);
    if (!lookup.status || lookup.status->links == 1) return;
    Add(found_.passages, place, path, "file " + std::to_string(lookup.status->object.inode), 0);
  }
  void NotePassage(const Place& place, const std::string& path, FileType type) {
    std::string text = "no file";
    if (type == FileType::kSymlink) {
      const Result<std::string> link = host_.ReadLink(path);
      const Result<Walked> walked = walker_.Walk(path);
      text = "link " + (link ? *link : "") + "\n" + (walked ? walked->path : "");
    }
    Add(found_.passages, place, path, std::move(text), StampOf(host_.LookAt(path)));
  }
  void NoteIndex(const Place& place, const std::string& path) {
    std::optional<GitSnapshot::Text> index = DescribeIndex(path, walker_);
    if (!index) return;
    Add(found_.indexes,
        {.git_directory = place.git_directory, .whole = place.whole, .file = std::move(*index)});
  }
  // A part of a git directory may look like one itself.
  void NoteList(const Place& place, const std::string& path, FileType type) {
    if (type != FileType::kDirectory && type != FileType::kRegular) return;
    const std::string_view name = NameOf(path);
    const std::string_view directory = ParentOf(path);
    constexpr int kDepth = 3;
    std::string_view top = directory;
    for (int i = 0; i <= kDepth && top != "/"; ++i, top = ParentOf(top)) {
      if (!tops_.contains(std::string(top)) || !IsGitList(directory.substr(top.size()), name)) continue;
      return Add(
          found_.lists,
          {.git_directory = std::string(top), .whole = place.whole, .file = DescribeGitList(path, host_)});
    }
  }
  void Add(std::vector<GitData::Found>& list, const Place& place, const std::string& path, std::string text,
           std::uint64_t stamp) {
    Add(list, {.git_directory = place.git_directory,
               .whole = place.whole,
               .file = {.path = path, .text = std::move(text), .stamp = stamp}});
  }
  // How many there are, and how long their names, is the command's choice.
  void Add(std::vector<GitData::Found>& list, GitData::Found found) {
    bytes_ += sizeof found + found.git_directory.size() + found.whole.size() + found.file.path.size() +
              found.file.text.size();
    if (bytes_ > kMaxGitDataBytes && found_.crowded.empty()) found_.crowded = found.whole;
    if (found_.crowded.empty()) list.push_back(std::move(found));
  }

  const Host& host_;
  PathWalker walker_;
  const std::unordered_set<std::string>& skipped_;
  const GitSnapshot* before_;  // nullptr: there was no run
  std::unordered_set<std::string> tops_ = {};
  GitData found_ = {};
  std::size_t bytes_ = 0;  // of `found_`
};

// None where its configuration cannot be read.
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

}  // namespace

GitData FindGitData(const std::vector<GitDirectory>& directories,
                    const std::unordered_set<std::string>& skipped, const Host& host,
                    const GitSnapshot* before, TreeSearch::Opener open) {
  return DataSearch(directories, skipped, host, before).Run(std::move(open));
}

bool IsUnchanged(const Lookup& directory, const GitSnapshot& before) {
  constexpr std::uint64_t kSlack = 60'000'000'000;  // somebody may set the clock
  return directory.Is(FileType::kDirectory) && directory.status->changed && before.since &&
         *directory.status->changed + kSlack < *before.since;
}

bool IsUnchangedLeaf(const Lookup& directory, const GitSnapshot& before) {
  constexpr std::uint64_t kNamesOfALeaf = 2;
  return IsUnchanged(directory, before) && directory.status->links == kNamesOfALeaf;
}

std::optional<GitSnapshot::Text> DescribeIndex(const std::string& index, PathWalker& walker) {
  const Result<Walked> walked = walker.Walk(index);
  if (!walked || !walked->status) return std::nullopt;
  return GitSnapshot::Text{.path = index,
                           .text = "file " + std::to_string(walked->status->object.inode),
                           .stamp = walked->status->changed.value_or(0)};
}

bool IsTrustworthyIndexFile(const std::string& index, const std::string& git_directory, const Host& host) {
  const std::optional<std::size_t> hash_bytes = HashBytesOf(git_directory, host);
  if (!hash_bytes) return false;
  const Result<std::string> bytes = host.ReadFile(index, kMaxGitIndexBytes + 1);
  if (!bytes || bytes->size() > kMaxGitIndexBytes) return false;
  const bool shared = !index.ends_with("/index");
  return IsTrustworthyIndex(*bytes, {.hash_bytes = *hash_bytes, .shared = shared});
}

}  // namespace mxc
