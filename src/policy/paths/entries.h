// The filesystem lists of a configuration, entry by entry: walked, judged, aliases brought to one intent.
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
  Access wanted = Access::kReadOnly;  // by the list it stands in
  Access access = Access::kReadOnly;  // after objects with several names were brought to one intent
  std::string pointer = {};
  std::string written = {};  // the path, of a read-only entry that does not exist
  Walked walked = {};
  std::optional<Error> planted = {};  // somebody may have put a link on the way: CheckLinks decides
};

// Of a read-write entry: whether `path`, what it stands for, is everything there is.
void WarnOfWholeHost(std::string_view path, const PathEntry& written, std::vector<Warning>& warnings);

// Nobody but root could have put the link there: it is root's own, and stands directly in "/", "/var",
// "/opt" or "/usr/local", else below "/usr" or "/etc", or for another caller where root alone may write. Of a
// link that root's command has left elsewhere in an earlier run, below "/opt" for instance, nobody can tell.
[[nodiscard]] bool IsPlacedByRoot(const LinkMet& met, const Host& host, PathWalker& walker);
// Whoever can put a link on the way, or turn one, chooses what is granted: none but root's is followed.
[[nodiscard]] Status CheckGrantedLinks(const PathEntry& written, std::string_view what, const Walked& walked,
                                       const Host& host, PathWalker& walker);

enum class GrantedLinks { kRoots, kJudged };  // kJudged: whoever made the entries has looked at them

// Every entry that stands for something, in document order. Grants of what does not exist are left out, with
// a warning.
[[nodiscard]] Result<std::vector<ExaminedEntry>> ExamineEntries(const Config& config, const Host& host,
                                                                PathWalker& walker,
                                                                std::vector<Warning>& warnings,
                                                                GrantedLinks links = GrantedLinks::kRoots);

// What profiles add yields to the document's own entries: what these deny, or name, stays as they say, and
// what they let the command write is not narrowed.
void YieldToPolicy(std::vector<ExaminedEntry>& entries);

// Several names of one object (symlinks, hard links, bind mounts) get the strictest of their intents.
void TightenAliases(std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// A grant that is a bind mount of a directory above a stricter entry shows that entry under a second name:
// the entry is repeated there.
void RepeatUnderAliases(std::vector<ExaminedEntry>& entries, PathWalker& walker);

// The entries as rules, one per path; the strictest entry of a path gives the pointer.
[[nodiscard]] RuleSet RulesOf(const std::vector<ExaminedEntry>& entries);

// Refuses grants through links that others than root may have put there, or that the command could turn, but
// not a read-only entry in a read-write grant: that opens nothing.
[[nodiscard]] Status CheckLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                                std::vector<Warning>& warnings);

// A read-write file in a directory that is not writable cannot be replaced, as many programs save files.
void WarnOfSingleFiles(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                       std::vector<Warning>& warnings);

// A denial is of the host's object: /proc, /dev, /dev/shm and /tmp of the sandbox's own stay.
void WarnOfOwnNodes(const std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings);

// Links to recreate so that the written spelling of each grant works inside.
void AddLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules, std::vector<PathLink>& links);

}  // namespace mxc
