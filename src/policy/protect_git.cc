#include "policy/protect_git.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/entries.h"
#include "policy/git_unfinished.h"

namespace mxc {
namespace {

std::string Against(std::string_view base, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : JoinPath(base, path);
}

// What is written there is no path of a program, whatever it looks like.
bool NamesNoFile(const GitVariable& variable) {
  constexpr std::string_view kSections[] = {"http",     "https", "include", "includeif",
                                            "protocol", "safe",  "url"};
  if (variable.section == "alias") return !variable.value.starts_with('!');
  return std::find(std::begin(kSections), std::end(kSections), variable.section) != std::end(kSections) ||
         variable.Is("core", "hookspath");
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
  if (walked->status && walked->status->object.type == FileType::kDirectory) {
    std::vector<DirectoryEntry> entries;
    const Result<std::vector<DirectoryEntry>> found =
        protector_.TheHost().ListEntries(walked->path, GitPlaces::Wants);
    if (found) entries = *found;
    places_.Visit(walked->path, entries);
  }
  if (places_.WorkTrees().size() + places_.Directories().size() != before) return Done{};
  return Conflict(Quoted(named.path) + " is no git repository", named.pointer,
                  "name the directory of a work tree, or of a bare repository");
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

std::string GitProtection::Expanded(const std::string& base, std::string_view written) const {
  if (!written.starts_with('~')) return Against(base, written);
  // Another user's home is none that the caller's git can be led into from here.
  return written.starts_with("~/") && !home_.empty() ? JoinPath(home_, written.substr(2)) : "";
}

std::string GitProtection::ProtectNamed(const std::string& base, std::string_view written,
                                        WhenMissing missing) {
  const std::string path = written.empty() ? "" : Expanded(base, written);
  if (!path.starts_with('/')) return "";
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked) return "";
  for (const LinkMet& met : walked->links) protector_.Protect(met.link.path, WhenMissing::kLeft);
  if (walked->behind_file) {
    protector_.Protect(std::string(ParentOf(walked->first_missing)), WhenMissing::kLeft);
  } else {
    protector_.Protect(walked->path, missing);
  }
  return walked->path;
}

// Hooks are often links to scripts of the work tree.
void GitProtection::ProtectHooks(const std::string& base, std::string_view written) {
  const std::string hooks = ProtectNamed(base, written, WhenMissing::kDirectory);
  if (hooks.empty()) return;
  // husky: `_` is made from what stands beside it.
  if (hooks.ends_with("/_") && protector_.Walker().LookAt(std::string(ParentOf(hooks))).status)
    protector_.Protect(std::string(ParentOf(hooks)), WhenMissing::kLeft);
  const Result<std::vector<DirectoryEntry>> entries = protector_.TheHost().ListEntries(hooks, {});
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with(".sample")) continue;
    if (entry.type == FileType::kSymlink) ProtectNamed(hooks, entry.name, WhenMissing::kDirectory);
    if (entry.type == FileType::kRegular) protector_.NoteOtherNames(JoinPath(hooks, entry.name));
  }
}

// `hold`: also what does not exist yet, which a directory that cannot be executed holds.
void GitProtection::ProtectProgram(const ProgramWord& word, const std::string& base, bool hold) {
  const bool slash = word.text.find('/') != std::string::npos;
  const bool text = word.text.find_first_of("*?%:=") != std::string::npos;  // a pattern, a place, an address
  if (text || (!slash && !word.script) || word.text.starts_with('-')) return;
  const std::string path = Expanded(base, word.text);
  if (!path.starts_with('/')) return;
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked) return;
  if (!walked->status) {
    if (hold && word.run && slash) ProtectNamed(base, word.text, WhenMissing::kDirectory);
    // "$(git rev-parse --show-toplevel)/tools/x"
    if (word.text.starts_with('/') && word.text.size() > 1 && base != "/")
      ProtectProgram({.text = word.text.substr(1), .run = word.run}, base, false);
    return;
  }
  const bool program = word.run || (walked->status->mode & 0111U) != 0;
  if (program && walked->status->object.type == FileType::kRegular)
    ProtectNamed(base, word.text, WhenMissing::kLeft);
}

