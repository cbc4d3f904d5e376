#include "policy/protect_git.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/entries.h"
#include "policy/git_environment.h"
#include "policy/git_instructions.h"

namespace mxc {
namespace {

std::string Against(std::string_view base, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : JoinPath(base, path);
}

// `word` of an alias that is one of git: `-c core.pager=tools/x log`.
bool NamesNoFile(const GitVariable& variable, const ProgramWord& word) {
  return variable.section == "alias" && !variable.value.starts_with('!') && (word.run || !word.script);
}

// Neither a pattern, a place or an address, nor what is searched on PATH.
bool MayBePath(const ProgramWord& word) {
  const bool text = word.text.find_first_of("*?%:=") != std::string::npos;
  const bool slash = word.text.find('/') != std::string::npos;
  return !text && (slash || word.script) && !word.text.starts_with('-');
}

// What is written there is no path of a program, whatever it looks like.
bool NamesNoFile(const GitVariable& variable) {
  constexpr std::string_view kSections[] = {"http",     "https", "include", "includeif",
                                            "protocol", "safe",  "url"};
  return std::find(std::begin(kSections), std::end(kSections), variable.section) != std::end(kSections) ||
         variable.Is("core", "hookspath");
}

// Of the user of that name; "" when the machine's own list does not know them.
std::string HomeOf(const Host& host, std::string_view user) {
  constexpr std::size_t kMaxPasswdBytes = std::size_t{1} << 20U;
  constexpr int kHomeField = 5;
  const Result<std::string> passwd = host.ReadFile("/etc/passwd", kMaxPasswdBytes);
  for (std::string_view rest = passwd ? std::string_view(*passwd) : ""; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.substr(0, line.find(':')) != user) continue;
    for (int field = 0; field < kHomeField; ++field)
      line.remove_prefix(std::min(line.size(), std::min(line.find(':'), line.size()) + 1));
    return std::string(line.substr(0, line.find(':')));
  }
  return "";
}

}  // namespace

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
    }
    if (above == "/") return;
  }
}

Status GitProtection::AddNamed(const PathEntry& named) {
  const std::size_t before = places_.WorkTrees().size() + places_.Directories().size();
  const Result<Walked> walked = protector_.Walker().Walk(named.path);
  if (!walked) return Conflict(walked.error().message, named.pointer, {});
  for (const LinkMet& met : walked->links) {
    if (!protector_.Writable(met.link.path)) continue;
    return Conflict("the repository " + Quoted(walked->path) + " leads through " + Quoted(met.link.path) +
                        ", a link in a read-write directory",
                    named.pointer, "write the real path, " + Quoted(walked->path));
  }
  if (walked->status && walked->status->object.type == FileType::kDirectory) {
    std::vector<DirectoryEntry> entries;
    const Result<std::vector<DirectoryEntry>> found =
        protector_.TheHost().ListEntries(walked->path, GitPlaces::Wants);
    if (found) entries = *found;
    places_.Visit(walked->path, entries);
  }
  for (const LinkMet& met : walked->links) ways_.push_back(met.link.path);
  if (places_.WorkTrees().size() + places_.Directories().size() != before) return Done{};
  return Conflict(Quoted(named.path) + " is no git repository", named.pointer,
                  "name the directory of a work tree, or of a bare repository");
}

// The repository that the caller has told git to use, wherever git is called.
Status GitProtection::AddFromEnvironment() {
  const Host& host = protector_.TheHost();
  const std::string here = host.WorkingDirectory();
  const auto written = [&](const char* name) {
    const std::optional<std::string> path = host.Environment(name);
    return path ? Expanded(here, *path) : std::string();
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
  const std::string programs = written("GIT_EXEC_PATH");
  return programs.empty() ? Status(Done{}) : ProtectPrograms(programs);
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
    git = Against(tree.directory, path);
  }
  const Result<Walked> walked = walker.Walk(git);
  if (!walked) return Done{};
  for (const LinkMet& met : walked->links) protector_.WatchLink(met.link.path);
  if (!walked->status) {
    protector_.Protect(walked->path, WhenMissing::kDirectory);
    return Done{};
  }
  if (!protector_.Rules().Visible(walked->path) && protector_.Writable(tree.directory)) {
    protector_.Warn("git-directory-hidden", Quoted(tree.git) + " leads to " + Quoted(walked->path) +
                                                ", which is not granted: git will not work there");
  }
  const Result<std::optional<std::string>> common = Read(JoinPath(walked->path, "commondir"));
  if (!common) return common.error();
  const std::string_view path = *common ? CommonDirectoryIn(**common) : ".";
  places_.Add(GitDirectory{.path = walked->path, .linked = path != "."});
  const Result<Walked> whole = walker.Walk(Against(walked->path, path));
  if (!whole || !whole->status) return Done{};
  places_.Add(GitDirectory{.path = whole->path});
  Repository& repository = repositories_[whole->path];
  repository.trees.push_back(tree.directory);
  repository.files.insert(JoinPath(walked->path, "config.worktree"));
  return Done{};
}

