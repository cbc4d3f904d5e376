// The bounds on all input. Exceeding one is an error that names it; nothing is cut silently.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxc {

// A configuration is text that people and agents write; 4 MiB holds 10000 paths of the longest kind.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{4} * 1024 * 1024;
// Depth of nested arrays and objects; the reference stops at the same depth.
inline constexpr std::size_t kMaxDocumentDepth = 127;
// Entries of any one list, and members of any one object.
inline constexpr std::size_t kMaxListEntries = 10000;
// Values of a whole document, of every kind and depth. Ten full lists fit; a value takes about 200 bytes, so
// a document full of them costs 20 MiB.
inline constexpr std::size_t kMaxDocumentValues = 100000;
// Schema errors reported for one document; a broken generator would otherwise flood the terminal.
inline constexpr std::size_t kMaxReportedErrors = 20;
// Linux PATH_MAX, the NUL included.
inline constexpr std::size_t kMaxPathBytes = 4096;
// The longest path of a directory that a search enters. Below a longer one, paths may exceed PATH_MAX, alone
// or with the prefix that an engine puts before them, but a program that walks step by step, as git does to a
// submodule, still reaches them. The last directory that is searched is held as a whole.
inline constexpr std::size_t kMaxSearchedPath = kMaxPathBytes - 1024;
// Linux MAX_ARG_STRLEN: one argument or "NAME=value" of execve, the NUL included.
inline constexpr std::size_t kMaxArgumentBytes = 131072;
// The kernel's own bound is 100000 mounts (fs.mount-max) of a few hundred bytes each.
inline constexpr std::size_t kMaxMountTableBytes = std::size_t{32} * 1024 * 1024;
// Rules of one sandbox without namespaces: the entries beside its denied paths are granted one by one.
inline constexpr std::size_t kMaxLandlockRules = 8192;
// Grace between SIGTERM and SIGKILL when a run is ended.
inline constexpr std::uint32_t kTermGraceMs = 2000;
// The search of the read-write grants for protected paths; if it exceeds a bound, the run is refused.
// Directories, and files with a name that a preset knows, count: 100000 cost about 0.3 s on a local disk and
// 20 MB.
inline constexpr std::size_t kMaxSearchEntries = 4000000;
inline constexpr std::size_t kMaxSearchBytes = std::size_t{384} * 1024 * 1024;  // of their paths
inline constexpr std::uint64_t kMaxSearchMs = 30000;
// Paths that the presets of `protect` may name. A workspace of a thousand repositories needs 4000; each
// becomes a mount, and the kernel allows 100000.
inline constexpr std::size_t kMaxProtectedPaths = 20000;
// Names that mounts give one object; more mean a broken host or an attack.
inline constexpr std::size_t kMaxSecondNames = 4096;
// Paths that one pattern of a list may match; each becomes a mount.
inline constexpr std::size_t kMaxGlobMatches = 4096;
// A repository's configuration; git writes some hundred bytes, and some fifty for each branch.
inline constexpr std::size_t kMaxGitConfigBytes = std::size_t{4} * 1024 * 1024;
// An index that is read when a run has ended; enough for two million files.
inline constexpr std::size_t kMaxGitIndexBytes = std::size_t{256} * 1024 * 1024;
// The bytes that the review reads when a run has ended, and the time that it may take with the search before
// it.
inline constexpr std::uint64_t kMaxReviewBytes = std::uint64_t{1024} * 1024 * 1024;
inline constexpr std::uint64_t kMaxReviewMs = 2 * kMaxSearchMs;
// The links, lists and indexes among git's data that the review remembers. With 32 MiB of them a launcher
// takes 190 MB in all.
inline constexpr std::size_t kMaxGitDataBytes = std::size_t{32} * 1024 * 1024;
// Files that one configuration may include.
inline constexpr std::size_t kMaxGitConfigFiles = 256;
// Files that the words of command lines in all configurations may mean: 14 us and 0.6 KB each. Configurations
// that people write have some hundred words.
inline constexpr std::size_t kMaxGitWords = 131072;
// Bytes of the words of one command line, each counted once for every place where it may mean a file.
inline constexpr std::size_t kMaxGitWordBytes = std::size_t{16} * 1024 * 1024;
// A path of PATH_MAX bytes, with its NUL, below a directory with such a path.
inline constexpr std::size_t kMaxWalkedBytes = 2 * 4096;
// Commands that run at the same time in one persistent sandbox.
inline constexpr std::size_t kMaxSessionCommands = 1024;
// An answer of the daemon of a persistent sandbox. The longest is that to exec, with ledger and writable
// paths: 3.5 MB for 10000 paths of 100 bytes in each list; patterns may match more.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{32} * 1024 * 1024;
// A probe that takes longer counts as a refusal.
inline constexpr std::uint32_t kProbeLimitMs = 2000;

}  // namespace mxc