void GitProtection::Obey(const Loaded& loaded, const std::string& base) {
  for (const std::string& path : loaded.hooks) ProtectHooks(base, path);
  for (const GitVariable& variable : loaded.variables) {
    if (variable.Is("init", "templatedir")) ProtectNamed(base, variable.value, WhenMissing::kDirectory);
    if (variable.Is("core", "attributesfile")) ProtectNamed(base, variable.value, WhenMissing::kLeft);
    if (NamesNoFile(variable)) continue;
    for (const ProgramWord& word : ProgramWords(variable.value)) ProtectProgram(word, base, true);
  }
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
    for (GitVariable& variable : ReadGitConfig(text->value_or(""))) {
      if (variable.Is("core", "worktree")) loaded.work_tree = variable.value;
      if (variable.Is("core", "hookspath")) loaded.hooks.push_back(variable.value);
      if ((variable.section == "include" || variable.section == "includeif") && variable.name == "path") {
        ProtectNamed(base, variable.value, WhenMissing::kFile);
        files.push_back(Expanded(base, variable.value));
      }
      if (MayExecute(variable)) loaded.variables.push_back(std::move(variable));
    }
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
  ProtectHooks(git_directory, "hooks");
  for (const std::string& tree : repository.trees) {
    const Result<Walked> walked = protector_.Walker().Walk(tree);
    if (!walked) continue;
    Obey(loaded, walked->path);
    Obey(global_, walked->path);
  }
  return Done{};
}

// The files that git reads for every repository, and what they name.
Status GitProtection::ProtectGlobal() {
  const Host& host = protector_.TheHost();
  std::vector<std::string> files;
  const auto add = [&](const std::string& file, WhenMissing missing) {
    ProtectNamed("/", file, missing);
    files.push_back(file);
  };
  add("/etc/gitconfig", WhenMissing::kFile);
  add("/usr/local/etc/gitconfig", WhenMissing::kLeft);  // of a git built there
  for (const char* name : {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}) {
    const std::optional<std::string> file = host.Environment(name);
    if (file && file->starts_with('/')) add(*file, WhenMissing::kFile);
  }
  std::string xdg = home_.empty() ? "" : JoinPath(home_, ".config");
  if (const std::optional<std::string> set = host.Environment("XDG_CONFIG_HOME");
      set && set->starts_with('/'))
    xdg = *set;
  if (!xdg.empty()) files.push_back(JoinPath(ProtectNamed(xdg, "git", WhenMissing::kDirectory), "config"));
  if (!home_.empty()) {
    protector_.ProtectRows(home_, GitHomeRows());
    files.push_back(JoinPath(home_, ".gitconfig"));
  }
  if (Status read = Load(std::move(files), global_); !read) return read;
  for (int i = 0;; ++i) {
    const std::optional<std::string> key = host.Environment("GIT_CONFIG_KEY_" + std::to_string(i));
    const std::optional<std::string> value = host.Environment("GIT_CONFIG_VALUE_" + std::to_string(i));
    if (!key || !value) break;
    const std::size_t first = key->find('.');
    const std::size_t last = key->rfind('.');
    if (first == std::string::npos) continue;
    GitVariable variable{.section = key->substr(0, first), .name = key->substr(last + 1), .value = *value};
    for (std::string* part : {&variable.section, &variable.name}) *part = Folded(*part);
    if (variable.Is("core", "hookspath")) global_.hooks.push_back(variable.value);
    if (MayExecute(variable)) global_.variables.push_back(std::move(variable));
  }
  for (const char* name :
       {"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
        "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "SSH_ASKPASS", "VISUAL", "EDITOR", "PAGER"}) {
    if (const std::optional<std::string> value = host.Environment(name); value && !value->empty())
      global_.variables.push_back({.section = "environment", .name = name, .value = *value});
  }
  if (const std::optional<std::string> value = host.Environment("GIT_TEMPLATE_DIR"))
    global_.variables.push_back({.section = "init", .name = "templatedir", .value = *value});
  return Done{};
}

Status GitProtection::Apply() {
  if (Status global = ProtectGlobal(); !global) return global;
  const std::vector<WorkTree> trees = places_.WorkTrees();
  for (const WorkTree& tree : trees) {
    if (Status followed = FollowWorkTree(tree); !followed) return followed;
  }
  for (const GitDirectory& directory : places_.Directories()) {
    ProtectDirectory(directory);
    if (!directory.linked) repositories_[directory.path];
  }
  for (auto& [git_directory, repository] : repositories_) {
    if (Status held = ProtectRepository(git_directory, repository); !held) return held;
  }
  return Done{};
}

std::vector<GitSnapshot::Text> GitProtection::Unfinished() const {
  std::vector<GitSnapshot::Text> files;
  for (const GitDirectory& directory : places_.Directories()) {
    for (UnfinishedFile& file : FindUnfinished(directory.path, protector_.TheHost())) {
      if (file.text) files.push_back({.path = std::move(file.path), .text = std::move(*file.text)});
    }
  }
  return files;
}

}  // namespace mxc