void GitProtection::ProtectDirectory(const GitDirectory& directory) {
  protector_.ProtectRows(directory.path, directory.linked ? LinkedWorkTreeRows() : GitDirectoryRows());
  for (const std::string& part : directory.shape) protector_.Pin(part);
}

// "" for what is relative to nothing that is known.
std::string GitProtection::Expanded(const std::string& base, std::string_view written) const {
  constexpr std::string_view kOptional = ":(optional)";
  if (written.starts_with(kOptional)) written.remove_prefix(kOptional.size());
  if (written.empty() || (base.empty() && !written.starts_with('/') && !written.starts_with('~'))) return "";
  if (!written.starts_with('~')) return Against(base, written);
  const std::size_t end = std::min(written.find('/'), written.size());
  const std::string_view user = written.substr(1, end - 1);
  const std::string home = user.empty() ? home_ : HomeOf(protector_.TheHost(), user);
  return home.starts_with('/') ? home + std::string(written.substr(end)) : "";
}

void GitProtection::ProtectNamed(const std::string& base, std::string_view written, WhenMissing missing) {
  const std::string path = Expanded(base, written);
  if (path.starts_with('/')) protector_.Protect(path, missing);
}

// What links in a protected directory lead to, and other names of its files: hooks are often links to
// scripts of the work tree.
Status GitProtection::ProtectContents(const std::string& directory, int depth) {
  if (!directory.starts_with('/')) return Done{};
  const Result<Walked> walked = protector_.Walker().Walk(directory);
  if (!walked || !walked->status || walked->status->object.type != FileType::kDirectory) return Done{};
  const Result<std::vector<DirectoryEntry>> entries = protector_.TheHost().ListEntries(walked->path, {});
  if (!entries) {
    return Conflict(
        "git's directory " + Quoted(walked->path) + " cannot be listed: " + entries.error().message,
        protector_.Pointer(), "make it one that you can list, or write \"protect\": []");
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = JoinPath(walked->path, entry.name);
    if (entry.name.ends_with(".sample")) continue;
    if (entry.type != FileType::kDirectory) {
      protector_.Protect(path, WhenMissing::kDirectory);
    } else if (depth > 0) {
      if (Status held = ProtectContents(path, depth - 1); !held) return held;
    }
  }
  return Done{};
}

Status GitProtection::ProtectHooks(const std::string& base, std::string_view written) {
  const std::string path = Expanded(base, written);
  if (!path.starts_with('/')) return Done{};
  if (Status known = CheckPlace(path); !known) return known;
  protector_.Protect(path, WhenMissing::kDirectory);
  // husky: `_` is made from what stands beside it.
  if (const Result<Walked> walked = protector_.Walker().Walk(path); walked && walked->path.ends_with("/_")) {
    const std::string beside{ParentOf(walked->path)};
    if (protector_.Walker().LookAt(beside).status) protector_.Protect(beside, WhenMissing::kLeft);
  }
  return ProtectContents(path, 0);
}

// `hold`: also what does not exist yet, which a directory that cannot be executed holds.
void GitProtection::ProtectProgram(const ProgramWord& word, const std::string& base, bool hold) {
  if (!MayBePath(word)) return;
  const bool slash = word.text.find('/') != std::string::npos;
  const std::string path = Expanded(base, word.text);
  if (!path.starts_with('/')) return;
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked) return protector_.Protect(path, WhenMissing::kLeft);
  if (!walked->status) {
    if (hold && word.run && slash) protector_.Protect(path, WhenMissing::kDirectory);
    // "$(git rev-parse --show-toplevel)/tools/x"
    if (word.text.starts_with('/') && word.text.size() > 1 && base != "/")
      ProtectProgram({.text = word.text.substr(1), .run = word.run}, base, false);
    return;
  }
  const bool program = word.run || word.script || (walked->status->mode & 0111U) != 0;
  if (program && walked->status->object.type == FileType::kRegular)
    protector_.Protect(path, WhenMissing::kLeft);
}

