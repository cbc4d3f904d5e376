#include "policy/protect/found_by_name.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "policy/protect/ssh_config.h"

namespace mxc {
namespace {

// What programs that git starts read in the caller's home, and may run something of.
constexpr std::string_view kInHome[] = {
    ".gitk", ".less", ".lesskey", ".config/lesskey", ".subversion/config", ".manpath"};
// gpg obeys gpg.conf-2.2 instead of gpg.conf, which is held where the directory is there.
constexpr std::string_view kGpgVersions = "/*.conf-*";
constexpr std::string_view kGpgFiles = "/*.conf*";

// A directory that a word means is the same whatever is made in it.
std::string TextOfDirectory(const Walked& walked) { return walked.path + '/'; }

bool IsDirectory(const Result<Walked>& walked) { return walked && walked->Is(FileType::kDirectory); }

// `walked`: of `path`.
GitSnapshot::Text DescribeFound(const std::string& path, const Result<Walked>& walked) {
  if (!walked) return {.path = path, .text = walked.error().message};
  if (!walked->status) return {.path = path};
  return {.path = path,
          .text = walked->path + '\n' + std::to_string(walked->status->object.inode),
          .stamp = walked->status->changed.value_or(0)};
}

bool IsProgram(const std::string& path, PathWalker& walker) {
  constexpr std::uint32_t kExecutable = 0111;
  const Result<Walked> walked = walker.Walk(path);
  if (!walked) return true;  // somebody may get there later
  return walked->Is(FileType::kRegular) && (walked->status->mode & kExecutable) != 0;
}

// "/a/x" for "/a/./x". A step back may lead elsewhere, behind a link.
std::string Plain(const std::string& path) {
  return path.find("..") == std::string::npos ? FoldLexically(path) : path;
}

// A relative one is another in every directory: git stands at the top of a work tree.
std::set<std::string> DirectoriesOfPath(const Host& host, const GitProtection& git) {
  std::vector<std::string> bases = {host.WorkingDirectory()};
  for (const WorkTree& tree : git.Places().WorkTrees()) bases.push_back(tree.directory);
  const std::string path = host.Environment("PATH").value_or("");
  std::set<std::string> directories;
  for (std::string_view rest = path; !path.empty();) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    for (const std::string& base : bases) directories.insert(Plain(Against(base, entry)));
    if (entry.size() == rest.size()) break;
    rest.remove_prefix(entry.size() + 1);
  }
  return directories;
}

class Notes {
 public:
  Notes(const Protector& protector, GitSnapshot& snapshot) : protector_(protector), snapshot_(snapshot) {}

  void AddNamed(const std::string& path) {
    const Result<Walked> walked = protector_.Walker().Walk(path);
    if (!MayChange(walked) || !seen_.insert(path).second) return;
    snapshot_.named.push_back(IsDirectory(walked)
                                  ? GitSnapshot::Text{.path = path, .text = TextOfDirectory(*walked)}
                                  : DescribeFound(path, walked));
  }
  // What `pattern` matches, and will match.
  void AddPattern(const std::string& pattern) {
    if (!IsGlob(pattern)) return AddNamed(pattern);
    const std::string base = GlobBase(pattern);
    const std::vector<std::string> grants = protector_.Rules().PathsWith(Access::kReadWrite);
    const bool open = MayChange(protector_.Walker().Walk(base)) ||
                      std::any_of(grants.begin(), grants.end(),
                                  [&](const std::string& grant) { return IsAtOrBelow(grant, base); });
    const Result<std::vector<GlobMatch>> matches =
        ExpandGlob(pattern, GlobLinks::kFollow, protector_.TheHost());
    for (const GlobMatch& match : matches ? *matches : std::vector<GlobMatch>{}) {
      if (match.type != FileType::kDirectory) open ? Note(match.path) : AddNamed(match.path);
    }
    if (open) snapshot_.patterns.push_back(pattern);
  }
  // A configuration of ssh, and what it includes.
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
    // Elsewhere root alone makes links to programs.
    const bool own = walked && (IsAtOrBelow(walked->path, "/usr/local") || IsIn(walked->path, homes));
    if (open) snapshot_.searched.push_back(directory);
    if (!walked || !walked->status || (!open && !own)) return;
    const Result<std::vector<DirectoryEntry>> entries = protector_.TheHost().ListEntries(walked->path, {});
    if (!entries) return open ? Note(directory) : void();
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = JoinPath(directory, entry.name);
      if (!open && entry.type == FileType::kSymlink) AddNamed(path);
      if (open && entry.type != FileType::kDirectory && IsProgram(path, walker)) Note(path);
    }
  }

 private:
  // By a file, or by a link on the way there. Where the caller cannot look, the command may make it so.
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
  std::set<std::string> seen_ = {};
};

class FoundReview {
 public:
  FoundReview(const GitSnapshot& before, const Host& host) : before_(before), host_(host), walker_(host) {
    for (const GitSnapshot::Text& each : before.named) known_.emplace(each.path, &each);
  }

  std::vector<GitChange> Run() {
    for (const GitSnapshot::Text& each : before_.named) Compare(each.path);
    for (const std::string& directory : before_.searched) Search(directory);
    for (const std::string& pattern : before_.patterns) Match(pattern);
    std::vector<GitChange> changes;
    for (const std::string& path : changed_)
      changes.push_back({.kind = GitChange::Kind::kFoundByName, .path = path});
    return changes;
  }

 private:
  void Search(const std::string& directory) {
    const Result<Walked> walked = walker_.Walk(directory);
    if (!walked || !walked->status) return;
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
  void Compare(const std::string& path) {
    const Result<Walked> walked = walker_.Walk(path);
    const auto known = known_.find(path);
    if (known != known_.end() && IsDirectory(walked) && TextOfDirectory(*walked) == known->second->text)
      return;
    const GitSnapshot::Text now = DescribeFound(path, walked);
    // Another run's command may have made what stood there before.
    const bool young = before_.others_since && now.stamp >= *before_.others_since;
    if (!now.text.empty() && (young || known == known_.end() || now != *known->second)) changed_.insert(path);
  }

  const GitSnapshot& before_;
  const Host& host_;
  PathWalker walker_;
  std::unordered_map<std::string_view, const GitSnapshot::Text*> known_ = {};
  std::set<std::string> changed_ = {};
};

}  // namespace

void NoteFoundByName(const GitProtection& git, const Protector& protector, GitSnapshot& snapshot) {
  const Host& host = protector.TheHost();
  Notes notes(protector, snapshot);
  for (const std::string& home : git.Homes()) {
    for (const std::string_view name : kInHome) notes.AddNamed(JoinPath(home, name));
    notes.AddSsh(JoinPath(home, ".ssh"), "config", home);
    notes.AddSsh("/etc/ssh", "ssh_config", home);
    const std::string gpg = JoinPath(home, ".gnupg");
    notes.AddPattern(Below(gpg, MayBeThere(protector.Walker().LookAt(gpg)) ? kGpgVersions : kGpgFiles));
  }
  if (const std::optional<std::string> gpg = host.Environment("GNUPGHOME"); gpg && gpg->starts_with('/'))
    notes.AddPattern(Below(*gpg, kGpgVersions));
  for (const std::string& directory : DirectoriesOfPath(host, git))
    notes.AddDirectory(directory, git.Homes());
  for (const std::string& path : git.NamedPaths()) notes.AddNamed(Plain(path));
}

std::vector<GitChange> ReviewFoundByName(const GitSnapshot& before, const Host& host) {
  return FoundReview(before, host).Run();
}

}  // namespace mxc
