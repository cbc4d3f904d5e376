// What the keys of a git configuration do: one table.
#include <algorithm>
#include <iterator>

#include "base/lists.h"
#include "policy/protect/git/config.h"

namespace mxc {
namespace {

using enum GitKeyUse;

struct KeyRow {
  std::string_view sections;
  std::string_view names;    // folded
  bool subsections = false;  // matches with a subsection as well: [diff "x"] names programs, [diff] seldom
  GitKeyUse use = kHarmless;
};

// The first matching row counts. Not safe, although they execute nothing: keys that lead git to other files
// (core.worktree, core.excludesFile, commit.template) or change the base of relative paths (core.bare = true:
// the directory in which git is called), give others rights (core.sharedRepository), or start a program of
// the caller's (commit.gpgSign, submodule.recurse).
constexpr KeyRow kKeys[] = {
    // Programs, tools and merge strategies.
    {"branch", "mergeoptions", true, kExecutes},
    {"diff", "external|guitool|tool", true, kExecutes},
    {"gc", "recentobjectshook", true, kExecutes},
    {"merge", "guitool|tool", true, kExecutes},
    {"pull", "octopus|twohead", true, kExecutes},
    // A line break in it makes commands of the subjects of commits.
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
     "abbrev|autocrlf|bigfilethreshold|checkstat|commentchar|compression|eol|filemode|ignorecase|"
     "logallrefupdates|longpaths|loosecompression|precomposeunicode|preloadindex|quotepath|"
     "repositoryformatversion|safecrlf|sparsecheckout|sparsecheckoutcone|symlinks|trustctime|untrackedcache|"
     "whitespace",
     false, kSafe},
    {"core", "bare", false, kSafeFalse},
    {"diff",
     "algorithm|colormoved|colormovedws|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|"
     "relative|renamelimit|renames|wserrorhighlight",
     false, kSafe},
    {"extensions", "worktreeconfig", false, kSafe},
    {"extensions", "compatobjectformat|objectformat|preciousobjects|refstorage|relativeworktrees"},
    {"extensions", "partialclone", false, kDoubtful},
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
    {"am", "keepcr|messageid|threeway"},
    {"apply", "ignorewhitespace|whitespace"},
    {"author|committer", "email|name"},
    {"blame", "ignorerevsfile|markignoredlines|markunblamablelines"},
    {"checkout", "defaultremote|thresholdforparallelism|workers"},
    {"clone", "defaultremotename|filtersubmodules|rejectshallow"},
    {"commit", "gpgsign|template"},
    {"diff",
     "autorefreshindex|dirstat|dstprefix|ignoresubmodules|orderfile|srcprefix|statgraphwidth|statnamewidth|"
     "submodule|suppressblankempty|wordregex"},
    {"feature", "experimental|manyfiles"},
    {"fetch", "all|fsckobjects|negotiationalgorithm|recursesubmodules|unpacklimit"},
    {"format",
     "attach|cc|coverfromdescription|coverletter|encodeemailheaders|filenamemaxlength|forceinbodyfrom|from|"
     "headers|mboxrd|notes|numbered|outputdirectory|pretty|signature|signaturefile|signoff|subjectprefix|"
     "suffix|thread|to|useautobase"},
    {"gc",
     "aggressivedepth|aggressivewindow|autodetach|autopacklimit|bigpackthreshold|cruftpacks|logexpiry|"
     "maxcruftsize|packrefs|pruneexpire|reflogexpire|reflogexpireunreachable|repackfilter|rerereresolved|"
     "rerereunresolved|worktreepruneexpire|writecommitgraph"},
    {"grep", "fallbacktonoindex|threads"},
    {"index", "recordendofindexentries|recordoffsettable|skiphash|sparse|threads|version"},
    {"log", "diffmerges|excludedecoration|graphcolors|initialdecorationset|mailmap|showsignature"},
    {"maintenance", "auto|autodetach|repo|strategy"},
    {"merge", "autostash|branchdesc|defaulttoupstream|renormalize|suppressdest|verifysignatures"},
    {"pack",
     "allowpackreuse|compression|deltacachelimit|deltacachesize|depth|indexversion|island|islandcore|"
     "packsizelimit|preferbitmaptips|readreverseindex|threads|usebitmapboundarytraversal|usebitmaps|"
     "usepathwalk|usesparse|window|windowmemory|writebitmaphashcache|writebitmaplookuptable|writebitmaps|"
     "writereverseindex"},
    {"pull", "autostash"},
    {"push", "gpgsign|negotiate|pushoption|recursesubmodules|usebitmaps|useforceifincludes"},
    {"rebase", "abbreviatecommands|backend|forkpoint|maxlabellength|rebasemerges|reschedulefailedexec"},
    {"status", "renamelimit|submodulesummary"},
    {"tag", "forcesignannotated|gpgsign"},
    {"transfer", "advertiseobjectinfo|advertisesid|credentialsinurl|fsckobjects|hiderefs|unpacklimit"},
    {"user", "signingkey"},
    {"versionsort", "prereleasesuffix|suffix"},
    {"worktree", "guessremote|userelativepaths"},
    {"core",
     "commitgraph|deltabasecachelimit|excludesfile|fscache|fsync|fsyncmethod|hidedotfiles|multipackindex|"
     "packedgitlimit|packedgitwindowsize|protecthfs|protectntfs|sharedrepository|splitindex|"
     "warnambiguousrefs|worktree"},
    {"lfs", "access", true},
    {"lfs", "repositoryformatversion"},
    {"remote", "mirror|push", true},
    {"remote", "partialclonefilter|promisor", true, kDoubtful},
    {"submodule", "branch|fetchrecursesubmodules|ignore|path|shallow|update", true},
    {"submodule", "alternateerrorstrategy|alternatelocation|fetchjobs|propagatebranches|recurse"},

