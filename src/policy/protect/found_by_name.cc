#include "policy/protect/found_by_name.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/path.h"
#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "policy/paths/search.h"
#include "policy/protect/compared_files.h"
#include "policy/protect/git/layout.h"
#include "policy/protect/git/places.h"
#include "policy/protect/included_files.h"

namespace mxc {
namespace {

using Compared = GitSnapshot::Compared;

// Files and whole directories in the caller's home from which programs that git starts, such as editors, may
// run code.
constexpr std::string_view kInHome[] = {
    ".gitk", ".less", ".lesskey", ".config/lesskey", ".subversion/config", ".manpath",
    // editors
    ".selected_editor", ".vimrc", ".gvimrc", ".vim", ".exrc", ".nanorc", ".config/nano", ".emacs",
    ".emacs.el", ".emacs.elc", ".emacs.so", ".emacs.d", ".config/emacs", ".config/vim", ".config/nvim",
    ".local/share/nvim/site", ".cache/nvim/luac", ".config/helix", ".config/kak", ".config/micro", ".nexrc",
    ".joerc", ".jedrc",
    // pagers and interfaces
    ".config/bat", ".config/delta", ".tigrc", ".config/tig", ".config/lazygit", ".config/gh",
    // helpers: of credentials, of signatures
    ".aws/config", ".aws/credentials", ".gnupg/scd-event",
    // other version control
    ".hgrc", ".config/hg", ".jjconfig.toml", ".config/jj", ".fossil", ".config/fossil.db",
    // files that hooks source, and the environments in which they run
    ".config/husky", ".huskyrc", ".cache/pre-commit",
    // modules of hooks, filters and helpers in Python
    ".local/lib"};
constexpr std::string_view kConfigHome = ".config/";  // unless XDG_CONFIG_HOME names another
// Files of other version control that its programs write, or that name another configuration.
struct OtherFile {
  std::string_view place;
  std::string_view path;
};
constexpr OtherFile kOtherFiles[] = {
    {".hg", "sharedpath"},
    // of an unfinished transaction: the data that `hg recover` restores, and where
    {".hg", "store/journal"},
    {".hg", "store/journal.backupfiles"},
    {".jj", "repo"},
    {".jj", "repo/config.toml"},
    {".jj", "repo/store/git_target"},
    {".jj", "workspace-config.toml"}};
// gpg reads gpg.conf-2.2 instead of gpg.conf, which is held if the directory exists.
constexpr std::string_view kGpgVersions = "/*.conf-*";
constexpr std::string_view kGpgFiles = "/*.conf*";

// Variables with lists of configuration files for programs that git starts.
constexpr const char* kFilesNamed[] = {"HGRCPATH",     "JJ_CONFIG",    "LG_CONFIG_FILE",
                                       "OPENSSL_CONF", "TIGRC_SYSTEM", "TIGRC_USER"};
// Variables with lists of directories from which git, or a program that it starts, loads these files by
// itself: ld.so(8), iconv(3), Python's module site. Some of git's programs are written in Perl.
struct LoadedFrom {
  std::string_view variable;
  std::span<const std::string_view> files;
};
// Subdirectories hold libraries for processor features: glibc-hwcaps/x86-64-v3, tls/x86_64.
constexpr std::string_view kLibraries[] = {"/*.so*", "/*/*.so*", "/*/*/*.so*"};
constexpr std::string_view kMacLibraries[] = {"/*.dylib"};
constexpr std::string_view kConversions[] = {"/gconv-modules*", "/gconv-modules.d/*.conf", "/*.so"};
// Subdirectories are for versions, architectures and packages; `auto` holds the libraries of modules
// (DynaLoader).
constexpr std::string_view kPerlFiles[] = {"/*.pm*",        "/*/*.pm*",        "/*/*/*.pm*",
                                           "/auto/**/*.so", "/*/auto/**/*.so", "/*/*/auto/**/*.so"};
// In addition to those of ComparedSearch.
constexpr std::string_view kPythonFiles[] = {"/sitecustomize/**/*", "/usercustomize/**/*"};
constexpr std::string_view kPythonUserFiles[] = {
    "/lib/python*/site-packages/*customize*", "/lib/python*/site-packages/*customize*/**/*",
    "/lib/python*/site-packages/__pycache__/*customize*", "/lib/python*/site-packages/*.pth"};
constexpr std::string_view kMercurialFiles[] = {"/*.rc"};
constexpr std::string_view kEmacsFiles[] = {"/*.el*", "/*.so*", "/*.dylib"};  // compiled: .elc, .eln; modules
constexpr std::string_view kPythonPath = "PYTHONPATH";
constexpr LoadedFrom kLoadedFrom[] = {
    {"LD_LIBRARY_PATH", kLibraries},
    {"LD_PRELOAD", kLibraries},  // a path with a token of ld.so; any other is a file, which is held
    {"LD_AUDIT", kLibraries},
    {"DYLD_LIBRARY_PATH", kMacLibraries},
    {"GCONV_PATH", kConversions},
    {"PERL5LIB", kPerlFiles},
    {"PERLLIB", kPerlFiles},
    {kPythonPath, kPythonFiles},
    {"PYTHONUSERBASE", kPythonUserFiles},
    {"HGRCPATH", kMercurialFiles},
    {"EMACSLOADPATH", kEmacsFiles}};

// Suffixes that node appends to the path of a module.
constexpr std::string_view kModules[] = {".js", ".json", ".node", "/index.js", "/package.json"};

// A directory that a word names counts as unchanged when its contents change.
std::string TextOfDirectory(const Walked& walked) { return walked.path + '/'; }

bool IsDirectory(const Result<Walked>& walked) { return walked && walked->Is(FileType::kDirectory); }

bool IsProgram(const std::string& path, PathWalker& walker) {
  constexpr std::uint32_t kExecutable = 0111;
  const Result<Walked> walked = walker.Walk(path);
  if (!walked) return true;  // it may become reachable later
  return walked->Is(FileType::kRegular) && (walked->status->mode & kExecutable) != 0;
}

// Programs in a directory `hooks` that have names of git's hooks.
std::vector<GitSnapshot::Text> HooksIn(const std::string& directory, const Host& host, PathWalker& walker) {
  const Result<Walked> walked = walker.Walk(directory);
  if (!IsDirectory(walked)) return {};
  const auto entries =
      host.ListEntries(walked->path, [](std::string_view name) { return IsOneOf(name, kGitHooks); });
  // Who knows a name there can use it.
  if (!entries && host.MayExecute(walked->path)) return {{.path = directory, .text = "closed"}};
  std::vector<GitSnapshot::Text> hooks;
  for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>{}) {
    const std::string path = JoinPath(directory, entry.name);
    if (entry.type != FileType::kDirectory && IsProgram(path, walker))
      hooks.push_back(DescribeFound(path, walker.Walk(path)));
  }
  return hooks;
}

// "/a/x" for "/a/./x". ".." after a link may lead elsewhere, so it stays.
std::string Plain(const std::string& path) {
  return path.find("..") == std::string::npos ? FoldLexically(path) : path;
}

// The directories of a variable like PATH. Relative ones depend on the current directory: git runs at the top
// of a work tree.
std::set<std::string> DirectoriesIn(std::string_view variable, const Host& host, const GitProtection& git) {
  const std::string path = host.Environment(variable).value_or("");
  if (path.empty()) return {};
  std::vector<std::string> bases = {host.WorkingDirectory()};
  for (const WorkTree& tree : git.Places().WorkTrees()) bases.push_back(tree.directory);
  const char* const separators = variable == "PATH" ? ":" : variable == "LD_PRELOAD" ? " :" : ":;";
  std::set<std::string> directories;
  for (std::string_view rest = path;;) {
    const std::string_view entry = rest.substr(0, rest.find_first_of(separators));
    // ld.so expands tokens such as $LIB to names below this directory.
    const std::string_view known = entry.substr(0, entry.find("/$"));
    if (known == "~" || known.starts_with("~/"))  // bash expands "~" in PATH
      directories.insert(Plain(host.Environment("HOME").value_or("") + std::string(known.substr(1))));
    for (const std::string& base : bases) {
      directories.insert(Plain(Against(base, known)));
      if (known.starts_with('/')) break;  // the same from each
    }
    if (entry.size() == rest.size()) return directories;
    rest.remove_prefix(entry.size() + 1);
  }
}

class Notes {
 public:
  Notes(const Protector& protector, GitSnapshot& snapshot)
      : protector_(protector),
        snapshot_(snapshot),
        grants_(protector.Grants()),
        search_(snapshot.skipped, protector.TheHost(), protector.Walker()) {}

