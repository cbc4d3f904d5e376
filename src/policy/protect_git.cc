#include "policy/protect_git.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "mxc/limits.h"
#include "policy/git_config.h"

namespace mxc {
namespace {

constexpr std::string_view kGitDirectoryName = "/.git";

std::string_view TrimEnd(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::string Against(std::string_view base, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : JoinPath(base, path);
}

}  // namespace

void GitProtection::Visit(const std::string& directory, std::vector<DirectoryEntry>& entries) {
  bool head = false;
  bool objects = false;
  bool refs = false;
  bool common = false;
  for (const DirectoryEntry& entry : entries) {
    head = head || entry.name == "HEAD";
    objects = objects || entry.name == "objects";
    refs = refs || entry.name == "refs";
    common = common || entry.name == "commondir";
    if (entry.name != ".git") continue;
    work_trees_.push_back(directory);
    if (entry.type == FileType::kRegular) git_files_.push_back(directory);
    if (entry.type == FileType::kSymlink) git_links_.push_back(directory);
  }
  const bool whole = head && objects && refs;
  if (!whole && !(head && common)) return;
  (whole ? directories_ : linked_).push_back(directory);
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [](const DirectoryEntry& entry) {
                                 return entry.name != "modules" && entry.name != "worktrees";
                               }),
                entries.end());
}

// "gitdir: PATH", of a linked work tree or a submodule.
void GitProtection::FollowGitFile(const std::string& work_tree) {
  constexpr std::string_view kKey = "gitdir:";
  const std::string file = JoinPath(work_tree, ".git");
  protector_.Protect(file, WhenMissing::kLeft);
  const Result<std::string> text = protector_.TheHost().ReadFile(file, kMaxPathBytes);
  if (!text || !text->starts_with(kKey)) return;
  std::string_view path = TrimEnd(*text);
  path.remove_prefix(std::min(path.size(), path.find_first_not_of(' ', kKey.size())));
  const Result<Walked> walked = protector_.Walker().Walk(Against(work_tree, path));
  if (!walked || !walked->status) return;
  if (!protector_.Rules().Visible(walked->path)) {
    protector_.Warn("git-directory-hidden", Quoted(file) + " leads to " + Quoted(walked->path) +
                                                ", which is not granted: git will not work there");
    return;
  }
  const std::string link = JoinPath(walked->path, "commondir");
  const Result<std::string> common = protector_.TheHost().ReadFile(link, kMaxPathBytes);
  const Result<Walked> whole =
      protector_.Walker().Walk(common ? Against(walked->path, TrimEnd(*common)) : walked->path);
  if (whole && whole->status) trees_of_[whole->path].push_back(work_tree);
}

// A path of a configuration: relative to `base`, or to the home with "~/".
void GitProtection::ProtectNamed(const std::string& base, std::string_view written, const std::string& home,
                                 WhenMissing missing) {
  if (written.empty()) return;
  const bool from_home = written.starts_with("~/");
  if (from_home && home.empty()) return;
  const std::string path = from_home ? JoinPath(home, written.substr(2)) : Against(base, written);
  const Result<Walked> walked = protector_.Walker().Walk(path);
  if (!walked) return;
  for (const LinkMet& met : walked->links) {
    if (protector_.Writable(ParentOf(met.link.path))) protector_.Protect(met.link.path, WhenMissing::kLeft);
  }
  protector_.Protect(walked->path, missing);
}

// Hooks and included files may stand in the work tree, where everything else is writable.
void GitProtection::ApplyConfig(const std::string& git_directory, const std::string& home) {
  std::vector<std::string> files = {JoinPath(git_directory, "config"),
                                    JoinPath(git_directory, "config.worktree")};
  std::vector<std::string> trees = trees_of_[git_directory];
  if (git_directory.ends_with(kGitDirectoryName)) trees.emplace_back(ParentOf(git_directory));
  std::vector<std::string> hooks;
  std::set<std::string> seen;
  constexpr std::size_t kMaxFiles = 16;
  while (!files.empty() && seen.size() < kMaxFiles) {
    const std::string file = std::move(files.back());
    files.pop_back();
    if (!seen.insert(file).second) continue;
    const Result<std::string> text = protector_.TheHost().ReadFile(file, kMaxGitConfigBytes);
    if (!text) continue;
    const GitConfig config = ReadGitConfig(*text);
    const std::string base{ParentOf(file)};
    if (!config.work_tree.empty()) trees.push_back(Against(git_directory, config.work_tree));
    hooks.push_back(config.hooks_path);
    hooks.push_back(config.fsmonitor == "true" || config.fsmonitor == "false" ? "" : config.fsmonitor);
    for (const std::string& include : config.includes) {
      ProtectNamed(base, include, home, WhenMissing::kLeft);
      if (!include.starts_with('~')) files.push_back(Against(base, include));
    }
  }
  if (trees.empty()) trees.push_back(git_directory);  // a bare repository
  for (const std::string& tree : trees) {
    for (const std::string& path : hooks) ProtectNamed(tree, path, home, WhenMissing::kLeft);
  }
}

void GitProtection::Apply(const std::string& home) {
  if (!home.empty()) protector_.ProtectRows(home, GitHomeRows());
  for (const std::string& tree : git_links_) protector_.Protect(JoinPath(tree, ".git"), WhenMissing::kLeft);
  for (const std::string& tree : git_files_) FollowGitFile(tree);
  for (const std::string& directory : directories_) {
    protector_.ProtectRows(directory, GitDirectoryRows());
    ApplyConfig(directory, home);
  }
  for (const std::string& directory : linked_) protector_.ProtectRows(directory, LinkedWorkTreeRows());
}

}  // namespace mxc