// What leads through a link of /proc, as /proc/self/cwd/x does, may lead into any grant. A descriptor itself,
// /dev/stdin for instance, is what the caller has opened.
Status GitProtection::CheckPlace(const std::string& path) const {
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked || !walked->status || walked->status->object.type != FileType::kSymlink) return Done{};
  const std::string written = FoldLexically(path);
  const std::string_view above = ParentOf(written);
  if (above == "/dev" || above.ends_with("/fd")) return Done{};
  const std::string& from = protector_.From();
  return Conflict((from.empty() ? "git's configuration" : "the configuration of " + Quoted(from)) +
                      " names " + Quoted(path) + ", which leads through " + Quoted(walked->path) +
                      ": each process finds something else there",
                  protector_.Pointer(),
                  "write a path relative to the work tree, or one without /proc; or write \"protect\": []");
}

Status GitProtection::ProtectTemplate(const std::string& base, std::string_view written) {
  constexpr int kDepth = 2;  // hooks and info, and what stands in them
  ProtectNamed(base, written, WhenMissing::kDirectory);
  return ProtectContents(Expanded(base, written), kDepth);
}

// git's own, as it finds them in GIT_EXEC_PATH.
Status GitProtection::ProtectPrograms(const std::string& directory) {
  if (Status known = CheckPlace(directory); !known) return known;
  protector_.Protect(directory, WhenMissing::kDirectory);
  return ProtectContents(directory, 0);
}

Status GitProtection::ObeyWord(const ProgramWord& word, const std::string& base) {
  const std::string path = Expanded(base, word.text);
  const bool named = word.run || word.script || path.find("/cwd/") != std::string::npos ||
                     path.find("/root/") != std::string::npos;
  if (named && MayBePath(word)) {
    if (Status known = CheckPlace(path); !known) return known;
  }
  if (word.key == "core.hookspath") return ProtectHooks(base, word.text);
  const bool programs = word.key == "--exec-path" || word.key == "git_exec_path";
  if (programs && !path.empty()) return ProtectPrograms(path);
  if (word.key == "--template" || word.key == "git_template_dir" || word.key == "init.templatedir")
    return ProtectTemplate(base, word.text);
  ProtectProgram(word, base, true);
  return Done{};
}

Status GitProtection::ObeyVariable(const GitVariable& variable, const std::string& base) {
  if (variable.Is("init", "templatedir")) {
    if (Status known = CheckPlace(Expanded(base, variable.value)); !known) return known;
    if (Status held = ProtectTemplate(base, variable.value); !held) return held;
  }
  if (variable.Is("core", "attributesfile")) {
    if (Status known = CheckPlace(Expanded(base, variable.value)); !known) return known;
    ProtectNamed(base, variable.value, WhenMissing::kFile);
  }
  if (NamesNoFile(variable)) return Done{};
  for (const ProgramWord& word : ProgramWords(variable.value)) {
    if (NamesNoFile(variable, word)) continue;
    if (Status held = ObeyWord(word, base); !held) return held;
  }
  return Done{};
}

// `base`: a work tree; "" for what is said of none.
Status GitProtection::Obey(const Loaded& loaded, const std::string& base) {
  for (const std::string& path : loaded.hooks) {
    if (Status held = ProtectHooks(base, path); !held) return held;
  }
  for (const GitVariable& variable : loaded.variables) {
    if (Status held = ObeyVariable(variable, base); !held) return held;
  }
  return Done{};
}

// `files`: where what it includes is added.
void GitProtection::Take(GitVariable variable, const std::string& base, std::vector<std::string>& files,
                         Loaded& loaded) {
  if (variable.Is("core", "worktree")) loaded.work_tree = variable.value;
  if (variable.Is("core", "hookspath")) loaded.hooks.push_back(variable.value);
  if ((variable.section == "include" || variable.section == "includeif") && variable.name == "path") {
    ProtectNamed(base, variable.value, WhenMissing::kFile);
    files.push_back(Expanded(base, variable.value));
  }
  if (MayExecute(variable)) loaded.variables.push_back(std::move(variable));
}