  // Adds a file, or a directory with its contents.
  void AddWhole(const std::string& path) {
    const Result<Walked> walked = protector_.Walker().Walk(path);
    AddNamed(path, walked);
    if (IsDirectory(walked)) AddCompared({.directory = walked->path});
  }
  // Adds files with one of `names`.
  void AddCalled(const std::string& tree, const std::set<std::string>& names) {
    AddCompared({.directory = tree, .what = Compared::What::kNamed, .names = {names.begin(), names.end()}});
  }
  // Adds its writable parts: a search skips paths with an entry of their own, which are compared separately.
  void AddCompared(const Compared& compared) {
    if (protector_.Writable(compared.directory)) List(compared);
    for (const std::string& grant : grants_) {
      if (!IsBelow(grant, compared.directory) || !search_.Takes(compared, grant)) continue;
      if (!protector_.Walker().LookAt(grant).Is(FileType::kDirectory)) {
        AddNamed(grant);
        continue;
      }
      Compared part = compared;
      part.directory = grant;
      if (part.what == Compared::What::kTop) part.what = Compared::What::kAll;
      List(std::move(part));
    }
  }
  // Adds the files that Python loads, or would load, from an entry of PYTHONPATH.
  void AddPython(const std::string& entry) {
    Compared compared{.directory = entry, .what = Compared::What::kPython};
    FindCompared(compared);
    if (IsOpen(entry)) return snapshot_.compared.push_back(std::move(compared));
    for (const GitSnapshot::Text& file : compared.files) AddNamed(file.path);
  }

