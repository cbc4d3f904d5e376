// What stands in a git directory, and what is done with it. Held before a run is what protect_tables.cc
// names; all of this is judged behind it. Paths begin at the top of the git directory; several are "a|b".
#pragma once

#include <algorithm>
#include <string_view>

namespace mxc {

// Directories of git's and its tools'. Where the git directory is not called `.git`, others may stand beside
// them: work trees, most often.
inline constexpr std::string_view kGitDirectories =
    "annex|branches|fsmonitor--daemon|info|lfs|logs|modules|objects|lost-found|refs|rebase-apply|"
    "rebase-merge|reftable|remotes|rr-cache|svn|sequencer|worktrees";
// Of those, many directories of git's own making: a search for repositories looks there last.
inline constexpr std::string_view kGitData = "objects|refs|logs|lfs";
// In these a directory is named by whoever names a branch, and may look like a git directory.
inline constexpr std::string_view kGitRefs = "refs";
inline constexpr std::string_view kGitLogs = "logs";
// Of git-lfs and git-annex, which follow links: what such a link leads to is copied into work trees.
inline constexpr std::string_view kGitLargeObjects[] = {"/lfs/objects", "/annex/objects"};
// Files that are written anew and renamed, never in place: further names of theirs stay what they are.
inline constexpr std::string_view kGitReplaced =
    "HEAD|ORIG_HEAD|config|config.worktree|commondir|gitdir|index|packed-refs|shallow|description";
// What else stands at the top of a git directory: git's own, gitk's and git gui's. Names in capitals, such as
// FETCH_HEAD or COMMIT_EDITMSG, and locks are more.
inline constexpr std::string_view kGitTop =
    "hooks|index|sharedindex.*|index.stash.*|next-index-*|config|config.worktree|commondir|gitdir|locked|"
    "packed-refs|packed-refs.new|shallow|shallow_*|description|gc.pid|gc.log|fsmonitor--daemon.ipc|"
    "fast_import_crash_*|addp-hunk-edit.diff|ADD_EDIT.patch|rebased-patches|subtree-cache|gitk.cache|gitweb|"
    "pid|git-daemon-export-ok";
// With the configuration of a repository (keys.cc).
inline constexpr const char* kGitConfigs[] = {"config", "config.worktree"};
// Programs that git runs in `hooks`, those of git-p4 among them (githooks(5)).
inline constexpr std::string_view kGitHooks =
    "applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|"
    "post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|proc-receive|post-receive|"
    "post-update|reference-transaction|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|"
    "fsmonitor-watchman|p4-changelist|p4-prepare-changelist|p4-post-changelist|p4-pre-submit|post-index-"
    "change";
// What git checks out without a look (index.h).
inline constexpr std::string_view kGitIndexes = "index|sharedindex.*";
// And what becomes one.
inline constexpr std::string_view kGitNextIndexes = "index.lock|next-index-*";

// Files that name paths, which git reads, writes or deletes without a further look (lists.h). Chains of
// commit graphs and of multi-pack-indexes name hashes, and git takes nothing else there.
//
//   MERGE_RR                       paths with conflicts: `git commit` copies and overwrites them
//   objects/pack/multi-pack-index  packs: `git multi-pack-index expire` deletes them
//   objects/info/alternates        directories of objects, which git shows as its own
//   reftable/tables.list           tables: git deletes them when it writes new ones
//   worktrees/NAME                 its `gitdir`: `git worktree repair` overwrites what that names
//   refs/, ORIG_HEAD and the like  another ref, which is written in their place
inline constexpr std::string_view kGitLists =
    "/MERGE_RR|/objects/pack/multi-pack-index|/objects/info/alternates|/reftable/tables.list";

// As git spells refs outside of refs/: HEAD, ORIG_HEAD, AUTO_MERGE; and its messages, which end with MSG.
[[nodiscard]] inline bool IsInGitsCapitals(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
}
// The name of what a lock becomes; other names as they are.
[[nodiscard]] inline std::string_view WithoutGitLock(std::string_view name) {
  constexpr std::string_view kLock = ".lock";
  if (name.ends_with(kLock)) name.remove_suffix(kLock.size());
  return name;
}

// Where other version control keeps something, by name: Mercurial, Jujutsu, Fossil.
inline constexpr std::string_view kOtherPlaces = ".hg|.jj|.fslckout|_FOSSIL_";

// Unfinished operations, in every git directory (instructions.h); `git instaweb` runs a server that it
// finds in `gitweb`, and ends the process that `pid` names; `git svn` makes objects of Perl of what it finds
// in its caches, and the classes of these run code.
inline constexpr std::string_view kGitOperations =
    "rebase-merge|rebase-apply|sequencer|BISECT_NAMES|gitweb|pid|svn/.caches";
// And remotes of the old form: each file is one.
inline constexpr std::string_view kGitRemotes = "remotes|branches";

}  // namespace mxc
