#include "policy/paths/ways.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/path.h"

namespace mxc {
namespace {

constexpr std::uint32_t kWriting = 022;
constexpr std::uint32_t kWritingByOthers = 02;
constexpr std::uint32_t kAllRights = 077;

class Ways {
 public:
  Ways(const Host& host, const RuleSet& rules, PathWalker& walker)
      : host_(host), rules_(rules), walker_(walker) {}

  // `path` itself and the directories above it, up to the highest read-write entry.
  void Add(std::string_view path, std::uint32_t guarded) {
    std::string_view top;
    for (std::string_view at = path;; at = ParentOf(at)) {
      const PathRule* const rule = rules_.Find(at);
      if (rule != nullptr && rule->access == Access::kReadWrite && rule->origin != Origin::kBaseline)
        top = at;
      if (at == "/") break;
    }
    if (top.empty()) return;
    for (std::string_view at = path;; at = ParentOf(at)) {
      std::uint32_t& noted = guarded_[std::string(at)];
      if ((noted & guarded) == guarded) return;
      noted |= guarded;
      if (at == top) return;
    }
  }

  // Directories with files that git obeys, writes to or deletes. git creates the first two later.
  void AddOfGit(const std::string& directory) {
    Add(directory, kWriting);
    if (!guarded_.contains(directory)) return;
    for (const char* const name : {"modules", "worktrees"}) guarded_[JoinPath(directory, name)] |= kWriting;
    for (const char* const name : {"annex",
                                   "branches",
                                   "crypt",
                                   "info",
                                   "lfs",
                                   "logs",
                                   "logs/refs",
                                   "logs/refs/heads",
                                   "logs/refs/remotes",
                                   "objects",
                                   "objects/info",
                                   "objects/pack",
                                   "rebase-apply",
                                   "rebase-merge",
                                   "refs",
                                   "refs/heads",
                                   "refs/remotes",
                                   "refs/tags",
                                   "reftable",
                                   "remotes",
                                   "rr-cache",
                                   "sequencer",
                                   "svn",
                                   "svn/.caches"}) {
      const std::string path = JoinPath(directory, name);
      if (walker_.LookAt(path).Is(FileType::kDirectory)) guarded_[path] |= kWriting;
    }
    // And files that are trusted once reviewed. Their group's rights depend on the umask, so only others
    // count.
    for (const char* const name : {"HEAD", "ORIG_HEAD", "index", "packed-refs", "shallow"}) {
      const std::string path = JoinPath(directory, name);
      if (walker_.LookAt(path).Is(FileType::kRegular)) guarded_[path] |= kWritingByOthers;
    }
  }

  [[nodiscard]] std::vector<Way> Take() {
    std::vector<Way> ways;
    std::map<std::string_view, std::size_t> by_path;
    for (const auto& [path, guarded] : guarded_) {
      const Lookup& lookup = walker_.LookAt(path);
      const auto above = by_path.find(ParentOf(path));
      if (lookup.Is(FileType::kDirectory) || lookup.Is(FileType::kRegular)) {
        if (!MayChange(lookup.status->uid)) continue;
        ways.push_back(Look(path, *lookup.status, guarded));
      } else if (!lookup.status && lookup.failure == LookupFailure::kMissing && above != by_path.end()) {
        ways.push_back(Later(path, ways[above->second]));
      } else {
        continue;
      }
      by_path.emplace(path, ways.size() - 1);
    }
    return ways;
  }

 private:
  [[nodiscard]] bool MayChange(std::uint32_t owner) const {
    const Identity caller = host_.Caller();
    return caller.IsRoot() || caller.uid == owner;
  }

  // Where others may write but not search, search permission is guarded.
  [[nodiscard]] Way Look(const std::string& path, const FileStatus& status, std::uint32_t guarded) const {
    return {.path = path,
            .mode = status.mode,
            .guarded = guarded | (status.mode & kWriting) >> 1U,
            .uid = status.uid,
            .gid = status.gid,
            .inode = status.object.inode,
            .acl = host_.Attribute(path, kAccessAcl).value_or(""),
            .default_acl = host_.Attribute(path, kDefaultAcl).value_or("")};
  }

  // A umask may leave the group all of its rights.
  static Way Later(const std::string& path, const Way& above) {
    constexpr std::uint32_t kByMask = 0775;
    return {.path = path,
            .mode = above.mode | kByMask,
            .guarded = kWriting,
            .acl = above.default_acl,
            .default_acl = above.default_acl};
  }

  const Host& host_;
  const RuleSet& rules_;
  PathWalker& walker_;
  std::map<std::string, std::uint32_t> guarded_ = {};
};

}  // namespace

std::vector<Way> FindWays(const Host& host, const RuleSet& rules, const GitSnapshot& git,
                          PathWalker& walker) {
  Ways ways(host, rules, walker);
  for (const PathRule& rule : rules.All()) {
    if (rule.access == Access::kReadWrite || rule.path == "/") continue;
    // A denied file's own mode may let others read it.
    const bool hidden = rule.access == Access::kDenied && rule.object;
    ways.Add(ParentOf(rule.path), hidden ? kAllRights : kWriting);
  }
  for (const std::string& directory : git.directories) ways.AddOfGit(directory);
  for (const std::string& directory : git.searched) {
    if (directory.starts_with('/')) ways.Add(directory, kWriting);
  }
  for (const GitSnapshot::Text& file : git.named) {
    if (file.path.starts_with('/')) ways.Add(ParentOf(file.path), kWriting);
  }
  return ways.Take();
}

}  // namespace mxc