  void AddNamed(const std::string& path) { AddNamed(path, protector_.Walker().Walk(path)); }
  void AddNamed(const std::string& path, const Result<Walked>& walked) {
    if (!MayChange(walked) || !seen_.insert(path).second) return;
    snapshot_.named.push_back(IsDirectory(walked)
                                  ? GitSnapshot::Text{.path = path, .text = TextOfDirectory(*walked)}
                                  : DescribeFound(path, walked));
  }
  // Adds present and future matches of `pattern`.
  void AddPattern(const std::string& pattern) {
    if (!IsGlob(pattern)) return AddNamed(pattern);
    const bool open = IsOpen(GlobBase(pattern));
    const Result<std::vector<GlobMatch>> matches =
        ExpandGlob(pattern, GlobLinks::kFollow, protector_.TheHost());
    for (const GlobMatch& match : matches ? *matches : std::vector<GlobMatch>{}) {
      if (match.type != FileType::kDirectory) open ? Note(match.path) : AddNamed(match.path);
    }
    if (open) snapshot_.patterns.push_back(pattern);
  }
  // Adds a configuration of ssh, and the files that it includes.
  void AddSsh(const std::string& directory, const char* name, const std::string& home) {
    const std::string file = JoinPath(directory, name);
    AddNamed(file);
    for (const std::string& each :
         IncludedBySsh(file, directory, home, protector_.Walker(), protector_.TheHost()))
      AddPattern(each);
  }
  void AddDirectory(const std::string& directory, const std::vector<std::string>& homes) {
    PathWalker& walker = protector_.Walker();
    const Result<Walked> walked = walker.Walk(directory);
    const bool open = MayChange(walked);
    // Elsewhere only root creates links to programs.
    const bool own = walked && (IsAtOrBelow(walked->path, "/usr/local") || IsIn(walked->path, homes));
    const bool part = walked && HoldsGrant(walked->path);
    if (open) snapshot_.searched.push_back(directory);
    if (!walked || !walked->status || (!open && !own && !part)) return;
    const Result<std::vector<DirectoryEntry>> entries = protector_.TheHost().ListEntries(walked->path, {});
    if (!entries) return open ? Note(directory) : void();
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = JoinPath(directory, entry.name);
      if (!open && entry.type == FileType::kSymlink) AddNamed(path);
      const bool granted = open || (part && protector_.Writable(JoinPath(walked->path, entry.name)));
      if (!granted || entry.type == FileType::kDirectory) continue;
      if (IsProgram(path, walker)) {
        Note(path);
      } else if (!open) {
        snapshot_.searched.push_back(path);  // the command could make it a program
      }
    }
  }

