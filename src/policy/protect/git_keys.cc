// What the keys of a git configuration do: one table.
#include <algorithm>
#include <iterator>

#include "policy/paths/lists.h"
#include "policy/protect/git_config.h"

namespace mxc {
namespace {

using enum GitKeyUse;

struct KeyRow {
  std::string_view sections;
  std::string_view names;    // folded
  bool subsections = false;  // with one, or without: [diff "x"] names programs, [diff] seldom
  GitKeyUse use = kHarmless;
};

// The first row that fits counts. Not safe, though they execute nothing: what leads git to other files
// (core.worktree, core.excludesFile, commit.template), gives others rights (core.sharedRepository), or starts
// a program of the caller's (commit.gpgSign, submodule.recurse).
constexpr KeyRow kKeys[] = {
    // Programs, tools and strategies of merging.
    {"branch", "mergeoptions", true, kExecutes},
    {"diff", "external|guitool|tool", true, kExecutes},
    {"gc", "recentobjectshook", true, kExecutes},
    {"merge", "guitool|tool", true, kExecutes},
    {"pull", "octopus|twohead", true, kExecutes},
    // A line break in it makes commands of what commits are called.
    {"rebase", "instructionformat", true, kExecutes},

    {"advice|color|column", "*", false, kSafe},
    {"blame", "blankboundary|coloring|date|showemail|showroot", false, kSafe},
    {"branch", "autosetupmerge|autosetuprebase|sort", false, kSafe},
    {"branch", "remote|pushremote", true, kSafeRemote},
    {"branch", "merge|rebase|description|gh-merge-base|github-pr-owner-number|vscode-merge-base", true,
     kSafe},
    {"checkout", "guess", false, kSafe},
    {"commit", "cleanup|status|verbose", false, kSafe},
    {"core",
     "abbrev|autocrlf|bare|bigfilethreshold|checkstat|commentchar|compression|eol|filemode|ignorecase|"
     "logallrefupdates|longpaths|loosecompression|precomposeunicode|preloadindex|quotepath|"
     "repositoryformatversion|safecrlf|sparsecheckout|sparsecheckoutcone|symlinks|trustctime|untrackedcache|"
     "whitespace",
     false, kSafe},
    {"diff",
     "algorithm|colormoved|colormovedws|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|"
     "relative|renamelimit|renames|wserrorhighlight",
     false, kSafe},
    {"extensions", "worktreeconfig", false, kSafe},
    {"fetch", "output|parallel|prune|prunetags|showforcedupdates|writecommitgraph", false, kSafe},
    {"gc", "auto", false, kSafe},
    {"grep", "column|extendedregexp|fullname|linenumber|patterntype", false, kSafe},
    {"i18n", "commitencoding|logoutputencoding", false, kSafe},
    {"init", "defaultbranch", false, kSafe},
    {"log", "abbrevcommit|date|decorate|follow|showroot", false, kSafe},
    {"merge", "conflictstyle|directoryrenames|ff|log|renamelimit|renames|stat|verbosity", false, kSafe},
    {"pull", "ff|rebase", false, kSafe},
    {"push", "autosetupremote|default|followtags", false, kSafe},
    {"rebase", "autosquash|autostash|missingcommitscheck|stat|updaterefs", false, kSafe},
    {"remote", "pushdefault", false, kSafeRemote},
    {"remote", "url|pushurl", true, kSafeUrl},
    {"remote", "fetch|gh-resolved|prune|prunetags|skipdefaultupdate|skipfetchall", true, kSafe},
    {"remote", "tagopt", true, kSafeTags},
    {"rerere", "autoupdate|enabled", false, kSafe},
    {"stash", "showincludeuntracked|showpatch|showstat", false, kSafe},
    {"status",
     "aheadbehind|branch|displaycommentprefix|relativepaths|renames|short|showstash|showuntrackedfiles",
     false, kSafe},
    {"submodule", "active", true, kSafe},
    {"submodule", "url", true, kSafeUrl},
    {"tag", "sort", false, kSafe},
    {"user", "email|name|useconfigonly", false, kSafe},

    {"branch|color", "*", true},
    {"am|apply|author|blame|checkout|clone|commit|committer|diff|extensions|feature|fetch|format|gc|gitcvs|"
     "grep|i18n|index|log|maintenance|merge|pack|pull|push|rebase|rerere|stash|status|tag|transfer|user|"
     "versionsort|worktree",
     "*"},
    {"core",
     "commitgraph|deltabasecachelimit|excludesfile|fscache|fsync|fsyncmethod|hidedotfiles|multipackindex|"
     "packedgitlimit|packedgitwindowsize|protecthfs|protectntfs|sharedrepository|splitindex|"
     "warnambiguousrefs|worktree"},
    {"lfs", "access", true},
    {"lfs", "repositoryformatversion"},
    {"remote", "mirror|partialclonefilter|promisor|push", true},
    {"submodule", "branch|fetchrecursesubmodules|ignore|path|shallow|update", true},
    {"submodule", "alternateerrorstrategy|alternatelocation|fetchjobs|propagatebranches|recurse"},
};

// "transport::address" runs git-remote-transport; a command may stand in the place of a way to update.
bool NamesProgram(const GitVariable& variable) {
  if (variable.value.find("::") != std::string::npos) return true;
  if (variable.Is("submodule", "update")) return variable.value.starts_with('!');
  return variable.value.starts_with('-') && (variable.section == "remote" || variable.section == "submodule");
}

const KeyRow* RowOf(const GitVariable& variable) {
  const auto* const row = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const KeyRow& each) {
    return IsOneOf(variable.section, each.sections) && IsOneOf(variable.name, each.names) &&
           (each.subsections || variable.subsection.empty());
  });
  return row == std::end(kKeys) ? nullptr : row;
}

}  // namespace

GitKeyUse UseOf(const GitVariable& variable) {
  const KeyRow* const row = RowOf(variable);
  if (row == nullptr) return kExecutes;
  // What is safe of [remote "x"] means nothing in [remote].
  const bool elsewhere = row->subsections && variable.subsection.empty() && row->use != kExecutes;
  return elsewhere ? kHarmless : row->use;
}

bool MayExecute(const GitVariable& variable) {
  if (variable.Is("core", "fsmonitor")) return variable.value != "true" && variable.value != "false";
  return NamesProgram(variable) || UseOf(variable) == kExecutes;
}

bool IsHarmlessGitConfig(std::string_view text) {
  const std::optional<std::vector<GitVariable>> variables = ReadPlainGitConfig(text);
  return variables && std::none_of(variables->begin(), variables->end(),
                                   [](const GitVariable& variable) { return MayExecute(variable); });
}

}  // namespace mxc
