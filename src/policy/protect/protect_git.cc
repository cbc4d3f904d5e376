#include "policy/protect/protect_git.h"

#include <algorithm>
#include <optional>

#include "mxc/limits.h"
#include "policy/paths/entries.h"
#include "policy/paths/homes.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/environment.h"
#include "policy/protect/git/instructions.h"

namespace mxc {

void GitProtection::AddAround(const std::string& grant) {
  PathWalker& walker = protector_.Walker();
  for (std::string_view above = grant;; above = ParentOf(above)) {
    const std::string git = JoinPath(above, ".git");
    if (const Lookup& lookup = walker.LookAt(git); lookup.status)
      places_.Add(WorkTree{.directory = std::string(above), .git = git, .type = lookup.status->object.type});
    const std::string objects = JoinPath(above, "objects");
    const std::string refs = JoinPath(above, "refs");
    const bool shaped = walker.LookAt(objects).status && walker.LookAt(refs).status;
    if (IsNamedGit(above)) {
      places_.Add(GitDirectory{.path = std::string(above)});
    } else if (shaped) {
      places_.Add(GitDirectory{.path = std::string(above), .shape = {objects, refs}});
    } else if (walker.LookAt(JoinPath(above, "commondir")).status) {
      places_.Add(GitDirectory{.path = std::string(above), .linked = true});
    } else if (IsOtherPlace(above)) {
      places_.AddOther(std::string(above));
    }
    if (above == "/") return;
  }
}

Status GitProtection::AddNamed(const PathEntry& named) {
  const Result<Walked> walked = protector_.Walker().Walk(named.path);
  if (!walked) return Conflict(walked.error().message, named.pointer, {});
  for (const LinkMet& met : walked->links) {
    if (!protector_.Writable(met.link.path)) continue;
    return Conflict("the repository " + Quoted(walked->path) + " leads through " + Quoted(met.link.path) +
                        ", a link in a read-write directory",
                    named.pointer, "write the real path, " + Quoted(walked->path));
  }
  GitPlaces found_there;  // places_ already has those around the grants
  if (walked->Is(FileType::kDirectory)) {
    std::vector<DirectoryEntry> entries;
    const Result<std::vector<DirectoryEntry>> found =
        protector_.TheHost().ListEntries(walked->path, GitPlaces::Wants);
    if (found) entries = *found;
    std::vector<DirectoryEntry> again = entries;
    found_there.Visit(walked->path, again, protector_.TheHost());
    places_.Visit(walked->path, entries, protector_.TheHost());
  }
  for (const LinkMet& met : walked->links) ways_.push_back(met.link.path);
  if (!found_there.WorkTrees().empty() || !found_there.Directories().empty()) return Done{};
  return Conflict(Quoted(named.path) + " is no git repository", named.pointer,
                  "name the directory of a work tree, or of a bare repository");
}

// The repository that the caller's environment sets for git, in any directory.
Status GitProtection::AddFromEnvironment() {
  const Host& host = protector_.TheHost();
  const std::string here = host.WorkingDirectory();
  const auto written = [&](const char* name) {
    const std::optional<std::string> path = host.Environment(name);
    return path ? programs_.Expanded(here, *path) : std::string();
  };
  for (const char* name : {"GIT_DIR", "GIT_COMMON_DIR"}) {
    const Result<Walked> walked = protector_.Walker().Walk(written(name));
    if (!walked || walked->path == "/") continue;
    for (const LinkMet& met : walked->links) protector_.WatchLink(met.link.path);
    const std::string tree = written("GIT_WORK_TREE");
    places_.Add(WorkTree{.directory = tree.empty() ? here : tree,
                         .git = walked->path,
                         .type = walked->status ? walked->status->object.type : FileType::kDirectory});
  }
  if (const std::string tree = written("GIT_WORK_TREE"); !tree.empty()) {
    const std::string git = GitDirectoryOfCaller(host);
    const Lookup& found = protector_.Walker().LookAt(git);
    if (found.status) places_.Add(WorkTree{.directory = tree, .git = git, .type = found.status->object.type});
  }
  const std::string programs = written("GIT_EXEC_PATH");
  return programs.empty() ? Status(Done{}) : programs_.ProtectPrograms(programs);
}

// "gitdir: PATH", of a linked work tree or a submodule; or the directory itself; or a link to one.
Status GitProtection::FollowWorkTree(const WorkTree& tree) {
  PathWalker& walker = protector_.Walker();
  std::string git = tree.git;
  if (tree.type == FileType::kSymlink) protector_.WatchLink(tree.git);
  if (tree.type == FileType::kRegular) {
    protector_.Protect(tree.git, WhenMissing::kLeft);
    const Result<std::optional<std::string>> text = Read(tree.git);
    if (!text) return text.error();
    const std::string_view path = *text ? GitDirectoryIn(**text) : std::string_view{};
    if (path.empty()) return Done{};
    git = Against(ParentOf(tree.git), path);
  }
  const Result<Walked> walked = walker.Walk(git);
  if (!walked) return Done{};
  for (const LinkMet& met : walked->links) protector_.WatchLink(met.link.path);
  if (!walked->status) {
    protector_.Protect(walked->path, WhenMissing::kDirectory);
    return Done{};
  }
  const Result<std::optional<std::string>> common = Read(JoinPath(walked->path, "commondir"));
  if (!common) return common.error();
  const std::string_view path = *common ? CommonDirectoryIn(**common) : ".";
  places_.Add(GitDirectory{.path = walked->path, .linked = path != "."});
  const Result<Walked> whole = walker.Walk(Against(walked->path, path));
  if (!whole || !whole->status) return Done{};
  if (!protector_.Rules().Visible(walked->path)) WarnOfHidden(tree, walked->path, whole->path);
  places_.Add(GitDirectory{.path = whole->path});
  Repository& repository = repositories_[whole->path];
  if (tree.type != FileType::kDirectory) repository.leads.insert(tree.git);
  if (path != ".") repository.leads.insert(JoinPath(walked->path, "commondir"));
  repository.trees.insert(tree.directory);
  repository.trees.insert(walked->path);
  repository.files.insert(JoinPath(walked->path, "config.worktree"));
  return Done{};
}

// Whether it is the innermost work tree around the directory in which git is called.
bool GitProtection::IsTheNearest(const WorkTree& tree) const {
  const std::vector<WorkTree>& trees = places_.WorkTrees();
  return IsAtOrBelow(git_runs_in_, tree.directory) &&
         std::none_of(trees.begin(), trees.end(), [&](const WorkTree& other) {
           return other.directory.size() > tree.directory.size() &&
                  IsAtOrBelow(git_runs_in_, other.directory);
         });
}

// git needs more than was granted, and a grant is never widened automatically: the history of a repository
// shows more than its files.
void GitProtection::WarnOfHidden(const WorkTree& tree, const std::string& git,
                                 const std::string& common) const {
  const PathRule* const rule = protector_.Rules().Covering(git);
  if (rule != nullptr && rule->access == Access::kDenied) return;
  if (protector_.Rules().Visible(tree.directory)) {
    protector_.Warn("git-directory-hidden",
                    Quoted(tree.git) + " leads to " + Quoted(git) +
                        ", which is not granted: git will not work there; to use it, add --rw " +
                        ShellWord(common) + ", or --ro for `status` and `log` alone");
  } else if (tree.type == FileType::kDirectory && IsTheNearest(tree)) {
    protector_.Warn("git-directory-hidden",
                    "the grants are parts of the work tree " + Quoted(tree.directory) +
                        ": git will not work there; for `status` and `log` add --ro " +
                        ShellWord(tree.directory) + ", for `commit` --rw " + ShellWord(common) + " as well");
  }
}

void GitProtection::WarnOfHidden() {
  const std::vector<WorkTree> trees = places_.WorkTrees();
  for (const WorkTree& tree : trees) {
    static_cast<void>(FollowWorkTree(tree));  // the command reports what it cannot read
  }
}

// `path`: a git directory, or a file named `.git`. Not for root, which reads every file.
bool GitProtection::DenyOthers(const std::string& path) {
  if (IsIn(path, others_)) return true;
  const Host& host = protector_.TheHost();
  const Lookup& whole = protector_.Walker().LookAt(path);
  const PathRule* grant = protector_.Rules().Covering(path);
  if (host.Caller().IsRoot() || !whole.status || grant == nullptr || grant->access == Access::kDenied)
    return false;
  const auto kept = [&](const std::string& file) {
    const Lookup& lookup = protector_.Walker().LookAt(file);
    return lookup.status && lookup.status->uid != host.Caller().uid && lookup.Is(FileType::kRegular) &&
           !host.MayAccess(file, Access::kReadOnly);
  };
  const bool any = kept(path) || kept(JoinPath(path, "commondir")) || kept(JoinPath(path, "config")) ||
                   kept(JoinPath(path, "config.worktree"));
  const bool denied = any && !whole.Is(FileType::kSymlink) && protector_.Deny(path, whole.status->object);
  if (denied) others_.insert(path);
  return denied;
}

// Only a writable file with a single name is left.
Result<bool> GitProtection::LeaveConfig(const std::string& path) {
  const Lookup& lookup = protector_.Walker().LookAt(path);
  const bool single = lookup.Is(FileType::kRegular) && lookup.status->links == 1;
  if (!safe_configs_ || !single || !protector_.Writable(path) || protector_.Rules().Find(path) != nullptr)
    return false;
  // Restoring sets only mode bits, which may admit users whom the list excludes.
  if (protector_.TheHost().Attribute(path, kAccessAcl)) return false;
  Result<std::optional<std::string>> text = Read(path);
  if (!text) return text.error();
  if (!*text) return false;
  configs_.push_back({.path = path, .text = std::move(**text), .stamp = StampOf(lookup)});
  return true;
}

Status GitProtection::ProtectDirectory(const GitDirectory& directory) {
  for (const ProtectedRow& row : directory.linked ? LinkedWorkTreeRows() : GitDirectoryRows()) {
    const std::string path = JoinPath(directory.path, row.path);
    const Result<bool> left = row.path == "config" ? LeaveConfig(path) : Result<bool>(false);
    if (!left) return left.error();
    if (!*left) protector_.Protect(path, row.missing, row.text);
  }
  for (const std::string& part : directory.shape) protector_.Pin(part);
  return Done{};
}

// `files`: gets the files that it includes.
// NOLINTNEXTLINE(misc-no-recursion): once more
void GitProtection::Take(GitVariable variable, const std::string& base, std::vector<std::string>& files,
                         GitSayings& loaded) {
  // Older versions of git take the prefix as part of the name.
  if (variable.value.starts_with(kOptionalPath)) {
    GitVariable literal = variable;
    literal.value.insert(0, "./");
    Take(std::move(literal), base, files, loaded);
  }
  std::string_view below = variable.value;
  if (below.starts_with(kOptionalPath)) below.remove_prefix(kOptionalPath.size());
  if (below.starts_with(kPrefixOfGit)) {
    for (const std::string& prefix : programs_.PrefixesOfGit()) {
      GitVariable expanded = variable;
      expanded.value = JoinPath(prefix, below.substr(kPrefixOfGit.size()));
      Take(std::move(expanded), base, files, loaded);
    }
  }
  if (variable.Is("core", "worktree")) loaded.work_trees.push_back(variable.value);
  if (variable.Is("core", "hookspath")) loaded.hooks.push_back(variable.value);
  if ((variable.section == "include" || variable.section == "includeif") && variable.name == "path") {
    programs_.ProtectNamed(base, variable.value, WhenMissing::kFile);
    files.push_back(programs_.Expanded(base, variable.value));
  }
  if (MayExecute(variable)) loaded.variables.push_back(std::move(variable));
}

Result<std::optional<std::string>> GitProtection::Read(const std::string& file) {
  Result<std::optional<std::string>> text = ReadGitFile(file, protector_.TheHost(), protector_.Walker());
  if (text) return text;
  unreadable_ = file;
  text.error().pointer = protector_.Pointer();
  return text;
}

// A file such as /proc/self/commondir can only be avoided by removing the file that leads there.
bool GitProtection::GoesOn(Status& held, std::set<std::string> leads) {
  if (held) return true;
  std::string file = std::exchange(unreadable_, {});
  const Result<Walked> walked = protector_.Walker().Walk(file.empty() ? "/" : ParentOf(file));
  const bool proc = walked && walked->Is(FileType::kSymlink);
  if (!proc || leads.contains(file)) leads.clear();
  if (!leads.empty()) {
    const std::string lead = Quoted(*leads.begin());
    held.error().message = lead + " leads to where " + held.error().message;
    held.error().hint = "remove " + lead + " if an earlier run has left it; or write \"protect\": []";
  }
  if (refusals_ == nullptr) return false;
  refusals_->push_back({.file = std::move(file),
                        .place = protector_.From(),
                        .leads = std::move(leads),
                        .error = held.error()});
  return true;
}

// Reads `files` and what they include.
Status GitProtection::Load(std::vector<std::string> files, GitSayings& loaded) {
  std::set<std::string> seen;
  while (!files.empty()) {
    std::string file = std::move(files.back());
    files.pop_back();
    if (!file.starts_with('/')) continue;
    // Includes are relative to its directory, even if the file is a link.
    const Result<Walked> directory = protector_.Walker().Walk(ParentOf(file));
    if (directory) file = JoinPath(directory->path, NameOf(file));
    if (!seen.insert(file).second) continue;
    const Result<std::optional<std::string>> text = Read(file);
    if (!text) return text.error();
    if (seen.size() > kMaxGitConfigFiles) {
      return Conflict("the git configuration " + Quoted(file) + " is one of more than " +
                          std::to_string(kMaxGitConfigFiles) + " that include each other",
                      protector_.Pointer(), "include fewer, or write \"protect\": []");
    }
    const std::string base{ParentOf(file)};
    for (GitVariable& variable : ReadGitConfig(text->value_or("")))
      Take(std::move(variable), base, files, loaded);
  }
  return Done{};
}

// Hooks and included files may be in the work tree, where everything else is writable.
Status GitProtection::ProtectRepository(const std::string& git_directory, Repository& repository) {
  std::vector<std::string> files(repository.files.begin(), repository.files.end());
  for (const char* file : kGitConfigs) files.push_back(JoinPath(git_directory, file));
  GitSayings loaded;
  if (Status read = Load(std::move(files), loaded); !read) return read;
  for (const std::string& tree : loaded.work_trees) {
    if (!tree.empty()) repository.trees.insert(Against(git_directory, tree));
  }
  repository.trees.insert(git_directory);  // git's directory when it is called there, as for a push
  if (Status held = programs_.ProtectHooks(git_directory, "hooks"); !held) return held;
  for (const std::string& tree : repository.trees) {
    const Result<Walked> walked = protector_.Walker().Walk(tree);
    if (!walked) continue;
    for (const GitSayings* each : {&loaded, &global_}) {
      if (Status held = programs_.Obey(*each, walked->path); !held) return held;
    }
  }
  return Done{};
}

// The files that git reads for every repository, and the files that they name: they affect repositories
// outside the grants as well.
Status GitProtection::ProtectGlobal() {
  const Host& host = protector_.TheHost();
  std::vector<std::string> files;
  const auto add = [&](const std::string& file, WhenMissing missing) {
    protector_.Protect(file, missing);
    files.push_back(file);
  };
  add("/etc/gitconfig", WhenMissing::kFile);
  add("/usr/local/etc/gitconfig", WhenMissing::kLeft);  // of a git built there
  for (const char* name : {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}) {
    const std::optional<std::string> file = host.Environment(name);
    if (file && file->starts_with('/')) add(*file, WhenMissing::kFile);
  }
  if (const std::optional<std::string> gpg = host.Environment("GNUPGHOME"); gpg && gpg->starts_with('/'))
    protector_.ProtectRows(*gpg, GpgHomeRows());
  std::set<std::string> config_homes;
  if (const std::string& home = programs_.Home(); !home.empty()) {
    protector_.ProtectRows(home, GitHomeRows());
    // gpg creates the directory itself, with its own mode, so a new one is compared instead.
    const std::string gpg = JoinPath(home, ".gnupg");
    if (MayBeThere(protector_.Walker().LookAt(gpg))) protector_.ProtectRows(gpg, GpgHomeRows());
    files.push_back(JoinPath(home, ".gitconfig"));
    config_homes.insert(JoinPath(home, ".config"));
  }
  if (const std::optional<std::string> set = host.Environment("XDG_CONFIG_HOME");
      set && set->starts_with('/'))
    config_homes.insert(*set);
  for (const std::string& directory : config_homes) {
    protector_.ProtectRows(directory, GitConfigHomeRows());
    files.push_back(JoinPath(directory, "git/config"));
  }
  for (GitVariable& variable : GitEnvironment(host)) Take(std::move(variable), "", files, global_);
  if (Status read = Load(std::move(files), global_); !read) return read;
  return programs_.Obey(global_, "");
}

Status GitProtection::WithEachHome(const std::function<Status()>& act) {
  if (homes_.size() < 2) return act();
  for (const std::string& home : homes_) {
    programs_.SetHome(home);
    if (Status done = act(); !done) return done;
  }
  return Done{};
}

Status GitProtection::ProtectGlobals() {
  return WithEachHome([this] { return ProtectGlobal(); });
}

Status GitProtection::Apply() {
  if (Status added = AddFromEnvironment(); !added) return added;
  if (Status global = ProtectGlobals(); !global) return global;
  for (const std::string& link : ways_) protector_.WatchLink(link);
  const std::vector<WorkTree> trees = places_.WorkTrees();
  for (const WorkTree& tree : trees) {
    protector_.From(tree.git);
    if (DenyOthers(tree.git)) continue;
    std::set<std::string> leads;
    if (tree.type != FileType::kDirectory) leads.insert(tree.git);
    if (Status followed = FollowWorkTree(tree); !GoesOn(followed, leads)) return followed;
  }
  for (const std::string& other : places_.Others()) {
    if (NameOf(other) == ".hg") protector_.ProtectRows(other, MercurialRows());
  }
  for (const GitDirectory& directory : places_.Directories()) {
    protector_.From(directory.path);
    if (DenyOthers(directory.path)) continue;
    if (Status held = ProtectDirectory(directory); !GoesOn(held)) return held;
    if (!directory.linked) repositories_[directory.path];
  }
  for (auto& [git_directory, repository] : repositories_) {
    protector_.From(git_directory);
    Status held =
        WithEachHome([&, &path = git_directory, &at = repository] { return ProtectRepository(path, at); });
    if (!GoesOn(held, repository.leads)) return held;
  }
  return Done{};
}

Result<NamedInTrees> GitProtection::NamedInEveryTree() {
  if (Status read = ProtectGlobals(); !read) return read.error();
  std::set<std::string> names;
  NamedInTrees named;
  for (const GitVariable& variable : global_.variables) {
    auto behind = NamesInCommandOf(variable);
    auto paths = PathsInTrees(variable, protector_.Walker());
    if (!behind || !paths) return programs_.TooManyWords();
    named.words.merge(*behind);
    names.merge(*paths);
  }
  named.paths.assign(names.begin(), names.end());
  return named;
}

Result<NamedInTrees> NamedInEveryTree(const Host& host, PathWalker& walker) {
  const MountNames names({}, walker);
  RuleSet no_grants;
  std::vector<Warning> warnings;
  const std::vector<std::string> homes = CallersHomes(host, walker);
  Protector protector(host, names, walker, no_grants, homes, warnings);
  return GitProtection(protector, homes).NamedInEveryTree();
}

std::vector<GitSnapshot::Text> GitProtection::Instructions() const {
  std::vector<GitSnapshot::Text> files;
  for (const GitDirectory& directory : places_.Directories()) {
    for (GitInstruction& file : FindInstructions(directory.path, protector_.TheHost())) {
      if (file.text)
        files.push_back({.path = std::move(file.path), .text = std::move(*file.text), .stamp = file.stamp});
    }
  }
  return files;
}

}  // namespace mxc