 private:
  // Whether a grant is below `directory`.
  [[nodiscard]] bool HoldsGrant(const std::string& directory) const {
    return std::any_of(grants_.begin(), grants_.end(),
                       [&](const std::string& grant) { return IsBelow(grant, directory); });
  }
  void FindCompared(Compared& compared) {
    for (ComparedFiles& each : search_.Of(compared))
      compared.files.insert(compared.files.end(), std::make_move_iterator(each.files.begin()),
                            std::make_move_iterator(each.files.end()));
  }
  void List(Compared compared) {
    FindCompared(compared);
    snapshot_.compared.push_back(std::move(compared));
  }
  // Whether the command may create files there, or below.
  [[nodiscard]] bool IsOpen(const std::string& directory) const {
    const Result<Walked> walked = protector_.Walker().Walk(directory);
    return MayChange(walked) || HoldsGrant(walked->path);
  }
  // Whether the command can change the file, or a link on the way. True if the caller cannot reach the path,
  // because the command may have caused that.
  [[nodiscard]] bool MayChange(const Result<Walked>& walked) const {
    const auto writable = [this](const std::string& path) { return protector_.Writable(path); };
    return !walked || writable(walked->path) || LeadsThrough(*walked, writable);
  }
  void Note(const std::string& path) {
    if (seen_.insert(path).second)
      snapshot_.named.push_back(DescribeFound(path, protector_.Walker().Walk(path)));
  }

  const Protector& protector_;
  GitSnapshot& snapshot_;
  std::vector<std::string> grants_;
  ComparedSearch search_;
  std::set<std::string> seen_ = {};
};

// Held missing names are reviewed as such, because their placeholders still exist.
std::vector<std::string> JudgedElsewhere(const GitSnapshot& before) {
  std::vector<std::string> paths = before.skipped;
  for (const GitSnapshot::Held& held : before.held) {
    if (held.inode == 0) paths.push_back(held.path);
  }
  return paths;
}

class FoundReview {
 public:
  FoundReview(const GitSnapshot& before, const Host& host)
      : before_(before), host_(host), walker_(host), search_(JudgedElsewhere(before), host, walker_) {
    for (const GitSnapshot::Text& each : before.named) known_.emplace(each.path, &each);
  }

  std::vector<GitChange> Run(const std::vector<std::string>& hooks) {
    for (const std::string& each : hooks) CompareHooks(each);
    for (const GitSnapshot::Text& each : before_.named) Compare(each.path);
    for (const std::string& directory : before_.searched) Search(directory);
    for (const std::string& pattern : before_.patterns) Match(pattern);
    for (const Compared& compared : before_.compared) CompareAll(compared);
    std::vector<GitChange> changes;
    for (const std::string& path : changed_)
      changes.push_back({.kind = GitChange::Kind::kFoundByName, .path = path});
    return changes;
  }

