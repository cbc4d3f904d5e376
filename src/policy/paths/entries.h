// Examines the filesystem lists of a configuration, entry by entry, and gives aliases of an object one
// access.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

struct ExaminedEntry {
  Access wanted = Access::kReadOnly;  // by its list
  Access access = Access::kReadOnly;  // after TightenAliases
  std::string pointer = {};
  std::string written = {};  // the path of a missing read-only entry
  Walked walked = {};
  std::optional<Error> planted =
      {};  // another user or a command may have put a link on the way: CheckLinks decides
};

// Warns if `path`, the target of a read-write entry, is the whole host.
void WarnOfWholeHost(std::string_view path, const PathEntry& written, std::vector<Warning>& warnings);

// Whether only root can have created the link: root owns it, and it is directly in "/", "/var", "/opt" or
// "/usr/local", else below "/usr" or "/etc", or, unless the caller is root, in a directory to which only root
// may write. Elsewhere, below "/opt" for instance, a command of root's may have left it in an earlier run.
[[nodiscard]] bool IsPlacedByRoot(const LinkMet& met, const Host& host, PathWalker& walker);
// Refuses links on the way that others than root can have created: they would choose what is granted.
[[nodiscard]] Status CheckGrantedLinks(const PathEntry& written, std::string_view what, const Walked& walked,
                                       const Host& host, PathWalker& walker);

enum class GrantedLinks { kRoots, kJudged };  // kJudged: the maker of the entries has checked them

// Every entry with an effect, in document order. Missing read-write paths are left out, with a warning.
[[nodiscard]] Result<std::vector<ExaminedEntry>> ExamineEntries(const Config& config, const Host& host,
                                                                PathWalker& walker,
                                                                std::vector<Warning>& warnings,
                                                                GrantedLinks links = GrantedLinks::kRoots);

// Entries of profiles yield to the document's own: paths that these deny or name keep their access, and paths
// that these let the command write are not narrowed.
void YieldToPolicy(std::vector<ExaminedEntry>& entries);

// All names of one object (symlinks, hard links, bind mounts) get the strictest access among them.
void TightenAliases(std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// A grant of a bind mount may show a stricter entry under a second name: repeats the entry there.
void RepeatUnderAliases(std::vector<ExaminedEntry>& entries, PathWalker& walker);

// The entries as rules, one per path; the strictest entry of a path gives the pointer.
[[nodiscard]] RuleSet RulesOf(const std::vector<ExaminedEntry>& entries);

// Refuses grants through links that others than root may have created, or that the command could replace, but
// not a read-only entry in a read-write grant, which grants nothing more.
[[nodiscard]] Status CheckLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                                std::vector<Warning>& warnings);

// Many programs save a file by replacing it, which fails in a directory that is not writable.
void WarnOfSingleFiles(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                       std::vector<Warning>& warnings);

// A denial applies to the host's object: the sandbox keeps its own /proc, /dev, /dev/shm and /tmp.
void WarnOfOwnNodes(const std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// Links to recreate so that the written spelling of each grant works inside.
void AddLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules, std::vector<PathLink>& links);

}  // namespace mxc
