// The layout of a git directory, for the review after a run; protect_tables.cc names the files held during
// it. Paths are relative to the git directory; several are "a|b".
#pragma once

#include <algorithm>
#include <string_view>

namespace mxc {

// Directories of git and its tools. A git directory with another name than `.git` may contain others as well,
// usually a work tree's.
inline constexpr std::string_view kGitDirectories =
    "annex|branches|fsmonitor--daemon|info|lfs|logs|modules|objects|lost-found|refs|rebase-apply|"
    "rebase-merge|reftable|remotes|rr-cache|svn|sequencer|worktrees";
// Those with many directories of git's own: a search for repositories visits them last.
inline constexpr std::string_view kGitData = "objects|refs|logs|lfs";
// Branch names create directories in these, which may look like git directories.
inline constexpr std::string_view kGitRefs = "refs";
inline constexpr std::string_view kGitLogs = "logs";
// Of git-lfs and git-annex, which follow links and copy their targets into work trees.
inline constexpr std::string_view kGitLargeObjects[] = {"/lfs/objects", "/annex/objects"};
// Files that git replaces by renaming and never writes in place: their further names keep the old contents.
inline constexpr std::string_view kGitReplaced =
    "HEAD|ORIG_HEAD|config|config.worktree|commondir|gitdir|index|packed-refs|shallow|description";
// Other files at the top of a git directory: git's own, gitk's and git gui's; beside names in capitals, such
// as FETCH_HEAD or COMMIT_EDITMSG, and locks.
inline constexpr std::string_view kGitTop =
    "hooks|index|sharedindex.*|index.stash.*|next-index-*|config|config.worktree|commondir|gitdir|locked|"
    "packed-refs|packed-refs.new|shallow|shallow_*|description|gc.pid|gc.log|fsmonitor--daemon.ipc|"
    "fast_import_crash_*|addp-hunk-edit.diff|ADD_EDIT.patch|rebased-patches|subtree-cache|gitk.cache|gitweb|"
    "pid|git-daemon-export-ok";
// Files with the configuration of a repository (keys.cc).
inline constexpr const char* kGitConfigs[] = {"config", "config.worktree"};
// Programs that git runs in `hooks`, those of git-p4 among them (githooks(5)).
inline constexpr std::string_view kGitHooks =
    "applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|"
    "post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|"
    "post-update|reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|"
    "fsmonitor-watchman|p4-changelist|p4-prepare-changelist|p4-post-changelist|p4-pre-submit|post-index-"
    "change";
// Files that git checks out without a check (index.h).
inline constexpr std::string_view kGitIndexes = "index|sharedindex.*";
// And files that become one.
inline constexpr std::string_view kGitNextIndexes = "index.lock|next-index-*";

// Files that name paths which git reads, writes or deletes without a check (lists.h). Chains of commit graphs
// and of multi-pack-indexes may name only hashes.
//
//   MERGE_RR                       paths with conflicts: `git commit` copies and overwrites them
//   objects/pack/multi-pack-index  packs: `git multi-pack-index expire` deletes them
//   objects/info/alternates        directories of objects, which git shows as its own
//   reftable/tables.list           tables: git deletes them when it writes new ones
//   worktrees/NAME                 its `gitdir`: `git worktree repair` overwrites what that names
//   refs/, ORIG_HEAD and the like  another ref, which is written in their place
inline constexpr std::string_view kGitLists =
    "/MERGE_RR|/objects/pack/multi-pack-index|/objects/info/alternates|/reftable/tables.list";

// Whether it is spelled like refs outside refs/ (HEAD, ORIG_HEAD, AUTO_MERGE) or messages, which end with
// MSG.
[[nodiscard]] inline bool IsInGitsCapitals(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
}
// The name of the file that a lock becomes; other names unchanged.
[[nodiscard]] inline std::string_view WithoutGitLock(std::string_view name) {
  constexpr std::string_view kLock = ".lock";
  if (name.ends_with(kLock)) name.remove_suffix(kLock.size());
  return name;
}

// Names of the directories and files of other version control: Mercurial, Jujutsu, Fossil.
inline constexpr std::string_view kOtherPlaces = ".hg|.jj|.fslckout|_FOSSIL_";

// Unfinished operations, in every git directory (instructions.h); `git instaweb` runs a server from `gitweb`,
// and ends the process that `pid` names; `git svn` deserialises Perl objects from its caches, whose classes
// run code.
inline constexpr std::string_view kGitOperations =
    "rebase-merge|rebase-apply|sequencer|BISECT_NAMES|gitweb|pid|svn/.caches";
// And remotes of the old form, one in each file.
inline constexpr std::string_view kGitRemotes = "remotes|branches";

}  // namespace mxc