 private:
  void Search(const std::string& directory) {
    const Result<Walked> walked = walker_.Walk(directory);
    if (!walked || !walked->status) return;
    if (!walked->Is(FileType::kDirectory)) {
      if (!known_.contains(directory) && IsProgram(directory, walker_)) changed_.insert(directory);
      return;
    }
    const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(walked->path, {});
    // Who knows a name there can use it.
    if (!entries) return host_.MayExecute(walked->path) ? Compare(directory) : void();
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = JoinPath(directory, entry.name);
      if (entry.type != FileType::kDirectory && !known_.contains(path) && IsProgram(path, walker_))
        changed_.insert(path);
    }
  }
  void Match(const std::string& pattern) {
    const Result<std::vector<GlobMatch>> matches = ExpandGlob(pattern, GlobLinks::kFollow, host_);
    if (!matches) return Compare(GlobBase(pattern));
    for (const GlobMatch& match : *matches) {
      if (match.type != FileType::kDirectory && !known_.contains(match.path)) Compare(match.path);
    }
  }
  void CompareHooks(const std::string& directory) {
    for (const GitSnapshot::Text& hook : HooksIn(directory, host_, walker_)) {
      const auto was = std::find_if(before_.hooks.begin(), before_.hooks.end(),
                                    [&](const GitSnapshot::Text& each) { return each.path == hook.path; });
      if (IsChanged(was == before_.hooks.end() ? nullptr : &*was, hook)) changed_.insert(hook.path);
    }
  }
  // Reports many changes as one, by their directory.
  void CompareAll(const Compared& before) {
    constexpr std::size_t kMostTold = 8;
    std::unordered_map<std::string_view, const GitSnapshot::Text*> known;
    for (const GitSnapshot::Text& file : before.files) known.emplace(file.path, &file);
    for (const ComparedFiles& now : search_.Of(before)) {
      std::set<std::string> changed;
      for (const GitSnapshot::Text& file : now.files) {
        const auto was = known.find(file.path);
        if (IsChanged(was == known.end() ? nullptr : was->second, file)) changed.insert(file.path);
      }
      if (changed.size() > kMostTold && before.what != Compared::What::kNamed) changed = {now.directory};
      changed_.merge(changed);
    }
  }
  // Another run's command may have created the earlier file, so a young one counts as changed.
  [[nodiscard]] bool IsChanged(const GitSnapshot::Text* was, const GitSnapshot::Text& now) const {
    const bool young = before_.others_since && now.stamp >= *before_.others_since;
    return !now.text.empty() && (young || was == nullptr || now != *was || now.text == kNotSearched);
  }
  void Compare(const std::string& path) {
    const Result<Walked> walked = walker_.Walk(path);
    const auto known = known_.find(path);
    if (known != known_.end() && IsDirectory(walked) && TextOfDirectory(*walked) == known->second->text)
      return;
    if (IsChanged(known == known_.end() ? nullptr : known->second, DescribeFound(path, walked)))
      changed_.insert(path);
  }

  const GitSnapshot& before_;
  const Host& host_;
  PathWalker walker_;
  ComparedSearch search_;
  std::unordered_map<std::string_view, const GitSnapshot::Text*> known_ = {};
  std::set<std::string> changed_ = {};
};

}  // namespace

Status CheckVariables(const Protector& protector) {
  constexpr const char* kOfPaths[] = {
      "HOME",         "XDG_CONFIG_HOME", "ZDOTDIR",   "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
      "GNUPGHOME",    "HGRCPATH",        "JJ_CONFIG", "LG_CONFIG_FILE",    "OPENSSL_CONF",
      "TIGRC_SYSTEM", "TIGRC_USER"};
  for (const char* const variable : kOfPaths) {
    const std::string value = protector.TheHost().Environment(variable).value_or("");
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view path = TakePiece(rest, ":,");
      if (path.empty() || path.starts_with('/')) continue;
      return Conflict(std::string(variable) + " names " + Quoted(path) +
                          ", a relative path: programs of the host find something else in each directory",
                      protector.Pointer(),
                      "write the whole path in " + std::string(variable) + "; or write \"protect\": []");
    }
  }
  return Done{};
}

Status CheckSearched(const GitProtection& git, const Protector& protector) {
  std::vector<std::string_view> variables = {"PATH"};
  for (const LoadedFrom& loaded : kLoadedFrom) variables.push_back(loaded.variable);
  for (const std::string_view variable : variables) {
    for (const std::string& directory : DirectoriesIn(variable, protector.TheHost(), git)) {
      const Result<Walked> walked = protector.Walker().Walk(directory);
      if (!walked || !walked->Is(FileType::kSymlink)) continue;
      return Conflict(std::string(variable) + " names " + Quoted(directory) + ", which leads through " +
                          Quoted(walked->path) + ": each process finds something else there",
                      protector.Pointer(),
                      "leave it out of " + std::string(variable) + "; or write \"protect\": []");
    }
  }
  return Done{};
}