    // No other key of these sections executes anything so far.
    {"am|apply|author|blame|checkout|clone|commit|committer|diff|extensions|feature|fetch|format|gc|gitcvs|"
     "grep|i18n|index|log|maintenance|merge|pack|pull|push|rebase|rerere|stash|status|tag|transfer|user|"
     "versionsort|worktree",
     "*", false, kDoubtful},
};

bool IsNoOption(std::string_view name, std::string_view others) {
  return !name.starts_with('-') && HasOnlyLettersDigitsAnd(others, name);
}

// "transport::address" runs git-remote-transport; an update method may be a command.
bool NamesProgram(const GitVariable& variable) {
  if (variable.value.find("::") != std::string::npos) return true;
  if (variable.Is("submodule", "update")) return variable.value.starts_with('!');
  // "files:///x"
  if (variable.Is("extensions", "refstorage")) return variable.value.find(':') != std::string::npos;
  return variable.value.starts_with('-') && IsOneOf(variable.section, "branch|remote|submodule");
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
  // A safe key of [remote "x"] is meaningless in [remote].
  const bool elsewhere = row->subsections && variable.subsection.empty() && row->use != kExecutes;
  return elsewhere ? kHarmless : row->use;
}

bool NamesArePlain(const GitVariable& variable) {
  constexpr std::string_view kOfRemotes = "._-/";
  const std::string_view name = variable.subsection;
  const bool remote = UseOf(variable) == kSafeRemote || variable.Is("checkout", "defaultremote") ||
                      variable.Is("clone", "defaultremotename");
  if (name.starts_with('-') || (remote && !IsNoOption(variable.value, kOfRemotes))) return false;
  if (variable.section == "remote") return IsNoOption(name, kOfRemotes);
  // The name is also a path below .git/modules.
  return variable.section != "submodule" ||
         (IsNoOption(name, "._-/ ") && name.find("..") == std::string_view::npos);
}

bool MayExecute(const GitVariable& variable) {
  if (variable.Is("core", "fsmonitor")) return variable.value != "true" && variable.value != "false";
  return NamesProgram(variable) || UseOf(variable) == kExecutes;
}

bool IsHarmlessGitConfig(std::string_view text) {
  const std::optional<std::vector<GitVariable>> variables = ReadPlainGitConfig(text);
  return variables && std::all_of(variables->begin(), variables->end(), [](const GitVariable& variable) {
           return !MayExecute(variable) && UseOf(variable) != kDoubtful && NamesArePlain(variable);
         });
}

}  // namespace mxc
