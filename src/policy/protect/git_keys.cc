// Which variables of a git configuration execute nothing. All others may: git gets new ones with every
// release.
#include <algorithm>
#include <iterator>

#include "mxc/fold.h"
#include "policy/protect/git_config.h"

namespace mxc {
namespace {

// `name` "*": every name of the section, but for those of kExecutes. Sections with subsections are harmless
// only where it says so: [diff "x"] names programs, [diff] seldom.
struct HarmlessRow {
  std::string_view section;
  std::string_view name;
  bool subsections = false;
};

constexpr HarmlessRow kHarmlessKeys[] = {
    {"advice", "*"},
    {"am", "*"},
    {"apply", "*"},
    {"author", "*"},
    {"blame", "*"},
    {"branch", "*", true},
    {"checkout", "*"},
    {"clone", "*"},
    {"color", "*", true},
    {"column", "*"},
    {"commit", "*"},
    {"committer", "*"},
    {"core", "abbrev"},
    {"core", "autocrlf"},
    {"core", "bare"},
    {"core", "bigfilethreshold"},
    {"core", "checkstat"},
    {"core", "commentchar"},
    {"core", "commitgraph"},
    {"core", "compression"},
    {"core", "deltabasecachelimit"},
    {"core", "eol"},
    {"core", "excludesfile"},
    {"core", "filemode"},
    {"core", "fscache"},
    {"core", "fsync"},
    {"core", "fsyncmethod"},
    {"core", "hidedotfiles"},
    {"core", "ignorecase"},
    {"core", "logallrefupdates"},
    {"core", "longpaths"},
    {"core", "loosecompression"},
    {"core", "multipackindex"},
    {"core", "packedgitlimit"},
    {"core", "packedgitwindowsize"},
    {"core", "precomposeunicode"},
    {"core", "preloadindex"},
    {"core", "protecthfs"},
    {"core", "protectntfs"},
    {"core", "quotepath"},
    {"core", "repositoryformatversion"},
    {"core", "safecrlf"},
    {"core", "sharedrepository"},
    {"core", "sparsecheckout"},
    {"core", "sparsecheckoutcone"},
    {"core", "splitindex"},
    {"core", "symlinks"},
    {"core", "trustctime"},
    {"core", "untrackedcache"},
    {"core", "warnambiguousrefs"},
    {"core", "whitespace"},
    {"core", "worktree"},
    {"diff", "*"},
    {"extensions", "*"},
    {"feature", "*"},
    {"fetch", "*"},
    {"format", "*"},
    {"gc", "*"},
    {"gitcvs", "*"},
    {"grep", "*"},
    {"i18n", "*"},
    {"index", "*"},
    {"init", "defaultbranch"},
    {"lfs", "access", true},
    {"lfs", "repositoryformatversion"},
    {"log", "*"},
    {"maintenance", "*"},
    {"merge", "*"},
    {"pack", "*"},
    {"pull", "*"},
    {"push", "*"},
    {"rebase", "*"},
    {"remote", "fetch", true},
    {"remote", "gh-resolved", true},
    {"remote", "mirror", true},
    {"remote", "partialclonefilter", true},
    {"remote", "promisor", true},
    {"remote", "prune", true},
    {"remote", "prunetags", true},
    {"remote", "push", true},
    {"remote", "pushdefault"},
    {"remote", "pushurl", true},
    {"remote", "skipdefaultupdate", true},
    {"remote", "skipfetchall", true},
    {"remote", "tagopt", true},
    {"remote", "url", true},
    {"rerere", "*"},
    {"stash", "*"},
    {"status", "*"},
    {"submodule", "active", true},
    {"submodule", "alternateerrorstrategy"},
    {"submodule", "alternatelocation"},
    {"submodule", "branch", true},
    {"submodule", "fetchjobs"},
    {"submodule", "fetchrecursesubmodules", true},
    {"submodule", "ignore", true},
    {"submodule", "path", true},
    {"submodule", "propagatebranches"},
    {"submodule", "recurse"},
    {"submodule", "shallow", true},
    {"submodule", "update", true},
    {"submodule", "url", true},
    {"tag", "*"},
    {"transfer", "*"},
    {"user", "*"},
    {"versionsort", "*"},
    {"worktree", "*"},
};

// In sections that are harmless otherwise.
struct ExecutingRow {
  std::string_view section;
  std::string_view name;
};

constexpr ExecutingRow kExecutes[] = {
    {"branch", "mergeoptions"},   // names a strategy
    {"diff", "external"},         // a program
    {"diff", "guitool"},          // names a tool
    {"diff", "tool"},             // the same
    {"gc", "recentobjectshook"},  // a program
    {"merge", "guitool"},         // names a tool
    {"merge", "tool"},            // the same
    {"pull", "octopus"},          // names a strategy
    {"pull", "twohead"},          // the same
    // A line break in it makes commands of what commits are called.
    {"rebase", "instructionformat"},
};

// "transport::address" runs git-remote-transport; a command may stand in the place of a way to update.
bool NamesProgram(const GitVariable& variable) {
  if (variable.value.find("::") != std::string::npos) return true;
  if (variable.Is("submodule", "update")) return variable.value.starts_with('!');
  return variable.value.starts_with('-') && (variable.section == "remote" || variable.section == "submodule");
}

}  // namespace

bool MayExecute(const GitVariable& variable) {
  if (variable.Is("core", "fsmonitor")) return variable.value != "true" && variable.value != "false";
  const auto executes = [&](const ExecutingRow& row) { return variable.Is(row.section, row.name); };
  if (std::any_of(std::begin(kExecutes), std::end(kExecutes), executes)) return true;
  const auto harmless = [&](const HarmlessRow& row) {
    return variable.section == row.section && (row.name == "*" || row.name == variable.name) &&
           (row.subsections || variable.subsection.empty());
  };
  return NamesProgram(variable) || !std::any_of(std::begin(kHarmlessKeys), std::end(kHarmlessKeys), harmless);
}

bool IsHarmlessGitConfig(std::string_view text) {
  const std::optional<std::vector<GitVariable>> variables = ReadPlainGitConfig(text);
  return variables && std::none_of(variables->begin(), variables->end(),
                                   [](const GitVariable& variable) { return MayExecute(variable); });
}

}  // namespace mxc