void NoteFoundByName(const GitProtection& git, const Protector& protector,
                     const std::vector<std::string>& patterns, GitSnapshot& snapshot) {
  const Host& host = protector.TheHost();
  Notes notes(protector, snapshot);
  for (const std::string& open : protector.LeftOpen()) notes.AddNamed(open);
  for (const std::string& pattern : patterns) notes.AddPattern(pattern);
  for (const std::string& home : git.Homes()) {
    for (const std::string_view name : kInHome) notes.AddWhole(JoinPath(home, name));
    notes.AddSsh(JoinPath(home, ".ssh"), "config", home);
    notes.AddSsh("/etc/ssh", "ssh_config", home);
    const std::string gpg = JoinPath(home, ".gnupg");
    notes.AddPattern(Below(gpg, MayBeThere(protector.Walker().LookAt(gpg)) ? kGpgVersions : kGpgFiles));
  }
  if (const std::optional<std::string> gpg = host.Environment("GNUPGHOME"); gpg && gpg->starts_with('/'))
    notes.AddPattern(Below(*gpg, kGpgVersions));
  for (const std::string& directory : DirectoriesIn("PATH", host, git))
    notes.AddDirectory(directory, git.Homes());
  for (const LoadedFrom& loaded : kLoadedFrom) {
    for (const std::string& directory : DirectoriesIn(loaded.variable, host, git)) {
      for (const std::string_view files : loaded.files) notes.AddPattern(Below(directory, files));
    }
  }
  for (const std::string& entry : DirectoriesIn(kPythonPath, host, git)) notes.AddPython(entry);
  // It replaces every __pycache__.
  if (const std::optional<std::string> cache = host.Environment("PYTHONPYCACHEPREFIX");
      cache && !cache->empty())
    notes.AddWhole(Plain(Against(host.WorkingDirectory(), *cache)));
  const bool nodes = host.Environment("NODE_OPTIONS").has_value();
  const std::string config = host.Environment("XDG_CONFIG_HOME").value_or("");
  for (const std::string_view name : kInHome) {
    if (config.starts_with('/') && name.starts_with(kConfigHome))
      notes.AddWhole(JoinPath(config, name.substr(kConfigHome.size())));
  }
  for (const char* const variable : kFilesNamed) {
    const std::string files = host.Environment(variable).value_or("");
    for (std::string_view rest = files; !rest.empty();) {
      const std::string_view file = TakePiece(rest, ":,");
      if (file.starts_with('/')) notes.AddNamed(Plain(std::string(file)));
    }
  }
  for (const std::string& path : git.NamedPaths()) {
    notes.AddNamed(Plain(path));
    for (const std::string_view ending : kModules)
      if (nodes) notes.AddNamed(Plain(path) + std::string(ending));
  }
  for (const std::string& other : git.Places().Others()) {
    notes.AddNamed(other);  // data bases of Fossil
    // Canonical, because a held name reached through a link would look new at the end.
    const Result<Walked> walked = protector.Walker().Walk(other);
    const std::string place = walked && walked->status ? walked->path : other;
    const std::string_view name = NameOf(other);
    for (const OtherFile& file : kOtherFiles)
      if (file.place == name) notes.AddNamed(JoinPath(place, file.path));
  }
  for (const std::string& stray : git.Places().StrayHooks()) {
    for (GitSnapshot::Text& hook : HooksIn(stray, host, protector.Walker()))
      snapshot.hooks.push_back(std::move(hook));
  }
  for (const auto& [tree, names] : git.CalledInTrees()) notes.AddCalled(tree, names);
  for (const std::string& directory : snapshot.directories) {
    // A project may have directories named objects and refs.
    if (IsNamedGit(directory) || host.LookAt(JoinPath(directory, "HEAD")).status)
      notes.AddCompared({.directory = directory, .what = Compared::What::kTop});
  }
}

std::vector<GitChange> ReviewFoundByName(const GitSnapshot& before, const Host& host,
                                         const std::vector<std::string>& hooks) {
  return FoundReview(before, host).Run(hooks);
}

}  // namespace mxc