Result<std::optional<std::string>> GitProtection::Read(const std::string& file) const {
  Result<std::optional<std::string>> text = ReadGitFile(file, protector_.TheHost(), protector_.Walker());
  if (!text) text.error().pointer = protector_.Pointer();
  return text;
}

// Reads `files` and what they include.
Status GitProtection::Load(std::vector<std::string> files, Loaded& loaded) {
  std::set<std::string> seen;
  while (!files.empty()) {
    std::string file = std::move(files.back());
    files.pop_back();
    if (!file.starts_with('/')) continue;
    // What it includes is relative to its name, whatever that is a link to.
    const Result<Walked> directory = protector_.Walker().Walk(ParentOf(file));
    if (directory) file = JoinPath(directory->path, file.substr(file.rfind('/') + 1));
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

// Hooks and included files may stand in the work tree, where everything else is writable.
Status GitProtection::ProtectRepository(const std::string& git_directory, Repository& repository) {
  std::vector<std::string> files(repository.files.begin(), repository.files.end());
  files.push_back(JoinPath(git_directory, "config"));
  files.push_back(JoinPath(git_directory, "config.worktree"));
  Loaded loaded;
  if (Status read = Load(std::move(files), loaded); !read) return read;
  if (!loaded.work_tree.empty()) repository.trees.push_back(Against(git_directory, loaded.work_tree));
  if (repository.trees.empty()) repository.trees.push_back(git_directory);  // a bare repository
  if (Status held = ProtectHooks(git_directory, "hooks"); !held) return held;
  for (const std::string& tree : repository.trees) {
    const Result<Walked> walked = protector_.Walker().Walk(tree);
    if (!walked) continue;
    for (const Loaded* each : {&loaded, &global_}) {
      if (Status held = Obey(*each, walked->path); !held) return held;
    }
  }
  return Done{};
}

// The files that git reads for every repository, and what they name: whatever the grants hold, there are
// repositories elsewhere.
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
  std::set<std::string> config_homes;
  if (!home_.empty()) {
    protector_.ProtectRows(home_, GitHomeRows());
    files.push_back(JoinPath(home_, ".gitconfig"));
    config_homes.insert(JoinPath(home_, ".config"));
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
  return Obey(global_, "");
}

Status GitProtection::Apply() {
  if (Status added = AddFromEnvironment(); !added) return added;
  if (Status global = ProtectGlobal(); !global) return global;
  for (const std::string& link : ways_) protector_.WatchLink(link);
  const std::vector<WorkTree> trees = places_.WorkTrees();
  for (const WorkTree& tree : trees) {
    if (Status followed = FollowWorkTree(tree); !followed) return followed;
  }
  for (const GitDirectory& directory : places_.Directories()) {
    protector_.From(directory.path);
    ProtectDirectory(directory);
    if (!directory.linked) repositories_[directory.path];
  }
  for (auto& [git_directory, repository] : repositories_) {
    protector_.From(git_directory);
    if (Status held = ProtectRepository(git_directory, repository); !held) return held;
  }
  return Done{};
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

Result<std::vector<std::string>> GitProtection::NamedInEveryTree() {
  if (Status read = ProtectGlobal(); !read) return read.error();
  std::set<std::string> names(global_.hooks.begin(), global_.hooks.end());
  for (const GitVariable& variable : global_.variables) {
    if (NamesNoFile(variable)) continue;
    for (const ProgramWord& word : ProgramWords(variable.value)) {
      if (!MayBePath(word) || NamesNoFile(variable, word)) continue;
      // "$(git rev-parse --show-toplevel)/tools/x"
      const bool top = word.text.starts_with('/') && !protector_.Walker().LookAt(word.text).status;
      names.insert(top ? word.text.substr(1) : word.text);
    }
  }
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || name.starts_with('/') || name.starts_with('~');
  });
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<std::string>> NamedInEveryTree(const Host& host, PathWalker& walker) {
  const MountNames names({}, walker);
  RuleSet no_grants;
  std::vector<Warning> warnings;
  Protector protector(host, names, walker, no_grants, warnings);
  return GitProtection(protector, CanonicalHome(host, walker)).NamedInEveryTree();
}

}  // namespace mxc
